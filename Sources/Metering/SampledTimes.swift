import Estimation

/// Started and censored times that one metric is read from, counted where records of views are not
/// kept.
public struct FoldedTimes: Sendable, Equatable {
  public var started = FineHistogram()
  public var censored = FineHistogram()

  public init() {}
}

/// The times that a quantile of one replication was read from, kept so that replications can be
/// pooled: a mean of quantiles has the bias of the smallest sample.
public final class SampledTimes: Sendable {
  /// Nanoseconds in ascending order.
  public let events: [Int64]
  /// Times that say only that nothing had happened before them.
  public let censored: [Int64]
  /// In place of both where records of views are not kept.
  public let folded: FoldedTimes?

  public init(events: [Int64], censored: [Int64]) {
    self.events = events
    self.censored = censored
    folded = nil
  }

  /// Of times in any order.
  public convenience init(of events: [Int64], censored: [Int64]) {
    self.init(
      events: AscendingTimes.sorted(events), censored: AscendingTimes.sorted(censored))
  }

  public init(_ folded: FoldedTimes) {
    events = []
    censored = []
    self.folded = folded
  }

  /// A quantile of the product-limit estimate, or with `_started` of the started times alone.
  ///
  /// - Returns: nanoseconds, and whether the curve never falls so far: the largest time is then a
  ///   lower bound.
  /// - Precondition: times in ascending order, at least one event.
  public static func quantile(
    _ percent: Int, ofStarted: Bool, events: [Int64], censored: [Int64]
  ) -> (nanoseconds: Int64, isLowerBound: Bool) {
    let p = Double(percent) / 100
    if ofStarted {
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

  /// The quantile of several replications together, nil without events.
  public static func pooled(
    _ parts: [SampledTimes], _ percent: Int, ofStarted: Bool
  ) -> (nanoseconds: Int64, isLowerBound: Bool)? {
    if parts.contains(where: { $0.folded != nil }) {
      var sum = FoldedTimes()
      for part in parts {
        guard let folded = part.folded else { continue }
        sum.started.add(folded.started)
        sum.censored.add(folded.censored)
      }
      return quantile(percent, ofStarted: ofStarted, of: sum)
    }
    let all = together(parts)
    if all.events.isEmpty { return nil }
    return quantile(
      percent, ofStarted: ofStarted, events: all.events, censored: all.censored)
  }

  private static func together(_ parts: [SampledTimes]) -> SampledTimes {
    if parts.count == 1 { return parts[0] }
    var (events, censored): ([Int64], [Int64]) = ([], [])
    for part in parts {
      events += part.events
      censored += part.censored
    }
    return SampledTimes(of: events, censored: censored)
  }

  /// These and those of other replications.
  ///
  /// - Precondition: neither is folded.
  /// - Complexity: O(n).
  public func merged(with other: SampledTimes) -> SampledTimes {
    SampledTimes(
      events: SampledTimes.merged(events, other.events),
      censored: SampledTimes.merged(censored, other.censored))
  }

  private static func merged(_ one: [Int64], _ other: [Int64]) -> [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(one.count + other.count)
    var (left, right) = (0, 0)
    while left < one.count && right < other.count {
      if one[left] <= other[right] {
        result.append(one[left])
        left += 1
      } else {
        result.append(other[right])
        right += 1
      }
    }
    result += one[left...]
    result += other[right...]
    return result
  }

  /// Of histograms.
  public static func quantile(
    _ percent: Int, ofStarted: Bool, of times: FoldedTimes
  ) -> (nanoseconds: Int64, isLowerBound: Bool)? {
    if times.started.total == 0 { return nil }
    let p = Double(percent) / 100
    if ofStarted { return times.started.quantile(p).map { ($0, false) } }
    if let found = times.started.quantile(p, censored: times.censored) { return (found, false) }
    return (max(times.started.largest, times.censored.largest), true)
  }
}

extension SampledTimes: Equatable {
  public static func == (a: SampledTimes, b: SampledTimes) -> Bool {
    a === b || (a.events == b.events && a.censored == b.censored && a.folded == b.folded)
  }
}
