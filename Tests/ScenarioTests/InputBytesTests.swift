import Foundation
import Testing

@testable import Scenario

@Suite struct InputBytesTests {
  @Test func `a file is read into whatever room there is, to its end`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "firstframe-bytes-\(UInt32.random(in: 0 ... .max))"
    ).path
    try Data((0..<10).map { UInt8($0) }).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var input = try InputBytes(path)
    var room = [UInt8](repeating: 0, count: 6)
    let first = try room.withUnsafeMutableBytes { try input.fill($0) }
    #expect(first == 6 && room == [0, 1, 2, 3, 4, 5])
    let none = try input.fill(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    var isAtEnd = input.isAtEnd
    #expect(none == 0 && !isAtEnd)
    let second = try room.withUnsafeMutableBytes { try input.fill($0) }
    isAtEnd = input.isAtEnd
    #expect(second == 4 && room == [6, 7, 8, 9, 4, 5] && isAtEnd)
  }

  @Test(arguments: ["", "/none/there", "a\0b"])
  func `what is no file is refused`(path: String) {
    #expect(throws: InputFile.Failure.self) { _ = try InputBytes(path) }
  }

  @Test func `a packed file is known by its beginning, and a text that looks like one is not`() {
    let heads: [([UInt8], String)] = [
      ([0x1F, 0x8B, 8], "gunzip"), ([0x28, 0xB5, 0x2F, 0xFD, 0], "unzstd"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "unxz"), (Array("BZh9".utf8), "bunzip2"),
      ([0x50, 0x4B, 3, 4, 0], "unzip"), ([0x50, 0x4B, 5, 6, 0], "unzip"),
    ]
    for (head, program) in heads { #expect(PackedFile.unpacker(head) == program) }
    for text in ["", "B", "BZ,a\n", "PK,a\n", "(a)\n"] {
      #expect(PackedFile.unpacker(text.utf8) == nil)
    }
  }
}
