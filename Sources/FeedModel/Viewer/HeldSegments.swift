/// Sizes and rungs of the segments that an item holds, from its first on.
///
/// It has room for little more than what it holds: most items are left after a few segments. It
/// does not know how many those are, so that an item of nothing takes one word.
struct HeldSegments {
  /// A segment: its size in the low half, with the two high bits of ``Viewer``; its rung above.
  private var block: UnsafeMutablePointer<UInt64>?

  /// Puts a segment in: the next one, or once more one that is held.
  ///
  /// - Parameter count: how many are held before.
  mutating func set(
    _ index: Int, to entry: UInt64, of count: Int, _ blocks: inout WordBlocks
  ) {
    precondition(index <= count, "segments come without a gap")
    if index >= HeldSegments.room(count) {
      let larger = blocks.take(HeldSegments.room(index + 1))
      if let block {
        larger.update(from: block, count: count)
        blocks.put(block, HeldSegments.room(count))
      }
      block = larger
    }
    guard let block else { preconditionFailure("there is room for the segment") }
    block[index] = entry
  }

  /// One that is held.
  subscript(index: Int) -> UInt64 {
    guard let block else { preconditionFailure("nothing is held") }
    return block[index]
  }

  /// Gives all memory back, of so many that are held: it is empty then.
  mutating func release(_ count: Int, _ blocks: inout WordBlocks) {
    if let block { blocks.put(block, HeldSegments.room(count)) }
    block = nil
  }

  /// Likewise, when there is nowhere to keep it.
  mutating func release() {
    block?.deallocate()
    block = nil
  }

  /// Segments for which there is room when so many are held.
  private static func room(_ count: Int) -> Int { count == 0 ? 0 : WordBlocks.room(count) }

  /// Bytes when so many are held.
  static func bytes(_ count: Int) -> Int { room(count) * MemoryLayout<UInt64>.stride }
}
