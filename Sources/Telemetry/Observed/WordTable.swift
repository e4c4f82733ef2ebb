/// The words of a column that cohorts are made of, such as devices, numbered from 1 in the order of
/// their first appearance.
///
/// A column with very many words is no cohort, but may be names of somebody: its words are dropped,
/// all of them, and that is said.
public struct WordTable: Sendable {
  /// The most words of a column, and the longest word in bytes.
  public static let limit = 1_000
  public static let longest = 100

  /// The words; empty when there were too many.
  public private(set) var words: [String] = []
  /// Whether there were too many, or one that is too long.
  public private(set) var isDropped = false
  private var slots = [UInt16](repeating: 0, count: 4_096)
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  public init() {}

  /// The number of a word; 0 when the column's words are dropped.
  mutating func number(_ word: TextSpan) -> UInt16 {
    if isDropped { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<min(word.count, WordTable.longest + 1) {
      hash = (hash ^ UInt64(word.base[index])) &* 0x0000_0100_0000_01B3
    }
    var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & (slots.count - 1)
    while slots[slot] != 0 {
      if isWord(Int(slots[slot]) - 1, word) { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    if words.count == WordTable.limit || word.count > WordTable.longest {
      drop()
      return 0
    }
    words.append(word.text)
    bytes.append(contentsOf: UnsafeBufferPointer(start: word.base, count: word.count))
    ends.append(bytes.count)
    slots[slot] = UInt16(words.count)
    return UInt16(words.count)
  }

  private func isWord(_ index: Int, _ word: TextSpan) -> Bool {
    let start = index == 0 ? 0 : ends[index - 1]
    if ends[index] - start != word.count { return false }
    for place in 0..<word.count where bytes[start + place] != word.base[place] { return false }
    return true
  }

  private mutating func drop() {
    isDropped = true
    words = []
    bytes = []
    ends = []
  }
}
