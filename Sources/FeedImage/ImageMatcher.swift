/// Bytes that are the same in two lists.
struct ImageMatch {
  var base, other, count: Int
}

/// Finds what two lists of bytes have in common, in the same order in both.
///
/// What is the same at both ends is taken first. Of the rest, blocks of one list that are there
/// once are looked for at every place of the other (a rolling sum), made as long as they are the
/// same, and taken longest first; between them the same with smaller blocks. What is left and short
/// is compared byte by byte. Times are linear in the lists but for that.
struct ImageMatcher {
  private let base, other: [UInt8]
  private var found: [ImageMatch] = []

  /// Sizes of blocks, one after the other.
  private static let blocks = [32, 8]
  /// Most pairs of bytes that are compared one by one.
  private static let mostPairs = 1 << 16

  init(_ base: [UInt8], _ other: [UInt8]) {
    self.base = base
    self.other = other
  }

  /// Ranges of both lists.
  private struct Gap {
    var base, other: Range<Int>
    var isEmpty: Bool { base.isEmpty || other.isEmpty }
  }

  /// All from a place on, ascending.
  mutating func matches(from start: Int) -> [ImageMatch] {
    found = []
    let gap = trimmed(Gap(base: start..<base.count, other: start..<other.count))
    split(gap, level: 0)
    found.sort { $0.base < $1.base }
    return found
  }

  /// Takes what is the same at both ends of a gap.
  private mutating func trimmed(_ gap: Gap) -> Gap {
    var gap = gap
    let most = min(gap.base.count, gap.other.count)
    var count = 0
    while count < most,
      base[gap.base.lowerBound + count] == other[gap.other.lowerBound + count]
    { count += 1 }
    keep(gap.base.lowerBound, gap.other.lowerBound, count)
    gap.base = gap.base.lowerBound + count..<gap.base.upperBound
    gap.other = gap.other.lowerBound + count..<gap.other.upperBound
    let rest = most - count
    count = 0
    while count < rest,
      base[gap.base.upperBound - count - 1] == other[gap.other.upperBound - count - 1]
    { count += 1 }
    keep(gap.base.upperBound - count, gap.other.upperBound - count, count)
    gap.base = gap.base.lowerBound..<gap.base.upperBound - count
    gap.other = gap.other.lowerBound..<gap.other.upperBound - count
    return gap
  }

  private mutating func keep(_ base: Int, _ other: Int, _ count: Int) {
    if count > 0 { found.append(ImageMatch(base: base, other: other, count: count)) }
  }

  /// Looks for what is the same in a gap whose ends differ.
  private mutating func split(_ gap: Gap, level: Int) {
    if gap.isEmpty { return }
    if gap.base.count * gap.other.count <= ImageMatcher.mostPairs {
      compareBytes(gap)
      return
    }
    if level == ImageMatcher.blocks.count { return }
    let taken = ordered(candidates(gap, block: ImageMatcher.blocks[level]))
    var (baseStart, otherStart) = (gap.base.lowerBound, gap.other.lowerBound)
    for match in taken {
      keep(match.base, match.other, match.count)
      let inner = Gap(base: baseStart..<match.base, other: otherStart..<match.other)
      split(trimmed(inner), level: level + 1)
      (baseStart, otherStart) = (match.base + match.count, match.other + match.count)
    }
    let last = Gap(
      base: baseStart..<gap.base.upperBound, other: otherStart..<gap.other.upperBound)
    split(trimmed(last), level: level + 1)
  }

  // MARK: Blocks

  /// What a rolling sum is multiplied by for each byte.
  private static let factor: UInt32 = 0x0100_0193

  /// Matches that contain a block which the gap of the base has once, in the order of the other
  /// list.
  private func candidates(_ gap: Gap, block: Int) -> [ImageMatch] {
    if gap.base.count < block || gap.other.count < block { return [] }
    let table = BlockTable(base, gap.base, block: block)
    var leaving: UInt32 = 1
    for _ in 0..<block - 1 { leaving = leaving &* ImageMatcher.factor }
    var result: [ImageMatch] = []
    var place = gap.other.lowerBound
    var least = place
    var sum: UInt32 = 0
    var isKnown = false
    while place + block <= gap.other.upperBound {
      if !isKnown {
        sum = ImageMatcher.sum(other, place, block)
        isKnown = true
      }
      if let start = table.place(of: sum),
        let match = match(start, place, block, in: gap, from: least)
      {
        result.append(match)
        place = match.other + match.count
        least = place
        isKnown = false
        continue
      }
      if place + block < gap.other.upperBound {
        sum = sum &- UInt32(other[place]) &* leaving
        sum = sum &* ImageMatcher.factor &+ UInt32(other[place + block])
      }
      place += 1
    }
    return result
  }

  fileprivate static func sum(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32 {
    var sum: UInt32 = 0
    for index in start..<start + count { sum = sum &* factor &+ UInt32(bytes[index]) }
    return sum
  }

  /// The longest match around two places; nil where the blocks there only have the same sum.
  private func match(
    _ inBase: Int, _ inOther: Int, _ block: Int, in gap: Gap, from least: Int
  ) -> ImageMatch? {
    var count = 0
    while inBase + count < gap.base.upperBound, inOther + count < gap.other.upperBound,
      base[inBase + count] == other[inOther + count]
    { count += 1 }
    if count < block { return nil }
    var before = 0
    while inBase - before > gap.base.lowerBound, inOther - before > least,
      base[inBase - before - 1] == other[inOther - before - 1]
    { before += 1 }
    return ImageMatch(base: inBase - before, other: inOther - before, count: count + before)
  }

  /// The longest ones that stand in the same order in both lists.
  private func ordered(_ matches: [ImageMatch]) -> [ImageMatch] {
    let longest = matches.sorted { $0.count != $1.count ? $0.count > $1.count : $0.base < $1.base }
    var result: [ImageMatch] = []
    for match in longest {
      var (low, high) = (0, result.count)
      while low < high {
        let middle = (low + high) / 2
        if result[middle].other < match.other { low = middle + 1 } else { high = middle }
      }
      let isBehind = low == 0 || result[low - 1].base + result[low - 1].count <= match.base
      let isBefore = low == result.count || match.base + match.count <= result[low].base
      if isBehind && isBefore { result.insert(match, at: low) }
    }
    return result
  }

  // MARK: Bytes

  /// The longest sequence of bytes that both ranges have in their order.
  private mutating func compareBytes(_ gap: Gap) {
    let (rows, columns) = (gap.base.count, gap.other.count)
    let width = columns + 1
    var longest = [UInt16](repeating: 0, count: (rows + 1) * width)
    for row in (0..<rows).reversed() {
      let byte = base[gap.base.lowerBound + row]
      for column in (0..<columns).reversed() {
        let (here, below) = (row * width + column, (row + 1) * width + column)
        longest[here] =
          byte == other[gap.other.lowerBound + column]
          ? longest[below + 1] + 1 : max(longest[below], longest[here + 1])
      }
    }
    var (row, column) = (0, 0)
    while row < rows && column < columns {
      let (here, below) = (row * width + column, (row + 1) * width + column)
      let (inBase, inOther) = (gap.base.lowerBound + row, gap.other.lowerBound + column)
      if base[inBase] == other[inOther] {
        keep(inBase, inOther, 1)
        row += 1
        column += 1
      } else if longest[below] >= longest[here + 1] {
        row += 1
      } else {
        column += 1
      }
    }
  }
}

/// Where the blocks of a range are, by their sums; of a sum that several have, nowhere.
private struct BlockTable {
  private var sums: [UInt32]
  /// A place plus one; 0: free; -1: several.
  private var places: [Int]
  private let mask: Int

  init(_ bytes: [UInt8], _ range: Range<Int>, block: Int) {
    let blocks = range.count / block
    var size = 16
    while size < 2 * blocks { size *= 2 }
    sums = [UInt32](repeating: 0, count: size)
    places = [Int](repeating: 0, count: size)
    mask = size - 1
    for number in 0..<blocks {
      let start = range.lowerBound + number * block
      let sum = ImageMatcher.sum(bytes, start, block)
      let slot = slot(of: sum)
      places[slot] = places[slot] == 0 ? start + 1 : -1
      sums[slot] = sum
    }
  }

  private func slot(of sum: UInt32) -> Int {
    var slot = Int((sum &* 0x9E37_79B1) >> 4) & mask
    while places[slot] != 0 && sums[slot] != sum { slot = (slot + 1) & mask }
    return slot
  }

  func place(of sum: UInt32) -> Int? {
    let place = places[slot(of: sum)]
    return place > 0 ? place - 1 : nil
  }
}
