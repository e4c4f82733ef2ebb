/// A map from a non-zero-range 64-bit key to a 32-bit value that cannot be iterated.
///
/// `Dictionary` may not be walked below L3 because its order differs from process to process; this
/// type removes the temptation. Open addressing with linear probing and backward-shift deletion;
/// the hash is fixed. Memory is 12 bytes per place at a load of at most 3/4.
///
/// - Complexity: O(1) expected for every operation; `reserve` and growth are O(n).
public struct LookupTable: Sendable {
  @usableFromInline var keys: [UInt64]
  @usableFromInline var values: [UInt32]
  @usableFromInline var mask: Int
  /// How many keys are present.
  public private(set) var count: Int

  /// The value that stands for "no entry"; it cannot be stored.
  public static let none = UInt32.max

  /// - Parameter capacity: how many entries fit before the first growth.
  public init(capacity: Int = 8) {
    var places = 16
    while places * 3 < capacity * 4 { places *= 2 }
    keys = [UInt64](repeating: 0, count: places)
    values = [UInt32](repeating: LookupTable.none, count: places)
    mask = places - 1
    count = 0
  }

  @inlinable
  static func hash(_ key: UInt64) -> Int {
    var x = key &* 0x9E37_79B9_7F4A_7C15
    x ^= x >> 32
    x = x &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: (x ^ (x >> 29)) & 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// The stored value, or nil.
  @inlinable
  public subscript(key: UInt64) -> UInt32? {
    var place = LookupTable.hash(key) & mask
    while values[place] != LookupTable.none {
      if keys[place] == key { return values[place] }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Stores or replaces.
  /// - Precondition: `value` is not ``none``.
  public mutating func set(_ key: UInt64, to value: UInt32) {
    precondition(value != LookupTable.none, "the value UInt32.max is reserved")
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    var place = LookupTable.hash(key) & mask
    while values[place] != LookupTable.none {
      if keys[place] == key {
        values[place] = value
        return
      }
      place = (place + 1) & mask
    }
    keys[place] = key
    values[place] = value
    count += 1
  }

  /// Removes and returns the stored value, or nil.
  @discardableResult
  public mutating func remove(_ key: UInt64) -> UInt32? {
    var place = LookupTable.hash(key) & mask
    while values[place] != LookupTable.none && keys[place] != key { place = (place + 1) & mask }
    let removed = values[place]
    if removed == LookupTable.none { return nil }
    var next = (place + 1) & mask
    while values[next] != LookupTable.none {
      let ideal = LookupTable.hash(keys[next]) & mask
      if (next - ideal) & mask >= (next - place) & mask {
        keys[place] = keys[next]
        values[place] = values[next]
        place = next
      }
      next = (next + 1) & mask
    }
    values[place] = LookupTable.none
    count -= 1
    return removed
  }

  /// Removes all entries and keeps the memory.
  public mutating func removeAll() {
    for place in 0...mask { values[place] = LookupTable.none }
    count = 0
  }

  private mutating func grow() {
    let oldKeys = keys
    let oldValues = values
    let places = (mask + 1) * 2
    keys = [UInt64](repeating: 0, count: places)
    values = [UInt32](repeating: LookupTable.none, count: places)
    mask = places - 1
    for index in 0..<oldKeys.count where oldValues[index] != LookupTable.none {
      var place = LookupTable.hash(oldKeys[index]) & mask
      while values[place] != LookupTable.none { place = (place + 1) & mask }
      keys[place] = oldKeys[index]
      values[place] = oldValues[index]
    }
  }
}
