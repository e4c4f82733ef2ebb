/// Pending times of entities that are numbered densely: a 4-ary heap with one key per entity, which
/// can be moved or removed.
///
/// Ties are broken by the entity's number, so the order is total and does not depend on the order
/// of calls.
///
/// - Complexity: `set` and `remove` O(log n), `first` O(1); nothing is allocated after the
///   initialiser unless ``reserve(_:)`` adds entities.
struct IndexedHeap<Key: Comparable & BitwiseCopyable>: Sendable where Key: Sendable {
  private struct Entry {
    var key: Key
    var entity: Int32
  }

  private var entries: [Entry] = []
  /// Place of each entity in ``entries``, or -1.
  private var places: [Int32]
  /// Entries moved so far; what the cost of all operations is proportional to.
  private(set) var steps = 0

  init(entities: Int) {
    places = [Int32](repeating: -1, count: entities)
    entries.reserveCapacity(entities)
  }

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// The least key; the heap must not be empty.
  var firstKey: Key { entries[0].key }
  /// The entity of the least key.
  var first: Int { Int(entries[0].entity) }

  /// The key of an entity that is in.
  func key(of entity: Int) -> Key { entries[Int(places[entity])].key }

  func contains(_ entity: Int) -> Bool { places[entity] >= 0 }

  /// Makes room for entities below `count`.
  mutating func reserve(_ count: Int) {
    while places.count < count { places.append(-1) }
  }

  /// Gives `entity` the key `key`, whether or not it had one.
  mutating func set(_ entity: Int, to key: Key) {
    let entry = Entry(key: key, entity: Int32(truncatingIfNeeded: entity))
    var hole = Int(places[entity])
    if hole < 0 {
      hole = entries.count
      entries.append(entry)
    }
    if !rise(entry, from: hole) { sink(entry, from: hole) }
  }

  /// Takes `entity` out; without effect when it is not in.
  mutating func remove(_ entity: Int) {
    let hole = Int(places[entity])
    if hole < 0 { return }
    places[entity] = -1
    let last = entries.removeLast()
    if hole == entries.count { return }
    if !rise(last, from: hole) { sink(last, from: hole) }
  }

  /// Gives `entity` the key `key`, or `least` where that is later; `.max` takes it out.
  mutating func set(_ entity: Int, to key: Key, notBefore least: Key) where Key == Int64 {
    if key == .max { remove(entity) } else { set(entity, to: key > least ? key : least) }
  }

  @inline(__always)
  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.key != b.key { return a.key < b.key }
    return a.entity < b.entity
  }

  /// Moves `entry` up from the hole at `start`; false when it belongs there or below.
  private mutating func rise(_ entry: Entry, from start: Int) -> Bool {
    var hole = start
    while hole > 0 {
      let parent = (hole - 1) >> 2
      if !IndexedHeap.precedes(entry, entries[parent]) { break }
      entries[hole] = entries[parent]
      places[Int(entries[hole].entity)] = Int32(truncatingIfNeeded: hole)
      hole = parent
      steps += 1
    }
    if hole == start { return false }
    place(entry, at: hole)
    return true
  }

  private mutating func sink(_ entry: Entry, from start: Int) {
    var hole = start
    while true {
      let child = hole << 2 + 1
      if child >= entries.count { break }
      var least = child
      let end = child + 4 < entries.count ? child + 4 : entries.count
      var candidate = child + 1
      while candidate < end {
        if IndexedHeap.precedes(entries[candidate], entries[least]) { least = candidate }
        candidate += 1
      }
      if !IndexedHeap.precedes(entries[least], entry) { break }
      entries[hole] = entries[least]
      places[Int(entries[hole].entity)] = Int32(truncatingIfNeeded: hole)
      hole = least
      steps += 1
    }
    place(entry, at: hole)
  }

  @inline(__always)
  private mutating func place(_ entry: Entry, at hole: Int) {
    entries[hole] = entry
    places[Int(entry.entity)] = Int32(truncatingIfNeeded: hole)
    steps += 1
  }
}
