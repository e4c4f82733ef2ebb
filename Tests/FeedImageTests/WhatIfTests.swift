import FeedImage
import Foundation
import Metering
import Models
import Scenario
import SimulationKernel
import Statistics
import Testing

@testable import Studies
@testable import WhatIf

/// What a page computes of replications, beside what a run and a comparison compute of the same.
@Suite struct WhatIfTests {
  static let replications = 6

  static let text = """
    replications: 6
    budgets:
      - {metric: ttff_ms.p95, limit: < 2 s, level: hard}
      - {metric: ready_ratio, limit: '>= 99.9 %', level: hard}
      - {metric: not_started_ratio, limit: < 5 %, level: hard, minimumSamples: 100}
      - {metric: "hit_ratio{tier=edge,by=bytes}", limit: '>= 1 %', level: soft}
      - {metric: ttff_cold_ms.p99, limit: < 3 s, level: hard, minimumSamples: 100000}
    """

  static func scenario(_ changes: [String] = []) throws -> FeedStudy {
    try FeedImageTests.scenario(
      ["audience.window=2 min", "audience.viewsPerDayPerEdge=300000"] + changes, text)
  }

  static func samples(_ scenario: FeedStudy, _ plan: WhatIfPlan) throws -> [WhatIfSample] {
    try (0..<UInt16(replications)).map {
      try WhatIfSample(scenario.configuration, plan, seed: scenario.seed, replication: $0)
    }
  }

  /// A plan of a scenario's own run, and the run.
  static func planned(
    _ scenario: FeedStudy
  ) async throws -> (base: WhatIfBase, plan: WhatIfPlan, result: StudyResult) {
    let options = StudyOptions(threads: 2, fixedReplications: replications)
    let result = try await Study.run(scenario.scenario, options: options)
    let compared = scenario.feed.headline + result.budgets.map(\.metric.reference)
    let base = try WhatIfBase(result, scenario, compared: compared)
    return (base, try #require(WhatIfPlan(base.plan)), result)
  }

  static func numbers(_ samples: [WhatIfSample], _ plan: WhatIfPlan) -> [Double] {
    var answer = WhatIfAnswer(plan)
    let added = samples.map { answer.add($0) }
    #expect(!added.contains(false))
    return answer.numbers
  }

  static func isClose(_ a: Double, _ b: Double?) -> Bool {
    guard let b else { return a.isNaN }
    return a == b || abs(a - b) <= 1e-8 * max(abs(a), abs(b)) + 1e-12
  }

  @Test func theBaseHasTheRunsNumbersAndVerdicts() async throws {
    let scenario = try Self.scenario()
    let (base, plan, result) = try await Self.planned(scenario)
    let samples = try Self.samples(scenario, plan)
    #expect(samples.map(\.fingerprint) == base.fingerprints.map(\.value))
    let numbers = Self.numbers(samples, plan)
    #expect(numbers[0] == Double(Self.replications) && numbers[1] == Double(base.metrics.count))
    for (place, metric) in base.metrics.enumerated() {
      let own = numbers[(5 + 14 * place)...]
      let at = own.startIndex
      #expect(Self.isClose(own[at], metric.value), "\(metric.reference)")
      #expect(Self.isClose(own[at + 1], metric.interval?.lower), "\(metric.reference)")
      #expect(Self.isClose(own[at + 2], metric.interval?.upper), "\(metric.reference)")
      #expect(own[at + 3] == Double(metric.replications))
      #expect(own[at + 4] == Double(metric.samples))
      // The same events: no difference, and where there are data that is known.
      if metric.value != nil { #expect(own[at + 13] == 2, "\(metric.reference)") }
    }
    let verdicts: [Verdict] = [.pass, .fail, .inconclusive, .invalid, .notRun]
    let start = 5 + 14 * base.metrics.count
    for (place, budget) in result.budgets.enumerated() {
      let number = Int(numbers[start + 3 * place])
      #expect(verdicts[number] == budget.verdict, "\(budget.metric.reference)")
      #expect(Self.isClose(numbers[start + 3 * place + 2], budget.margin))
    }
    #expect(Set(result.budgets.map(\.verdict)).count >= 3)
    let points = base.curve
    #expect(numbers[3] == Double(points.count) && numbers[4] == 0)
    let last = try #require(points.last)
    #expect(Array(numbers.suffix(2)) == [last.milliseconds, last.share])
  }

  @Test(arguments: ["policy.pool.size=1", "policy.prefetch.headLength=0 s"])
  func differencesAreThoseOfAComparison(change: String) async throws {
    let (base, plan, before) = try await Self.planned(try Self.scenario())
    let other = try Self.scenario([change])
    let (_, _, after) = try await Self.planned(other)
    let numbers = Self.numbers(try Self.samples(other, plan), plan)
    let compared = base.metrics.indices.filter { plan.metrics[$0].isCompared }
    let places = compared.map { place in
      before.recordMetrics.firstIndex(of: base.metrics[place].reference) ?? 0
    }
    func records(_ result: StudyResult) -> [ReplicationRecord] {
      result.records.map { record in
        var record = record
        record.samples = places.map { record.samples[$0] }
        return record
      }
    }
    let comparison = Comparison(
      compared.map { base.metrics[$0].reference }, baseline: records(before),
      candidate: records(after), isPaired: true)
    #expect(comparison.rows.contains { $0.outcome == .worse })
    let outcomes: [ComparisonOutcome] = [.worse, .better, .equivalent, .notSure, .noData]
    for (row, place) in zip(comparison.rows, compared) {
      let at = 5 + 14 * place + 6
      #expect(Self.isClose(numbers[at], row.difference?.value), "\(row.metric)")
      #expect(Self.isClose(numbers[at + 1], row.difference?.interval.lower), "\(row.metric)")
      #expect(Self.isClose(numbers[at + 2], row.difference?.interval.upper), "\(row.metric)")
      #expect(outcomes[Int(numbers[at + 7])] == row.outcome, "\(row.metric)")
    }
  }

  @Test func theOrderOfArrivalDoesNotShow() async throws {
    let scenario = try Self.scenario()
    let (_, plan, _) = try await Self.planned(scenario)
    let samples = try Self.samples(scenario, plan)
    let forward = Self.numbers(samples, plan)
    let backward = Self.numbers(samples.reversed(), plan)
    #expect(forward.map(\.bitPattern) == backward.map(\.bitPattern))
    // One that is missing is waited for; one that was there, or is none, changes nothing.
    var answer = WhatIfAnswer(plan)
    let early = [0, 2, 3].map { answer.add(samples[$0]) }
    #expect(early == [true, true, true])
    #expect(answer.numbers[0] == 1)
    let again = [0, 3].map { answer.add(samples[$0]) }
    #expect(again == [false, false])
    let missing = answer.add(samples[1])
    #expect(missing)
    #expect(answer.numbers[0] == 4)
  }

  @Test func bytesComeBackOrAreRefused() async throws {
    let scenario = try Self.scenario()
    let (base, plan, _) = try await Self.planned(scenario)
    #expect(plan.bytes == base.plan)
    let sample = try WhatIfSample(
      scenario.configuration, plan, seed: scenario.seed, replication: 3)
    let bytes = sample.bytes
    let read = try #require(WhatIfSample(bytes))
    #expect(read.bytes == bytes && read.replication == 3)
    let head = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(head == sample.fingerprint)
    for number in 0..<200 as Range<UInt64> {
      let random = SplitMix.hash(number)
      for original in [bytes, base.plan] {
        let cut = Array(original.prefix(Int(random % UInt64(original.count))))
        #expect(WhatIfPlan(cut) == nil || cut.count < 20)
        #expect(WhatIfSample(cut) == nil)
        // What is still a sample can be added, or not, and nothing breaks.
        var changed = original
        changed[Int(random % UInt64(original.count))] ^= UInt8(1 << (random >> 56 & 7))
        if let odd = WhatIfSample(changed) {
          var answer = WhatIfAnswer(plan)
          _ = answer.add(odd)
        }
      }
    }
  }

  @Test func aSealedImageIsRead() throws {
    let bytes = try #require(FeedImage.bytes(of: Self.scenario().configuration))
    var changed = try #require(
      FeedImage.bytes(of: Self.scenario(["policy.pool.size=2"]).configuration))
    let sum = Array(changed[4..<12])
    changed.replaceSubrange(4..<12, with: bytes[4..<12])
    #expect(FeedImage.read(changed) == nil)
    FeedImage.seal(&changed)
    #expect(Array(changed[4..<12]) == sum)
    #expect(FeedImage.read(changed) != nil)
  }
}
