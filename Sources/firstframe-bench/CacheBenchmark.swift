import Foundation
import Models
import Scenario

/// How fast cache traces are replayed, and miss-ratio curves made.
enum CacheBenchmark {
  private static let objects = 100_000
  private static let requests = 2_000_000
  private static let curveRequests = 10_000_000

  static func report() {
    let trace = zipf(requests, seed: 11)
    let baseline = touches(trace)
    print("\ncache replays, Zipf 1.0 over 100,000 objects: million requests/s against one touch")
    print("                                   rate      ratio   miss")
    TransferBenchmark.line("one array element a request", baseline, baseline)
    for kind in EvictionKind.all { line(kind, trace, baseline) }
    if let rate = libCacheSim(trace) {
      TransferBenchmark.line("cachesim, LRU, from a file", rate, baseline)
    }
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

  /// libCacheSim's command line over the same requests, where it is installed; it reads them from a
  /// file. Nil when there is none.
  private static func libCacheSim(_ trace: CacheTrace) -> Double? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let program = path.split(separator: ":").map { "\($0)/cachesim" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let program else { return nil }
    var records = Data(capacity: trace.count * 24)
    for object in trace.objects {
      withUnsafeBytes(of: UInt32(0)) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt64(object).littleEndian) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt32(1).littleEndian) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: Int64(-1)) { records.append(contentsOf: $0) }
    }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).oracleGeneral")
    guard (try? records.write(to: file)) != nil else { return nil }
    defer { try? FileManager.default.removeItem(at: file) }
    var isDone = true
    let rate = Stopwatch.rate(units: requests) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = [
        file.path, "oracleGeneral", "lru", "\(objects / 10)", "--ignore-obj-size=1",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else {
        isDone = false
        return
      }
      process.waitUntilExit()
      isDone = isDone && process.terminationStatus == 0
    }
    return isDone ? rate : nil
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
