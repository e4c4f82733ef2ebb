import Foundation
import SimulationKernel

/// Gives every identity (a whole number or a text) a handle: 0, 1, 2, … in order of first
/// appearance.
///
/// Open addressing over flat arrays; the bytes of texts stand in one arena. A table holds either
/// numbers or texts.
struct IdentityTable {
  /// The most identities; a handle is 32 bits.
  static let limit = Int(UInt32.max) - 1

  /// Upper half: the upper half of the hash; lower half: the handle + 1; 0 is empty.
  private var slots: [UInt64]
  private var hashes: [UInt64] = []
  private var arena: [UInt8] = []
  private var ends: [Int] = []

  init() { slots = [UInt64](repeating: 0, count: 1 << 10) }

  /// How many handles were given.
  var count: Int { hashes.count }

  /// For each handle its number, or a hash of its text.
  var names: [UInt64] { ends.isEmpty ? hashes.map { IdentityTable.unmixed($0) } : hashes }

  /// The text of a handle of a table of texts.
  func text(of handle: UInt32) -> String {
    let start = handle == 0 ? 0 : ends[Int(handle) - 1]
    return String(decoding: arena[start..<ends[Int(handle)]], as: UTF8.self)
  }

  /// What ``SplitMix.hash(_:)`` was given.
  static func unmixed(_ hash: UInt64) -> UInt64 {
    var z = hash ^ (hash >> 31) ^ (hash >> 62)
    z = z &* 0x3196_42B2_D24D_8EC3
    z = (z ^ (z >> 27) ^ (z >> 54)) &* 0x96DE_1B17_3F11_9089
    return (z ^ (z >> 30) ^ (z >> 60)) &- SplitMix.step
  }

  /// The handle of a number.
  @inline(__always)
  mutating func handle(of number: UInt64) -> UInt32 {
    let hash = SplitMix.hash(number)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while true {
      let entry = slots[slot]
      if entry == 0 { return insert(hash, at: slot) }
      if entry >> 32 == hash >> 32 {
        let handle = UInt32(truncatingIfNeeded: entry) &- 1
        if hashes[Int(handle)] == hash { return handle }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  /// The handle of the text `bytes[range]`.
  mutating func handle(of bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    let hash = IdentityTable.hash(bytes, range)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while true {
      let entry = slots[slot]
      if entry == 0 {
        arena.append(contentsOf: bytes[range])
        ends.append(arena.count)
        return insert(hash, at: slot)
      }
      if entry >> 32 == hash >> 32 {
        let handle = UInt32(truncatingIfNeeded: entry) &- 1
        if isText(Int(handle), bytes, range) { return handle }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private mutating func insert(_ hash: UInt64, at slot: Int) -> UInt32 {
    precondition(hashes.count < IdentityTable.limit, "more than \(IdentityTable.limit) objects")
    let handle = UInt32(hashes.count)
    hashes.append(hash)
    slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(handle + 1)
    if hashes.count * 2 > slots.count { grow() }
    return handle
  }

  private mutating func grow() {
    slots = [UInt64](repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for (handle, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(handle + 1)
    }
  }

  private func isText(_ handle: Int, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    let start = handle == 0 ? 0 : ends[handle - 1]
    if ends[handle] - start != range.count { return false }
    if range.isEmpty { return true }
    return arena.withUnsafeBytes { known in
      bytes.withUnsafeBytes { given in
        guard let known = known.baseAddress, let given = given.baseAddress else { return false }
        return memcmp(known + start, given + range.lowerBound, range.count) == 0
      }
    }
  }

  /// Eight bytes at a time, each folded in by a 128-bit product.
  private static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    bytes[range].withUnsafeBytes { raw in
      var hash = UInt64(raw.count)
      var index = 0
      while index + 8 <= raw.count {
        let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        hash = fold(hash ^ word)
        index += 8
      }
      var rest: UInt64 = 0
      while index < raw.count {
        rest = rest << 8 | UInt64(raw[index])
        index += 1
      }
      return SplitMix.hash(fold(hash ^ rest))
    }
  }

  @inline(__always)
  private static func fold(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0xA076_1D64_78BD_642F)
      .multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low
  }
}
