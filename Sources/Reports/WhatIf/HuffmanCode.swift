/// A prefix code of symbols, the shortest one whose words are no longer than so many bits.
struct HuffmanCode {
  /// By symbol: the bits of its word; 0: it has none.
  private(set) var lengths: [Int]
  /// By symbol: its word, the first bit the least significant one.
  private(set) var words: [Int]

  /// The symbols up to the last one that has a word.
  var usedCount: Int { (lengths.lastIndex { $0 > 0 } ?? -1) + 1 }

  /// - Parameters:
  ///   - counts: how often each symbol is there; one of them at least is.
  ///   - longest: most bits of a word.
  init(counts: [Int], longest: Int) {
    lengths = HuffmanCode.lengths(counts, longest: longest)
    words = [Int](repeating: 0, count: counts.count)
    // Words of one length follow one another in the order of their symbols (RFC 1951, 3.2.2).
    var next = 0
    for length in 1...longest {
      next <<= 1
      for symbol in counts.indices where lengths[symbol] == length {
        words[symbol] = HuffmanCode.reversed(next, length)
        next += 1
      }
    }
  }

  private static func reversed(_ word: Int, _ length: Int) -> Int {
    (0..<length).reduce(0) { $0 << 1 | word >> $1 & 1 }
  }

  /// A symbol, or two things that are taken together.
  private struct Coin {
    var weight: Int
    var symbol: Int
    var parts: (Int, Int) = (-1, -1)
  }

  /// Package-merge. Source: L. Larmore, D. Hirschberg, "A fast algorithm for optimal length-limited
  /// Huffman codes", J. ACM 37 (1990).
  private static func lengths(_ counts: [Int], longest: Int) -> [Int] {
    var lengths = [Int](repeating: 0, count: counts.count)
    let symbols = counts.indices.filter { counts[$0] > 0 }
      .sorted { (counts[$0], $0) < (counts[$1], $1) }
    if symbols.count < 2 {
      for symbol in symbols { lengths[symbol] = 1 }
      return lengths
    }
    var coins = symbols.map { Coin(weight: counts[$0], symbol: $0) }
    let leaves = Array(coins.indices)
    var level = leaves
    for _ in 1..<longest {
      var packages: [Int] = []
      for pair in stride(from: 0, to: level.count - 1, by: 2) {
        let (one, other) = (level[pair], level[pair + 1])
        packages.append(coins.count)
        coins.append(
          Coin(
            weight: coins[one].weight + coins[other].weight, symbol: -1, parts: (one, other)))
      }
      level = merged(leaves, packages, coins)
    }
    var open = Array(level.prefix(2 * symbols.count - 2))
    while let coin = open.popLast() {
      if coins[coin].symbol >= 0 {
        lengths[coins[coin].symbol] += 1
      } else {
        open.append(coins[coin].parts.0)
        open.append(coins[coin].parts.1)
      }
    }
    return lengths
  }

  /// Two ascending lists as one.
  private static func merged(_ one: [Int], _ other: [Int], _ coins: [Coin]) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(one.count + other.count)
    var (i, j) = (0, 0)
    while i < one.count || j < other.count {
      let isFirst =
        j == other.count || i < one.count && coins[one[i]].weight <= coins[other[j]].weight
      result.append(isFirst ? one[i] : other[j])
      if isFirst { i += 1 } else { j += 1 }
    }
    return result
  }
}
