/// How much more noise a sum has where its units go together in two ways, such as views of one
/// session and views of one title, than clusters of the first way show.
///
/// The variance is that of the clusters of one way and of the other, less that of the pairs, which
/// both have. Source: A. Cameron, J. Gelbach, D. Miller 2011, DOI 10.1198/jbes.2010.07136,
/// equation 2.8.
public struct TwoWayClusters: Sendable {
  private var first, second: [Double]
  /// By unit, where a pair may have more than one.
  private var pairs: [(pair: UInt64, residual: Double)] = []
  private let hasLargePairs: Bool
  /// Of pairs that are one unit each.
  private var pairSquares = 0.0

  /// - Parameters:
  ///   - first, second: how many clusters there are of each way.
  ///   - hasLargePairs: whether many units may have both clusters in common.
  public init(first: Int, second: Int, hasLargePairs: Bool) {
    self.first = [Double](repeating: 0, count: first)
    self.second = [Double](repeating: 0, count: second)
    self.hasLargePairs = hasLargePairs
  }

  /// Adds how much one unit's part of the sum is above what is expected of it.
  ///
  /// - Parameter other: its cluster of the second way; nil: it stands alone.
  public mutating func add(_ residual: Double, first cluster: Int, second other: Int?) {
    first[cluster] += residual
    guard let other else { return }
    second[other] += residual
    if hasLargePairs {
      pairs.append((UInt64(cluster) << 32 | UInt64(other), residual))
    } else {
      pairSquares += residual * residual
    }
  }

  /// What the second way adds: a factor on deviations of draws of the first way's clusters, at
  /// least 1, and how many clusters of one way have as many degrees of freedom (F. Satterthwaite
  /// 1946, DOI 10.2307/3002019); nil where the first way has no variance.
  ///
  /// - Parameter used: clusters of the first way that have a unit.
  public func addition(used: Int) -> (factor: Double, clusters: Int)? {
    func sum(_ values: some Sequence<Double>) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    let own = sum(first)
    if own <= 0 || used < 2 { return nil }
    let ofPairs = hasLargePairs ? sum(pairSums) : pairSquares
    let ofSecond = sum(second)
    let added = ofSecond - ofPairs
    if added <= 0 { return (1, used) }
    // A few clusters may have most of it: it counts as many as have the same fourth power of normal
    // sums of one variance, never fewer than three.
    let fourth = second.reduce(0) { $0 + $1 * $1 * $1 * $1 }
    let others = 3 * ofSecond * ofSecond / fourth
    let all = own + added
    let freedom = all * all / (own * own / Double(used - 1) + added * added / (others - 1))
    return ((all / own).squareRoot(), max(2, min(used, Int(freedom) + 1)))
  }

  private var pairSums: [Double] {
    var sums: [Double] = []
    var last: UInt64?
    // In the order of units within a pair, so that equal units give equal sums.
    let order = pairs.indices.sorted { (pairs[$0].pair, $0) < (pairs[$1].pair, $1) }
    for place in order {
      if pairs[place].pair != last { sums.append(0) }
      last = pairs[place].pair
      sums[sums.count - 1] += pairs[place].residual
    }
    return sums
  }
}

extension ClusterResampling.Statistic {
  /// The same with what a second way of going together adds to its noise.
  public func widened(by addition: (factor: Double, clusters: Int)?) -> Self {
    guard let addition else { return self }
    return Self(
      value, draws: draws.map { value + ($0 - value) * addition.factor },
      clusters: min(clusters, addition.clusters))
  }
}
