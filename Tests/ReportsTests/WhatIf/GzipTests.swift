import Foundation
import SimulationKernel
import Testing

@testable import Reports

@Suite struct GzipTests {
  /// What `gunzip` makes of a gzip file.
  private static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("gzip-\(UUID().uuidString).gz")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let gunzip = Process()
    gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gunzip.arguments = ["gunzip", "-c", file.path]
    let output = Pipe()
    gunzip.standardOutput = output
    try gunzip.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    gunzip.waitUntilExit()
    #expect(gunzip.terminationStatus == 0)
    return [UInt8](data)
  }

  private static func random(_ count: Int, values: UInt64) -> [UInt8] {
    (0..<UInt64(count)).map { UInt8(truncatingIfNeeded: SplitMix.hash($0) % values) }
  }

  /// Nothing, one byte, nothing that repeats, hardly anything else, distances as far as they go,
  /// and more than a block.
  static let data: [[UInt8]] = [
    [], [7], [7, 7], [UInt8](0...255), [UInt8](repeating: 0, count: 100_000),
    random(40_000, values: 256), random(60_000, values: 2), random(300, values: 3),
    random(32_768, values: 256) + random(32_768, values: 256),
    Array(String(repeating: "a feed, its viewers and its caches; ", count: 900).utf8),
    (0..<8_000).flatMap { number in
      withUnsafeBytes(of: (Double(number) / 7).bitPattern.littleEndian) { [UInt8]($0) }
    },
  ]

  @Test(arguments: data.indices) func whatIsPackedComesBack(index: Int) throws {
    let packed = Gzip.bytes(of: Self.data[index])
    #expect(Gzip.isOne(packed))
    #expect(try Self.unpacked(packed) == Self.data[index])
  }

  @Test func whatRepeatsIsShort() {
    #expect(Gzip.bytes(of: Self.data[4]).count < 250)
    #expect(Gzip.bytes(of: Self.data[8]).count < 34_000)
    #expect(Gzip.bytes(of: Self.data[9]).count < 300)
    // A bit for each of two values, and little more.
    #expect(Gzip.bytes(of: Self.data[6]).count < 11_000)
  }

  /// Source: the check value of CRC-32 in the catalogue of parametrised CRC algorithms.
  @Test func checksumsAreThoseOfTheStandard() {
    #expect(Gzip.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test func wordsOfACodeAreNoLongerThanAllowed() {
    // Counts that grow as Fibonacci's numbers make the longest words.
    var counts = [1, 1]
    while counts.count < 30 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
    for longest in [5, 7, 15] {
      let code = HuffmanCode(counts: counts, longest: longest)
      #expect(code.lengths.allSatisfy { 1...longest ~= $0 })
      // Kraft's sum: no word is left over.
      #expect(code.lengths.reduce(0) { $0 + 1 << (longest - $1) } == 1 << longest)
    }
    #expect(HuffmanCode(counts: [0, 9, 0], longest: 7).lengths == [0, 1, 0])
  }
}
