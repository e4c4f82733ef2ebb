import MediaUnits

/// Asks for the pages of a feed ahead of the viewer.
///
/// The first page and the later ones have sizes of their own. The next page is asked for when
/// `trigger` or fewer items are left beyond the last one on the screen; one request at a time. A
/// failed request is repeated after a delay that doubles; the viewer's reaching the end of what is
/// known is counted as a starvation, once for each end.
///
/// Answers carry the number of their request: a late or repeated answer is counted and changes
/// nothing.
///
/// Source: requirements VF-005, VF-006.
public struct FeedPager: PolicyMachine {
  /// How large pages are, and when they are fetched.
  public struct Configuration: Sendable, Equatable {
    /// Items of the first page, at least 1. Default 10 (assumed).
    public var firstPage: UInt32
    /// Items of every later page, at least 1. Default 20 (assumed).
    public var laterPages: UInt32
    /// Items left at which the next page is asked for. Default 8: two screens of widgets (assumed;
    /// VF-006 sweeps it).
    public var trigger: UInt32
    /// Wait before a failed request is repeated; doubles up to `longestDelay`. Defaults 500 ms and
    /// 8 s (assumed).
    public var retryDelay: TimeSpan
    public var longestDelay: TimeSpan

    public init(
      firstPage: UInt32 = 10, laterPages: UInt32 = 20, trigger: UInt32 = 8,
      retryDelay: TimeSpan = .milliseconds(500), longestDelay: TimeSpan = .seconds(8)
    ) {
      self.firstPage = firstPage
      self.laterPages = laterPages
      self.trigger = trigger
      self.retryDelay = retryDelay
      self.longestDelay = longestDelay
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The feed came on the screen.
    case feedOpened
    /// The last item on the screen, at least partly visible.
    case itemShown(ItemID)
    /// The answer to a request: so many items, perhaps fewer than asked for; `isLast` when there
    /// are no more. An empty page is the last one.
    case pageArrived(request: UInt32, items: UInt32, isLast: Bool)
    /// The request failed.
    case pageFailed(request: UInt32)
    /// The timer of ``Command/setTimer(at:)`` fired.
    case timerFired
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Ask for `count` items from `first` on.
    case fetch(request: UInt32, first: ItemID, count: UInt32)
    /// Report ``Event/timerFired`` at this time; replaces a timer that is set.
    case setTimer(at: Instant)
  }

  /// Where the pager stands.
  enum State: Sendable, Equatable {
    /// Not opened. Can transition to: loading.
    case closed
    /// Nothing asked for. Can transition to: loading.
    case idle
    /// The request with this number is under way. Can transition to: idle, loading, waiting,
    /// complete.
    case loading(UInt32)
    /// The last request failed; the next one comes at this time. Can transition to: loading.
    case waiting(until: Instant)
    /// All pages are here. Can transition to: none.
    case complete
  }

  public let configuration: Configuration
  var state = State.closed
  var failures = 0
  var isStarved = false
  /// Requests made; the number of the last one.
  public private(set) var requests: UInt32 = 0
  /// Items known, from the beginning of the feed.
  public private(set) var known: UInt32 = 0
  /// Items up to the last one shown.
  public private(set) var shown: UInt32 = 0
  /// Times that the viewer came to the end of what was known while more was to come, the first page
  /// not counted.
  public private(set) var starvations = 0
  /// Answers to requests that are over.
  public private(set) var stale = 0
  /// Other events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: pages have at least one item and delays are not negative.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.firstPage >= 1 && configuration.laterPages >= 1, "a page has at least one item")
    precondition(
      configuration.retryDelay >= .zero && configuration.longestDelay >= .zero,
      "delays are not negative")
    self.configuration = configuration
  }

  /// Whether a request is under way.
  public var isLoading: Bool {
    if case .loading = state { return true }
    return false
  }

  /// Whether all items of the feed are known.
  public var isComplete: Bool { state == .complete }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .feedOpened:
      if state != .closed {
        ignored += 1
        return
      }
      fetch(into: &commands)
    case .itemShown(let item):
      // One more than the largest number is not a number.
      let count = item.index == .max ? item.index : item.index + 1
      if count <= shown {
        ignored += 1
        return
      }
      shown = count
      look(into: &commands)
    case .pageArrived(let request, let items, let isLast):
      guard case .loading(request) = state else {
        stale += 1
        return
      }
      failures = 0
      known = known.addingReportingOverflow(items).overflow ? .max : known + items
      isStarved = false
      if isLast || items == 0 {
        state = .complete
        return
      }
      state = .idle
      look(into: &commands)
    case .pageFailed(let request):
      guard case .loading(request) = state else {
        stale += 1
        return
      }
      wait(from: now, into: &commands)
    case .timerFired:
      guard case .waiting(let until) = state else {
        ignored += 1
        return
      }
      if now < until {
        ignored += 1
        commands.append(.setTimer(at: until))
      } else {
        fetch(into: &commands)
      }
    }
  }

  private mutating func look(into commands: inout [Command]) {
    if shown >= known && known > 0 && state != .complete && !isStarved {
      isStarved = true
      starvations += 1
    }
    if state == .idle && (shown >= known || known - shown <= configuration.trigger) {
      fetch(into: &commands)
    }
  }

  private mutating func fetch(into commands: inout [Command]) {
    requests += 1
    state = .loading(requests)
    let count = known == 0 ? configuration.firstPage : configuration.laterPages
    commands.append(.fetch(request: requests, first: ItemID(known), count: count))
  }

  private mutating func wait(from now: Instant, into commands: inout [Command]) {
    let longest = configuration.longestDelay
    var delay = min(configuration.retryDelay, longest)
    for _ in 0..<min(failures, 64) where delay < longest {
      delay = min(delay.adding(saturating: delay), longest)
    }
    failures += 1
    let until = now.advanced(saturatingBy: delay)
    state = .waiting(until: until)
    commands.append(.setTimer(at: until))
  }
}
