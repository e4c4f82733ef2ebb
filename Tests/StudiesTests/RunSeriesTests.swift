import MediaUnits
import Models
import Scenario
import Testing

@testable import Studies

@Suite struct RunSeriesTests {
  private static func scenario(window: String = "1 min", edges: Int = 1) throws -> StudyScenario {
    try StudyScenario.parse(
      """
      version: 1
      name: series
      network: {access: [{kind: wifi-good}, {kind: 3g}]}
      audience:
        window: \(window)
        warmUp: 20 s
        viewsPerDayPerEdge: 600000
        crowds: [{name: burst, from: 20 s, length: 20 s, factor: 4}]
      catalogue: {titles: 500}
      windows: [{name: second, from: 10 s, to: 20 s}]
      cdn: {edges: \(edges)}
      """, file: "scenarios/series.yaml")
  }

  private static func run(_ scenario: StudyScenario, threads: Int = 1) async throws -> StudyResult {
    try await Study.run(
      scenario, options: StudyOptions(threads: threads, fixedReplications: 2))
  }

  private static func row(_ name: String, of series: RunSeries) throws -> [RunSeries.Value] {
    try #require(series.rows.first { $0.name == name }).values
  }

  @Test func `a part has the metrics of a window of the same time`() async throws {
    let result = try await RunSeriesTests.run(try RunSeriesTests.scenario())
    let series = try #require(result.series)
    #expect(series.length == .seconds(10))
    #expect(series.rows.allSatisfy { $0.values.count == 6 })
    let names = Study.windowMetrics("second")
    for own in ["not_started_ratio", "hit_ratio"] {
      let row = try #require(series.rows.first { $0.name.hasPrefix(own) })
      let name = try #require(names.first { $0.hasPrefix(own) })
      let metric = try #require(result.metric(name))
      #expect(row.values[1].value == metric.value)
      #expect(row.values[1].interval?.lower == metric.interval?.lower)
      #expect(row.values[1].interval?.upper == metric.interval?.upper)
    }
    for stat in ["p50", "p95"] {
      let part = try RunSeriesTests.row("ttff_ms.\(stat)", of: series)[1]
      let metric = try #require(result.metric("ttff_ms{window=second}.\(stat)"))
      let (own, exact) = (try #require(part.value), try #require(metric.value))
      #expect(part.isLowerBound == metric.isLowerBound)
      #expect(abs(own - exact) <= 0.01 * exact + 0.001, "\(own) for \(exact)")
    }
  }

  @Test func `the parts' views are those whose clock started in the measured time`() throws {
    let scenario = try RunSeriesTests.scenario()
    let configuration = try #require(scenario.feed).feed.configuration
    let plan = try FeedRun.plan(configuration, seed: 7)
    let run = try FeedRun.run(configuration, plan: plan, seed: 7, replication: 0)
    let begin = Instant.zero + .seconds(20)
    let views = run.measures.views.filter {
      $0.settledAt >= begin && $0.settledAt < begin + .seconds(60)
    }
    let request = ReplicationRequest(seed: 7, metrics: [], lateLimit: .seconds(1))
    let digest = try ReplicationRunner(scenario.plan, request).digest(0)?.series
    let series = try #require(RunSeries([digest]))
    let rates = try RunSeriesTests.row("views_per_second", of: series).map { $0.value ?? 0 }
    #expect(views.count > 30)
    #expect(abs(rates.reduce(0, +) * 10 - Double(views.count)) < 1e-6)
    // In the third part, 20 to 30 s of the measured time.
    let third = views.count { ($0.settledAt - begin).wholeSteps(of: .seconds(10)) == 2 }
    #expect(abs(rates[2] * 10 - Double(third)) < 1e-6)
    let sessions = try RunSeriesTests.row("sessions", of: series).map { $0.value ?? 0 }
    #expect(sessions.allSatisfy { $0 > 0 && $0 <= Double(run.measures.peakSessions) })
    let requests = try RunSeriesTests.row("edge_requests_per_second", of: series)
    #expect(requests.allSatisfy { ($0.value ?? 0) > 0 })
  }

  @Test func `views that are folded as they end make the same curves`() throws {
    func digest(_ mostRows: Int) throws -> SeriesDigest? {
      let request = ReplicationRequest(
        seed: 7, metrics: [], lateLimit: .seconds(1), mostRows: mostRows)
      let runner = try ReplicationRunner(try RunSeriesTests.scenario().plan, request)
      return try #require(try runner.digest(0)).series
    }
    let (rows, sums) = (try digest(.max), try digest(0))
    let kept = try #require(RunSeries([rows]))
    #expect(RunSeries([sums]) == kept)
    // One replication has no interval.
    #expect(kept.rows.allSatisfy { $0.values.allSatisfy { $0.interval == nil } })
  }

  @Test func `the number of threads does not show`() async throws {
    let scenario = try RunSeriesTests.scenario(edges: 3)
    let alone = try await RunSeriesTests.run(scenario, threads: 1).series
    let one = try #require(alone)
    let four = try await RunSeriesTests.run(scenario, threads: 4).series
    #expect(four == one)
  }

  @Test(arguments: [
    ("25 s", nil, nil), ("30 s", 10, 3), ("10 min", 10, 60), ("11 min", 20, 33), ("1 h", 60, 60),
    ("1 d", 1800, 48),
  ])
  func `a time has at most sixty parts of whole spans`(
    _ window: String, _ seconds: Int64?, _ count: Int?
  ) throws {
    let scenario = try RunSeriesTests.scenario(window: window)
    let plan = SeriesPlan(try #require(scenario.feed).feed.configuration)
    #expect(plan?.length == seconds.map { .seconds($0) })
    #expect(plan?.count == count)
  }

  @Test func `quantiles of buckets count views that were left as censored`() {
    var clock = ClockHistogram()
    for milliseconds in [100, 200, 300] as [Int64] {
      clock.started.add(nanoseconds: milliseconds * 1_000_000)
    }
    clock.censored.add(nanoseconds: 400_000_000)
    let buckets = UsedBuckets.sum([UsedBuckets(clock), UsedBuckets(clock)])
    #expect(buckets.samples == 8)
    let median = buckets.quantile(0.5)
    #expect(abs((median?.milliseconds ?? 0) - 200) < 2 && median?.isLowerBound == false)
    let last = buckets.quantile(0.95)
    #expect(abs((last?.milliseconds ?? 0) - 400) < 4 && last?.isLowerBound == true)
    #expect(UsedBuckets(ClockHistogram()).quantile(0.5) == nil)
  }
}
