/// Blocks of some words each that are used again, so that steady state allocates nothing.
///
/// Each is the system's own, so that those which are not needed any more can be given back one by
/// one. A free block says in its first word where the next one is.
struct WordBlocks: ~Copyable {
  typealias Block = UnsafeMutablePointer<UInt64>

  private static let least = 4
  /// Free blocks by power of two of their size, and how many they are.
  private var free = InlineArray<16, Block?>(repeating: nil)
  private var counts = InlineArray<16, Int>(repeating: 0)

  deinit {
    for power in 0..<free.count { _ = WordBlocks.giveBack(counts[power], of: free[power]) }
  }

  /// Words of the block that is taken for so many.
  static func room(_ words: Int) -> Int { least << power(words) }

  private static func power(_ words: Int) -> Int {
    var power = 0
    while least << power < words { power += 1 }
    return power
  }

  /// A block for so many words; what they hold is whatever was in them.
  mutating func take(_ words: Int) -> Block {
    let power = WordBlocks.power(words)
    guard let block = free[power] else {
      let block = Block.allocate(capacity: WordBlocks.least << power)
      block.initialize(repeating: 0, count: WordBlocks.least << power)
      return block
    }
    free[power] = Block(bitPattern: UInt(block[0]))
    counts[power] -= 1
    return block
  }

  /// Takes back a block that was taken for so many words.
  mutating func put(_ block: Block, _ words: Int) {
    let power = WordBlocks.power(words)
    block[0] = free[power].map { UInt64(UInt(bitPattern: $0)) } ?? 0
    free[power] = block
    counts[power] += 1
  }

  /// Gives back what is free beyond so many blocks of each size.
  mutating func trim(to limit: Int) {
    for power in 0..<free.count where counts[power] > limit {
      free[power] = WordBlocks.giveBack(counts[power] - limit, of: free[power])
      counts[power] = limit
    }
  }

  /// Gives back the first so many blocks of a list; the rest of it.
  private static func giveBack(_ count: Int, of list: Block?) -> Block? {
    var next = list
    for _ in 0..<count {
      guard let block = next else { preconditionFailure("a list is as long as it was counted") }
      next = Block(bitPattern: UInt(block[0]))
      block.deallocate()
    }
    return next
  }
}
