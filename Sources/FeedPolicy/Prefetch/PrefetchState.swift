import MediaUnits

/// What is known of one item.
struct PrefetchRecord: Sendable {
  /// Can transition to: any other.
  enum State: Sendable, Equatable {
    /// No fetch in progress. Can transition to: fetching, failed.
    case idle
    /// A fetch up to this depth is in progress. Can transition to: idle, fetching (deeper),
    /// failed.
    case fetching(PrefetchDepth)
    /// Not tried again until the feed moves. Can transition to: idle.
    case failed
  }
  var item: ItemID
  var held: PrefetchDepth
  var state: State
  /// Length of the item; nil when the feed has not said.
  var duration: TimeSpan? {
    get { storedDuration < .zero ? nil : storedDuration }
    set { storedDuration = newValue ?? PrefetchRecord.unknown }
  }
  // A policy has one of these for each item of its neighbourhood, and a simulator has millions of
  // policies.
  private var storedDuration = PrefetchRecord.unknown
  private static let unknown = TimeSpan.nanoseconds(-1)

  init(item: ItemID, held: PrefetchDepth, state: State) {
    self.item = item
    self.held = held
    self.state = state
  }
}

/// What a family looks at: the feed, the current item and what is held of its neighbours.
struct PrefetchState: Sendable {
  let configuration: PrefetchPolicy.Configuration
  /// One record for each item of interest, in no order; never grows beyond its reserve.
  var records: [PrefetchRecord] = []
  let recordLimit: Int
  var current: ItemID?
  var last = ItemID(0)
  /// Where the playhead is in the current item, and how much is buffered beyond it.
  var position = TimeSpan.zero
  var bufferAhead = TimeSpan.zero
  var isComplete = false
  var throughput = BitRate.zero
  var bitrate = BitRate.zero

  init(_ configuration: PrefetchPolicy.Configuration) {
    self.configuration = configuration
    // The window, as many items behind it, and those that back-swipes may return to.
    recordLimit = 2 * (configuration.itemsAhead + 2) + 8
    records.reserveCapacity(recordLimit)
  }

  /// No position and no buffer counts for more than this.
  static let longest = TimeSpan.days(1)

  // MARK: Questions

  /// Items after the current one that are considered.
  var reach: Int {
    guard let current else { return 0 }
    return min(configuration.itemsAhead, Int(last.index) - Int(current.index))
  }

  /// The item at an offset from the current one.
  func item(_ offset: Int) -> ItemID { ItemID(UInt32(Int(current?.index ?? 0) + offset)) }

  /// The item before the current one; nil at the beginning of the feed.
  var previous: ItemID? {
    guard let current, current.index > 0 else { return nil }
    return ItemID(current.index - 1)
  }

  /// Throughput over bit rate; nil when unknown.
  var plenty: Double? {
    if bitrate == .zero || throughput == .zero { return nil }
    return Double(throughput.bitsPerSecond) / Double(bitrate.bitsPerSecond)
  }

  /// Length of an item, or of a typical one when the feed has not said (`parameters.md` section
  /// 6.1: the median is 14 s).
  func duration(of item: ItemID) -> TimeSpan {
    guard let index = index(of: item), let known = records[index].duration else {
      return .seconds(14)
    }
    return known
  }

  /// Media of an item that is held.
  func held(_ item: ItemID) -> TimeSpan {
    guard let index = index(of: item) else { return .zero }
    return records[index].held.length
  }

  /// Whether the previous item may be considered (SIG-025).
  var isPreviousAffordable: Bool {
    if bitrate == .zero { return false }
    let needed = Double(bitrate.bitsPerSecond) * configuration.previousThreshold
    return Double(throughput.bitsPerSecond) >= needed
  }

  // MARK: Records

  @inline(__always)
  func index(of item: ItemID) -> Int? {
    // From the end: what was looked at last is what is looked at next.
    var index = records.count
    while index > 0 {
      index -= 1
      if records[index].item == item { return index }
    }
    return nil
  }

  /// Makes a record, at the cost of the idle one farthest from the current item when there is no
  /// room; nil when the new item would itself be the farthest.
  mutating func add(_ item: ItemID) -> Int? {
    let record = PrefetchRecord(item: item, held: PrefetchDepth(.nothing), state: .idle)
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
