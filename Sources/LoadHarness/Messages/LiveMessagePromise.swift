import MediaUnits
import MessageDelivery
import Models

/// By when the protocol of a configuration has brought news, with pushes that arrive or do not.
struct LiveMessagePromise: Sendable {
  /// For a push and the requests that follow it, with one repetition (assumed).
  static let slack = TimeSpan.seconds(5)

  private let poll: PollMachine.Configuration
  private let carriesNews: Bool
  private let lookAfter: TimeSpan

  init(_ configuration: MessagingConfiguration, lookAfter: TimeSpan) {
    poll = configuration.poll
    carriesNews = configuration.server.payload != .empty
    self.lookAfter = lookAfter
  }

  private var pollsAtPush: Bool { poll.onPush == .poll || poll.onPush == .both }

  /// The timer of a client that has something in transit, and of one that has nothing; nil without.
  private func timer(tracks: Bool) -> TimeSpan? {
    let interval = tracks ? poll.trackedInterval : poll.idleInterval
    return interval == .zero ? nil : interval.scaled(by: 1 + poll.jitter) + Self.slack
  }

  /// After so long a view has been shown, pushes or not. A lost push to somebody who has nothing in
  /// transit may take as long as the idle timer, for which no run waits.
  var drain: TimeSpan { lookAfter + (timer(tracks: true) ?? Self.slack) }

  /// Whether nothing that was promised is late.
  ///
  /// - Parameters:
  ///   - since: when there were news.
  ///   - isDelivered: whether the sender waits for the view, and not the recipient for the video.
  ///   - lostAt: when a push to the client was dropped last.
  ///   - coalescedAt: when a push to the client took the place of another last.
  func isKept(
    at now: Instant, since: Instant, isDelivered: Bool, lostAt: Instant?, coalescedAt: Instant?
  ) -> Bool {
    let waited = now - since
    if let timer = timer(tracks: isDelivered), waited > timer { return false }
    if waited <= Self.slack || !(carriesNews || pollsAtPush) { return true }
    let isLost = lostAt.map { $0 >= since } ?? false
    // A later push carries everything, if it leads to a poll.
    let isCoalesced = !pollsAtPush && (coalescedAt.map { $0 >= since } ?? false)
    return isLost || isCoalesced
  }
}
