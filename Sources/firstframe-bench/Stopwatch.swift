import BenchBaselines

/// Timing by medians, in CPU time: what else the machine does shows less in it.
enum Stopwatch {
  /// Timed runs of each measurement; one more, untimed, comes before them.
  static let runs = 5

  /// CPU time of the process so far, seconds.
  static var now: Double { bench_cpu_seconds() }

  /// Seconds of CPU time that `body` takes.
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  /// Units per second of a body that does `units` of them: the median of ``runs`` runs.
  static func rate(units: Int, _ body: () -> Void) -> Double {
    body()
    return median((0..<runs).map { _ in Double(units) / seconds(body) })
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Keeps the optimiser from dropping a result.
  @inline(never)
  static func keep(_ value: UInt64) { kept = kept &+ value }

  nonisolated(unsafe) private static var kept: UInt64 = 0
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood 2014, DOI 10.1145/2660193.2660195): the baseline of
/// draws and the source of delays of the hold model, because it costs next to nothing.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
