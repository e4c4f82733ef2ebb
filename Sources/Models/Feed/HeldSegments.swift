/// Sizes and rungs of the segments that an item holds, in blocks that are used again.
///
/// Most titles have few segments, so every item has a block for its own and not one for the longest
/// title. Blocks have room for a power of two of them.
struct HeldSegments {
  /// A segment: its size in the low half, with the two high bits of ``Viewer``; its rung above.
  typealias Block = UnsafeMutablePointer<UInt64>

  private static let least = 4
  /// Blocks that are asked of the system at a time.
  private static let chunk = 64

  /// By power of two.
  private var free: [[Block]] = []
  private var chunks: [Block] = []

  private static func power(_ segments: Int) -> Int {
    var power = 0
    while least << power < segments { power += 1 }
    return power
  }

  /// A block for so many segments; what it holds is undefined.
  mutating func take(_ segments: Int) -> Block {
    let power = HeldSegments.power(segments)
    while free.count <= power { free.append([]) }
    if let block = free[power].popLast() { return block }
    let size = HeldSegments.least << power
    let chunk = Block.allocate(capacity: size * HeldSegments.chunk)
    chunks.append(chunk)
    for place in 1..<HeldSegments.chunk { free[power].append(chunk + place * size) }
    return chunk
  }

  /// Takes back a block that was taken for so many segments.
  mutating func put(_ block: Block, _ segments: Int) {
    free[HeldSegments.power(segments)].append(block)
  }

  /// Gives all memory back; no block may be used afterwards.
  func release() {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Bytes of a block for so many segments.
  static func bytes(_ segments: Int) -> Int {
    (least << power(segments)) * MemoryLayout<UInt64>.stride
  }
}
