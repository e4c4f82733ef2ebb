import Scenario
import Testing

@testable import Studies

/// Whether the cause that a gate names first is the one that did most, when two or three keys of
/// known effect are changed at once.
///
/// The truth is what each key does alone, on other random numbers and twice as many views.
/// Which keys go together is drawn by a seed.
@Suite(.enabled(if: GatePower.seeds > 0), .serialized) struct CauseTruthTests {
  static let settings = [
    "policy.startupCap.rate=none", "cdn.shield=none", "policy.pool.size=1",
    "network.access[0].roundTrip.median=50 ms", "policy.prefetch.headLength=0 s",
    "policy.prefetch.itemsAhead=1", "cdn.ttl.segments.maxAge=1 min",
    "policy.player.startThreshold=2 s", "cdn.cacheKey={kind: session}",
  ]
  static let combinations = 20
  static let seed: UInt64 = 31

  /// The places of two or three different keys, each combination once.
  private var drawn: [[Int]] {
    var state = CauseTruthTests.seed
    func draw(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    var found: [[Int]] = []
    while found.count < CauseTruthTests.combinations {
      var places = Array(CauseTruthTests.settings.indices)
      for place in 0..<3 { places.swapAt(place, place + draw(places.count - place)) }
      let combination = places.prefix(found.count % 2 + 2).sorted()
      if !found.contains(combination) { found.append(combination) }
    }
    return found
  }

  private func scenario(_ changes: [String], seed: Int) throws -> StudyScenario {
    try GatePower.scenario(GatePower.cut + changes, seed: seed)
  }

  /// By key, its effect alone on each metric that a gate compares, as now minus before.
  private func truth() async throws -> [[String: Double]] {
    let scenarios =
      [try scenario([], seed: 1001)]
      + (try CauseTruthTests.settings.map { try scenario([$0], seed: 1001) })
    var metrics = MetricReference.headline
    for budget in scenarios[0].budgets where !metrics.contains(budget.metric) {
      metrics.append(budget.metric)
    }
    let records = try await VariantStudy(
      scenarios.map { Variant(label: "", settings: [], scenario: $0) },
      metrics: metrics, threads: 2
    ).run(0..<64)
    return records.dropFirst().map { candidate in
      let rows = Comparison(
        metrics, baseline: records[0], candidate: candidate, isPaired: true
      ).rows
      return Dictionary(
        uniqueKeysWithValues: rows.map {
          ($0.metric.description, $0.difference?.value ?? 0)
        })
    }
  }

  @Test func `the cause named first is the one that did most`() async throws {
    let effects = try await truth()
    let baseline = try await GatePower.baseline(scenario([], seed: 7), replications: 32)
    var (right, metrics, rightMetrics) = (0, 0, 0)
    for combination in drawn {
      let changes = combination.map { CauseTruthTests.settings[$0] }
      let gate = try await GatePower.gate(
        scenario(changes, seed: 7), baseline, replications: 32)
      let found = try #require(gate.baseline)
      let worst = try #require(found.comparison.worstRegression, "\(changes)")
      for row in found.comparison.regressions {
        let sign = row.metric.isWorseWhenHigher ? 1.0 : -1
        let most = combination.max {
          sign * (effects[$0][row.metric.description] ?? 0)
            < sign * (effects[$1][row.metric.description] ?? 0)
        }
        let named = found.causes(of: row.metric)?.causes.first?.change.key ?? "nothing"
        let isRight = most.map { GatePower.sets(CauseTruthTests.settings[$0], named) } ?? false
        metrics += 1
        if isRight { rightMetrics += 1 }
        guard row.metric == worst.metric else { continue }
        if isRight { right += 1 }
        print(
          "\(isRight ? "right" : "WRONG"): \(changes.joined(separator: ", ")): "
            + "\(row.metric) by \(named)")
      }
    }
    print(
      "causes: right in \(right) of \(drawn.count) combinations, for \(rightMetrics) of "
        + "\(metrics) metrics that are worse")
    #expect(right >= 18)
  }
}
