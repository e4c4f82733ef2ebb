import Scenario
import Statistics

/// The times that a quantile of one replication was read from, kept so that replications can be
/// pooled: a mean of quantiles has the bias of the smallest sample.
final class SampledTimes: Sendable {
  /// Nanoseconds in ascending order.
  let events: [Int64]
  /// Times that say only that nothing had happened before them.
  let censored: [Int64]
  /// In place of both where records of views are not kept.
  let folded: ViewSums.Times?

  init(events: [Int64], censored: [Int64]) {
    self.events = events
    self.censored = censored
    folded = nil
  }

  /// Of times in any order.
  convenience init(of events: [Int64], censored: [Int64]) {
    self.init(
      events: AscendingTimes.sorted(events), censored: AscendingTimes.sorted(censored))
  }

  init(_ folded: ViewSums.Times) {
    events = []
    censored = []
    self.folded = folded
  }

  /// A quantile of the product-limit estimate, or with `_started` of the started times alone.
  ///
  /// - Returns: nanoseconds, and whether the curve never falls so far: the largest time is then a
  ///   lower bound.
  /// - Precondition: times in ascending order, at least one event.
  static func quantile(
    _ stat: String, events: [Int64], censored: [Int64]
  ) -> (nanoseconds: Int64, isLowerBound: Bool) {
    let p = share(of: stat)
    if stat.hasSuffix("_started") {
      return (events[OrderStatistics.rank(p, of: events.count) - 1], false)
    }
    do {
      let curve = try KaplanMeier(sortedEvents: events, sortedCensored: censored)
      if let quantile = try curve.quantile(p) { return (quantile, false) }
      return (max(events[events.count - 1], censored.last ?? 0), true)
    } catch {
      preconditionFailure("a sorted, non-empty sample has a curve: \(error)")
    }
  }

  private static func share(of stat: String) -> Double {
    (Double(stat.drop { $0 == "p" }.prefix { $0.isNumber }) ?? 50) / 100
  }

  /// The quantile of several replications together, nil without events.
  static func pooled(
    _ parts: [SampledTimes], _ stat: String
  ) -> (nanoseconds: Int64, isLowerBound: Bool)? {
    if parts.contains(where: { $0.folded != nil }) {
      var sum = ViewSums.Times()
      for part in parts {
        guard let folded = part.folded else { continue }
        sum.started.add(folded.started)
        sum.censored.add(folded.censored)
      }
      return quantile(stat, of: sum)
    }
    let all = SampledTimes(of: parts.flatMap(\.events), censored: parts.flatMap(\.censored))
    if all.events.isEmpty { return nil }
    return quantile(stat, events: all.events, censored: all.censored)
  }

  /// Of histograms.
  static func quantile(
    _ stat: String, of times: ViewSums.Times
  ) -> (nanoseconds: Int64, isLowerBound: Bool)? {
    if times.started.total == 0 { return nil }
    if stat.hasSuffix("_started") {
      return times.started.quantile(share(of: stat)).map { ($0, false) }
    }
    if let found = times.started.quantile(share(of: stat), censored: times.censored) {
      return (found, false)
    }
    return (max(times.started.largest, times.censored.largest), true)
  }
}

extension SampledTimes: Equatable {
  static func == (a: SampledTimes, b: SampledTimes) -> Bool {
    a === b || (a.events == b.events && a.censored == b.censored && a.folded == b.folded)
  }
}

extension MetricReference {
  static func isQuantile(_ stat: String) -> Bool {
    stat.first == "p" && (stat.dropFirst().first?.isNumber ?? false)
  }

  /// Whether the stat is a percentile.
  var isQuantile: Bool { MetricReference.isQuantile(stat) }
}
