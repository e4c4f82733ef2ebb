import Foundation
import Testing

@testable import LoadHarness

struct `Bytes of the stand-in` {
  private func bytes(_ content: StandinContent, _ part: Range<Int64>) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: part.count)
    result.withUnsafeMutableBytes { content.fill($0, from: part.lowerBound) }
    return result
  }

  @Test func `any part of an object is that part of the whole`() {
    for length: Int64 in [1, 7, 31, 32, 33, 40, 1000] {
      let content = StandinContent(.poster, title: 3, version: 1, length: length)
      let whole = bytes(content, 0..<length)
      for start in stride(from: Int64(0), to: length, by: 13) {
        let end = min(length, start + 29)
        #expect(bytes(content, start..<end) == Array(whole[Int(start)..<Int(end)]))
      }
    }
  }

  @Test func `a check finds one wrong byte, a missing one and one too many`() {
    let content = StandinContent(.segment(.video(1), index: 2), title: 5, version: 1, length: 5_000)
    let whole = bytes(content, 0..<5_000)
    func isWhole(_ bytes: [UInt8]) -> Bool {
      var check = StandinCheck(content)
      for start in stride(from: 0, to: bytes.count, by: 777) {
        bytes[start..<min(bytes.count, start + 777)].withUnsafeBytes { check.add($0) }
      }
      return check.isWhole
    }
    #expect(isWhole(whole) && !isWhole(Array(whole.dropLast())) && !isWhole(whole + [0]))
    for place in [0, 9, 31, 32, 100, 4_999] {
      var wrong = whole
      wrong[place] ^= 1
      #expect(!isWhole(wrong), "\(place)")
    }
  }

  @Test func `objects differ in their bytes by everything that names them`() {
    let base = StandinContent(.segment(.video(1), index: 2), title: 5, version: 1, length: 500)
    let others = [
      StandinContent(.segment(.video(1), index: 3), title: 5, version: 1, length: 500),
      StandinContent(.segment(.video(2), index: 2), title: 5, version: 1, length: 500),
      StandinContent(.segment(.audio, index: 2), title: 5, version: 1, length: 500),
      StandinContent(.segment(.video(1), index: 2), title: 6, version: 1, length: 500),
      StandinContent(.segment(.video(1), index: 2), title: 5, version: 2, length: 500),
      StandinContent(.segment(.video(1), index: 2), title: 5, version: 1, length: 501),
      StandinContent(.sprite(index: 2), title: 5, version: 1, length: 500),
    ]
    let keys = Set(([base] + others).map(\.key))
    #expect(keys.count == others.count + 1)
    #expect(Array("FFSI".utf8) == bytes(base, 0..<4))
  }

  private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data(bytes))
    try input.fileHandleForWriting.close()
    let result = Array(output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return result
  }

  /// Covers: SIG-070.
  @Test func `gzip unpacks what was packed, at the length that was asked for`() throws {
    var texts: [[UInt8]] = [[], [65], Array("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8)]
    texts.append((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    texts.append([UInt8](repeating: 9, count: 40_000))
    texts.append(
      Array((0..<400).map { "00:0\($0).000 --> sprite_0.jpg#xywh=\($0 * 160)\n" }.joined().utf8))
    for text in texts {
      let packed = Gzip.compress(text)
      #expect(try unpacked(packed) == text)
      let longer = Gzip.compress(text, length: Int64(packed.count) + 500)
      #expect(longer.count == packed.count + 500)
      #expect(try unpacked(longer) == text)
    }
    #expect(Gzip.compress(texts[5]).count < texts[5].count / 3)
  }
}
