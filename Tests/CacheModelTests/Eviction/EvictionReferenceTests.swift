import Foundation
import ReferenceFiles
import Testing

@testable import CacheModel

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

  /// A trace as the reference defines it.
  static func trace(_ name: String) throws -> CacheTrace {
    let table = try CacheTraceFile.sizes()
    var handles: [UInt32: UInt32] = [:]
    var trace = CacheTrace()
    for record in try CacheTraceFile.records(name) {
      let handle = handles[record.object] ?? UInt32(handles.count)
      handles[record.object] = handle
      trace.objects.append(handle)
      if name == "T4" {
        trace.times.append(Int64(record.time) * EvictionParts.second)
        trace.sizes.append(Int64(record.bytes))
        trace.lifetimes.append(Int64(record.lifetime) * EvictionParts.second)
        trace.nodes.append(UInt16(record.edge))
      } else if name == "T3" {
        var mix = EvictionParts.Numbers(seed: UInt64(record.object))
        trace.sizes.append(table[Int(mix.next() & 1023)])
      }
    }
    trace.objectCount = handles.count
    return trace
  }

  @Test func `every exact row of the reference is equal to the last miss`() throws {
    let data = try ReferenceFiles.data("cache/reference.json")
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

  @Test func `nothing beats the clairvoyant policy on the reference traces`() throws {
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
