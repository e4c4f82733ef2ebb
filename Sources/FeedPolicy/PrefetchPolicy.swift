import MediaUnits

/// Decides which heads of which neighbouring items are fetched before the viewer gets there.
///
/// Models: the target length of every item near the current one, the order of the fetches, their
/// number, and the wait for the current item's own buffer. Leaves out: which rendition is fetched
/// (``BitrateRule`` and ``BitrateCap``) and how a head is cut into segments (the host).
///
/// Targets: the next item `headLength`, the items after it up to `itemsAhead` `furtherLength`, and
/// the item before the current one `previousLength`, the last only when the throughput is at least
/// `previousThreshold` times the bit rate and the next item has its head (or has failed, or there
/// is none). An item is *satisfied* when the host holds its target; whatever it held before counts.
///
/// - A fetch in progress is replaced by a longer one when its item moves nearer: the host extends
///   it.
/// - The item that becomes current leaves the policy: its fetch is neither cancelled nor counted
///   any more, the player goes on with it (VF-027).
/// - A running fetch is never preempted by a more urgent one, and a small buffer holds new starts
///   only.
///
/// Events may be late, repeated or out of order: each is handled or counted in ``ignored``.
///
/// Source: requirements SIG-023 to SIG-025, VF-023, VF-024, VF-027.
public struct PrefetchPolicy: PolicyMachine {
  /// How much is fetched ahead, and when.
  public struct Configuration: Sendable, Equatable {
    /// Media of the next item to hold; zero turns all prefetch off. Default 6 s: three segments of
    /// 2 s, inside SIG-023's 5 to 8 s.
    public var headLength: TimeSpan
    /// How many items after the current one are considered. Default 3 (assumed; the Media3
    /// short-form demo keeps three on each side, `parameters.md` section 4.1).
    public var itemsAhead: Int
    /// Media to hold of the items beyond the next. Default 2 s: one segment (assumed).
    public var furtherLength: TimeSpan
    /// Media to hold of the item before the current one. Default 2 s: one segment (assumed).
    public var previousLength: TimeSpan
    /// Throughput over bit rate from which the previous item is considered; infinity never. Default
    /// 3, the most careful of the thresholds that SIG-025 compares.
    public var previousThreshold: Double
    /// Fetches in progress at once. Default 2 (assumed; VF-023 sweeps 1 to 6).
    public var concurrency: Int
    /// Buffer ahead of the current item below which nothing is started. Default 4 s: two segments
    /// (assumed).
    public var pauseBelowBuffer: TimeSpan

    public init(
      headLength: TimeSpan = .seconds(6), itemsAhead: Int = 3,
      furtherLength: TimeSpan = .seconds(2), previousLength: TimeSpan = .seconds(2),
      previousThreshold: Double = 3, concurrency: Int = 2,
      pauseBelowBuffer: TimeSpan = .seconds(4)
    ) {
      self.headLength = headLength
      self.itemsAhead = itemsAhead
      self.furtherLength = furtherLength
      self.previousLength = previousLength
      self.previousThreshold = previousThreshold
      self.concurrency = concurrency
      self.pauseBelowBuffer = pauseBelowBuffer
    }
  }

  /// How urgent a fetch is; smaller comes first.
  public enum Priority: UInt8, Sendable, Equatable, Comparable {
    /// The item after the current one.
    case next = 0
    /// An item after the next one; nearer ones come first.
    case further
    /// The item before the current one.
    case previous

    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// An item became the current one; `last` is the last item known in the feed.
    case feedMoved(current: ItemID, last: ItemID)
    /// The feed grew; `last` is its last item. A feed never shrinks within the life of a policy.
    case feedExtended(last: ItemID)
    /// Buffer ahead of the current item; `isComplete` when the whole rest of it is downloaded.
    case bufferChanged(ahead: TimeSpan, isComplete: Bool)
    /// A new throughput estimate, and the bit rate at which items are being fetched.
    case throughputChanged(BitRate, bitrate: BitRate)
    /// The host holds this much of the item, counted from its beginning. A host that holds the
    /// whole of an item shorter than its target reports the target (or ``TimeSpan/max``).
    case targetReached(ItemID, TimeSpan)
    /// The fetch of the item failed for good.
    case itemFailed(ItemID)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Fetch the item from its beginning until `length` is held. For an item whose fetch is in
    /// progress: the new length and priority replace the old ones.
    case start(ItemID, length: TimeSpan, Priority)
    /// Stop fetching the item.
    case cancel(ItemID)
  }

  /// What is known of one item.
  struct Record: Sendable {
    /// Can transition to: any other.
    enum State: Sendable, Equatable {
      /// No fetch in progress. Can transition to: fetching.
      case idle
      /// A fetch up to this length is in progress. Can transition to: idle, fetching (longer),
      /// failed.
      case fetching(TimeSpan)
      /// Not tried again until the feed moves. Can transition to: idle.
      case failed
    }
    var item: ItemID
    var held: TimeSpan
    var state: State
  }

  /// What the policy was created with.
  public let configuration: Configuration
  /// One record for each item of interest, in no order; never grows beyond its reserve.
  var records: [Record]
  let recordLimit: Int
  var current: ItemID?
  var last = ItemID(0)
  var bufferAhead = TimeSpan.zero
  var isComplete = false
  var throughput = BitRate.zero
  var bitrate = BitRate.zero

  /// Start commands given, longer restarts of a fetch in progress included.
  public private(set) var starts = 0
  /// Cancel commands given.
  public private(set) var cancels = 0
  /// Fetches that reached their length.
  public private(set) var reached = 0
  /// Events that changed nothing: late, repeated, or of an item that is not being fetched.
  public private(set) var ignored = 0
  /// Fetches in progress; never more than `concurrency`.
  public private(set) var active = 0

  /// - Precondition: no count and no length is negative; `previousThreshold` is not NaN.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.itemsAhead >= 0, "itemsAhead is not negative, got \(configuration.itemsAhead)")
    precondition(
      configuration.concurrency >= 0,
      "concurrency is not negative, got \(configuration.concurrency)")
    precondition(
      configuration.previousThreshold == configuration.previousThreshold,
      "previousThreshold is a number, got NaN")
    precondition(configuration.headLength >= .zero, "headLength is not negative")
    precondition(configuration.furtherLength >= .zero, "furtherLength is not negative")
    precondition(configuration.previousLength >= .zero, "previousLength is not negative")
    self.configuration = configuration
    // The window, as many items behind it, and those that back-swipes may return to.
    recordLimit = 2 * (configuration.itemsAhead + 2) + 8
    records = []
    records.reserveCapacity(recordLimit)
  }

  /// Whether a fetch of the item is in progress.
  public func isActive(_ item: ItemID) -> Bool {
    guard let index = recordIndex(of: item) else { return false }
    if case .fetching = records[index].state { return true }
    return false
  }

  /// How much of the item the host is known to hold; zero when nothing is known.
  public func held(of item: ItemID) -> TimeSpan {
    guard let index = recordIndex(of: item) else { return .zero }
    return records[index].held
  }

  /// - Complexity: O(itemsAhead²); nothing is allocated beyond the growth of `commands`.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .feedMoved(let item, let last):
      self.last = max(self.last, last, item)
      move(to: item, into: &commands)
    case .feedExtended(let last):
      if last <= self.last { ignored += 1 }
      self.last = max(self.last, last)
    case .bufferChanged(let ahead, let isComplete):
      if current == nil { ignored += 1 }
      bufferAhead = ahead
      self.isComplete = isComplete
    case .throughputChanged(let throughput, let bitrate):
      self.throughput = throughput
      self.bitrate = bitrate
    case .targetReached(let item, let length):
      hold(item, length)
    case .itemFailed(let item):
      guard let index = recordIndex(of: item), case .fetching = records[index].state else {
        ignored += 1
        break
      }
      records[index].state = .failed
      active -= 1
    }
    startWaiting(into: &commands)
  }

  // MARK: Events

  /// Makes `item` the current one; the same item again only clears the failures.
  private mutating func move(to item: ItemID, into commands: inout [Command]) {
    if item != current {
      bufferAhead = .zero
      isComplete = false
    }
    current = item
    for index in 0..<records.count {
      switch records[index].state {
      case .idle: break
      case .failed: records[index].state = .idle
      case .fetching:
        let fetched = records[index].item
        if fetched != item && target(of: fetched) != nil { break }
        records[index].state = .idle
        active -= 1
        if fetched == item { break }
        cancels += 1
        commands.append(.cancel(fetched))
      }
    }
  }

  private mutating func hold(_ item: ItemID, _ length: TimeSpan) {
    guard let index = recordIndex(of: item) ?? addRecord(for: item) else {
      ignored += 1
      return
    }
    let isNews = length > records[index].held
    if isNews { records[index].held = length }
    if case .fetching(let wanted) = records[index].state {
      if length >= wanted {
        records[index].state = .idle
        active -= 1
        reached += 1
      }
    } else if !isNews {
      ignored += 1
    }
  }

  // MARK: Targets

  /// How much of the item is wanted and how urgently; nil for an item that is not considered now.
  private func target(of item: ItemID) -> (length: TimeSpan, priority: Priority)? {
    guard let current, configuration.headLength > .zero else { return nil }
    let offset = Int(item.index) - Int(current.index)
    if offset == -1 {
      let isAllowed = configuration.previousLength > .zero && isPreviousAffordable
      return isAllowed ? (configuration.previousLength, .previous) : nil
    }
    if offset < 1 || offset > configuration.itemsAhead || item > last { return nil }
    if offset == 1 { return (configuration.headLength, .next) }
    return configuration.furtherLength > .zero ? (configuration.furtherLength, .further) : nil
  }

  private var isPreviousAffordable: Bool {
    if bitrate == .zero { return false }
    let needed = Double(bitrate.bitsPerSecond) * configuration.previousThreshold
    return Double(throughput.bitsPerSecond) >= needed
  }

  private mutating func startWaiting(into commands: inout [Command]) {
    guard let current, configuration.headLength > .zero else { return }
    guard isComplete || bufferAhead >= configuration.pauseBelowBuffer else { return }
    let reach = min(configuration.itemsAhead, Int(last.index) - Int(current.index))
    for offset in stride(from: 1, through: reach, by: 1) {
      let item = ItemID(current.index + UInt32(offset))
      if !startIfWaiting(item, into: &commands) { return }
    }
    if current.index == 0 { return }
    if reach >= 1 && isWarming(ItemID(current.index + 1)) { return }
    _ = startIfWaiting(ItemID(current.index - 1), into: &commands)
  }

  /// Whether a fetch of the item is in progress or still to come; the previous item waits for that.
  private func isWarming(_ item: ItemID) -> Bool {
    guard let target = target(of: item) else { return false }
    guard let index = recordIndex(of: item) else { return true }
    return records[index].state != .failed && records[index].held < target.length
  }

  /// Starts the item's fetch if it needs one; false when it needs one and there is no place for it.
  private mutating func startIfWaiting(_ item: ItemID, into commands: inout [Command]) -> Bool {
    guard let target = target(of: item) else { return true }
    if let index = recordIndex(of: item) {
      if records[index].held >= target.length { return true }
      switch records[index].state {
      case .failed: return true
      case .fetching(let length):
        if length >= target.length { return true }
      case .idle:
        if active >= configuration.concurrency { return false }
        active += 1
      }
      records[index].state = .fetching(target.length)
    } else {
      if active >= configuration.concurrency { return false }
      guard let index = addRecord(for: item) else { return false }
      active += 1
      records[index].state = .fetching(target.length)
    }
    starts += 1
    commands.append(.start(item, length: target.length, target.priority))
    return true
  }

  // MARK: Records

  private func recordIndex(of item: ItemID) -> Int? {
    for index in 0..<records.count where records[index].item == item { return index }
    return nil
  }

  /// Makes a record, at the cost of the idle one farthest from the current item when there is no
  /// room; nil when the new item would itself be the farthest.
  private mutating func addRecord(for item: ItemID) -> Int? {
    let record = Record(item: item, held: .zero, state: .idle)
    if records.count < recordLimit {
      records.append(record)
      return records.count - 1
    }
    let centre = Int(current?.index ?? 0)
    var farthest = -1
    var distance = abs(Int(item.index) - centre)
    for index in 0..<records.count {
      if case .fetching = records[index].state { continue }
      let other = abs(Int(records[index].item.index) - centre)
      if other > distance {
        farthest = index
        distance = other
      }
    }
    if farthest < 0 { return nil }
    records[farthest] = record
    return farthest
  }
}
