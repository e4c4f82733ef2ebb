import MediaUnits
import Models
import Scenario
import SimulationKernel
import Synchronization
import Testing

@testable import Studies

/// Replications whose views are summed up as they end, against the same with all records.
@Suite struct ViewSumsTests {
  private static let text = """
    version: 1
    name: test
    network: {access: [{kind: wifi-good}, {kind: 3g}]}
    audience:
      viewsPerDayPerEdge: 700000
      window: 3 min
      warmUp: 30 s
      drain: 20 s
      crowds: [{name: burst, from: 40 s, length: 40 s, factor: 4}]
    catalogue: {titles: 500}
    budgets:
      - {metric: "ttff_ms{network=3g}.p90", limit: "< 9 s"}
      - {metric: "ttff_ms{device=mid,window=burst}.max", limit: "< 9 s"}
      - {metric: "startup_ms{part=manifest,network=3g}.mean", limit: "< 9 s"}

    """

  private func scenario(_ changes: [String]) throws -> FeedStudy {
    try FeedStudy.parse(
      ViewSumsTests.text, file: "scenarios/test.yaml",
      overrides: changes.map { Override(set: $0) })
  }

  private func runner(_ scenario: FeedStudy, mostRows: Int) throws -> ReplicationRunner {
    let plan = scenario.scenario.plan
    return try ReplicationRunner(
      plan,
      ReplicationRequest(
        seed: 3, metrics: scenario.budgets.map(\.metric) + plan.standardMetrics,
        lateLimit: .seconds(1), mostRows: mostRows))
  }

  /// In parts, and in one piece.
  ///
  @Test(arguments: [["cdn.edges=4"], ["cdn.edges=1"]])
  func `summed up, views give the numbers of their records, and times within the stated error`(
    _ changes: [String]
  ) throws {
    let scenario = try scenario(changes)
    let rows = try #require(try runner(scenario, mostRows: .max).digest(0))
    let sums = try #require(try runner(scenario, mostRows: 0).digest(0))
    #expect(!rows.isFolded && sums.isFolded)
    #expect(rows.cohorts.reduce(0) { $0 + $1.views } > 400)
    #expect(sums.fingerprint == rows.fingerprint && sums.events == rows.events)
    #expect(sums.cohorts == rows.cohorts)
    #expect(sums.histograms == rows.histograms)
    #expect(sums.late == rows.late)
    #expect(!rows.late.answers.views.isEmpty)
    #expect(sums.waitedBand.parts == rows.waitedBand.parts)
    #expect(sums.waitedBand.views == rows.waitedBand.views)
    #expect(sums.p95Band.views >= rows.p95Band.views && sums.p95Band.views < 200)
    #expect(sums.p95Band.parts.reduce(0, +) == sums.p95Band.total)
    #expect(sums.peakLoad == rows.peakLoad)
    var quantiles = 0
    for (a, b) in zip(sums.samples, rows.samples) {
      #expect(a.samples == b.samples && a.isLowerBound == b.isLowerBound)
      #expect(a.numerator == b.numerator && a.denominator == b.denominator)
      guard let x = a.value, let y = b.value else {
        #expect(a.value == nil && b.value == nil)
        continue
      }
      if x != y { quantiles += 1 }
      #expect(abs(x - y) <= max(FineHistogram.relativeError * y, 0.0005))
    }
    #expect(quantiles > 0)
  }

  ///
  @Test func `sums of views are the same for any number of threads`() throws {
    let scenario = try scenario(["cdn.edges=4"])
    var runner = try runner(scenario, mostRows: 0)
    let one = try #require(try runner.digest(0))
    for threads in [2, 4, 8] {
      runner.partThreads = threads
      let digest = try #require(try runner.digest(0))
      #expect(digest.samples == one.samples)
      #expect(digest.late == one.late)
      #expect(digest.medianBand == one.medianBand && digest.p95Band == one.p95Band)
      #expect(digest.histograms == one.histograms)
      #expect(digest.peakLoad == one.peakLoad)
    }
  }

  @Test func `a time read back from its bucket is off by less than a thousandth`() {
    var time: Int64 = 1
    var last = 0
    while time < 40_000_000_000_000 {
      let bucket = FineHistogram.bucket(nanoseconds: time)
      #expect(bucket >= last)
      last = bucket
      let off = abs(FineHistogram.middle(bucket) - time)
      #expect(off <= max(500, Int64(Double(time) * FineHistogram.relativeError)))
      // Every bucket lies within one of the coarser histogram.
      #expect(
        TimeHistogram.bucket(nanoseconds: FineHistogram.middle(bucket))
          == TimeHistogram.bucket(nanoseconds: time))
      time += 1 + time / 37
    }
    #expect(FineHistogram.middle(FineHistogram.bucket(nanoseconds: 0)) == 0)
  }

  // MARK: Limits, progress

  @Test func `the expected load of a replication is about what it has`() throws {
    for changes in [["cdn.edges=4"], ["cdn.edges=8"]] {
      let scenario = try scenario(changes)
      let digest = try #require(try runner(scenario, mostRows: .max).digest(0))
      let load = LoadCurve(scenario.configuration)
      let views = Double(digest.cohorts.reduce(0) { $0 + $1.views })
      let expected = load.views(try FeedRun.plan(scenario.configuration, seed: 3))
      #expect(expected > views / 1.5 && expected < views * 1.5)
      let peak = Double(digest.measures.peakSessions)
      #expect(load.peak > peak / 1.3 && load.peak < peak * 1.3)
    }
  }

  @Test(arguments: [["cdn.edges=4"], ["cdn.edges=1"]])
  func `after a tenth of its work the end of a long replication is known within a factor of two`(
    _ changes: [String]
  ) throws {
    let runner = try runner(try scenario(changes), mostRows: .max)
    let states = Mutex<[ReplicationWatch.State]>([])
    let digest = try #require(
      try runner.digest(0) { state in states.withLock { $0.append(state) } })
    // Events stand for time, so that no clock is read.
    var judged = 0
    for state in states.withLock(\.self) where state.share >= 0.1 && state.share < 1 {
      var progress = StudyProgress(
        finished: 0, cap: 1, nextLook: 1, views: state.views, events: state.events,
        simulated: state.simulated, verdicts: [])
      progress.underWay = state.share
      let told = try #require(progress.remaining(after: Double(state.events)))
      let left = Double(digest.events - state.events)
      // The last twentieth of a run is no time at all.
      if left < Double(digest.events) / 20 { continue }
      judged += 1
      #expect(told > left / 2 && told < left * 2, "at \(state.share)")
    }
    #expect(judged > 100)
  }

  @Test(arguments: [["cdn.edges=4"], ["cdn.edges=1"]])
  func `a replication that is given up ends at once and leaves nothing`(
    _ changes: [String]
  ) async throws {
    let scenario = try scenario(changes)
    let stop = StopRequest()
    let runner = try runner(scenario, mostRows: .max)
    let most = Mutex(0.0)
    let digest = try runner.digest(0, stop: stop) { state in
      most.withLock { $0 = state.share }
      if state.share > 0.3 { stop.abandon() }
    }
    #expect(digest == nil)
    #expect(most.withLock(\.self) < 0.4)
    let again = StopRequest()
    let result = try await Study.run(
      scenario.scenario, options: StudyOptions(threads: 1, fixedReplications: 4), stop: again,
      progress: { if $0.finished == 2 && $0.underWay > 0.2 { again.abandon() } })
    #expect(result.replications == 2 && result.isPartial)
    #expect(result.exitCode == 14)
  }

  @Test func `the estimate of the memory grows with what needs it`() throws {
    let base = MemoryEstimate(try scenario(["cdn.edges=4"]).scenario, replications: 1, threads: 1)
    #expect(base.terms.count >= 6 && base.terms.allSatisfy { $0.bytes > 0 })
    let more = [
      ["cdn.edges=4", "audience.viewsPerDayPerEdge=7000000"],
      ["cdn.edges=8"], ["cdn.edges=4", "catalogue.titles=50000"],
    ]
    for changes in more {
      let estimate = MemoryEstimate(try scenario(changes).scenario, replications: 1, threads: 1)
      #expect(estimate.total > base.total, "\(changes)")
    }
    let twice = MemoryEstimate(try scenario(["cdn.edges=4"]).scenario, replications: 4, threads: 2)
    #expect(twice.total > base.total)
  }
}
