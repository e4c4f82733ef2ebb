import Foundation
import Models
import Testing

@testable import Scenario

@Suite struct CacheTraceFuzzTests {
  /// SplitMix64 (Steele, Lea, Flood 2014).
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return IdentityTable.mix(state &- 0x9E37_79B9_7F4A_7C15)
    }
  }

  private static func seeds(_ format: CacheTraceFormat) -> [UInt8] {
    switch format {
    case .csv: Array("time,id,size,ttl,node\n1,a,10,60,x\n2,\"b\"\"c\",20,,y\n2.5,a,,0,x\n".utf8)
    case .cloudfront:
      Array(
        ("#Version: 1.0\n#Fields: date time x-edge-location sc-bytes cs-method cs-uri-stem "
          + "cs-uri-query\n2019-12-04\t21:02:31\tLAX1\t392\tGET\t/a%20b\tq=%41\n").utf8)
    case .common:
      Array("::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326\n".utf8)
    case .rec17: CacheTraceFixture.rec17(5, 8, 100, 60, 2) + CacheTraceFixture.rec17(6, 8, 1, 0, 1)
    case .oracleGeneral: CacheTraceFixture.oracle(1, 2, 3) + CacheTraceFixture.oracle(1, 4, 5)
    case .u32le: [1, 0, 0, 0, 2, 0, 0, 0]
    }
  }

  /// Cuts, doubles, overwrites and inserts, one to eight times.
  private static func mutated(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
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
      if bytes.count > 4_096 { bytes.removeSubrange(4_096...) }
    }
    return bytes
  }

  @Test(arguments: CacheTraceFormat.allCases)
  func `whatever the bytes, a reader answers with a sound trace or with problems`(
    _ format: CacheTraceFormat
  ) throws {
    try CacheTraceFixture.inFolder { folder in
      var random = Random(state: 0x5EED + UInt64(format.rawValue.count))
      let seed = Self.seeds(format)
      var read = 0
      for round in 0..<3_000 {
        let bytes = Self.mutated(seed, &random)
        let path = try folder.write("trace", bytes)
        // Every third without the format, so that detection meets them too.
        let request = CacheTraceRequest(files: [path], format: round % 3 == 0 ? nil : format)
        do {
          let trace = try request.load().trace
          trace.checkShape()
          #expect(trace.count > 0 && trace.count <= bytes.count)
          #expect(zip(trace.times, trace.times.dropFirst()).allSatisfy { $0 <= $1 })
          read += 1
        } catch let error as TraceRejected {
          #expect(!error.problems.isEmpty && error.problems.count <= 20)
        }
      }
      #expect(read > 50, "too few of the mutants can be read for the test to say much")
    }
  }
}
