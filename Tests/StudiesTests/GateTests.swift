import Foundation
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

@Suite struct GateTests {
  private static let budgets = """
      - {metric: ttff_ms.p95, limit: "< 100 s", minimumSamples: 10}
      - {metric: wasted_ratio, limit: "< 1 %", level: soft}
    """

  private func baseline(_ changes: [String] = [], seed: UInt64? = nil) async throws -> Baseline {
    let study = try await Study.run(
      SmallScenario.make(changes, budgets: GateTests.budgets),
      options: StudyOptions(threads: 2, fixedReplications: 8, seed: seed))
    return Baseline(study, digest: "00000000")
  }

  private func gate(
    _ changes: [String], against baseline: Baseline?
  ) async throws -> GateResult {
    try await Gate.run(
      SmallScenario.make(changes, budgets: GateTests.budgets),
      options: StudyOptions(threads: 2, fixedReplications: 8),
      baseline: baseline.map { ($0, path: "base.json") })
  }

  @Test func `a baseline survives its file to the last bit`() async throws {
    let made = try await baseline()
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(made.text().utf8).write(to: URL(fileURLWithPath: path))
    let version = ModelVersion.of(try SmallScenario.make())
    #expect(try Baseline.load(path, modelVersion: version) == made)
    #expect(try Baseline.load(path, modelVersion: version).text() == made.text())
  }

  @Test func `a baseline that was edited or damaged is refused, with its place and the command`()
    async throws
  {
    let text = try await baseline().text()
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let version = ModelVersion.of(try SmallScenario.make())
    func refusal(_ text: String) throws -> String {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      do throws(Baseline.Rejected) {
        _ = try Baseline.load(path, scenario: "a.yaml", modelVersion: version)
        return "none"
      } catch {
        return error.description.replacing(path, with: "base.json")
      }
    }
    let renewal = "; to renew it: firstframe gate a.yaml --baseline base.json --update-baseline"
    // Laid out anew it says the same.
    #expect(try refusal(text.replacing(",\"metrics\"", with: ",\n  \"metrics\"")) == "none")
    let place = try #require(text.range(of: "\"numerator\":"))
    let column = text.distance(
      from: text.startIndex, to: try #require(text.range(of: "\"checksum\":")).upperBound)
    var edited = text
    let digit = edited[place.upperBound]
    edited.replaceSubrange(
      place.upperBound...place.upperBound, with: digit == "1" ? "2" : "1")
    #expect(
      try refusal(edited)
        == "base.json:1:\(column + 1): checksum: expected the checksum of what the file says, got "
        + "another: it was edited or damaged\(renewal)")
    #expect(
      try refusal(text.replacing("\"schema\":3", with: "\"schema\":2")).hasSuffix(
        ": schema: expected a baseline of format 3, got format 2\(renewal)"))
    #expect(
      try refusal("{\"schema\": [")
        == "base.json:1:13: expected JSON, got the end of the document\(renewal)")
    #expect(
      try refusal("{\"schema\": true}")
        == "base.json:1:12: schema: expected a whole number, got true\(renewal)")
    #expect(try refusal(String(text.dropLast(40))).hasPrefix("base.json:1:"))
    #expect(
      try refusal(String(repeating: "[", count: 300_000)).contains("at most 64 levels of nesting"))
    // Every byte that says something counts.
    let bytes = Array(text.utf8)
    for index in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(try refusal(String(decoding: damaged, as: UTF8.self)) != "none", "byte \(index)")
    }
  }

  @Test func `nothing changed is no regression, exactly`() async throws {
    let result = try await gate([], against: baseline())
    #expect(!result.hasRegression && result.exitCode == 0 && result.verdict == .pass)
    let rows = try #require(result.baseline).comparison.rows
    #expect(rows.allSatisfy { ($0.difference?.value ?? 0) == 0 })
    #expect(rows.allSatisfy { $0.outcome == .equivalent || $0.baseline == nil })
  }

  @Test func `a pool of one is found, and named among other changes`() async throws {
    let result = try await gate(
      ["policy.pool.size=1", "policy.prefetch.previousLength=1 s"], against: baseline())
    #expect(result.hasRegression && result.exitCode == 11 && result.verdict == .fail)
    let found = try #require(result.baseline)
    #expect(found.causes.map(\.metric) == found.comparison.regressions.map(\.metric))
    for causes in found.causes {
      #expect(causes.causes.first?.change.key == "policy.pool.size", "\(causes.metric)")
      #expect(abs(causes.causes.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    }
    #expect(
      Set(found.changes.map(\.key)) == ["policy.pool.size", "policy.prefetch.previousLength"])
  }

  @Test func `a failed hard budget comes before a regression`() async throws {
    var result = try await gate(["policy.pool.size=1"], against: baseline())
    #expect(result.exitCode == 11)
    result.study.budgets[0].verdict = .fail
    #expect(result.exitCode == 10)
    result.study.budgets[0].verdict = .invalid
    #expect(result.exitCode == 13)
    result.study.budgets[0].verdict = .inconclusive
    #expect(result.exitCode == 11)
  }

  @Test func `a metric that is not sure makes the gate inconclusive, but for a soft one`()
    async throws
  {
    var result = try await gate([], against: baseline())
    #expect(result.exitCode == 0)
    let wasted = try #require(
      result.baseline?.comparison.rows.firstIndex { $0.metric.metric == "wasted_ratio" })
    result.baseline?.comparison.rows[wasted].outcome = .notSure
    #expect(result.exitCode == 0 && result.verdict == .pass)
    result.baseline?.comparison.rows[0].outcome = .notSure
    #expect(result.exitCode == 12 && result.verdict == .inconclusive)
    result.baseline?.comparison.rows[1].outcome = .worse
    #expect(result.exitCode == 11)
  }

  @Test func `a gate that judges nothing says so`() async throws {
    let scenario = try SmallScenario.make()
    let options = StudyOptions(threads: 2, fixedReplications: 2)
    var nothing = try await Gate.run(scenario, options: options, baseline: nil)
    #expect(nothing.exitCode == 13 && nothing.verdict == .invalid)
    nothing.isUpdate = true
    #expect(nothing.exitCode == 0)
  }

  @Test func `a baseline of another model version names the command that renews it`()
    async throws
  {
    var made = try await baseline()
    made.modelVersion += 1
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(made.text().utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: Baseline.Rejected.self) {
      try Baseline.load(path, scenario: "a.yaml")
    }
    #expect(
      error?.description.contains(
        "firstframe gate a.yaml --baseline \(path) --update-baseline") == true)
  }

  @Test func `a baseline of a feed before its present model is refused`() async throws {
    let feed = try SmallScenario.make()
    #expect(ModelVersion.of(feed) > ModelVersion.current)
    let mixed = try StudyScenario.parse("version: 1\nname: x\nsurface: {}\n", file: "x.yaml")
    #expect(ModelVersion.of(mixed) == ModelVersion.of(feed))
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var old = try await baseline()
    old.modelVersion = 4
    try Data(old.text().utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: Baseline.Rejected.self) {
      try Baseline.load(path, modelVersion: ModelVersion.of(mixed))
    }
  }

  @Test func `another seed is compared without pairing`() async throws {
    let result = try await gate([], against: baseline(seed: 99))
    let comparison = try #require(result.baseline).comparison
    #expect(!comparison.isPaired)
    #expect(comparison.rows.allSatisfy { $0.varianceReduction == nil })
  }

  @Test func `a baseline of another audience, catalogue or cohort is refused`() async throws {
    let made = try await baseline()
    for (change, word) in [
      ("audience.window=25 s", "audience"), ("catalogue.titles=99", "catalogue"),
      ("network.access=[{kind: lte}]", "networks"),
    ] {
      let scenario = try SmallScenario.make([change], budgets: GateTests.budgets)
      let error = #expect(throws: Baseline.Rejected.self) {
        try made.changes(to: scenario, path: "base.json")
      }
      #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `a baseline with another price file is refused`() async throws {
    var made = try await baseline()
    made.inputs = ["prices/other.yaml 00000000"]
    let error = await #expect(throws: Baseline.Rejected.self) {
      _ = try await gate([], against: made)
    }
    #expect(error?.expected.contains("the same traces and price files") == true)
    // Older files do not say.
    made.inputs = nil
    #expect(try await gate([], against: made).exitCode == 0)
  }

  @Test func `a file that is no baseline is refused with what was expected`() throws {
    #expect(throws: Baseline.Rejected.self) { try Baseline.load("/nonexistent.json") }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("[]".utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: Baseline.Rejected.self) { try Baseline.load(path) }
    #expect(error?.isMissing == false)
  }

  // VF-007
  @Test func `every knob is a key of the scenario`() throws {
    let tree = try SmallScenario.make().file.tree
    let parts = StartupPart.allCases.flatMap { Knobs.keys(for: $0) }
    let metrics = (MetricReference.headline + [.known("origin_offload")]).flatMap {
      Knobs.keys(for: $0)
    }
    for key in Set(parts + metrics) { #expect(tree.hasKey(key), "\(key)") }
  }
}

@Suite struct SweepTests {
  private func plan(_ text: String) throws -> SweepPlan {
    try SmallScenario.make(["sweep=\(text)"]).sweep
  }

  @Test func `a grid has every combination, the last key changing fastest`() throws {
    let design = try SweepDesign(
      plan("{vary: {policy.pool.size: [1, 3], policy.feed.pageSize: [5, 10, 20]}}"))
    #expect(design.values.count == 6)
    #expect(design.values[1] == ["1", "10"] && design.values[5] == ["3", "20"])
  }

  @Test func `one at a time begins with the scenario itself`() throws {
    let design = try SweepDesign(
      plan(
        "{vary: {policy.pool.size: [1, 3], policy.feed.pageSize: [5]}, "
          + "design: {kind: one-at-a-time}}"
      ))
    #expect(design.count == 4)
    #expect(design.settings(0).isEmpty)
    #expect(design.settings(3) == [.init(key: "policy.feed.pageSize", value: "5")])
  }

  @Test func `a range is filled between its ends, in the unit of the key`() throws {
    let design = try SweepDesign(
      plan(
        "{vary: {policy.prefetch.headLength: [8 s, 2 s]}, "
          + "design: {kind: latin-hypercube, points: 12}}"
      ))
    let times = try design.values.map { row in
      try #require(SmallScenario.make(["policy.prefetch.headLength=\(row[0])"]).feed)
        .configuration.policy.prefetch.headLength.seconds
    }
    #expect(times.allSatisfy { (2...8).contains($0) })
    // One in each twelfth of the range.
    #expect(Set(times.map { Int(($0 - 2) / 0.5) }).count == 12)
  }

  @Test func `equal quotients from zero are refused, and only where a design needs them`() throws {
    let vary = "vary: {policy.prefetch.headLength: [0 s, 4 s]}, scale: log"
    let rejected = #expect(throws: ScenarioRejected.self) {
      try plan("{\(vary), design: {kind: latin-hypercube, points: 4}}")
    }
    #expect(rejected?.description.contains("sweep.scale: expected linear") == true)
    #expect(try plan("{\(vary)}").factors.count == 1)
  }

  @Test func `nothing to vary and too many points are refused`() throws {
    #expect(throws: SweepDesign.Rejected.self) { try SweepDesign(plan("{}")) }
    let values = (1...60).map { "\($0)" }.joined(separator: ", ")
    #expect(throws: SweepDesign.Rejected.self) {
      try SweepDesign(
        plan(
          "{vary: {audience.viewsPerSession: [\(values)], policy.feed.pageSize: [\(values)], "
            + "audience.maximumLoops: [0, 1, 2, 3, 4, 5, 6]}}"))
    }
  }

  @Test func `a sweep finds the key that matters, and a front without dominated points`()
    async throws
  {
    let scenario = try SmallScenario.make([
      """
      sweep={vary: {policy.prefetch.headLength: [0 s, 6 s], policy.player.resumeThreshold: \
      [1 s, 2 s]}, metrics: [ttff_ms.mean], front: [ttff_ms.mean, wasted_ratio], replications: 4}
      """
    ])
    let sweep = try Sweep(scenario, plan: scenario.sweep, threads: 2, store: nil)
    let result = try await sweep.run()
    guard case .levels(let effects, _) = result.effects[0] else {
      Issue.record("a grid has effects of its levels")
      return
    }
    let sizes = effects.map { $0.map { abs($0.value) }.max() ?? 0 }
    #expect(sizes[0] > 10 * sizes[1])
    #expect(effects[0][0].interval.lower > 0)
    // No prefetch is worse than the scenario as it is, and that is the point it is held against.
    let reference = try #require(result.references.first)
    #expect(result.references == [Int](repeating: reference, count: 4))
    #expect(result.design.values[reference].contains { $0.contains("6 s") })
    for (point, comparison) in result.comparisons.enumerated() {
      let isWithout = result.design.values[point].contains { $0.contains("0 s") }
      #expect((comparison.rows[0].outcome == .worse) == isWithout, "point \(point)")
      if point == reference { #expect(comparison.rows.allSatisfy { $0.outcome == .equivalent }) }
    }
    for point in result.frontPoints {
      let mine = (result.points[point][0].value ?? 0, result.points[point][1].value ?? 0)
      for other in result.points {
        let their = (other[0].value ?? 0, other[1].value ?? 0)
        #expect(!(their.0 < mine.0 && their.1 < mine.1))
      }
    }
  }

  @Test func `a tuning recommends prefetching and keeps its limit`() async throws {
    let scenario = try SmallScenario.make([
      "policy.prefetch.headLength=0 s",
      """
      sweep={vary: {policy.prefetch.headLength: [0 s, 2 s, 6 s]}, replications: 8}
      """,
    ])
    let limit = try TuningConstraint.parse("wasted_ratio < 99 %").get()
    let tuning = try Tuning(
      scenario, plan: scenario.sweep, objective: .known("ttff_ms.mean"), constraints: [limit],
      rungs: [4, 8], rule: .racing, threads: 2, store: nil)
    let result = try await tuning.run()
    let winner = try #require(result.race.winner)
    #expect(result.candidates[winner].settings.first?.value != "\"0 s\"")
    let gain = try #require(result.race.overToday)
    #expect(gain.difference.interval.upper < 0 && result.outcome(of: gain) == .better)
    #expect(result.comparisons[0].rows.allSatisfy { $0.outcome == .equivalent })
    #expect(result.comparisons[winner].rows[0].outcome == .better)
    #expect(result.changes.map(\.key) == ["policy.prefetch.headLength"])
    #expect(result.race.isWinnerSurelyFeasible)
  }

  @Test func `no candidate within the limits is no recommendation`() async throws {
    let scenario = try SmallScenario.make([
      "sweep={vary: {policy.pool.size: [2, 3]}, replications: 4}"
    ])
    let tuning = try Tuning(
      scenario, plan: scenario.sweep, objective: .known("ttff_ms.mean"),
      constraints: [try TuningConstraint.parse("wasted_ratio < 0.1 %").get()], rungs: [4],
      rule: .racing, threads: 2, store: nil)
    #expect(try await tuning.run().race.winner == nil)
  }
}
