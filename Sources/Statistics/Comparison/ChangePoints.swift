/// Where a series of measurements changes, such as a metric over commits: E-divisive.
///
/// The series is cut where the energy distance between what is before and what is behind is
/// largest, then the pieces likewise, each cut as long as a permutation test calls it sure. Nothing
/// is assumed of the values' law: a shift, a wider spread and another shape are all changes.
///
/// **Error rate.** Without any change, where the values could stand in every order alike, one cut
/// or more is found with a probability of at most `level`. It holds for every number of values,
/// because the test draws orders of the values themselves. Values that hang together (drift, weekly
/// waves) break it.
///
/// As in performance tests of a database (D. Daly and others 2020, DOI 10.1145/3358960.3375791)
/// both pieces reach to the ends of what is cut. Source: D. Matteson, N. James, "A Nonparametric
/// Approach for Multiple Change Point Analysis of Multivariate Data", 2014, DOI
/// 10.1080/01621459.2013.849605.
public struct ChangePoints: Sendable, Equatable {
  /// A cut.
  public struct Cut: Sendable, Equatable {
    /// The first value behind it.
    public var index: Int
    /// The share of orders with a cut at least as clear, of the pieces there were.
    public var pValue: Double
  }

  /// Fewer values are too few: the most telling order of eleven values is one of 462 in two equal
  /// pieces, and a change near the end is one of a few dozen.
  public static let leastCount = 12
  /// Values on each side of a cut; the energy distance needs two.
  public static let leastSide = 2

  /// In ascending order.
  public let cuts: [Cut]

  /// Looks for changes.
  ///
  /// - Parameters:
  ///   - level: of the test, 0 to 1 without its ends.
  ///   - permutations: orders drawn for each test; p is at least 1 over one more.
  ///   - seed: the same gives the same cuts.
  /// - Throws: `statistics.no-data` under ``leastCount`` values, `statistics.data` when one is not
  ///   finite, `statistics.parameter`.
  /// - Complexity: `values.count` squared for each order and test.
  public init(
    _ values: [Double], level: Double = 0.05, permutations: Int = 999, seed: UInt64 = 1
  ) throws(StatisticsError) {
    try Require.level(level)
    if permutations < 19 { throw .parameter("at least 19 permutations", got: "\(permutations)") }
    if values.count < ChangePoints.leastCount {
      throw .noData("at least \(ChangePoints.leastCount) values", got: values.count)
    }
    try Require.finite(data: values)
    let energy = EnergyScan(values)
    var generator = SplitMix64(seed: seed)
    var ends = [0, values.count]
    var found: [Cut] = []
    while ends.count <= values.count / ChangePoints.leastSide {
      let pieces = zip(ends, ends.dropFirst()).map { $0..<$1 }
      var order = Array(values.indices)
      let best = energy.best(pieces, order)
      guard let best, best.size > 0 else { break }
      // The last digits of a sum depend on its order.
      let threshold = best.size * (1 - 1e-9)
      var asClear = 0
      for _ in 0..<permutations {
        for piece in pieces {
          for place in piece.dropLast() {
            order.swapAt(place, place + generator.next(below: piece.upperBound - place))
          }
        }
        if let other = energy.best(pieces, order), other.size >= threshold { asClear += 1 }
      }
      let pValue = Double(asClear + 1) / Double(permutations + 1)
      if pValue > level { break }
      found.append(Cut(index: best.index, pValue: pValue))
      ends = (ends + [best.index]).sorted()
    }
    cuts = found.sorted { $0.index < $1.index }
  }

  /// The scaled energy distance of two lists: their sizes' product over their sum, times twice the
  /// mean distance between them less the mean distances within each.
  ///
  /// - Precondition: both have ``leastSide`` values.
  static func energy(_ first: [Double], _ second: [Double]) -> Double {
    precondition(
      min(first.count, second.count) >= leastSide, "\(first.count) and \(second.count) values")
    return EnergyScan(first + second).size(
      EnergySums(first, second), first.count, second.count)
  }
}

/// Sums of distances between the values before and behind a cut, and within each.
private struct EnergySums {
  var before = 0.0
  var behind = 0.0
  var between = 0.0

  init() {}

  init(_ first: [Double], _ second: [Double]) {
    func within(_ values: [Double]) -> Double {
      var sum = 0.0
      for (place, value) in values.enumerated() {
        for other in values[..<place] { sum += abs(value - other) }
      }
      return sum
    }
    before = within(first)
    behind = within(second)
    for value in first { for other in second { between += abs(value - other) } }
  }
}

/// The clearest cut of pieces of a series, in any order of its values.
private struct EnergyScan {
  private let count: Int
  /// By two values, in rows.
  private let distances: [Double]

  init(_ values: [Double]) {
    count = values.count
    distances = values.flatMap { value in values.map { abs(value - $0) } }
  }

  func size(_ sums: EnergySums, _ first: Int, _ second: Int) -> Double {
    let (m, n) = (Double(first), Double(second))
    let between = 2 * sums.between / (m * n)
    let within = 2 * sums.before / (m * (m - 1)) + 2 * sums.behind / (n * (n - 1))
    return (between - within) * m * n / (m + n)
  }

  /// The clearest cut; nil where no piece is long enough.
  func best(_ pieces: [Range<Int>], _ order: [Int]) -> (index: Int, size: Double)? {
    var best: (index: Int, size: Double)?
    distances.withUnsafeBufferPointer { distances in
      for piece in pieces where piece.count >= 2 * ChangePoints.leastSide {
        var sums = EnergySums()
        for place in piece {
          let row = order[place] * count
          for other in piece.lowerBound..<place { sums.behind += distances[row + order[other]] }
        }
        // One value after the other goes from behind the cut to before it.
        for place in piece.lowerBound..<(piece.upperBound - ChangePoints.leastSide) {
          let row = order[place] * count
          var (left, right) = (0.0, 0.0)
          for other in piece.lowerBound..<place { left += distances[row + order[other]] }
          for other in (place + 1)..<piece.upperBound { right += distances[row + order[other]] }
          sums.before += left
          sums.behind -= right
          sums.between += right - left
          let first = place + 1 - piece.lowerBound
          if first < ChangePoints.leastSide { continue }
          let size = size(sums, first, piece.count - first)
          if size > (best?.size ?? 0) { best = (place + 1, size) }
        }
      }
    }
    return best
  }
}
