/// Compresses bytes by DEFLATE (RFC 1951): what came before by its distance, and codes whose
/// lengths follow from how often they are there.
struct Deflate {
  private var bits = BitWriter()

  /// Bytes and matches whose codes are made together.
  private static let blockLength = 1 << 14

  /// The compressed bytes, about as many as `gzip -9` makes.
  static func bytes(of data: [UInt8]) -> [UInt8] {
    let tokens = DeflateMatcher.tokens(of: data)
    var deflate = Deflate()
    var start = 0
    repeat {
      let end = min(start + blockLength, tokens.count)
      deflate.block(tokens[start..<end], isLast: end == tokens.count)
      start = end
    } while start < tokens.count
    return deflate.bits.finished()
  }

  private mutating func block(_ tokens: ArraySlice<DeflateToken>, isLast: Bool) {
    var literals = [Int](repeating: 0, count: 286)
    var distances = [Int](repeating: 0, count: 30)
    literals[DeflateToken.end] = 1
    for token in tokens {
      guard let match = token.match else {
        literals[token.literal] += 1
        continue
      }
      literals[DeflateNumber.length(match.length).code] += 1
      distances[DeflateNumber.distance(match.distance).code] += 1
    }
    let literalCode = HuffmanCode(counts: literals, longest: 15)
    // One code at least, which may stay without a use.
    if distances.allSatisfy({ $0 == 0 }) { distances[0] = 1 }
    let distanceCode = HuffmanCode(counts: distances, longest: 15)
    bits.write(isLast ? 1 : 0, 1)
    bits.write(2, 2)
    header(literalCode, distanceCode)
    for token in tokens {
      guard let match = token.match else {
        bits.write(literalCode, token.literal)
        continue
      }
      let length = DeflateNumber.length(match.length)
      bits.write(literalCode, length.code)
      bits.write(length.rest, length.bits)
      let distance = DeflateNumber.distance(match.distance)
      bits.write(distanceCode, distance.code)
      bits.write(distance.rest, distance.bits)
    }
    bits.write(literalCode, DeflateToken.end)
  }

  /// In which order the lengths of the codes for lengths stand (RFC 1951, section 3.2.7).
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The lengths of both codes.
  private mutating func header(_ literals: HuffmanCode, _ distances: HuffmanCode) {
    let literalCount = max(257, literals.usedCount)
    let distanceCount = max(1, distances.usedCount)
    let runs = Deflate.runs(
      Array(literals.lengths[..<literalCount] + distances.lengths[..<distanceCount]))
    var counts = [Int](repeating: 0, count: 19)
    for run in runs { counts[run.code] += 1 }
    let code = HuffmanCode(counts: counts, longest: 7)
    let last = Deflate.order.lastIndex { code.lengths[$0] > 0 } ?? 0
    let codeCount = max(4, last + 1)
    bits.write(literalCount - 257, 5)
    bits.write(distanceCount - 1, 5)
    bits.write(codeCount - 4, 4)
    for place in Deflate.order.prefix(codeCount) { bits.write(code.lengths[place], 3) }
    for run in runs {
      bits.write(code, run.code)
      bits.write(run.rest, run.bits)
    }
  }

  /// Lengths with those that are there several times in a row as one (RFC 1951, section 3.2.7).
  private static func runs(_ lengths: [Int]) -> [DeflateNumber] {
    var runs: [DeflateNumber] = []
    var place = 0
    while place < lengths.count {
      let length = lengths[place]
      var count = 1
      while place + count < lengths.count, lengths[place + count] == length { count += 1 }
      place += count
      if length != 0 {
        runs.append(DeflateNumber(code: length, rest: 0, bits: 0))
        count -= 1
      }
      while count > 0 {
        let most = min(count, length == 0 ? 138 : 6)
        if most < 3 {
          runs.append(DeflateNumber(code: length, rest: 0, bits: 0))
          count -= 1
        } else {
          runs.append(
            length != 0
              ? DeflateNumber(code: 16, rest: most - 3, bits: 2)
              : most <= 10
                ? DeflateNumber(code: 17, rest: most - 3, bits: 3)
                : DeflateNumber(code: 18, rest: most - 11, bits: 7))
          count -= most
        }
      }
    }
    return runs
  }
}

/// A number as a code and bits behind it.
struct DeflateNumber {
  var code, rest, bits: Int

  /// The length of a match, 3 to 258 (RFC 1951, section 3.2.5).
  static func length(_ length: Int) -> DeflateNumber {
    if length == 258 { return DeflateNumber(code: 285, rest: 0, bits: 0) }
    let number = length - 3
    if number < 8 { return DeflateNumber(code: 257 + number, rest: 0, bits: 0) }
    let bits = Int.bitWidth - number.leadingZeroBitCount - 3
    return DeflateNumber(
      code: 257 + 4 * bits + number >> bits, rest: number & (1 << bits - 1), bits: bits)
  }

  /// A distance, 1 to 32768.
  static func distance(_ distance: Int) -> DeflateNumber {
    let number = distance - 1
    if number < 4 { return DeflateNumber(code: number, rest: 0, bits: 0) }
    let bits = Int.bitWidth - number.leadingZeroBitCount - 2
    return DeflateNumber(
      code: 2 * bits + number >> bits, rest: number & (1 << bits - 1), bits: bits)
  }
}

/// Bits one after the other, the first one the least significant of its byte.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var held: UInt64 = 0
  private var count = 0

  mutating func write(_ value: Int, _ bits: Int) {
    held |= UInt64(truncatingIfNeeded: value) << UInt64(count)
    count += bits
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      count -= 8
    }
  }

  mutating func write(_ code: HuffmanCode, _ symbol: Int) {
    write(code.words[symbol], code.lengths[symbol])
  }

  /// All bytes, the last one filled up.
  mutating func finished() -> [UInt8] {
    write(0, (8 - count) % 8)
    return bytes
  }
}
