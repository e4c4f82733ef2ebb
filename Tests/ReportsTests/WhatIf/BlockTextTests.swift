import Foundation
import Testing

@testable import Reports

@Suite struct BlockTextTests {
  /// So many bytes that a text is of.
  static func bytes(of text: String, count: Int) throws -> [UInt8] {
    var sevens: [UInt32] = []
    for scalar in text.unicodeScalars {
      if scalar.value > 127 {
        sevens.append(UInt32(BlockText.avoided[Int(scalar.value >> 7) - 2]))
      }
      sevens.append(scalar.value & 127)
    }
    var (held, bits): (UInt32, UInt32) = (0, 0)
    var bytes: [UInt8] = []
    for seven in sevens {
      held = (held << 7 | seven) & 0x7FFF
      bits += 7
      if bits < 8 { continue }
      bits -= 8
      bytes.append(UInt8(held >> bits & 0xFF))
    }
    try #require(bytes.count >= count)
    return Array(bytes.prefix(count))
  }

  /// Bytes of all kinds, those first that are written in two.
  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { count % 3 == 0 ? 0 : UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ count) }
  }

  @Test(arguments: Array(0...40) + [4_000]) func bytesComeBack(count: Int) throws {
    let bytes = Self.bytes(count)
    let text = BlockText.text(of: bytes)
    #expect(try Self.bytes(of: text, count: count) == bytes)
    #expect(text.utf8.count <= (8 * count + 6) / 7 + 1)
  }

  /// A browser reads what was written: none of the characters that it changes or looks for, none of
  /// the control characters behind ASCII, and UTF-8.
  @Test func browsersLeaveTheTextAlone() throws {
    let text = BlockText.text(of: Self.bytes(30_000) + Self.bytes(20_000))
    for scalar in text.unicodeScalars {
      #expect(scalar.value < 0x80 || scalar.value >= 0x100 && scalar.value < 0x800)
      #expect(!(BlockText.avoided.contains { UInt32($0) == scalar.value }))
    }
    #expect(String(bytes: Data(text.utf8), encoding: .utf8) == text)
  }

  /// page.js and the runner in Wasmtime have the same characters in the same order.
  @Test func readersHaveTheSameCharacters() throws {
    #expect(
      try RepositoryText.of("tools/what-if/page.js").contains(#""\0\t\n\f\r\x1a\"&(:<=@\x7f""#))
    #expect(
      try RepositoryText.of(".ci/what_if_wasmtime.py").contains(#"b'\0\t\n\f\r\x1a"&(:<=@\x7f'"#))
    #expect(BlockText.avoided == Array("\0\t\n\u{0C}\r\u{1A}\"&(:<=@\u{7F}".utf8))
  }
}
