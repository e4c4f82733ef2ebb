/// Least squares by Householder reflections, factored once and solved for many right-hand sides.
///
/// Source: G. Golub, C. Van Loan, "Matrix Computations", 4th edition, 2013, section 5.3.
public struct LeastSquares: Sendable {
  private let rows: Int
  private let columns: Int
  /// The reflections below the diagonal and the triangle above it, column after column: what is
  /// walked over lies side by side.
  private var factors: [Double]
  private var diagonal: [Double]

  /// - Parameter matrix: by row, all rows of equal length.
  /// - Throws: `statistics.data` when there are fewer rows than columns, or when a column is a sum
  ///   of others: then the design does not tell the effects apart.
  /// - Complexity: rows · columns².
  public init(_ matrix: [[Double]]) throws(StatisticsError) {
    rows = matrix.count
    columns = matrix.first?.count ?? 0
    factors = [Double](repeating: 0, count: rows * columns)
    diagonal = []
    if rows < columns {
      throw .data("at least \(columns) points for \(columns) coefficients", got: "\(rows)")
    }
    var scale = 0.0
    for row in 0..<rows {
      for column in 0..<columns {
        factors[column * rows + row] = matrix[row][column]
        scale = max(scale, abs(matrix[row][column]))
      }
    }
    let least = 1e-10 * scale * Double(rows).squareRoot()
    for column in 0..<columns {
      let own = column * rows
      var squares = 0.0
      for row in column..<rows { squares += factors[own + row] * factors[own + row] }
      let norm = squares.squareRoot()
      if !(norm > least) {
        throw .data(
          "a design that tells all effects apart",
          got: "coefficient \(column) as a sum of those before it")
      }
      let signed = factors[own + column] > 0 ? -norm : norm
      factors[own + column] -= signed
      let half = -signed * factors[own + column]
      for other in (column + 1)..<max(columns, column + 1) {
        let place = other * rows
        var product = 0.0
        for row in column..<rows { product += factors[own + row] * factors[place + row] }
        let share = product / half
        for row in column..<rows { factors[place + row] -= share * factors[own + row] }
      }
      diagonal.append(signed)
    }
  }

  /// The coefficients that fit `values`, one value for each row.
  public func coefficients(_ values: [Double]) -> [Double] {
    precondition(values.count == rows, "expected \(rows) values, got \(values.count)")
    var rest = values
    for column in 0..<columns {
      let own = column * rows
      var product = 0.0
      for row in column..<rows { product += factors[own + row] * rest[row] }
      let share = product / (-diagonal[column] * factors[own + column])
      for row in column..<rows { rest[row] -= share * factors[own + row] }
    }
    var result = [Double](repeating: 0, count: columns)
    for column in (0..<columns).reversed() {
      var value = rest[column]
      for other in (column + 1)..<max(columns, column + 1) {
        value -= factors[other * rows + column] * result[other]
      }
      result[column] = value / diagonal[column]
    }
    return result
  }

  /// Of the coefficients, by row, where each value has a variance of one.
  public var covariance: [[Double]] {
    // What each value by itself makes of them.
    let effects = (0..<rows).map { row in
      var values = [Double](repeating: 0, count: rows)
      values[row] = 1
      return coefficients(values)
    }
    return (0..<columns).map { one in
      (0..<columns).map { other in effects.reduce(0) { $0 + $1[one] * $1[other] } }
    }
  }
}
