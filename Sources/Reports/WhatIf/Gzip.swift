/// Bytes in the gzip format (RFC 1952), which browsers decompress themselves.
///
/// The same bytes give the same text: there is no time and no name in it.
enum Gzip {
  /// The bytes as one member of a gzip file.
  static func bytes(of data: [UInt8]) -> [UInt8] {
    // Of deflate, without a name and a time, the slowest way, on no system in particular.
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255]
    result += Deflate.bytes(of: data)
    append(checksum(data), to: &result)
    append(UInt32(truncatingIfNeeded: data.count), to: &result)
    return result
  }

  /// Whether bytes begin as a gzip file does.
  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in [0, 8, 16, 24] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// The cyclic redundancy check of RFC 1952, section 8.
  static func checksum(_ data: [UInt8]) -> UInt32 {
    let table = (0..<256).map { (number: UInt32) -> UInt32 in
      (0..<8).reduce(number) { row, _ in row & 1 == 1 ? 0xEDB8_8320 ^ row >> 1 : row >> 1 }
    }
    var sum = ~UInt32(0)
    for byte in data { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    return ~sum
  }
}
