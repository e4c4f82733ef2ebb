import MediaUnits
import SimulationKernel

/// What a viewer's next happenings are and when: some ten at a time, in memory of their own.
struct Agenda: ~Copyable {
  struct Entry {
    var time: Instant
    var happening: Happening
    /// The entity whose event planned it.
    var source: UInt32
    /// Number of the planning: the last resort of the order.
    var serial: UInt32
    var slot: Happening.Slot

    /// Whether it comes before another one.
    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      if time != other.time { return time < other.time }
      let (rank, otherRank) = (self.rank, other.rank)
      return rank != otherRank ? rank < otherRank : serial < other.serial
    }

    /// At one time the edge is reached first, then the link changes.
    private var rank: UInt8 {
      if happening.isAtEdge { return 0 }
      return happening.phase == .arrival ? 1 : 2
    }
  }

  private var entries: UnsafeMutablePointer<Entry>
  private(set) var count = 0
  private var capacity = Agenda.firstCapacity
  private var serial: UInt32 = 0
  /// Place of the entry that comes first; without meaning when there is none.
  private var first = 0
  private static let firstCapacity = 8

  init() { entries = .allocate(capacity: Agenda.firstCapacity) }

  deinit { entries.deallocate() }

  var heapBytes: Int { capacity * MemoryLayout<Entry>.stride }
  /// Where they lie, for asking for that memory in advance.
  var memory: UnsafeRawPointer { UnsafeRawPointer(entries) }

  /// Plans a happening; what had its slot is not planned any more.
  mutating func plan(_ happening: Happening, at time: Instant, from source: UInt32) {
    let slot = happening.slot
    if slot != .many { cancel(slot) }
    if count == capacity { grow() }
    (entries + count).initialize(
      to: Entry(time: time, happening: happening, source: source, serial: serial, slot: slot))
    serial &+= 1
    if count == 0 || entries[count].precedes(entries[first]) { first = count }
    count += 1
  }

  /// What has a slot is not planned any more; nothing happens where nothing is.
  ///
  /// - Precondition: it is one of those that have one time.
  mutating func cancel(_ slot: Happening.Slot) {
    precondition(slot != .many, "what may come often is not cancelled by its slot")
    for index in 0..<count where entries[index].slot == slot {
      remove(at: index)
      return
    }
  }

  /// Whether something has a slot.
  func has(_ slot: Happening.Slot) -> Bool {
    for index in 0..<count where entries[index].slot == slot { return true }
    return false
  }

  /// What happens next; nil when nothing is planned.
  var next: Entry? {
    count == 0 ? nil : entries[first]
  }

  /// Takes the next happening out.
  ///
  /// - Precondition: something is planned.
  mutating func takeNext() -> Entry {
    precondition(count > 0, "something is planned")
    let entry = entries[first]
    remove(at: first)
    return entry
  }

  /// Forgets everything.
  mutating func removeAll() {
    count = 0
    serial = 0
  }

  private mutating func remove(at index: Int) {
    count -= 1
    if index < count { entries[index] = entries[count] }
    if index == first {
      first = 0
      for place in 0..<count where entries[place].precedes(entries[first]) { first = place }
    } else if first == count {
      first = index
    }
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: entries, count: count)
    entries.deallocate()
    entries = larger
    capacity *= 2
  }
}
