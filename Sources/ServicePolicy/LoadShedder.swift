import MediaUnits

/// Whether a request may join a queue (Google, Site Reliability Engineering, 2016, chapter 21).
///
/// A pure decider. A class of requests is let in as long as the queue is shorter than its limit,
/// and, when a deadline is known, as long as the work ahead of it leaves time for an answer.
public struct LoadShedder: Sendable, Equatable {
  /// Longest queue that each class joins, by priority from 0, the highest; a class beyond the last
  /// entry has the last entry's. Empty: no limit.
  public var limits: [Int]
  /// Whether a request is refused that would not be answered in time. Default false.
  public var minds: Bool

  public init(limits: [Int] = [], mindsDeadline: Bool = false) {
    self.limits = limits
    minds = mindsDeadline
  }

  /// Whether a request is taken.
  ///
  /// - Parameters:
  ///   - priority: the request's class, 0 the highest; its limit stands in ``limits``.
  ///   - waiting: requests in the queue.
  ///   - servers: how many are worked on at a time.
  ///   - service: what one takes on average.
  ///   - left: time until the answer is of no use; nil when that is not known.
  public func admits(
    priority: Int, waiting: Int, servers: Int, service: TimeSpan, left: TimeSpan?
  ) -> Bool {
    if !limits.isEmpty, waiting >= limits[min(max(priority, 0), limits.count - 1)] {
      return false
    }
    guard minds, let left, servers > 0 else { return true }
    let ahead = service.scaled(by: Double(waiting) / Double(servers))
    return ahead.adding(saturating: service) <= left
  }
}
