import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@testable import CacheModel
@testable import FeedModel
@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies

/// A result made by hand: two networks, two devices, one budget of each verdict.
enum Fixture {
  static let text = """
    version: 1
    name: hand-made
    description: A result made by hand
    seed: 7
    replications: 16
    network: {access: [{kind: wifi-good}, {kind: lte}]}
    devices: [{kind: high}, {kind: mid}]
    catalogue: {titles: 50}
    budgets:
      - {metric: ttff_ms.p75, limit: "< 500 ms"}
      - {metric: rebuffer_ratio, limit: "< 1 %", level: soft}
      - {metric: ttff_cold_ms.p95, limit: "< 2 s"}

    """

  static func scenario() throws -> StudyScenario {
    try StudyScenario.parse(text, file: "some/folder/hand.yaml")
  }

  static func metric(
    _ name: String, value: Double?, half: Double?, samples: Int64, lowerBound: Bool = false
  ) throws -> MetricResult {
    MetricResult(
      reference: try MetricReference.parse(name).get(), value: value,
      interval: half.flatMap { half in
        value.map { Interval(lower: $0 - half, upper: $0 + half, level: 0.95) }
      }, standardError: half.map { $0 / 2 }, replications: half == nil ? 1 : 8,
      samples: samples, isLowerBound: lowerBound, numerator: 3, denominator: 4,
      values: [value, nil])
  }

  static func result() throws -> StudyResult {
    let scenario = try scenario()
    var measures = FeedMeasures(networks: 2, devices: 2)
    measures.counts.sessions = 40
    measures.counts.originRequests = 3
    measures.balances[1].delivered = 1000
    measures.balances[1].rendered = 600
    measures.balances[1].wasted = 300
    measures.balances[1].stillBuffered = 100
    measures.edge.count(.segment, .hit, bytes: 900)
    measures.edge.count(.segment, .miss, bytes: 100)
    var cohorts = [CohortSums](repeating: CohortSums(), count: 4)
    cohorts[1].views = 1200
    cohorts[1].started = 1188
    cohorts[1].notStarted = 12
    var clocks = [ClockHistogram](repeating: ClockHistogram(), count: 4)
    for nanoseconds in [0, 150_000_000, 5_000_000_000] as [Int64] {
      clocks[0].started.add(nanoseconds: nanoseconds)
    }
    clocks[0].censored.add(nanoseconds: 700_000_000)
    var result = StudyResult(
      scenario: scenario, seed: 7, cap: 16, replications: 8, looks: [8, 16], isPartial: false,
      shuffleTies: nil, budgets: try budgets(scenario),
      metrics: [
        try metric("ttff_ms.p50", value: 120, half: 7, samples: 1200),
        try metric("not_started_ratio", value: 0.01, half: 0.002, samples: 1200),
        try metric("ttff_ms{network=lte}.p95", value: 2000, half: 90, samples: 600),
      ], fingerprint: Fingerprint(value: 0xAB), events: 5000, simulated: .seconds(90),
      measures: measures, cohorts: cohorts, histograms: [clocks, clocks],
      medianBand: band(
        [Int64](repeating: 0, count: 12) + [100_000_000, 50_000_000, 33_333_333]),
      p95Band: band(
        [10, 20, 30, 40, 50, 60, 70, 80, 0, 90, 0, 0, 100, 110, 125].map { $0 * 1_111_111 }),
      lateLimit: .milliseconds(500), late: LateStarts())
    result.late.started[StartupPart.transfer.rawValue] = 5
    result.late.startedWithEdgeMiss[StartupPart.transfer.rawValue] = 2
    result.late.notStarted[StartupPart.feed.rawValue] = 1
    return result
  }

  static func band(_ parts: [Int64]) -> BreakdownBand {
    var band = BreakdownBand()
    band.views = 3
    // Parts that are not named took no time.
    band.parts = parts + [Int64](repeating: 0, count: band.parts.count - parts.count)
    band.total = parts.reduce(0, +)
    band.exemplar = (5, 6, 7)
    return band
  }

  private static func budgets(_ scenario: StudyScenario) throws -> [BudgetResult] {
    [
      BudgetResult(
        budget: scenario.budgets[0],
        metric: try metric("ttff_ms.p75", value: 412.25, half: 6.5, samples: 1200),
        verdict: .pass, reason: "", decidedAt: 8, margin: 0.176),
      BudgetResult(
        budget: scenario.budgets[1],
        metric: try metric("rebuffer_ratio", value: 0.0234, half: 0.0011, samples: 1188),
        verdict: .fail, reason: "", decidedAt: 8, margin: -1.34),
      BudgetResult(
        budget: scenario.budgets[2],
        metric: try metric(
          "ttff_cold_ms.p95", value: 5000, half: nil, samples: 40, lowerBound: true),
        verdict: .invalid, reason: "40 samples, 1000 are needed", decidedAt: nil, margin: -1.5),
    ]
  }
}
