import MediaUnits

/// When an event of an instant happens: bytes and messages first, then timers and users, then
/// sampling.
@frozen
public enum Phase: UInt8, Sendable {
  case arrival = 0
  case normal = 1
  case observe = 2
}

/// A scheduled event, for cancelling it. A handle whose event has happened is harmless, until its
/// place was taken another 2^31 times.
@frozen
public struct EventHandle: Equatable, Sendable {
  @usableFromInline let slot: UInt32
  @usableFromInline let generation: UInt32

  @inlinable
  init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }

  /// A handle of no event.
  public static let none = EventHandle(slot: .max, generation: 0)
}

/// The pending events: a 4-ary heap of those that are due before ``frontEnd``, and behind it an
/// ``EventLadder``.
///
/// While at most ``spillLimit`` events are pending, all of them are in the heap. Beyond that the
/// heap is cut into buckets of time and holds one small bucket after another. The choice and its
/// numbers are in docs/decisions/0015.
///
/// Payloads are trivial values and never move; 16-byte keys do. Cancelling makes the entry's
/// generation even, and the key is dropped when its bucket is opened or when it surfaces; until
/// then it takes its place.
///
/// - Complexity: push and pop O(log n) at worst and O(1) for times that spread, cancel O(1);
///   nothing is allocated once the high-water mark of keys is reached.
@usableFromInline
struct EventQueue<Event: BitwiseCopyable>: ~Copyable {
  /// Events in the heap above which it is cut into buckets: more than an opening leaves there.
  @inlinable @inline(__always) var spillLimit: Int { 12 * ladder.aim }
  /// Events pending above which buckets are four times as large: cache misses then cost more than
  /// the deeper heap.
  @inlinable static var largeCount: Int { 1 << 17 }
  /// Children of one parent lie in one cache line of 64 bytes.
  @inlinable static var heapOffset: Int { 3 }

  @usableFromInline
  struct Entry {
    @usableFromInline var event: Event
    @usableFromInline var target: UInt32
    @usableFromInline var source: UInt32
    @usableFromInline var sequence: UInt32
    /// Odd while the event will happen.
    @usableFromInline var generation: UInt32

    @inlinable
    init(event: Event, target: UInt32, source: UInt32, sequence: UInt32, generation: UInt32) {
      self.event = event
      self.target = target
      self.source = source
      self.sequence = sequence
      self.generation = generation
    }

    @inlinable @inline(__always)
    var isLive: Bool { generation & 1 != 0 }
  }

  @usableFromInline var heap: UnsafeMutablePointer<EventKey>
  @usableFromInline var heapCount = 0
  @usableFromInline var heapCapacity: Int
  /// Every key before this time is in the heap, every other one in the ladder.
  @usableFromInline var frontEnd: UInt64 = .max
  @usableFromInline var ladder = EventLadder()
  @usableFromInline var entries: UnsafeMutablePointer<Entry>
  @usableFromInline var free: UnsafeMutablePointer<UInt32>
  @usableFromInline var freeCount = 0
  @usableFromInline var used = 0
  @usableFromInline var capacity: Int
  /// Keys whose events are not cancelled.
  @usableFromInline var liveCount = 0
  /// Whether the rank of a key has a hash of the source instead of the target.
  @usableFromInline let isShuffled: Bool
  /// Keeps the optimiser from dropping what is only read to have it in the cache.
  @usableFromInline var touched: UInt32 = 0

  @inlinable
  init(capacity: Int, isShuffled: Bool) {
    // Growth doubles, so there must be something to double.
    let capacity = capacity > 0 ? capacity : 1
    self.capacity = capacity
    self.isShuffled = isShuffled
    entries = Self.emptyEntries(capacity: capacity)
    free = .allocate(capacity: capacity)
    heapCapacity = 64
    heap = Self.emptyHeap(capacity: 64)
  }

  @inlinable
  deinit {
    (heap - Self.heapOffset).deallocate()
    entries.deallocate()
    free.deallocate()
  }

  // MARK: Entries

  /// An entry that fits into a cache line does not lie across two.
  @inlinable
  static func emptyEntries(capacity: Int) -> UnsafeMutablePointer<Entry> {
    UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Entry>.stride, alignment: 64
    ).bindMemory(to: Entry.self, capacity: capacity)
  }

  @inlinable
  mutating func growEntries() {
    let larger = capacity * 2
    let newEntries = Self.emptyEntries(capacity: larger)
    newEntries.moveInitialize(from: entries, count: used)
    entries.deallocate()
    entries = newEntries
    let newFree = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    newFree.moveInitialize(from: free, count: freeCount)
    free.deallocate()
    free = newFree
    capacity = larger
  }

  /// - Parameter upper: the upper half of the key's rank.
  @inlinable
  mutating func push(
    _ event: Event, time: Int64, upper: UInt32, sequence: UInt32, target: UInt32, source: UInt32
  ) -> EventHandle {
    let slot: Int
    var generation: UInt32 = 1
    if freeCount > 0 {
      freeCount -= 1
      slot = Int(free[freeCount])
      generation = entries[slot].generation &+ 1
    } else {
      if used == capacity { growEntries() }
      slot = used
      used += 1
    }
    (entries + slot).initialize(
      to: Entry(
        event: event, target: target, source: source, sequence: sequence,
        generation: generation))
    insert(
      EventKey(
        time: UInt64(bitPattern: time),
        rank: UInt64(upper) << 32 | UInt64(truncatingIfNeeded: slot)))
    liveCount += 1
    return EventHandle(slot: UInt32(truncatingIfNeeded: slot), generation: generation)
  }

  @inlinable
  mutating func cancel(_ handle: EventHandle) -> Bool {
    // Compared as 64 bits: `EventHandle.none` does not fit an `Int` of 32.
    if UInt64(handle.slot) >= UInt64(used) { return false }
    let slot = Int(handle.slot)
    if entries[slot].generation != handle.generation { return false }
    entries[slot].generation = handle.generation &+ 1
    liveCount -= 1
    return true
  }

  /// The earliest key, cancelled or not; `prepare` must have said that there is one.
  @inlinable @inline(__always)
  var first: EventKey { heap[0] }

  /// Whether the heap has to be filled before there is an earliest key.
  @inlinable @inline(__always)
  var isFrontEmpty: Bool { heapCount == 0 }

  /// The slot of the earliest key; nil when the heap is empty.
  @inlinable @inline(__always)
  var expectedNext: Int? { heapCount > 0 ? heap[0].slot : nil }

  /// The slot of the key after that one, as far as the heap has it.
  @inlinable @inline(__always)
  var expectedLater: Int? {
    // Places behind the last key hold padding, later than any other.
    var least = heap[1]
    for child in 2...4 where heap[child].time < least.time { least = heap[child] }
    return heapCount > 1 ? least.slot : nil
  }

  /// Removes the earliest key and frees its payload's slot.
  @inlinable @inline(__always)
  mutating func removeFirst() {
    let slot = heap[0].slot
    if entries[slot].isLive {
      entries[slot].generation &+= 1
      liveCount -= 1
    }
    free[freeCount] = UInt32(truncatingIfNeeded: slot)
    freeCount += 1
    removeRoot()
  }

  // MARK: Heap and ladder together

  @inlinable @inline(__always)
  mutating func insert(_ key: EventKey) {
    if key.time < frontEnd {
      if heapCount == heapCapacity { growHeap() }
      heapCount += 1
      Self.rise(key, from: heapCount - 1, top: 0, heap: heap, entries, isShuffled)
      if heapCount > spillLimit && frontEnd - heap[0].time > 1 { spill() }
    } else {
      ladder.add(key)
    }
  }

  /// Brings the earliest key to the front; false when nothing is pending, cancelled or not.
  ///
  /// `counters` has a number for each entity below `entities`; those of the targets are read in
  /// advance.
  @inlinable @inline(__always)
  mutating func prepare(_ counters: UnsafeMutablePointer<UInt32>, _ entities: Int) -> Bool {
    !isFrontEmpty || refill(counters, entities)
  }

  /// Fills the empty heap from the next buckets of the ladder and drops what was cancelled.
  @inlinable @inline(never)
  mutating func refill(
    _ counters: UnsafeMutablePointer<UInt32>, _ entities: Int
  ) -> Bool {
    var seen: UInt32 = 0
    ladder.aim = liveCount > Self.largeCount ? 32 : 8
    // Fewer keys are not worth an opening of their own.
    let enough = 2 * ladder.aim
    while heapCount < enough {
      guard let (opened, end) = ladder.next() else {
        frontEnd = .max
        break
      }
      frontEnd = end
      var bucket = opened
      while heapCount + Int(bucket.count) > heapCapacity { growHeap() }
      while bucket.count > 0 {
        let base = Int(bucket.block) * EventLadder.blockSize
        let size = (Int(bucket.count) - 1) & (EventLadder.blockSize - 1) + 1
        for place in 0..<size {
          let key = ladder.keys[base + place]
          // Also brings entries and counters into the cache, many at a time.
          if entries[key.slot].isLive {
            heap[heapCount] = key
            heapCount += 1
            let target = Int(truncatingIfNeeded: key.rank >> 32) & 0x3FFF_FFFF
            if target < entities { seen |= counters[target] }
          } else {
            free[freeCount] = UInt32(truncatingIfNeeded: key.slot)
            freeCount += 1
          }
        }
        ladder.release(&bucket, size)
      }
    }
    touched = seen
    if heapCount > 1 {
      var parent = (heapCount - 2) >> 2
      while parent >= 0 {
        Self.sink(
          heap[parent], from: parent, count: heapCount, heap: heap, entries, isShuffled)
        parent -= 1
      }
    }
    return heapCount > 0
  }

  /// Cuts the heap into buckets.
  @inlinable @inline(never)
  mutating func spill() {
    if frontEnd != .max {
      // Windows within windows: the heap may as well stay.
      if !ladder.canCut(from: heap[0].time, to: frontEnd) { return }
      ladder.cut(from: heap[0].time, to: frontEnd, expected: heapCount)
    }
    frontEnd = heap[0].time
    for index in 0..<heapCount {
      ladder.add(heap[index])
      heap[index] = Self.padding(index)
    }
    heapCount = 0
  }

  /// No key is before this time; nil when nothing is pending, cancelled or not.
  @inlinable
  var firstTime: UInt64? { heapCount > 0 ? heap[0].time : ladder.firstTime }

  // MARK: Heap

  /// A key later than any other, to stand in the place `index` of the heap.
  @inlinable @inline(__always)
  static func padding(_ index: Int) -> EventKey {
    EventKey(time: .max, rank: UInt64(truncatingIfNeeded: index & 3) << 32)
  }

  @inlinable
  static func emptyHeap(capacity: Int) -> UnsafeMutablePointer<EventKey> {
    let size = capacity + 4 + heapOffset
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size * MemoryLayout<EventKey>.stride, alignment: 64)
    let keys = memory.bindMemory(to: EventKey.self, capacity: size)
    for index in 0..<size { keys[index] = padding(index - heapOffset) }
    return keys + heapOffset
  }

  @inlinable @inline(never)
  mutating func growHeap() {
    let larger = Self.emptyHeap(capacity: heapCapacity * 2)
    for index in 0..<heapCount { larger[index] = heap[index] }
    (heap - Self.heapOffset).deallocate()
    heap = larger
    heapCapacity *= 2
  }

  // The functions that follow are static and take what they need: a method that is inlined may copy
  // the whole queue to read two words of it.

  @inlinable @inline(__always)
  static func precedes(
    _ a: EventKey, _ b: EventKey, _ entries: UnsafeMutablePointer<Entry>, _ isShuffled: Bool
  ) -> Bool {
    if a.ties(b) { return precedesInTie(a.slot, b.slot, entries, isShuffled) }
    return a.number < b.number
  }

  /// Decides by what the key has no room for.
  @inlinable @inline(never)
  static func precedesInTie(
    _ a: Int, _ b: Int, _ entries: UnsafeMutablePointer<Entry>, _ isShuffled: Bool
  ) -> Bool {
    let first = isShuffled ? entries[a].target : entries[a].source
    let second = isShuffled ? entries[b].target : entries[b].source
    if first != second { return first < second }
    let sequences = (entries[a].sequence, entries[b].sequence)
    return sequences.0 != sequences.1 ? sequences.0 < sequences.1 : a < b
  }

  @inlinable @inline(__always)
  static func rise(
    _ key: EventKey, from place: Int, top: Int, heap: UnsafeMutablePointer<EventKey>,
    _ entries: UnsafeMutablePointer<Entry>, _ isShuffled: Bool
  ) {
    var hole = place
    while hole > top {
      let parent = (hole - 1) >> 2
      if !precedes(key, heap[parent], entries, isShuffled) { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = key
  }

  /// Puts a key in the place `top` or below it: the hole goes down to a leaf along the least
  /// children, which takes no guess, and the key rises from there.
  @inlinable @inline(__always)
  static func sink(
    _ key: EventKey, from top: Int, count: Int, heap: UnsafeMutablePointer<EventKey>,
    _ entries: UnsafeMutablePointer<Entry>, _ isShuffled: Bool
  ) {
    var hole = top
    while true {
      let child = hole << 2 + 1
      if child >= count { break }
      let first = heap[child]
      let second = heap[child + 1]
      let third = heap[child + 2]
      let fourth = heap[child + 3]
      let isSecond = precedes(second, first, entries, isShuffled)
      let isFourth = precedes(fourth, third, entries, isShuffled)
      let left = isSecond ? second : first
      let right = isFourth ? fourth : third
      let isRight = precedes(right, left, entries, isShuffled)
      heap[hole] = isRight ? right : left
      hole = child + (isRight ? (isFourth ? 3 : 2) : (isSecond ? 1 : 0))
    }
    rise(key, from: hole, top: top, heap: heap, entries, isShuffled)
  }

  @inlinable @inline(__always)
  mutating func removeRoot() {
    heapCount -= 1
    let moved = heap[heapCount]
    heap[heapCount] = Self.padding(heapCount)
    if heapCount > 0 {
      Self.sink(moved, from: 0, count: heapCount, heap: heap, entries, isShuffled)
    }
  }
}
