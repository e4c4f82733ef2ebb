import Foundation
import Testing

@testable import Studies

@Suite struct ShardFileTests {
  /// The examples of NIST's "Secure Hash Standard" pages, and lengths about a block's end by
  /// GNU coreutils' sha256sum.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 55),
      "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"
    ),
    (
      String(repeating: "a", count: 56),
      "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"
    ),
    (
      String(repeating: "a", count: 64),
      "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func `SHA-256 is that of the standard`(_ message: String, _ hash: String) {
    #expect(SHA256.text(of: message.utf8) == hash)
  }

  @Test func `words come back from their bytes, and from no others`() {
    let words: [UInt64] = [0, 1, 127, 128, 300, 1 << 32, 1 << 63, .max, 0]
    let bytes = PackedWords.bytes(of: words)
    #expect(PackedWords.words(of: bytes) == words)
    #expect(PackedWords.bytes(of: [300]) == [0xAC, 0x02])
    #expect(PackedWords.words(of: [0x80]) == nil, "more was to follow")
    let tooLong = [UInt8](repeating: 0x80, count: 10) + [1]
    #expect(PackedWords.words(of: tooLong) == nil)
    #expect(PackedWords.words(of: [UInt8](repeating: 0xFF, count: 9) + [0x02]) == nil)
  }

  @Test func `a file with a byte changed, added or gone is no shard, whichever it is`() throws {
    let file = ShardFile(
      origin: ShardOrigin(build: "b", machine: "m", seconds: 1.5), content: Array(0..<50))
    let data = try file.data(name: "key-3")
    #expect(ShardFile(data, name: "key-3") == file)
    #expect(ShardFile(data, name: "key-4") == nil, "it is another replication's")
    let content = data.count - 32 - 50
    for place in content..<data.count {
      var other = data
      other[place] ^= 1
      #expect(ShardFile(other, name: "key-3") == nil, "byte \(place)")
    }
    for length in 0..<data.count {
      #expect(ShardFile(data.prefix(length), name: "key-3") == nil, "\(length) bytes")
    }
    #expect(ShardFile(data + [0], name: "key-3") == nil)
  }
}
