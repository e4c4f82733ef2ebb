/// Compresses short texts for `Content-Encoding: gzip` (RFC 1952, RFC 1951).
///
/// One block with the fixed codes and matches by hash chains: enough for the repeating lines of a
/// storyboard. A comment in the header makes the result as long as is asked for.
enum Gzip {
  /// The compressed form, of `length` bytes where it is not longer by itself.
  static func compress(_ bytes: [UInt8], length: Int64 = 0) -> [UInt8] {
    var body = Deflate(bytes).bytes
    for number in [crc32(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      for shift in stride(from: UInt32(0), to: 32, by: 8) {
        body.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    // Magic, deflate, flags, no time, no extra flags, unknown system.
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    let missing = length - Int64(result.count + body.count)
    if missing > 0 {
      result[3] = 0x10
      result.append(contentsOf: repeatElement(UInt8(ascii: "."), count: Int(missing) - 1))
      result.append(0)
    }
    return result + body
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    return ~sum
  }

  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }
}

/// One block with the fixed codes of RFC 1951 section 3.2.6.
private struct Deflate {
  private(set) var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var count = 0

  init(_ text: [UInt8]) {
    put(0b011, 3)
    var heads = [Int](repeating: -1, count: 1 << 12)
    var previous = [Int](repeating: -1, count: text.count)
    var place = 0
    while place < text.count {
      let match = Deflate.longest(text, place, heads, previous)
      let step = match.length >= 4 ? match.length : 1
      if step > 1 { put(match.length, back: match.back) } else { put(literal: text[place]) }
      for index in place..<(place + step) where index + 3 <= text.count {
        let slot = Deflate.slot(text, index)
        previous[index] = heads[slot]
        heads[slot] = index
      }
      place += step
    }
    put(code: 256)
    if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
  }

  private static func slot(_ text: [UInt8], _ place: Int) -> Int {
    let word = Int(text[place]) | Int(text[place + 1]) << 8 | Int(text[place + 2]) << 16
    return (word &* 0x9E37_79B1) >> 12 & 0xFFF
  }

  private static func longest(
    _ text: [UInt8], _ place: Int, _ heads: [Int], _ previous: [Int]
  ) -> (length: Int, back: Int) {
    var best = (length: 0, back: 0)
    if place + 3 > text.count { return best }
    var candidate = heads[slot(text, place)]
    var left = 64
    while candidate >= 0 && place - candidate <= 32_768 && left > 0 {
      var length = 0
      while length < 258 && place + length < text.count
        && text[candidate + length] == text[place + length]
      {
        length += 1
      }
      if length > best.length { best = (length, place - candidate) }
      candidate = previous[candidate]
      left -= 1
    }
    return best
  }

  /// Bits from the lowest on.
  private mutating func put(_ value: Int, _ width: Int) {
    pending |= UInt64(value) << UInt64(count)
    count += width
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count -= 8
    }
  }

  /// A Huffman code, whose highest bit comes first.
  private mutating func put(reversed code: Int, _ width: Int) {
    var turned = 0
    for bit in 0..<width where code >> bit & 1 == 1 { turned |= 1 << (width - 1 - bit) }
    put(turned, width)
  }

  private mutating func put(code: Int) {
    switch code {
    case ...143: put(reversed: 0x30 + code, 8)
    case ...255: put(reversed: 0x190 + code - 144, 9)
    case ...279: put(reversed: code - 256, 7)
    default: put(reversed: 0xC0 + code - 280, 8)
    }
  }

  private mutating func put(literal byte: UInt8) { put(code: Int(byte)) }

  /// Length and distance: both have ranges that double every few codes (section 3.2.5).
  private mutating func put(_ length: Int, back: Int) {
    if length == 258 {
      put(code: 285)
    } else {
      let (code, extra, rest) = Deflate.range(length - 3, perOctave: 4)
      put(code: 257 + code)
      put(rest, extra)
    }
    let (code, extra, rest) = Deflate.range(back - 1, perOctave: 2)
    put(reversed: code, 5)
    put(rest, extra)
  }

  /// The code of a number, its extra bits and their value, where codes with e extra bits come in
  /// groups of `perOctave` and the first two groups have none.
  private static func range(_ number: Int, perOctave: Int) -> (code: Int, extra: Int, rest: Int) {
    if number < 2 * perOctave { return (number, 0, 0) }
    var extra = 0
    while number >> extra >= 2 * perOctave { extra += 1 }
    return (extra * perOctave + number >> extra, extra, number & (1 << extra - 1))
  }
}
