/// Titles in the order in which they came, found eight at a time.
private struct TitleBlocks {
  private(set) var blocks: [SIMD8<UInt32>] = []

  @inline(__always)
  func contains(_ title: UInt32) -> Bool {
    let wanted = SIMD8(repeating: title)
    for block in blocks where any(block .== wanted) { return true }
    return false
  }

  /// Puts a title in a place, at most one behind the last.
  mutating func set(_ place: Int, to title: UInt32) {
    if place / 8 == blocks.count {
      // Not by doubling: a session may have hundreds of titles.
      if blocks.count == blocks.capacity { blocks.reserveCapacity(blocks.count + 3) }
      blocks.append(SIMD8(repeating: .max))
    }
    blocks[place / 8][place % 8] = title
  }

  mutating func removeAll() { blocks.removeAll(keepingCapacity: true) }

  var heapBytes: Int { blocks.capacity * MemoryLayout<SIMD8<UInt32>>.stride }
}

/// The last titles of a session, which its feed does not bring again.
struct RecentTitles {
  private var titles = TitleBlocks()
  private var place = 0

  @inline(__always)
  func contains(_ title: UInt32) -> Bool { titles.contains(title) }

  /// Takes a title in, at the cost of the oldest.
  mutating func add(_ title: UInt32) {
    titles.set(place, to: title)
    place = (place + 1) % StationaryDemand.memory
  }

  mutating func removeAll() {
    titles.removeAll()
    place = 0
  }

  var heapBytes: Int { titles.heapBytes }
}

/// All titles that were items of a session.
struct SessionTitles {
  private var titles = TitleBlocks()
  private var count = 0

  @inline(__always)
  func contains(_ title: UInt32) -> Bool { titles.contains(title) }

  mutating func add(_ title: UInt32) {
    titles.set(count, to: title)
    count += 1
  }

  mutating func removeAll() {
    titles.removeAll()
    count = 0
  }

  var heapBytes: Int { titles.heapBytes }
}
