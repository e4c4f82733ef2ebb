import Foundation
import Models
import Scenario
import Testing

@testable import Studies

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().path

@Suite struct CostTests {
  private func study(_ changes: [String]) async throws -> StudyResult {
    let scenario = try StudyScenario.parse(
      "version: 1\nname: cost\nseed: 3\ncost: {prices: \(root)/scenarios/prices/cloudfront.yaml}\n",
      file: "scenarios/cost.yaml",
      overrides: (["audience.window=30 s", "catalogue.titles=2000"] + changes).map {
        Override(set: $0)
      })
    return try await Study.run(
      scenario, options: StudyOptions(threads: 2, fixedReplications: 3))
  }

  // VF-011
  @Test func `the bill is the price list applied to the counters of the run`() async throws {
    let result = try await study(["cdn.edgesBehindShield=4", "audience.viewsPerDayPerEdge=500000"])
    let cost = try #require(result.cost)
    #expect(cost.viewsPerDay == 2_000_000)
    #expect(cost.total.interval != nil)
    let sum =
      cost.bill.transfer + cost.bill.requests + cost.bill.shield + cost.bill.originRequests
      + cost.bill.originTransfer + cost.bill.storage
    #expect(abs(sum - cost.total.value) < 1e-9 * sum)
    // Requests are priced in proportion, less the free ten million: the mean bill is the pooled one
    // up to the spread of requests per view between replications.
    let views = Double(result.cohorts.reduce(0) { $0 + $1.views })
    let monthly = Double(result.measures.counts.requests) / views * 2_000_000 * 30
    #expect(abs(cost.bill.requests / ((monthly - 1e7) / 1e4 * 0.01) - 1) < 0.1)
  }

  @Test func `a cache that never misses costs no origin, and less in all`() async throws {
    let usual = try #require(try await study([]).cost)
    let full = try #require(try await study(["cdn.start={kind: everything}"]).cost)
    #expect(full.bill.originRequests == 0 && full.bill.shield == 0)
    #expect(full.total.value < usual.total.value)
  }

  @Test func `a missing price file and an unknown region are problems with their place`() throws {
    for (text, words) in [
      ("{prices: nowhere.yaml}", ["cost.prices: expected a price file"]),
      (
        "{prices: \(root)/scenarios/prices/cloudfront.yaml, region: us}",
        ["cost.region: expected a region of the price file: us-eu", "got \"us\""]
      ),
    ] {
      let error = #expect(throws: ScenarioRejected.self) {
        try StudyScenario.parse("version: 1\nname: cost\ncost: \(text)\n", file: "x.yaml")
      }
      for word in words {
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
      }
    }
  }
}

@Suite struct LateViewTests {
  @Test func `every late view has its answer, and the sums are those of the list`() async throws {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: late
      seed: 5
      budgets: [{metric: ttff_ms.p95, limit: "< 500 ms"}]
      """, file: "scenarios/late.yaml",
      overrides: ["audience.window=60 s", "cdn.start={kind: cold}", "catalogue.titles=5000"].map {
        Override(set: $0)
      })
    let result = try await Study.run(
      scenario, options: StudyOptions(threads: 2, fixedReplications: 2))
    let late = result.late
    let counted = (late.started + late.notStarted).reduce(0, +)
    #expect(counted > 20)
    #expect(late.answers.total == counted)
    #expect(late.answers.views.count == min(Int(counted), LateAnswers.listed))
    for tier in AnsweringTier.allCases {
      for reason in MissReason.allCases {
        let listed = late.answers.views.filter {
          $0.answer.tier == tier && $0.answer.reason == reason
        }
        if Int(counted) <= LateAnswers.listed {
          #expect(late.answers[tier, reason].views == Int64(listed.count))
          #expect(late.answers[tier, reason].wait == listed.reduce(0) { $0 + $1.answer.wait })
        }
      }
    }
    // Empty caches: what was never there is cold, and the origin has it.
    #expect(late.answers[.origin, .cold].views > 0)
    #expect(late.answers[.edge, .evicted].views == 0)
  }
}
