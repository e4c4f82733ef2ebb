/// A continuous law as a table of its quantiles: one uniform in, one variate out.
///
/// The table is addressed by the distance v = min(u, 1-u) to the nearer end, 64 cells to an octave
/// of v, so the tails are as finely cut as the middle, down to 2^-55. Inside a cell the quantile is
/// linear in v. Knots are exact (`Statistics` computes them); ``maximumError`` is the largest
/// interpolation error that its builder measured, relative to max(|value|, interquartile range).
///
/// - Complexity: O(1), about ten instructions and two loads; 55 kB per table.
public struct QuantileTable: Sendable {
  /// Octaves of v below 1/2.
  public static let octaves = 54
  /// Cells in one octave.
  public static let cells = 64
  /// Knots of one side.
  public static let knots = octaves * cells + 1

  /// The knots of the lower side, those of the upper one, ``maximumError`` and ``mean``.
  ///
  /// One list, since configurations have a hundred tables and every copy of one counts its
  /// references.
  @usableFromInline let values: [Double]

  /// Largest measured interpolation error, relative to max(|value|, interquartile range).
  public var maximumError: Double { values[2 * QuantileTable.knots] }
  /// The mean of the law as its builder computed it; NaN when it has none.
  public var mean: Double { values[2 * QuantileTable.knots + 1] }

  /// - Parameters:
  ///   - lower: quantiles at v for v = 1/2 down to 2^-55: knot (o-1)·64 + c is at 2^-o·(1 - c/128).
  ///   - upper: quantiles at 1 - v for the same v.
  /// - Precondition: both sides have ``knots`` entries, meet at v = 1/2 and are monotone.
  public init(lower: [Double], upper: [Double], maximumError: Double, mean: Double) {
    precondition(lower.count == QuantileTable.knots && upper.count == QuantileTable.knots)
    precondition(lower[0] == upper[0], "both sides start at the median")
    for index in 1..<QuantileTable.knots {
      precondition(lower[index] <= lower[index - 1] && upper[index] >= upper[index - 1])
    }
    var values: [Double] = []
    values.reserveCapacity(2 * QuantileTable.knots + 2)
    values += lower
    values += upper
    values.append(maximumError)
    values.append(mean)
    self.values = values
  }

  /// The law that always gives `value`.
  public init(constant value: Double) {
    var values = [Double](repeating: value, count: 2 * QuantileTable.knots + 2)
    values[2 * QuantileTable.knots] = 0
    self.values = values
  }

  /// The knots of both sides, as ``init(lower:upper:maximumError:mean:)`` takes them.
  public var sides: (lower: [Double], upper: [Double]) {
    let knots = QuantileTable.knots
    return (Array(values[..<knots]), Array(values[knots..<2 * knots]))
  }

  /// No quantile is larger.
  public var largest: Double { values[2 * QuantileTable.knots - 1] }

  /// Whether both have the same quantiles.
  public func isEqual(to other: QuantileTable?) -> Bool {
    guard let other else { return false }
    for index in 0..<2 * QuantileTable.knots where values[index] != other.values[index] {
      return false
    }
    return true
  }

  /// The quantile at `u`, which must lie strictly between 0 and 1.
  @inlinable
  public func quantile(_ u: Double) -> Double {
    let isLower = u <= 0.5
    let v = isLower ? u : 1 - u
    precondition(v >= 0x1p-55, "a uniform number strictly between 0 and 1")
    let bits = v.bitPattern
    let octave = 1022 - Int(bits >> 52)
    let mantissa = Double(bitPattern: (bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000)
    let position = 128 - 64 * mantissa
    let cell = Int(position)
    let fraction = position - Double(cell)
    let index = (octave - 1) * QuantileTable.cells + cell
    let place = isLower ? index : index + QuantileTable.knots
    let a = values[place]
    return fraction == 0 ? a : a + (values[place + 1] - a) * fraction
  }
}
