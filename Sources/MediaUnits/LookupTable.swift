/// A map from a non-zero-range 64-bit key to a 32-bit value that cannot be iterated.
///
/// `Dictionary` may not be walked below L3 because its order differs from process to process; this
/// type removes the temptation. Open addressing with linear probing and backward-shift deletion;
/// the hash is fixed. Memory is 16 bytes per place at a load of at most 3/4.
///
/// - Complexity: O(1) expected for every operation; `reserve` and growth are O(n).
public struct LookupTable: Sendable {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var key: UInt64
    @usableFromInline var value: UInt32

    @inlinable
    init(key: UInt64, value: UInt32) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline var entries: [Entry]
  @usableFromInline var mask: Int
  /// How many keys are present.
  public private(set) var count: Int

  /// The value that stands for "no entry"; it cannot be stored.
  public static let none = UInt32.max

  /// - Parameter capacity: how many entries fit before the first growth.
  public init(capacity: Int = 8) {
    var places = 16
    while places * 3 < capacity * 4 { places *= 2 }
    entries = [Entry](repeating: Entry(key: 0, value: .max), count: places)
    mask = places - 1
    count = 0
  }

  /// Eight neighbouring keys have neighbouring places: they are asked for one after the other (the
  /// segments of a title), and the processor's cache brings them together.
  @inlinable
  static func hash(_ key: UInt64) -> Int {
    var x = (key >> 3) &* 0x9E37_79B9_7F4A_7C15
    x ^= x >> 32
    x = x &* 0xD6E8_FEB8_6659_FD93
    x ^= x >> 29
    return Int(truncatingIfNeeded: (x << 3 | key & 7) & 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// The stored value, or nil.
  @inlinable
  public subscript(key: UInt64) -> UInt32? {
    var place = LookupTable.hash(key) & mask
    while true {
      let entry = entries[place]
      if entry.value == .max { return nil }
      if entry.key == key { return entry.value }
      place = (place + 1) & mask
    }
  }

  /// Where the search for a key begins, for asking for that memory in advance.
  @inlinable
  public func address(of key: UInt64) -> UnsafeRawPointer? {
    let place = LookupTable.hash(key) & mask
    return entries.memory.map { $0 + place * MemoryLayout<Entry>.stride }
  }

  /// Stores or replaces.
  /// - Precondition: `value` is not ``none``.
  public mutating func set(_ key: UInt64, to value: UInt32) {
    precondition(value != .max, "the value UInt32.max is reserved")
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    var place = LookupTable.hash(key) & mask
    while entries[place].value != .max {
      if entries[place].key == key {
        entries[place].value = value
        return
      }
      place = (place + 1) & mask
    }
    entries[place] = Entry(key: key, value: value)
    count += 1
  }

  /// Removes and returns the stored value, or nil.
  @discardableResult
  public mutating func remove(_ key: UInt64) -> UInt32? {
    var place = LookupTable.hash(key) & mask
    while entries[place].value != .max && entries[place].key != key { place = (place + 1) & mask }
    let removed = entries[place].value
    if removed == .max { return nil }
    var next = (place + 1) & mask
    while entries[next].value != .max {
      let ideal = LookupTable.hash(entries[next].key) & mask
      if (next - ideal) & mask >= (next - place) & mask {
        entries[place] = entries[next]
        place = next
      }
      next = (next + 1) & mask
    }
    entries[place].value = .max
    count -= 1
    return removed
  }

  /// Removes all entries and keeps the memory.
  public mutating func removeAll() {
    for place in 0...mask { entries[place].value = .max }
    count = 0
  }

  private mutating func grow() {
    let old = entries
    let places = (mask + 1) * 2
    entries = [Entry](repeating: Entry(key: 0, value: .max), count: places)
    mask = places - 1
    for entry in old where entry.value != .max {
      var place = LookupTable.hash(entry.key) & mask
      while entries[place].value != .max { place = (place + 1) & mask }
      entries[place] = entry
    }
  }
}
