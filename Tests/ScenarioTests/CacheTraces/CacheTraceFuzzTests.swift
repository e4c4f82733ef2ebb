import Foundation
import Models
import SimulationKernel
import SlowTesting
import Testing

@testable import Scenario

@Suite struct CacheTraceFuzzTests {
  /// SplitMix64 (Steele, Lea, Flood 2014).
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return SplitMix.finalized(state)
    }
  }

  /// A valid file with so many times the usual records.
  fileprivate static func seeds(_ format: CacheTraceFormat, copies: Int) -> [UInt8] {
    func text(_ head: String, _ lines: String) -> [UInt8] {
      Array((head + String(repeating: lines, count: copies)).utf8)
    }
    func records(_ bytes: [UInt8]) -> [UInt8] { (0..<copies).flatMap { _ in bytes } }
    return switch format {
    case .csv: text("time,id,size,ttl,node\n", "2,a,10,60,x\n2,\"b\"\"c\",20,,y\n2.0,a,,0,x\n")
    case .cloudfront:
      text(
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes cs-method cs-uri-stem "
          + "cs-uri-query\n", "2019-12-04\t21:02:31\tLAX1\t392\tGET\t/a%20b\tq=%41\n")
    case .common:
      text("", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326\n")
    case .rec17:
      records(
        CacheTraceFixture.rec17(6, 8, 100, 60, 2) + CacheTraceFixture.rec17(6, 8, 1, 0, 1))
    case .oracleGeneral:
      records(CacheTraceFixture.oracle(1, 2, 3) + CacheTraceFixture.oracle(1, 4, 5))
    case .u32le: records([1, 0, 0, 0, 2, 0, 0, 0])
    }
  }

  /// Cuts, doubles, overwrites and inserts, one to eight times.
  private static func mutated(
    _ bytes: [UInt8], limit: Int, _ random: inout Random
  ) -> [UInt8] {
    var bytes = bytes
    let common = Array("\",\n\r\t%-[]\\#:./ 09eE\u{0}".utf8)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes += bytes[place...]
      case 2: if !bytes.isEmpty { bytes[place] = UInt8.random(in: 0...255, using: &random) }
      case 3: bytes.insert(common[Int.random(in: 0..<common.count, using: &random)], at: place)
      case 4:
        bytes.insert(
          contentsOf: [UInt8](
            repeating: 0x39, count: Int.random(in: 1...30, using: &random)), at: place)
      default: if !bytes.isEmpty { bytes.remove(at: place) }
      }
      if bytes.count > limit { bytes.removeSubrange(limit...) }
    }
    return bytes
  }

  struct Outcome {
    /// Bytes of all mutants, and mutants that are sound traces.
    var bytes = 0
    var read = 0
  }

  /// Reads mutants of a valid file, every third without being told the format, so that detection
  /// meets them too.
  static func run(
    _ format: CacheTraceFormat, files: Int, copies: Int, limit: Int, seed: UInt64
  ) throws -> Outcome {
    var outcome = Outcome()
    try CacheTraceFixture.inFolder { folder in
      var random = Random(state: seed + UInt64(format.rawValue.count))
      let valid = seeds(format, copies: copies)
      for round in 0..<files {
        let bytes = mutated(valid, limit: limit, &random)
        outcome.bytes += bytes.count
        let path = try folder.write("trace", bytes)
        let request = CacheTraceRequest(
          files: [path], format: round % 3 == 0 ? nil : format, dropsQueries: round % 2 == 0)
        do {
          let trace = try request.load().trace
          trace.checkShape()
          #expect(trace.count > 0 && trace.count <= bytes.count)
          #expect(zip(trace.times, trace.times.dropFirst()).allSatisfy { $0 <= $1 })
          outcome.read += 1
        } catch let error as InputRejected {
          #expect(!error.problems.isEmpty && error.problems.count <= 20)
        }
      }
    }
    return outcome
  }

  @Test(arguments: CacheTraceFormat.allCases)
  func `whatever the bytes, a reader answers with a sound trace or with problems`(
    _ format: CacheTraceFormat
  ) throws {
    let outcome = try Self.run(
      format, files: SlowRun.count(500, slow: 1_500), copies: 1, limit: 4_096, seed: 0x5EED)
    #expect(
      outcome.read > SlowRun.count(8, slow: 25),
      "too few of the mutants can be read for the test to say much")
  }
}

@Suite(.enabled(if: SlowRun.isOn), .serialized)
struct CacheTraceSlowTests {
  /// Bytes of the process in memory.
  private func memory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = try #require(text.split(separator: " ").dropFirst().first)
    return try #require(Int(pages)) * 4_096
  }

  /// Over ten million bytes in all.
  @Test(arguments: CacheTraceFormat.allCases)
  func `whatever the bytes of longer files, a reader answers and its memory is bounded`(
    _ format: CacheTraceFormat
  ) throws {
    let warm = try CacheTraceFuzzTests.run(
      format, files: 100, copies: 30, limit: 16_384, seed: 0xFEED)
    let before = try memory()
    var outcome = try CacheTraceFuzzTests.run(
      format, files: 1_500, copies: 30, limit: 16_384, seed: 0xBEEF)
    let copies = 200_000 / CacheTraceFuzzTests.seeds(format, copies: 1).count
    let large = try CacheTraceFuzzTests.run(
      format, files: 40, copies: copies, limit: 400_000, seed: 0xCAFE)
    outcome.bytes += large.bytes
    #expect(warm.bytes > 0 && outcome.bytes > 1_700_000 && outcome.read > 0)
    // The buffers of 1,540 readers would be 1.6 GB; the rest is for other tests of the process.
    #expect(try memory() - before < 800_000_000)
  }
}
