import SimulationKernel
import Statistics
import Testing

@testable import Scenario
@testable import Studies

/// Verdicts where hardly anything happens.
@Suite struct RareEventTests {
  /// One replication of sessions of 30 views; a session that something happened to has `cluster`
  /// events.
  private func sample(
    sessions: Int, ratio: Double, cluster: Int, _ random: inout SplitMix64
  ) -> MetricSample {
    var events = 0
    for _ in 0..<sessions {
      let u = Double(random.next() >> 11) / 9_007_199_254_740_992
      if u < ratio * 30 / Double(cluster) { events += cluster }
    }
    return .share(events, of: sessions * 30)
  }

  private func budget(_ limit: String) throws -> Budget {
    try SmallScenario.make(
      budgets: "  - {metric: not_started_ratio, limit: \"\(limit)\", minimumSamples: 10}"
    ).budgets[0]
  }

  /// How many of 100 seeds pass at two replications, and by the looks of the decision rule, and how
  /// many fail by them.
  private func verdicts(
    ratio: Double, limit: String, sessions: Int, cluster: Int
  ) throws -> (passAtTwo: Int, pass: Int, fail: Int) {
    let budget = try budget(limit)
    let once = Judge(
      [budget], boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: [2])
    let looks = [8, 16, 32, 64]
    let judge = Judge(
      [budget],
      boundaries: try GroupSequentialBoundaries(
        fractions: looks.map { Double($0) / 64 }, level: 0.05), looks: looks)
    var found = (passAtTwo: 0, pass: 0, fail: 0)
    for seed in 1...100 {
      var random = SplitMix64(seed: UInt64(seed))
      let samples = (0..<64).map { _ in
        sample(sessions: sessions, ratio: ratio, cluster: cluster, &random)
      }
      func metric(_ count: Int) -> MetricResult {
        MetricResult(
          budget.metric, Array(samples.prefix(count)), designEffect: Double(cluster))
      }
      if once.decide(budget, metric(2), effect: Double(cluster), look: 0) == .pass {
        found.passAtTwo += 1
      }
      var verdict: Verdict?
      for (index, count) in looks.enumerated() where verdict == nil {
        verdict = judge.decide(budget, metric(count), effect: Double(cluster), look: index)
      }
      if verdict == .pass { found.pass += 1 }
      if verdict == .fail { found.fail += 1 }
    }
    return found
  }

  // 60 views a replication and 0.65 %: none of two replications sees an event in half of the seeds.
  @Test(arguments: [1, 3])
  func `a ratio of six times its limit with almost no event does not pass`(_ cluster: Int) throws {
    let found = try verdicts(ratio: 0.0065, limit: "< 0.1 %", sessions: 2, cluster: cluster)
    #expect(found.passAtTwo == 0, "\(found)")
    #expect(found.pass <= 5, "\(found)")
  }

  @Test func `a ratio far under its limit passes, and one far over it fails, where it is seen`()
    throws
  {
    let kept = try verdicts(ratio: 0.0002, limit: "< 1 %", sessions: 200, cluster: 2)
    #expect(kept.passAtTwo >= 95 && kept.pass >= 99 && kept.fail == 0, "\(kept)")
    let missed = try verdicts(ratio: 0.03, limit: "< 1 %", sessions: 200, cluster: 2)
    #expect(missed.pass == 0 && missed.fail >= 99, "\(missed)")
  }

  @Test func `nothing in many passes a limit of never, and nothing in few does not`() throws {
    let budget = try budget("<= 0 %")
    let judge = Judge(
      [budget], boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: [2])
    for (views, verdict) in [(100, Verdict?.none), (20_000, .pass)] {
      let metric = MetricResult(budget.metric, [.share(0, of: views), .share(0, of: views)])
      #expect(judge.decide(budget, metric, look: 0) == verdict)
    }
    let seen = MetricResult(budget.metric, [.share(0, of: 20_000), .share(1, of: 20_000)])
    #expect(judge.decide(budget, seen, look: 0) == .fail)
  }

  /// Every metric of every world that may be 0 because nothing has come.
  private static let ofEvents: [MetricReference] = {
    let feed = FeedMetrics.all.flatMap { metric in
      metric.stats.map { MetricReference(metric.name, labels: [], stat: $0) }
    }
    let worlds = World.kinds.flatMap(\.metrics).map(\.reference)
    return (feed + worlds).filter { $0.isShare || $0.traits.isCount || $0.traits.isRate }
  }()

  private static func budget(
    _ metric: MetricReference, _ comparison: BudgetLimit.Comparison, _ limit: Double
  ) -> Budget {
    Budget(
      metric: metric, limit: BudgetLimit(comparison: comparison, value: limit), limitText: "",
      level: .hard, minimumSamples: 10, place: "")
  }

  @Test func `no event is not zero, of any metric of any world`() throws {
    let judge = Judge(
      [], boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: [4])
    #expect(Self.ofEvents.count > 150)
    for metric in Self.ofEvents {
      for few in [MetricSample.quotient(0, over: 40, samples: 40), .number(0, samples: 40)] {
        // A quotient has both sides; a number may have none.
        if metric.isQuotient && few.denominator == 0 { continue }
        let result = MetricResult(metric, [few, few, few, few])
        let upper = try #require(result.interval).upper
        #expect(result.value == 0 && upper > 0, "\(metric): \(upper)")
        func verdict(_ limit: Double) -> Verdict? {
          judge.decide(Self.budget(metric, .less, limit), result, look: 0)
        }
        #expect(verdict(upper / 2) == nil, "\(metric)")
        #expect(verdict(upper * 1.01) == .pass, "\(metric)")
      }
    }
  }

  @Test func `two sides without an event are no equal sides`() throws {
    for metric in Self.ofEvents where metric.traits.isRate {
      let none = [MetricSample](repeating: .quotient(0, over: 40, samples: 40), count: 4)
      let result = MetricResult(metric, none)
      let rare = RareEvents(result, 1)
      #expect(rare.isFew)
      let bounds = try #require(rare.bounds(0.95))
      // 3.69 events of 160 samples.
      #expect(abs(bounds.upper - 3.6889 / 160) < 1e-4, "\(metric)")
    }
  }

  @Test func `a rate of never passes without an event, and one event fails it`() throws {
    let metric = try MetricReference.parse("provider_switches").get()
    let judge = Judge(
      [], boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: [2])
    func verdict(_ events: Double, of sessions: Int64) -> Verdict? {
      let side = MetricSample.quotient(0, over: Double(sessions), samples: sessions)
      let other = MetricSample.quotient(events, over: Double(sessions), samples: sessions)
      return judge.decide(
        Self.budget(metric, .lessOrEqual, 0), MetricResult(metric, [side, other]), look: 0)
    }
    // A thousandth matters: none of 10,000 sessions is under it, none of 1,000 is not.
    #expect(verdict(0, of: 5_000) == .pass && verdict(0, of: 500) == nil)
    #expect(verdict(1, of: 5_000) == .fail && verdict(1, of: 500) == .fail)
  }

  @Test func `views of one session count together`() {
    var spread = SessionSpread()
    #expect(spread.designEffect == 1)
    // Sessions of ten views in which all or none waited: ten go for one.
    spread = SessionSpread(
      views: 100, waited: 20, squares: 2 * 100, products: 2 * 100, sizes: 10 * 100)
    #expect(abs(spread.designEffect - 10) < 1e-9)
    // Nobody waited: nothing is measured, and a session counts as one view.
    spread = SessionSpread(views: 100, waited: 0, squares: 0, products: 0, sizes: 1000)
    #expect(spread.designEffect == 10)
  }

  @Test func `percentiles are those of all replications together`() throws {
    func part(_ times: [Int64], censored: [Int64] = []) -> MetricSample {
      MetricSample(
        .times(times.map { $0 * 1_000_000 }, censored: censored.map { $0 * 1_000_000 }),
        .percentile(50, ofStarted: false))
    }
    let metric = try MetricReference.parse("ttff_ms.p50").get()
    // Of 1...9 and 100: the median of all is 5, the mean of the medians 52.5.
    let found = MetricResult(metric, [part(Array(1...9)), part([100])])
    #expect(found.value == 5 && found.samples == 10)
    // A curve that is not reached in one replication is reached in both together.
    let late = MetricResult(metric, [part([1], censored: [2, 2, 2]), part(Array(1...9))])
    #expect(!late.isLowerBound && late.value == 5)
    // Records keep no times: their percentiles are means.
    let kept = [part(Array(1...9)), part([100])].map { sample in
      var record = sample
      record.times = nil
      return record
    }
    #expect(MetricResult(metric, kept).value == 52.5)
  }
}

extension MetricSample {
  fileprivate static func share(_ part: Int, of whole: Int) -> MetricSample {
    MetricSample(.share(part, of: whole), .itself)
  }
}
