import MediaUnits

/// Where a feed page came from.
public enum PageSource: UInt8, Sendable, Equatable {
  /// Ranked for the viewer.
  case ranker = 0
  /// The page that everybody gets.
  case trending
}

/// Gives a page from Trending when the ranker misses its deadline (SIG-008, SIG-009).
///
/// A page comes from Trending if and only if the ranker failed or had not answered within the
/// deadline; an answer at the deadline itself is in time, whichever of the two events the host
/// delivers first. Late, repeated and unknown answers are counted and change nothing. Leaves out:
/// whether the deadline stands at the client or at the server, which decides what the latency
/// contains and not the rule.
public struct RankerFallback: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Longest time for the ranker's answer. Default 30 ms (SIG-009).
    public var deadline: TimeSpan
    /// Pages that may wait at once; a request beyond is served from Trending. Default 4 (assumed).
    public var limit: Int

    public init(deadline: TimeSpan = .milliseconds(30), limit: Int = 4) {
      self.deadline = deadline
      self.limit = limit
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The ranker was asked for the page.
    case requested(page: UInt32)
    case answered(page: UInt32)
    case failed(page: UInt32)
    case timerFired(page: UInt32)
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Report ``Event/timerFired(page:)`` at this time.
    case setTimer(page: UInt32, at: Instant)
    /// Give the page to the viewer.
    case serve(page: UInt32, PageSource)
  }

  /// A page that waits.
  struct Waiting: Sendable {
    var page: UInt32
    var deadline: Instant
  }

  public let configuration: Configuration
  var waiting: [Waiting] = []

  /// Pages served from each source.
  public private(set) var ranked = 0
  public private(set) var trending = 0
  /// Answers of pages that were served before.
  public private(set) var late = 0
  /// Other events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: the deadline is not negative and the limit at least 1.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(configuration.deadline >= .zero, "the deadline is not negative")
    precondition(configuration.limit >= 1, "limit is at least 1, got \(configuration.limit)")
    self.configuration = configuration
    waiting.reserveCapacity(min(configuration.limit, 64))
  }

  /// The source of a page whose ranker answers after `latency`; nil for a failure.
  public func source(latency: TimeSpan?) -> PageSource {
    guard let latency, latency <= configuration.deadline else { return .trending }
    return .ranker
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .requested(let page):
      if index(of: page) != nil {
        ignored += 1
      } else if waiting.count >= configuration.limit {
        serve(page, .trending, into: &commands)
      } else {
        let deadline = now.advanced(saturatingBy: configuration.deadline)
        waiting.append(Waiting(page: page, deadline: deadline))
        // After the deadline, so that an answer of the same instant is in time.
        commands.append(
          .setTimer(page: page, at: deadline.advanced(saturatingBy: .nanoseconds(1))))
      }
    case .answered(let page):
      guard let index = index(of: page) else {
        late += 1
        return
      }
      let isInTime = now <= waiting[index].deadline
      waiting.remove(at: index)
      serve(page, isInTime ? .ranker : .trending, into: &commands)
    case .failed(let page):
      guard let index = index(of: page) else {
        late += 1
        return
      }
      waiting.remove(at: index)
      serve(page, .trending, into: &commands)
    case .timerFired(let page):
      guard let index = index(of: page) else {
        ignored += 1
        return
      }
      if now <= waiting[index].deadline {
        // A timer that is early, as those in whole milliseconds are.
        ignored += 1
        let deadline = waiting[index].deadline
        commands.append(
          .setTimer(page: page, at: deadline.advanced(saturatingBy: .nanoseconds(1))))
        return
      }
      waiting.remove(at: index)
      serve(page, .trending, into: &commands)
    }
  }

  private func index(of page: UInt32) -> Int? {
    for index in 0..<waiting.count where waiting[index].page == page { return index }
    return nil
  }

  private mutating func serve(
    _ page: UInt32, _ source: PageSource, into commands: inout [Command]
  ) {
    switch source {
    case .ranker: ranked += 1
    case .trending: trending += 1
    }
    commands.append(.serve(page: page, source))
  }
}
