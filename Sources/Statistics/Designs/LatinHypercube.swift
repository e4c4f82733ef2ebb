/// A Latin hypercube: each factor has one point in each of n equal parts of its range.
///
/// The parts of different factors are put together by independent random orders. For a response
/// that is close to a sum of functions of single factors, its mean has less variance than over
/// independent points. Source: M. McKay, R. Beckman, W. Conover 1979, DOI 10.2307/1268522.
public enum LatinHypercube {
  /// The points, in 0..<1 for each factor.
  ///
  /// - Parameters:
  ///   - isCentred: puts each point in the middle of its part instead of at a random place there.
  ///   - uniform: a number in 0..<1 for (factor, draw), draws 0..<2n: the first n make the order of
  ///     the parts, the others the places in them. Keyed so, a further factor moves no other.
  /// - Throws: `statistics.parameter` under one point or factor; `statistics.data` when a number is
  ///   outside 0..<1.
  /// - Complexity: O(factors · n · log n).
  public static func points(
    _ count: Int, factors: Int, isCentred: Bool = false,
    uniform: (_ factor: Int, _ draw: Int) -> Double
  ) throws(StatisticsError) -> [[Double]] {
    if count < 1 { throw .parameter("at least 1 point", got: "\(count)") }
    if factors < 1 { throw .parameter("at least 1 factor", got: "\(factors)") }
    var points = [[Double]](repeating: [Double](repeating: 0, count: factors), count: count)
    // The greatest number under 1: a part's end must not round up to the next part.
    let limit = 1.0.nextDown
    for factor in 0..<factors {
      let draws = (0..<(2 * count)).map { uniform(factor, $0) }
      for draw in draws.indices where !(draws[draw] >= 0 && draws[draw] < 1) {
        throw .data("uniform numbers in 0..<1", got: "\(draws[draw])")
      }
      let order = (0..<count).sorted { (draws[$0], $0) < (draws[$1], $1) }
      for (part, point) in order.enumerated() {
        let place = isCentred ? 0.5 : draws[count + point]
        points[point][factor] = min(limit, (Double(part) + place) / Double(count))
      }
    }
    return points
  }

  /// The points of a seed, for callers without keyed streams of their own.
  public static func points(
    _ count: Int, factors: Int, isCentred: Bool = false, seed: UInt64
  ) throws(StatisticsError) -> [[Double]] {
    try points(count, factors: factors, isCentred: isCentred, uniform: KeyedUniform(seed).draw)
  }
}

/// Uniform numbers by (entity, draw) from SplitMix64: each entity has a generator of its own.
struct KeyedUniform: Sendable {
  private let seed: UInt64

  init(_ seed: UInt64) { self.seed = seed }

  func draw(_ entity: Int, _ draw: Int) -> Double {
    var keys = SplitMix64(seed: seed)
    let base = keys.next()
    var entities = SplitMix64(seed: base ^ UInt64(bitPattern: Int64(entity)))
    var draws = SplitMix64(seed: entities.next() ^ UInt64(bitPattern: Int64(draw)))
    return draws.nextUniform()
  }
}
