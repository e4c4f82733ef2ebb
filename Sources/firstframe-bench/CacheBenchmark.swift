import BenchBaselines
import Foundation
import Models
import Scenario

/// How fast cache traces are replayed, and miss-ratio curves made.
enum CacheBenchmark {
  private static let objects = 100_000
  private static let requests = 2_000_000
  private static let curveRequests = 10_000_000

  /// Our LRU against one made of the C++ library's list and hash table. ``report()`` has
  /// libCacheSim where it is installed.
  static func rows() -> [BenchmarkRow] {
    let trace = zipf(requests, seed: 11)
    let capacity = objects / 10
    func replay() -> UInt64 {
      UInt64(CacheReplay.run(trace, kind: .lru, capacity: Int64(capacity))?.misses ?? 0)
    }
    let naive = { bench_lru_misses(trace.objects, UInt64(trace.objects.count), UInt64(capacity)) }
    precondition(replay() == naive(), "the two caches do not miss alike")
    return [
      BenchmarkRow(
        "cache/lru", unit: "requests/s", units: Double(requests),
        against: "std::list and std::unordered_map, C++ -O2", { Stopwatch.keep(naive()) },
        subject: { Stopwatch.keep(replay()) })
    ]
  }

  static func report() {
    let trace = zipf(requests, seed: 11)
    let baseline = touches(trace)
    print("\ncache replays, Zipf 1.0 over 100,000 objects: million requests/s against one touch")
    print("                                   rate      ratio   miss")
    TransferBenchmark.line("one array element a request", baseline, baseline)
    for kind in EvictionKind.all { line(kind, trace, baseline) }
    compare(trace)
    curves()
  }

  private static func line(_ kind: EvictionKind, _ trace: CacheTrace, _ baseline: Double) {
    var counts = CacheReplayCounts()
    let rate = Stopwatch.rate(units: requests) {
      counts = CacheReplay.run(trace, kind: kind, capacity: Int64(objects / 10)) ?? counts
      Stopwatch.keep(UInt64(counts.misses))
    }
    let name = CacheWords.text(kind).padding(toLength: 32, withPad: " ", startingAt: 0)
    print(
      name + String(format: "%9.3f %10.4f  %.3f", rate / 1e6, rate / baseline, counts.missRatio))
  }

  /// Requests by the inverse of a continuous power law with exponent 1: rank = N^u.
  private static func zipf(_ count: Int, seed: UInt64) -> CacheTrace {
    var random = SplitMix64(seed: seed)
    let logarithm = log(Double(objects) + 1)
    var trace = CacheTrace(objectCount: objects)
    trace.objects = (0..<count).map { _ in
      let uniform = Double(random.next() >> 11) * 0x1p-53
      return UInt32(min(objects - 1, Int(exp(uniform * logarithm)) - 1))
    }
    return trace
  }

  private static func touches(_ trace: CacheTrace) -> Double {
    var counters = [UInt32](repeating: 0, count: objects)
    return Stopwatch.rate(units: requests) {
      for object in trace.objects { counters[Int(object)] &+= 1 }
      Stopwatch.keep(UInt64(counters[0]))
    }
  }

  /// Our replays and libCacheSim's of the same requests by turns. It reads them from a file that is
  /// in memory by then; each has the best of the runs, because the other work of the machine only
  /// ever slows one down.
  private static func compare(_ trace: CacheTrace) {
    print("\nthe same requests by libCacheSim: million requests/s, best of \(Stopwatch.runs)")
    guard let peer = LibCacheSim() else {
      print("not found: neither a program cachesim nor a Python package libcachesim")
      return
    }
    print("found: \(peer.name)\n                                   ours     theirs   ratio")
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).oracleGeneral")
    guard (try? LibCacheSim.write(trace, to: file)) != nil else {
      print("not compared: cannot write \(file.path)")
      return
    }
    defer {
      for path in [file.path, file.path + ".out"] {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    for kind in [EvictionKind.lru, .sieve, .s3FIFO(.libCacheSim)] {
      let word = CacheWords.text(kind)
      var (ours, theirs) = (0.0, 0.0)
      for _ in 0..<Stopwatch.runs {
        let seconds = Stopwatch.seconds {
          let counts = CacheReplay.run(trace, kind: kind, capacity: Int64(objects / 10))
          Stopwatch.keep(UInt64(counts?.misses ?? 0))
        }
        ours = max(ours, Double(requests) / seconds)
        let rate = peer.rate(word, capacity: objects / 10, requests: requests, file: file)
        theirs = max(theirs, rate ?? 0)
      }
      let name = word.padding(toLength: 32, withPad: " ", startingAt: 0)
      if theirs == 0 {
        print(name + String(format: "%9.3f     failed", ours / 1e6))
      } else {
        print(name + String(format: "%9.3f  %9.3f %7.2f", ours / 1e6, theirs / 1e6, ours / theirs))
      }
    }
  }

  private static func curves() {
    var trace = zipf(curveRequests, seed: 13)
    trace.sizes = trace.objects.map { Int64(1_000 + ObjectSample.hash($0) % 1_000_000) }
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities = (1...100).map { summary.workingSet / 100 * Int64($0) }
    var points: [[MissRatioPoint]] = []
    print("\nmiss-ratio curve of LRU in bytes, 10 million requests: seconds")
    for (name, limit) in [("exact", nil as Int?), ("SHARDS, 8,192 objects", 8_192)] {
      let seconds = Stopwatch.seconds {
        let curve =
          limit.map {
            SHARDS.curve(trace, capacities: capacities, limit: $0, unitSizes: false)
          } ?? LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false)
        points.append(curve ?? [])
      }
      print(
        name.padding(toLength: 32, withPad: " ", startingAt: 0) + String(format: "%9.3f", seconds))
    }
    let error = zip(points[0], points[1]).map { ($0.misses - $1.misses).magnitude }.max() ?? 0
    print(String(format: "largest error of SHARDS %.4f", Double(error) / Double(curveRequests)))
  }
}
