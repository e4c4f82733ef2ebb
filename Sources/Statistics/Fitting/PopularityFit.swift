internal import CGSL

/// Zipf's law fitted to how often each title was asked for.
///
/// Ranks are not observed: ordering titles by their counts makes the popular ones look more popular
/// than they are. Every count is taken as Poisson about its title's rate instead. Where the head's
/// counts lie so far apart that their order is certain, each has its own rank; for the rest, what
/// is compared is how many titles have a count of 0, 1, 2, …, each such number taken as Poisson
/// about its expectation, which says a little less than all there is, so that intervals are rather
/// wide than narrow.
///
/// A feed that shows nobody a title twice in a session takes its popular titles less often than
/// their popularity says: ``Draws/distinct(sessions:)`` knows that. Its interval takes a session's
/// titles for independent, which they are not: they keep each other out, so that counts scatter
/// less, and the interval is rather wide than narrow.
public struct PopularityFit: Sendable, Equatable {
  /// How the titles of a session come about.
  public enum Draws: Sendable, Equatable {
    /// Every request by itself.
    case independent
    /// Drawn until one comes that the session has not had; counts are of sessions, and of each
    /// session the places in its feed whose titles were counted, `0..<n` where it was seen from its
    /// beginning. What comes later has fewer of the popular titles: they came before.
    case distinct(sessions: [Range<Int>])
  }

  public let draws: Draws
  public let exponent: Estimate
  /// Titles, those nobody asked for among them; an interval of no width where they are given.
  public let titles: Estimate
  /// Titles that were asked for, and how often all were.
  public let seen: Int
  public let requests: Int

  /// - Parameters:
  ///   - counts: how often each title was asked for, above 0, in any order.
  ///   - titles: how many there are in all; nil: estimated too.
  ///   - draws: how a session's titles come about; what sessions had adds up to the counts.
  /// - Throws: `statistics.no-data` under 20 titles or 200 requests; `statistics.numeric` when all
  ///   titles are alike or nothing was asked for twice.
  public init(
    counts: [Int], titles: Int? = nil, draws: Draws = .independent, level: Double = 0.95
  ) throws(StatisticsError) {
    try Require.level(level)
    self.draws = draws
    let sorted = counts.filter { $0 > 0 }.sorted(by: >)
    requests = sorted.reduce(0, +)
    seen = sorted.count
    if sorted.count < 20 { throw .noData("at least 20 titles", got: sorted.count) }
    if requests < 200 { throw .noData("at least 200 requests", got: requests) }
    if requests < sorted.count + 20 {
      throw .noData("at least 20 requests for a title seen before", got: requests - sorted.count)
    }
    if let titles, titles < sorted.count {
      throw .parameter("at least the \(sorted.count) titles that were seen", got: "\(titles)")
    }
    if case .distinct(let sessions) = draws {
      let all = sessions.reduce(0) { $0 + $1.count }
      if all != requests || sessions.contains(where: { $0.lowerBound < 0 }) {
        throw .parameter("sessions of \(requests) titles together", got: "\(all)")
      }
    }
    let likelihood = PopularityLikelihood(sorted, titles: titles, draws)
    let start = likelihood.start()
    let best: [Double]
    if titles == nil {
      best = try Simplex.minimum(from: start, step: 0.05) { -likelihood.value($0) }
    } else {
      best = try Simplex.minimum(from: [start[0]], step: 0.05) { -likelihood.value($0) }
    }
    let spread = try likelihood.deviations(best)
    let z = try StandardNormal.quantile(1 - (1 - level) / 2)
    exponent = Estimate(
      value: best[0],
      interval: Interval(
        lower: best[0] - z * spread[0], upper: best[0] + z * spread[0], level: level),
      standardError: spread[0], n: requests)
    let count = titles.map { Double($0) } ?? Double(sorted.count) + exp(best[1])
    let unseen = count - Double(sorted.count)
    let wide = titles == nil ? exp(z * spread[1]) : 1
    self.titles = Estimate(
      value: count,
      interval: Interval(
        lower: count - unseen + unseen / wide, upper: count - unseen + unseen * wide, level: level),
      standardError: titles == nil ? unseen * spread[1] : 0, n: sorted.count)
  }
}
