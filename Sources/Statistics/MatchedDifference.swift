/// How much more one group of values is than another at equal values of something else: of starts
/// that waited and starts that did not, at equal bytes.
///
/// The values are cut into strata at the quantiles of what is matched, of the first group. In each
/// stratum the difference is that of the two means; the whole is their mean, each weighing as many
/// values as the first group has there. Source: W. Cochran, "The effectiveness of adjustment by
/// subclassification", Biometrics 24, 1968, DOI 10.2307/2528036: five strata take away some 90 % of
/// what a matched quantity would bias. The interval is that of a jackknife over groups of clusters,
/// as the values of one session are alike (B. Efron, C. Stein 1981, DOI 10.1214/aos/1176345462).
public struct MatchedDifference: Sendable, Equatable {
  /// A value with what it is matched by; not a number where nobody says that.
  public struct Value: Sendable {
    public var value: Double
    public var match: Double
    /// Values of one cluster are not independent.
    public var cluster: Int

    public init(value: Double, match: Double, cluster: Int) {
      self.value = value
      self.match = match
      self.cluster = cluster
    }
  }

  public static let strataCount = 5
  /// Groups of the jackknife, how many of them must have values, and values that each side needs in
  /// a stratum.
  public static let groupCount = 20
  public static let leastGroups = 8
  public static let leastOfStratum = 10

  /// Mean of the first group less that of the second, and its interval; ``Estimate/n`` is the
  /// number of jackknife groups that have values.
  public let estimate: Estimate
  /// Values of the first group in strata that have enough of both, and all of it.
  public let matched: Int
  public let all: Int
  /// Whether there was anything to match by.
  public let isMatched: Bool

  /// - Throws: `statistics.no-data` where no stratum has enough of both sides, or too few groups of
  ///   clusters have values there.
  public init(_ first: [Value], _ second: [Value], level: Double = 0.95) throws(StatisticsError) {
    let matches = first.map(\.match).filter { !$0.isNaN }.sorted()
    // Bytes that half of the rows do not say are no match.
    let canMatch = 2 * matches.count > first.count && second.contains { !$0.match.isNaN }
    let edges =
      canMatch
      ? (1..<Self.strataCount).map { matches[$0 * matches.count / Self.strataCount] } : []
    func stratum(_ value: Value) -> Int? {
      if !canMatch { return 0 }
      return value.match.isNaN ? nil : edges.count { $0 <= value.match }
    }
    var cells = Cells(strata: edges.count + 1)
    for value in first { cells.add(value, stratum(value), isFirst: true) }
    for value in second { cells.add(value, stratum(value), isFirst: false) }
    let used = cells.used
    if used.isEmpty {
      throw .noData("\(Self.leastOfStratum) values of both sides at equal matches", got: 0)
    }
    guard let whole = cells.difference(used, without: nil) else {
      throw .noData("values of both sides at equal matches", got: 0)
    }
    // Without an empty group all of it stays: that tells nothing of how clusters differ.
    let occupied = cells.occupied(used)
    if occupied.count < Self.leastGroups {
      throw .noData("\(Self.leastGroups) groups of clusters with values", got: occupied.count)
    }
    let parts = occupied.compactMap { cells.difference(used, without: $0) }
    if parts.count < occupied.count {
      throw .noData(
        "both sides without any of \(occupied.count) groups of clusters", got: parts.count)
    }
    let n = Double(parts.count)
    let mean = CompensatedSum.of(parts) / n
    let squares = CompensatedSum.of(parts.map { ($0 - mean) * ($0 - mean) })
    let error = ((n - 1) / n * squares).squareRoot()
    estimate = try Estimates.estimate(whole, error: error, n: parts.count, level: level)
    matched = used.reduce(0) { $0 + cells.count(first: $1) }
    all = first.count
    isMatched = canMatch
  }

  /// Sums by stratum, group of clusters and side.
  private struct Cells {
    private var sums: [Double]
    private var counts: [Int]
    private let strata: Int

    init(strata: Int) {
      self.strata = strata
      sums = [Double](repeating: 0, count: strata * groupCount * 2)
      counts = [Int](repeating: 0, count: strata * groupCount * 2)
    }

    private func place(_ stratum: Int, _ group: Int, _ isFirst: Bool) -> Int {
      (stratum * groupCount + group) * 2 + (isFirst ? 0 : 1)
    }

    mutating func add(_ value: Value, _ stratum: Int?, isFirst: Bool) {
      guard let stratum else { return }
      let place = place(stratum, value.cluster % groupCount, isFirst)
      sums[place] += value.value
      counts[place] += 1
    }

    private func total(_ stratum: Int, _ isFirst: Bool, without group: Int?) -> (Double, Int) {
      var total = (0.0, 0)
      for other in 0..<groupCount where other != group {
        let place = place(stratum, other, isFirst)
        total = (total.0 + sums[place], total.1 + counts[place])
      }
      return total
    }

    func count(first stratum: Int) -> Int { total(stratum, true, without: nil).1 }

    /// Strata with enough of both sides.
    var used: [Int] {
      (0..<strata).filter { stratum in
        total(stratum, true, without: nil).1 >= leastOfStratum
          && total(stratum, false, without: nil).1 >= leastOfStratum
      }
    }

    /// Groups that have values in these strata.
    func occupied(_ used: [Int]) -> [Int] {
      (0..<groupCount).filter { group in
        used.contains { stratum in
          counts[place(stratum, group, true)] + counts[place(stratum, group, false)] > 0
        }
      }
    }

    /// Nil where a side of a stratum has nothing without the group.
    func difference(_ used: [Int], without group: Int?) -> Double? {
      var (sum, weight) = (0.0, 0)
      for stratum in used {
        let (first, ours) = total(stratum, true, without: group)
        let (second, theirs) = total(stratum, false, without: group)
        if ours == 0 || theirs == 0 { return nil }
        sum += Double(ours) * (first / Double(ours) - second / Double(theirs))
        weight += ours
      }
      return weight > 0 ? sum / Double(weight) : nil
    }
  }
}
