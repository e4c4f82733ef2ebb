import MediaUnits

/// Asks for the pages of a feed one after the other, by the cursor that each page brings (SIG-046).
///
/// A cursor is opaque: it is sent back as it came. One request is on its way at a time; an answer
/// that does not carry its number is late or repeated and is counted. An item that the feed has
/// already is left out of the page, so that a server that counts positions while new items are
/// published cannot show one twice. ``FeedPager`` counts items instead. A page that brings nothing
/// new is followed by the next one, a bounded number of times. Leaves out: retries
/// (``RetryPolicy``) and what an item is.
public struct CursorPager: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Items left after the current one that trigger the next page. Default 4 (SIG-047 leaves it
    /// open: 2, 4 or 6).
    public var trigger: UInt32
    /// Keys of the last items that a new page is compared with. Default 512 (assumed: more than a
    /// session shows).
    public var memory: Int
    /// Pages without a new item that are followed at once by the next one. Default 3 (assumed).
    public var emptyPages: Int

    public init(trigger: UInt32 = 4, memory: Int = 512, emptyPages: Int = 3) {
      self.trigger = trigger
      self.memory = memory
      self.emptyPages = emptyPages
    }
  }

  /// What a page brings.
  public struct Page: Sendable, Equatable {
    /// The server's keys of the items, in order.
    public var keys: [UInt64]
    /// Where the next page begins; nil for the end of the feed.
    public var next: UInt64?

    public init(keys: [UInt64], next: UInt64?) {
      self.keys = keys
      self.next = next
    }
  }

  public enum Event: Sendable, Equatable {
    /// The feed is shown for the first time.
    case opened
    /// The item is the current one.
    case moved(to: ItemID)
    case pageArrived(request: UInt32, Page)
    /// The page did not come; the next move asks again.
    case pageFailed(request: UInt32)
  }

  public enum Command: Sendable, Equatable {
    /// Ask for the page at the cursor; nil for the first page.
    case request(UInt32, cursor: UInt64?)
    /// Add these items to the feed; the first of them gets this number.
    case append(from: ItemID, keys: [UInt64])
  }

  enum State: Sendable, Equatable {
    /// Not opened. Can transition to: waiting.
    case closed
    /// The next page begins at `cursor`; nil before the first one. Can transition to: waiting.
    case ready(cursor: UInt64?)
    /// The request with this number is on its way. Can transition to: ready, waiting (the next
    /// one), ended.
    case waiting(request: UInt32, cursor: UInt64?)
    /// The last page is here. Final.
    case ended
  }

  public let configuration: Configuration
  var state = State.closed
  /// The last keys, a ring.
  var keys: [UInt64] = []
  var place = 0
  var current = ItemID(0)
  var requests: UInt32 = 0
  var emptyRun = 0

  /// Items of the feed.
  public private(set) var count: UInt32 = 0
  /// Items that were left out because the feed has them.
  public private(set) var duplicates = 0
  /// Late and repeated answers, and other events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: `memory` is at least 1 and `emptyPages` not negative.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(configuration.memory >= 1, "memory is at least 1, got \(configuration.memory)")
    precondition(
      configuration.emptyPages >= 0, "emptyPages is not negative, got \(configuration.emptyPages)")
    self.configuration = configuration
  }

  /// Whether the last page is here.
  public var isAtEnd: Bool { state == .ended }

  /// - Complexity: O(items of a page · memory).
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .opened:
      if state != .closed {
        ignored += 1
        return
      }
      state = .ready(cursor: nil)
      ask(into: &commands)
    case .moved(let item):
      current = item
      emptyRun = 0
      askIfNeeded(into: &commands)
    case .pageArrived(let request, let page):
      guard case .waiting(request, _) = state else {
        ignored += 1
        return
      }
      take(page, into: &commands)
    case .pageFailed(let request):
      guard case .waiting(request, let cursor) = state else {
        ignored += 1
        return
      }
      state = .ready(cursor: cursor)
    }
  }

  private mutating func askIfNeeded(into commands: inout [Command]) {
    if UInt64(count) <= UInt64(current.index) + 1 + UInt64(configuration.trigger) {
      ask(into: &commands)
    }
  }

  private mutating func ask(into commands: inout [Command]) {
    guard case .ready(let cursor) = state else { return }
    requests &+= 1
    state = .waiting(request: requests, cursor: cursor)
    commands.append(.request(requests, cursor: cursor))
  }

  private mutating func take(_ page: Page, into commands: inout [Command]) {
    var fresh: [UInt64] = []
    for key in page.keys {
      if isKnown(key) || fresh.contains(key) || count &+ UInt32(fresh.count) == .max {
        duplicates += 1
      } else {
        fresh.append(key)
      }
    }
    for key in fresh { remember(key) }
    if !fresh.isEmpty {
      commands.append(.append(from: ItemID(count), keys: fresh))
      count += UInt32(fresh.count)
    }
    emptyRun = fresh.isEmpty ? emptyRun + 1 : 0
    guard let next = page.next else {
      state = .ended
      return
    }
    state = .ready(cursor: next)
    if emptyRun <= configuration.emptyPages { askIfNeeded(into: &commands) }
  }

  private func isKnown(_ key: UInt64) -> Bool {
    for index in 0..<keys.count where keys[index] == key { return true }
    return false
  }

  private mutating func remember(_ key: UInt64) {
    if keys.count < configuration.memory {
      keys.append(key)
    } else {
      keys[place] = key
      place = (place + 1) % configuration.memory
    }
  }
}
