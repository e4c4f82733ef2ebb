import AudienceModel

/// Titles in the order in which they came, found eight at a time.
private struct TitleBlocks {
  private var blocks: [SIMD8<UInt32>] = []
  private(set) var count = 0

  /// Whether a title is among those from a place on.
  @inline(__always)
  func contains(_ title: UInt32, from start: Int = 0) -> Bool {
    let wanted = SIMD8(repeating: title)
    var first = start / 8
    if start % 8 != 0 {
      for place in start % 8..<8 where blocks[first][place] == title { return true }
      first += 1
    }
    for index in first..<blocks.count where any(blocks[index] .== wanted) { return true }
    return false
  }

  mutating func add(_ title: UInt32) {
    if count / 8 == blocks.count {
      // Not by doubling: a session may have hundreds of titles.
      if blocks.count == blocks.capacity { blocks.reserveCapacity(blocks.count + 3) }
      blocks.append(SIMD8(repeating: .max))
    }
    blocks[count / 8][count % 8] = title
    count += 1
  }

  mutating func removeAll() {
    blocks.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Where they lie: for asking for that memory in advance.
  var memory: UnsafeRawPointer? {
    blocks.withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } }
  }

  var heapBytes: Int { blocks.capacity * MemoryLayout<SIMD8<UInt32>>.stride }
}

/// The titles that the items of a session have brought.
struct SessionTitles {
  /// Those that were drawn by popularity, in order. A new title may have been shown in place of
  /// one: its disk has nothing of that.
  private var drawn = TitleBlocks()
  private var others = TitleBlocks()

  /// Whether a title may have been an item.
  @inline(__always)
  func contains(_ title: UInt32) -> Bool { drawn.contains(title) || others.contains(title) }

  /// Whether a title was one of the last that were drawn, which a feed does not bring again.
  @inline(__always)
  func isRecent(_ title: UInt32) -> Bool {
    drawn.contains(title, from: max(0, drawn.count - AudienceConfiguration.rememberedItems))
  }

  mutating func add(drawn title: UInt32) { drawn.add(title) }

  mutating func add(other title: UInt32) { others.add(title) }

  mutating func removeAll() {
    drawn.removeAll()
    others.removeAll()
  }

  /// Where the drawn ones lie.
  var memory: UnsafeRawPointer? { drawn.memory }

  var heapBytes: Int { drawn.heapBytes + others.heapBytes }
}
