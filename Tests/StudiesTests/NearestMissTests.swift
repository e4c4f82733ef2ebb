import Scenario
import Statistics
import Testing

@testable import Scenario
@testable import Studies

@Suite struct NearestMissTests {
  private let metric = MetricReference.known("ttff_ms.mean")

  /// Candidates with a head of so many seconds each, 0 for the scenario as it is, and their means
  /// in three replications.
  private func search(
    _ heads: [Int], _ means: [[Double]], limits: [String], second: [[Double]] = []
  ) throws -> NearestMissSearch {
    let base = try SmallScenario.make()
    let key = "policy.prefetch.headLength"
    let candidates = try heads.map { head -> Variant in
      if head == 0 { return Variant(label: "as it is", settings: [], scenario: base) }
      let setting = Variant.Setting(key: key, value: "\"\(head) s\"")
      return Variant(
        label: "\(head)", settings: [setting],
        scenario: try StudyScenario.rebuilt(
          base, overrides: [Override(option: "t", keyPath: key, value: setting.value)]))
    }
    let tried = heads.filter { $0 > 0 }.map { "\($0) s" }.joined(separator: ", ")
    let swept = try StudyScenario.parse(
      "version: 1\nname: small\nsweep: {vary: {\(key): [\(tried)]}}\n", file: "small.yaml")
    let constraints = try limits.map { try TuningConstraint.parse($0).get() }
    let all = means.indices.map { place in [means[place]] + (second.isEmpty ? [] : [second[place]])
    }
    let samples = all.map { lists in lists.map { $0.map { SmallScenario.sample($0) } } }
    return NearestMissSearch(
      candidates: candidates, constraints: constraints, factors: swept.sweep.factors,
      values: samples.map { lists in
        zip(constraints, lists).map { MetricResult($0.metric, $1) }
      }, samples: samples)
  }

  @Test func `the nearest is the one with the least excess, with its miss and interval`() throws {
    let found = try search(
      [2, 4, 6], [[500, 510, 520], [400, 410, 420], [300, 310, 320]],
      limits: ["ttff_ms.mean < 300 ms"]
    ).find()
    let nearest = try #require(found)
    #expect(nearest.candidate == 2)
    #expect(nearest.misses.count == 1)
    #expect(abs(nearest.misses[0].beyond - 10) < 1e-9)
    #expect(abs((nearest.misses[0].share ?? 0) - 10.0 / 300) < 1e-9)
    let interval = try #require(nearest.misses[0].interval)
    #expect(interval.lower < 0 && interval.upper > 20)
  }

  @Test func `a key that has been moved to its last value is told as such`() throws {
    let found = try search(
      [2, 4, 6], [[500, 510, 520], [400, 410, 420], [300, 310, 320]],
      limits: ["ttff_ms.mean < 300 ms"]
    ).find()
    let key = try #require(found?.keys.first)
    #expect(found?.keys.count == 1 && key.key == "policy.prefetch.headLength")
    // The largest sure change, from the least value.
    #expect(key.candidate == 0 && !key.isBetter && key.isAtEnd)
    #expect(abs(key.change.value - 200) < 1e-9)
  }

  @Test func `a key that would help is told with the candidate that has it`() throws {
    // The second limit makes the first candidate nearer than the third, which is better in the
    // first limit.
    let found = try search(
      [2, 6], [[330, 331, 332], [290, 291, 292]],
      limits: ["ttff_ms.mean < 300 ms", "ttff_ms.p50 < 100 ms"],
      second: [[50, 51, 52], [400, 401, 402]]
    ).find()
    let nearest = try #require(found)
    #expect(nearest.candidate == 0 && nearest.misses.map(\.constraint) == [0])
    let key = try #require(nearest.keys.first)
    #expect(key.isBetter && key.candidate == 1 && !key.isAtEnd)
  }

  @Test func `a change that replications do not tell names no key`() throws {
    let found = try search(
      [2, 6], [[500, 300, 400], [320, 480, 390]], limits: ["ttff_ms.mean < 300 ms"]
    ).find()
    #expect(found?.candidate == 1 && found?.keys.isEmpty == true)
  }

  @Test func `where every candidate keeps the limits there is none, and no data is no miss`() throws
  {
    #expect(
      try search([2, 6], [[200, 210], [220, 230]], limits: ["ttff_ms.mean < 300 ms"]).find() == nil)
    var lacking = try search(
      [2, 6], [[400, 410], [420, 430]], limits: ["ttff_ms.mean < 300 ms"])
    lacking = NearestMissSearch(
      candidates: lacking.candidates, constraints: lacking.constraints, factors: lacking.factors,
      values: [[MetricResult(metric, [MetricSample(), MetricSample()])], lacking.values[1]],
      samples: lacking.samples)
    #expect(try lacking.find()?.candidate == 1)
  }
}
