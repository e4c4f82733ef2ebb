/// The last titles of a session, which its feed does not bring again.
struct RecentTitles {
  /// A title is looked for in eight places at a time.
  private var blocks = [SIMD8<UInt32>](
    repeating: SIMD8(repeating: .max), count: StationaryDemand.memory / 8)
  private var place = 0

  @inline(__always)
  func contains(_ title: UInt32) -> Bool {
    let wanted = SIMD8(repeating: title)
    for block in blocks where any(block .== wanted) { return true }
    return false
  }

  /// Takes a title in, at the cost of the oldest.
  mutating func add(_ title: UInt32) {
    blocks[place / 8][place % 8] = title
    place = (place + 1) % StationaryDemand.memory
  }

  mutating func removeAll() {
    for block in blocks.indices { blocks[block] = SIMD8(repeating: .max) }
    place = 0
  }

  var heapBytes: Int { blocks.capacity * MemoryLayout<SIMD8<UInt32>>.stride }
}
