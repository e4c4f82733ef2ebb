import Foundation
import Testing

@testable import Models

/// The counts of an independent cache simulator, which must be equal.
@Suite struct EvictionReferenceTests {
  struct File: Decodable {
    var runs: [Run]
  }
  struct Run: Decodable {
    var trace: String
    var requests: Int
    var mode: String
    var ttl: Bool
    var results: [Row]

    enum CodingKeys: String, CodingKey {
      case trace, mode, ttl, results
      case requests = "n_req"
    }
  }
  struct Row: Decodable {
    var algo: String
    var exact: Bool
    var capacity: Int64
    var misses: Int64
    var secondHalf: Int64?
    var missedBytes: Int64?
    var objects: Int64?
    var bytes: Int64?

    enum CodingKeys: String, CodingKey {
      case algo, exact
      case capacity = "cache_size"
      case misses = "n_miss"
      case secondHalf = "n_miss_2nd_half"
      case missedBytes = "miss_bytes"
      case objects = "end_n_obj"
      case bytes = "end_bytes"
    }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../shared/reference/cache").standardizedFileURL
  static let isPresent = FileManager.default.fileExists(
    atPath: folder.appending(path: "reference.json").path)

  static func kind(_ algo: String) -> EvictionKind? {
    switch algo {
    case "LRU": .lru
    case "FIFO": .fifo
    case "Clock1": .clock(bits: 1)
    case "Clock2": .clock(bits: 2)
    case "Sieve": .sieve
    case "S3FIFO": .s3FIFO(.libCacheSim)
    case "LFU": .lfu
    case "ARC": .arc
    case "TwoQ": .twoQ
    case "SLRU4": .slru(segments: 4)
    case "GDSF": .gdsf
    default: nil
    }
  }

  private static func word(_ data: [UInt8], _ place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(data[place + $1]) << (8 * UInt32($1)) }
  }

  /// A trace of the folder as the reference defines it.
  static func trace(_ name: String) throws -> CacheTrace {
    let isFeed = name == "T4"
    let url = folder.appending(path: "\(name).dev.\(isFeed ? "rec17" : "u32le")")
    let data = [UInt8](try Data(contentsOf: url))
    let step = isFeed ? 17 : 4
    let table = try String(
      contentsOf: folder.appending(path: "sizes1024.txt"), encoding: .utf8
    ).split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
    var handles: [UInt32: UInt32] = [:]
    var trace = CacheTrace()
    for place in stride(from: 0, to: data.count, by: step) {
      let id = word(data, place + (isFeed ? 4 : 0))
      let handle = handles[id] ?? UInt32(handles.count)
      handles[id] = handle
      trace.objects.append(handle)
      if isFeed {
        trace.times.append(Int64(word(data, place)) * EvictionParts.second)
        trace.sizes.append(Int64(word(data, place + 8)))
        trace.lifetimes.append(Int64(word(data, place + 12)) * EvictionParts.second)
        trace.nodes.append(UInt16(data[place + 16]))
      } else if name == "T3" {
        var mix = EvictionParts.Numbers(seed: UInt64(id))
        trace.sizes.append(table[Int(mix.next() & 1023)])
      }
    }
    trace.objectCount = handles.count
    return trace
  }

  @Test(.enabled(if: isPresent))
  func `every exact row of the reference is equal to the last miss`() throws {
    let data = try Data(contentsOf: Self.folder.appending(path: "reference.json"))
    var compared = 0
    for run in try JSONDecoder().decode(File.self, from: data).runs {
      let trace = try Self.trace(run.trace)
      for row in run.results where row.exact {
        let kind = try #require(Self.kind(row.algo), "an unknown kind \(row.algo)")
        let counts = try #require(
          CacheReplay.run(
            trace, kind: kind, capacity: row.capacity, expiry: run.ttl ? .reference : .ignore,
            unitSizes: run.mode == "unit", range: 0..<run.requests))
        let label: Comment = "\(run.trace) \(row.algo) \(row.capacity)"
        #expect(counts.misses == row.misses, label)
        #expect(counts.missesSecondHalf == row.secondHalf ?? counts.missesSecondHalf, label)
        #expect(counts.missedBytes == row.missedBytes ?? counts.missedBytes, label)
        #expect(counts.objectsAtEnd == row.objects ?? counts.objectsAtEnd, label)
        #expect(counts.bytesAtEnd == row.bytes ?? counts.bytesAtEnd, label)
        compared += 1
      }
    }
    #expect(compared >= 100)
  }

  @Test(.enabled(if: isPresent))
  func `nothing beats the clairvoyant policy on the reference traces`() throws {
    for name in ["T1", "T2", "T3"] {
      let trace = try Self.trace(name)
      let best = try #require(
        CacheReplay.run(trace, kind: .belady, capacity: 3000, unitSizes: true))
      for kind in EvictionKind.all where kind != .infinite {
        let other = try #require(
          CacheReplay.run(trace, kind: kind, capacity: 3000, unitSizes: true))
        #expect(best.misses <= other.misses, "\(name) \(kind)")
      }
    }
  }
}
