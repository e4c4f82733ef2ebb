import MediaUnits

/// When an event of an instant happens: bytes and messages first, then timers and users, then
/// sampling.
@frozen
public enum Phase: UInt8, Sendable {
  case arrival = 0
  case normal = 1
  case observe = 2
}

/// A scheduled event, for cancelling it. A handle whose event has happened is harmless.
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

/// The heap key: (time, phase, target, source, source's own sequence), a total order.
@frozen
@usableFromInline
struct EventKey {
  @usableFromInline var time: Int64
  /// phase << 60 | target << 30 | source; when ties are shuffled, phase << 60 | hash << 30 | target
  /// with a hash of the source, so that a source's own events keep their order.
  @usableFromInline var order: UInt64
  /// sequence << 32 | slot; the slot never decides, since a source's sequence numbers differ.
  @usableFromInline var sequenceAndSlot: UInt64

  @inlinable
  init(time: Int64, order: UInt64, sequenceAndSlot: UInt64) {
    self.time = time
    self.order = order
    self.sequenceAndSlot = sequenceAndSlot
  }

  @inlinable
  static func < (a: EventKey, b: EventKey) -> Bool {
    if a.time != b.time { return a.time < b.time }
    if a.order != b.order { return a.order < b.order }
    return a.sequenceAndSlot < b.sequenceAndSlot
  }
}

/// The pending events: a 4-ary heap of keys over a slab of payloads.
///
/// Payloads are trivial values and never move; the heap moves 24-byte keys only. Cancelling clears
/// the payload's flag, and the key is skipped when it surfaces; until then it takes its place.
///
/// - Complexity: push and pop O(log n), cancel O(1); nothing is allocated once the high-water mark
///   of keys is reached.
@usableFromInline
struct EventQueue<Event: BitwiseCopyable>: ~Copyable {
  @usableFromInline
  struct Entry {
    @usableFromInline var event: Event
    @usableFromInline var target: UInt32
    @usableFromInline var source: UInt32
    @usableFromInline var generation: UInt32
    @usableFromInline var isLive: Bool

    @inlinable
    init(event: Event, target: UInt32, source: UInt32, generation: UInt32, isLive: Bool) {
      self.event = event
      self.target = target
      self.source = source
      self.generation = generation
      self.isLive = isLive
    }
  }

  @usableFromInline var heap: UnsafeMutablePointer<EventKey>
  @usableFromInline var heapCount = 0
  @usableFromInline var entries: UnsafeMutablePointer<Entry>
  @usableFromInline var free: UnsafeMutablePointer<UInt32>
  @usableFromInline var freeCount = 0
  @usableFromInline var used = 0
  /// Keys in the heap whose events are not cancelled.
  @usableFromInline var liveCount = 0
  @usableFromInline var capacity: Int

  @inlinable
  init(capacity: Int) {
    // Growth doubles, so there must be something to double.
    let capacity = capacity > 0 ? capacity : 1
    self.capacity = capacity
    heap = .allocate(capacity: capacity)
    entries = .allocate(capacity: capacity)
    free = .allocate(capacity: capacity)
  }

  @inlinable
  deinit {
    heap.deallocate()
    entries.deallocate()
    free.deallocate()
  }

  @inlinable
  mutating func grow() {
    let larger = capacity * 2
    let newHeap = UnsafeMutablePointer<EventKey>.allocate(capacity: larger)
    newHeap.moveInitialize(from: heap, count: heapCount)
    heap.deallocate()
    heap = newHeap
    let newEntries = UnsafeMutablePointer<Entry>.allocate(capacity: larger)
    newEntries.moveInitialize(from: entries, count: used)
    entries.deallocate()
    entries = newEntries
    let newFree = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    newFree.moveInitialize(from: free, count: freeCount)
    free.deallocate()
    free = newFree
    capacity = larger
  }

  @inlinable
  mutating func push(
    _ event: Event, time: Int64, order: UInt64, sequence: UInt32, target: UInt32, source: UInt32
  ) -> EventHandle {
    if freeCount == 0 && used == capacity { grow() }
    let slot: Int
    var generation: UInt32 = 1
    if freeCount > 0 {
      freeCount -= 1
      slot = Int(free[freeCount])
      generation = entries[slot].generation &+ 1
    } else {
      slot = used
      used += 1
    }
    (entries + slot).initialize(
      to: Entry(
        event: event, target: target, source: source, generation: generation, isLive: true))
    let key = EventKey(
      time: time, order: order, sequenceAndSlot: UInt64(sequence) << 32 | UInt64(slot))
    var hole = heapCount
    heapCount += 1
    while hole > 0 {
      let parent = (hole - 1) >> 2
      if !(key < heap[parent]) { break }
      (heap + hole).initialize(to: heap[parent])
      hole = parent
    }
    (heap + hole).initialize(to: key)
    liveCount += 1
    return EventHandle(slot: UInt32(slot), generation: generation)
  }

  @inlinable
  mutating func cancel(_ handle: EventHandle) -> Bool {
    // Compared as 64 bits: `EventHandle.none` does not fit an `Int` of 32.
    if UInt64(handle.slot) >= UInt64(used) { return false }
    let slot = Int(handle.slot)
    if entries[slot].generation != handle.generation || !entries[slot].isLive { return false }
    entries[slot].isLive = false
    liveCount -= 1
    return true
  }

  /// The earliest key, cancelled or not; the heap must not be empty.
  @inlinable
  var first: EventKey { heap[0] }

  /// Removes the earliest key and frees its payload's slot.
  @inlinable
  mutating func removeFirst() {
    let slot = Int(UInt32(truncatingIfNeeded: heap[0].sequenceAndSlot))
    if entries[slot].isLive {
      entries[slot].isLive = false
      liveCount -= 1
    }
    free[freeCount] = UInt32(slot)
    freeCount += 1
    heapCount -= 1
    if heapCount == 0 { return }
    let moved = heap[heapCount]
    var hole = 0
    while true {
      let child = hole << 2 + 1
      if child >= heapCount { break }
      var least = child
      let end = child + 4 < heapCount ? child + 4 : heapCount
      var candidate = child + 1
      while candidate < end {
        if heap[candidate] < heap[least] { least = candidate }
        candidate += 1
      }
      if !(heap[least] < moved) { break }
      heap[hole] = heap[least]
      hole = least
    }
    heap[hole] = moved
  }
}
