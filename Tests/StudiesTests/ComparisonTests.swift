import Foundation
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

/// A scenario small enough to run by the dozen.
enum SmallScenario {
  static func make(_ changes: [String] = [], budgets: String = "") throws -> StudyScenario {
    try StudyScenario.parse(
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

  static func record(
    _ index: Int, _ samples: [MetricSample], fingerprint: String = "0"
  ) -> ReplicationRecord {
    let text = """
      {"replication": \(index), "fingerprint": "\(fingerprint)", "events": 0, "views": 1000, "started": 1000,
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
      isPaired: isPaired
    ).rows[0]
  }

  @Test func `a sure change for the worse beyond the threshold is worse`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [120, 141, 109, 131])
    #expect(row.outcome == .worse)
    #expect(abs((row.difference?.value ?? 0) - 20.25) < 1e-9)
    #expect(
      compared("ttff_ms.mean", [120, 141, 109, 131], [100, 120, 90, 110]).outcome == .better)
  }

  @Test func `what is better when it is higher is worse when it falls`() {
    let row = compared("hit_ratio", [0.97, 0.975, 0.972, 0.971], [0.90, 0.905, 0.903, 0.90])
    #expect(row.outcome == .worse)
  }

  @Test func `a change inside the threshold is equivalent`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [101, 121.5, 90.5, 111])
    #expect(row.outcome == .equivalent && row.leastThatMatters == 10)
    // 2 % of 2 s is more than 10 ms.
    let long = compared("ttff_ms.mean", [2000, 2400, 1800], [2021, 2420, 1822])
    #expect(long.outcome == .equivalent)
  }

  @Test func `noise is not sure, and the row says what would decide`() {
    let row = compared("ttff_ms.mean", [100, 120, 90, 110], [111, 107, 101, 99])
    #expect(row.outcome == .notSure)
    #expect((row.smallestDetectable ?? 0) > abs(row.difference?.value ?? 0))
    #expect((row.replicationsNeeded ?? 0) > 4)
  }

  @Test func `pairing finds what independent samples do not`() {
    let (before, after) = ([100.0, 220, 30, 150], [114.0, 235, 43, 164])
    #expect(compared("ttff_ms.mean", before, after).outcome == .worse)
    #expect(compared("ttff_ms.mean", before, after, isPaired: false).outcome == .notSure)
    #expect((compared("ttff_ms.mean", before, after).varianceReduction ?? 0) > 100)
  }

  /// Shares of `events` in `samples` things, by replication.
  private func shares(
    _ before: [Double], _ after: [Double], of samples: Int64
  ) -> ComparisonRow {
    func records(_ events: [Double]) -> [ReplicationRecord] {
      events.enumerated().map { index, events in
        var sample = SmallScenario.sample(events, over: Double(samples))
        sample.samples = samples
        return SmallScenario.record(index, [sample], fingerprint: "\(events)-\(samples)-\(index)")
      }
    }
    let found = records(after).map { record in
      var other = record
      other.fingerprint += "x"
      return other
    }
    return Comparison(
      [metric("not_started_ratio")], baseline: records(before), candidate: found, isPaired: true
    ).rows[0]
  }

  @Test func `no event on both sides is equivalent only where enough was looked at`() {
    #expect(shares([0, 0], [0, 0], of: 200).outcome == .notSure)
    #expect(shares([0, 0], [0, 0], of: 100_000).outcome == .equivalent)
    let row = shares([0, 0], [0, 0], of: 200)
    #expect((row.difference?.interval.upper ?? 0) > 0.009)
    // Three events each, the same in every pair: no variance, and yet nothing is known.
    #expect(shares([1, 1, 1], [1, 1, 1], of: 200).outcome == .notSure)
    #expect(shares([0, 0, 0], [200, 210, 190], of: 10_000).outcome == .worse)
  }

  @Test func `the same run is equivalent whatever its size`() {
    let records = (0..<2).map { SmallScenario.record($0, [SmallScenario.sample(0)]) }
    let row = Comparison(
      [metric("not_started_ratio")], baseline: records, candidate: records, isPaired: true
    ).rows[0]
    #expect(row.outcome == .equivalent)
  }

  @Test func `a percentile that is no longer reached is worse when its bound is`() {
    var late = SmallScenario.sample(5000)
    late.isLowerBound = true
    func row(_ baseline: [MetricSample], _ candidate: [MetricSample]) -> ComparisonRow {
      Comparison(
        [metric("ttff_ms.p95")],
        baseline: baseline.enumerated().map { SmallScenario.record($0.offset, [$0.element]) },
        candidate: candidate.enumerated().map {
          SmallScenario.record($0.offset, [$0.element], fingerprint: "1")
        }, isPaired: true
      ).rows[0]
    }
    let good = [100.0, 105, 99, 101].map { SmallScenario.sample($0) }
    #expect(row(good, [SampledLate.of(5000), late, late, SampledLate.of(5100)]).outcome == .worse)
    // A bound on the other side says nothing.
    #expect(row([late, late, late, late], good).outcome == .noData)
  }

  private enum SampledLate {
    static func of(_ value: Double) -> MetricSample {
      var sample = SmallScenario.sample(value)
      sample.isLowerBound = true
      return sample
    }
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
        metrics, baseline: records(), candidate: records(), isPaired: true,
        thresholds: ChangeThresholds(relative: 0))
      if comparison.rows.contains(where: { [.worse, .better].contains($0.outcome) }) {
        alarms += 1
      }
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

  @Test func `parts of the startup add up to its mean`() async throws {
    let metrics =
      MetricReference.parts.map { metric("startup_ms{part=\($0)}.mean") } + [metric("ttff_ms.mean")]
    let record = try await VariantStudy(
      [SmallScenario.variant()], metrics: metrics, threads: 1
    ).run(0..<1)[0][0]
    let values = record.samples.compactMap(\.value)
    #expect(values.count == metrics.count)
    #expect(abs(values.dropLast().reduce(0, +) - (values.last ?? 0)) < 1e-6)
  }

  @Test func `the same configuration twice differs in nothing`() async throws {
    let metrics = MetricReference.headline
    let records = try await VariantStudy(
      [SmallScenario.variant(), SmallScenario.variant()], metrics: metrics, threads: 2
    ).run(0..<3)
    #expect(records[0] == records[1])
    let comparison = Comparison(
      metrics, baseline: records[0], candidate: records[1], isPaired: true)
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
      [metric("ttff_cold_ms.mean")], baseline: records[0], candidate: records[1], isPaired: true
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
    #expect(try shards(path).count == 2)
    // What a killed process may leave half-written under another name is not looked at.
    try Data("{".utf8).write(to: URL(fileURLWithPath: path + "/half.json"))
    let seen = Restored()
    let resumed = try await kept.run(0..<3, progress: { seen.note($0.restored) })
    #expect(resumed == whole)
    #expect(seen.most == 2)
  }

  /// The files of a store.
  private func shards(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".shard") }
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
    for name in try shards(path) {
      try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    #expect(try await study.run(0..<2) == first)
  }

  @Test func `another build's records are not taken for this one's`() async throws {
    let path = folder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let variant = try SmallScenario.variant()
    func restored(by program: String) async throws -> Int {
      let seen = Restored()
      let study = VariantStudy(
        [variant], metrics: MetricReference.headline, threads: 1,
        store: ShardStore(folder: path, program: program))
      _ = try await study.run(0..<1, progress: { seen.note($0.restored) })
      return seen.most
    }
    #expect(try await restored(by: "one") == 0)
    #expect(try await restored(by: "two") == 0)
    #expect(try await restored(by: "two") == 1)
  }

  @Test func `a record survives JSON to the last bit`() async throws {
    let record = try await VariantStudy(
      [try SmallScenario.variant()], metrics: MetricReference.headline, threads: 1
    ).run(0..<1)[0][0]
    let data = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(ReplicationRecord.self, from: data) == record)
  }
}
