/// Gives hashes handles: 0, 1, 2, … in the order of their first appearance. Which hash came when is
/// all that shows, so that a salt changes nothing.
struct HandleTable {
  /// The handle + 1; 0 is empty.
  private var slots: [UInt32]
  private(set) var hashes: [UInt64] = []

  init(capacity: Int = 1 << 10) { slots = [UInt32](repeating: 0, count: capacity) }

  var count: Int { hashes.count }

  /// The handle of a hash that is not 0.
  @inline(__always)
  mutating func handle(of hash: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let handle = Int(slots[slot]) - 1
      if hashes[handle] == hash { return handle }
      slot = (slot + 1) & (slots.count - 1)
    }
    let handle = hashes.count
    hashes.append(hash)
    slots[slot] = UInt32(handle + 1)
    if hashes.count * 2 > slots.count { grow() }
    return handle
  }

  /// The handle of a hash that was given one; nil for others.
  func known(_ hash: UInt64) -> Int? {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let handle = Int(slots[slot]) - 1
      if hashes[handle] == hash { return handle }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Forgets all, and keeps the memory.
  mutating func removeAll() {
    hashes.removeAll(keepingCapacity: true)
    for slot in slots.indices { slots[slot] = 0 }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for (handle, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(handle + 1)
    }
  }
}
