import Foundation
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

/// A scenario small enough to run by the dozen.
enum SmallScenario {
  static func make(_ changes: [String] = [], budgets: String = "") throws -> FeedScenario {
    try FeedScenario.parse(
      "version: 1\nname: small\nseed: 3\n" + (budgets.isEmpty ? "" : "budgets:\n\(budgets)\n"),
      file: "scenarios/small.yaml",
      overrides: (["audience.window=20 s", "catalogue.titles=2000"] + changes).map {
        Override(set: $0)
      })
  }

  static func variant(_ changes: [String] = []) throws -> Variant {
    Variant(label: changes.joined(), settings: [], scenario: try make(changes))
  }

  static func sample(_ value: Double, over whole: Double = 1) -> MetricSample {
    var sample = MetricSample()
    sample.value = value / whole
    sample.samples = 1000
    sample.numerator = value
    sample.denominator = whole
    return sample
  }

  static func record(_ index: Int, _ samples: [MetricSample]) -> ReplicationRecord {
    let text = """
      {"replication": \(index), "fingerprint": "0", "events": 0, "views": 1000, "started": 1000,
       "parts": [], "samples": []}
      """
    guard var record = try? JSONDecoder().decode(ReplicationRecord.self, from: Data(text.utf8))
    else { preconditionFailure("a record is JSON") }
    record.parts = [Int64](repeating: 0, count: StartupPart.allCases.count)
    record.samples = samples
    return record
  }
}

@Suite struct ComparisonTests {
  private func metric(_ text: String) -> MetricReference { .known(text) }

  private func compared(
    _ name: String, _ baseline: [Double], _ candidate: [Double], isPaired: Bool = true
  ) -> ComparisonRow {
    func records(_ values: [Double]) -> [ReplicationRecord] {
      values.enumerated().map {
        SmallScenario.record($0.offset, [SmallScenario.sample($0.element)])
      }
    }
    return Comparison(
      [metric(name)], baseline: records(baseline), candidate: records(candidate),
      isPaired: isPaired, threshold: 0.02
    ).rows[0]
  }

  @Test func `a sure change for the worse beyond the threshold is a regression`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [110, 131, 99, 121])
    #expect(row.outcome == .regression)
    #expect(abs((row.difference?.value ?? 0) - 10.25) < 1e-9)
    #expect(
      compared("ttff_ms.mean", [110, 131, 99, 121], [100, 120, 90, 110]).outcome
        == .improvement)
  }

  @Test func `what is better when it is higher regresses when it falls`() {
    let row = compared("hit_ratio", [0.97, 0.975, 0.972, 0.971], [0.90, 0.905, 0.903, 0.90])
    #expect(row.outcome == .regression)
  }

  @Test func `a sure change below the threshold does not matter`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [101, 121, 91, 111])
    #expect(row.outcome == .negligible)
  }

  @Test func `noise is no difference, and the row says what would have been seen`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [111, 107, 101, 99])
    #expect(row.outcome == .noDifference)
    #expect((row.smallestDetectable ?? 0) > abs(row.difference?.value ?? 0))
  }

  @Test func `pairing finds what independent samples do not`() {
    let (before, after) = ([100.0, 220, 30, 150], [104.0, 225, 33, 154])
    #expect(compared("ttff_ms.mean", before, after).outcome == .regression)
    #expect(compared("ttff_ms.mean", before, after, isPaired: false).outcome == .noDifference)
    #expect((compared("ttff_ms.mean", before, after).varianceReduction ?? 0) > 100)
  }

  @Test func `a lower bound is not compared`() {
    var late = SmallScenario.sample(5000)
    late.isLowerBound = true
    let comparison = Comparison(
      [metric("ttff_ms.p95")],
      baseline: (0..<4).map { SmallScenario.record($0, [SmallScenario.sample(100)]) },
      candidate: (0..<4).map { SmallScenario.record($0, [late]) }, isPaired: true,
      threshold: 0.02)
    #expect(comparison.rows[0].outcome == .noData)
  }

  @Test func `many metrics without a difference raise no more false alarms than one in twenty`() {
    // Differences of standard normal values, by a small linear congruential generator.
    var state: UInt64 = 12345
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 11) + 0.5) / 9_007_199_254_740_992
    }
    func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
    let metrics = (0..<10).map { _ in metric("ttff_ms.mean") }
    var alarms = 0
    let trials = 1000
    for _ in 0..<trials {
      func records() -> [ReplicationRecord] {
        (0..<8).map { index in
          SmallScenario.record(
            index, metrics.map { _ in SmallScenario.sample(100 + 30 * normal()) })
        }
      }
      let comparison = Comparison(
        metrics, baseline: records(), candidate: records(), isPaired: true, threshold: 0)
      let quiet: [ComparisonOutcome] = [.noDifference, .unsure]
      if comparison.rows.contains(where: { !quiet.contains($0.outcome) }) { alarms += 1 }
    }
    // 5 % and three standard errors of 0.69 %.
    #expect(Double(alarms) / Double(trials) <= 0.05 + 3 * 0.0069)
    #expect(alarms > 0)
  }

  @Test func `metrics that differ in the same way count once`() {
    let differences = [[1.0, 1.1, 0.9, 1.05], [1.0, 1.1, 0.9, 1.05], [0.5, -0.5, 0.1, 0.2]].map {
      try? ReplicationDifference(paired: .means($0), .means([0, 0, 0, 0]))
    }
    #expect(ReplicationDifference.distinct(differences) == [[0, 1], [2]])
    #expect(ReplicationDifference.sure(differences) == [true, true, false])
    #expect(ReplicationDifference.distinct([nil, differences[2]]) == [[1]])
  }

  /// Two parts and the whole, in milliseconds, of four replications.
  private func parted(
    _ whole: [Double], _ connect: [Double], _ transfer: [Double]
  ) -> [ReplicationRecord] {
    whole.indices.map { index in
      SmallScenario.record(
        index,
        [connect[index], transfer[index], whole[index]].map { SmallScenario.sample($0) })
    }
  }

  private func parts(
    _ baseline: [ReplicationRecord], _ candidate: [ReplicationRecord]
  ) -> [ComparisonOutcome] {
    Comparison(
      [
        metric("startup_ms{part=connect}.mean"), metric("startup_ms{part=transfer}.mean"),
        metric("ttff_ms.mean"),
      ], baseline: baseline, candidate: candidate, isPaired: true, threshold: 0.02
    ).rows.map(\.outcome)
  }

  @Test func `a part that grew is a regression when the whole grew by as much`() {
    let before = parted([100, 140, 80, 110], [10, 10, 10, 10], [20, 30, 10, 20])
    // The whole is noisy, the part is not.
    let grown = parted([104, 160, 74, 121], [10, 10, 10, 10], [24, 34.1, 13.9, 24])
    #expect(parts(before, grown) == [.noDifference, .regression, .noDifference])
    // What one part lost another gained.
    let moved = parted([100, 140, 80, 110], [6, 6.1, 5.9, 6], [24, 34.1, 13.9, 24])
    #expect(parts(before, moved) == [.negligible, .negligible, .noDifference])
    // One millisecond of a hundred, although it is a tenth of the part.
    let slight = parted([101, 141, 81, 111], [11, 11.1, 10.9, 11], [20, 30, 10, 20])
    #expect(parts(before, slight)[0] == .negligible)
  }

  @Test func `parts of the startup add up to its mean`() async throws {
    let metrics = MetricReference.startupParts + [metric("ttff_ms.mean")]
    let record = try await VariantStudy(
      [SmallScenario.variant()], metrics: metrics, threads: 1
    ).run(0..<1)[0][0]
    let values = record.samples.compactMap(\.value)
    #expect(values.count == metrics.count)
    #expect(abs(values.dropLast().reduce(0, +) - (values.last ?? 0)) < 1e-6)
    #expect(record.partSamples.map(\.value) == record.samples.dropLast().map(\.value))
  }

  @Test func `the same configuration twice differs in nothing`() async throws {
    let metrics = MetricReference.headline
    let records = try await VariantStudy(
      [SmallScenario.variant(), SmallScenario.variant()], metrics: metrics, threads: 2
    ).run(0..<3)
    #expect(records[0] == records[1])
    let comparison = Comparison(
      metrics, baseline: records[0], candidate: records[1], isPaired: true, threshold: 0.02)
    #expect(comparison.regressions.isEmpty && comparison.improvements.isEmpty)
  }

  @Test func `common random numbers narrow the effect of a longer round trip`() async throws {
    let records = try await VariantStudy(
      [
        SmallScenario.variant(["network.access=[{kind: wifi-good}]"]),
        SmallScenario.variant([
          "network.access=[{kind: wifi-good, "
            + "roundTrip: {kind: lognormal, median: 22 ms, sigma: 0.35}}]"
        ]),
      ], metrics: [metric("ttff_cold_ms.mean")], threads: 2
    ).run(0..<8)
    let row = Comparison(
      [metric("ttff_cold_ms.mean")], baseline: records[0], candidate: records[1], isPaired: true,
      threshold: 0.02
    ).rows[0]
    #expect((row.varianceReduction ?? 0) > 5)
    #expect((row.difference?.value ?? 0) > 0)
  }
}

@Suite struct VariantStudyTests {
  private func folder() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  }

  //
  @Test func `a study that was stopped goes on where it was and ends the same`() async throws {
    let path = folder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let variants = try [SmallScenario.variant(), SmallScenario.variant(["policy.pool.size=1"])]
    let metrics = MetricReference.headline
    let whole = try await VariantStudy(variants, metrics: metrics, threads: 2).run(0..<3)
    let store = ShardStore(folder: path, program: "test")
    let kept = VariantStudy(variants, metrics: metrics, threads: 1, store: store)
    let stop = StopRequest()
    await #expect(throws: StudyStopped.self) {
      try await kept.run(0..<3, stop: stop, progress: { if $0.finished == 2 { stop.stop() } })
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
    // What a killed process may leave half-written under another name is not looked at.
    try Data("{".utf8).write(to: URL(fileURLWithPath: path + "/half.json"))
    let seen = Restored()
    let resumed = try await kept.run(0..<3, progress: { seen.note($0.restored) })
    #expect(resumed == whole)
    #expect(seen.most == 2)
  }

  private final class Restored: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    func note(_ count: Int) { lock.withLock { value = max(value, count) } }
    var most: Int { lock.withLock { value } }
  }

  @Test func `a damaged shard is run again`() async throws {
    let path = folder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = ShardStore(folder: path, program: "test")
    let study = VariantStudy(
      [try SmallScenario.variant()], metrics: MetricReference.headline, threads: 1, store: store)
    let first = try await study.run(0..<2)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    #expect(try await study.run(0..<2) == first)
  }

  @Test func `another program, seed or metric is another shard`() throws {
    let scenario = try SmallScenario.make()
    let store = ShardStore(folder: "x", program: "one")
    let metrics = MetricReference.headline
    let base = store.identity(scenario, seed: 1, replication: 0, metrics: metrics)
    #expect(base == store.identity(scenario, seed: 1, replication: 0, metrics: metrics))
    for other in [
      ShardStore(folder: "x", program: "two")
        .identity(scenario, seed: 1, replication: 0, metrics: metrics),
      store.identity(scenario, seed: 2, replication: 0, metrics: metrics),
      store.identity(scenario, seed: 1, replication: 1, metrics: metrics),
      store.identity(scenario, seed: 1, replication: 0, metrics: Array(metrics.dropLast())),
      store.identity(
        try SmallScenario.make(["policy.pool.size=1"]), seed: 1, replication: 0, metrics: metrics),
    ] {
      #expect(other != base)
    }
  }

  @Test func `a record survives JSON to the last bit`() async throws {
    let record = try await VariantStudy(
      [try SmallScenario.variant()], metrics: MetricReference.headline, threads: 1
    ).run(0..<1)[0][0]
    let data = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(ReplicationRecord.self, from: data) == record)
  }
}
