import MediaUnits
import Models
import Scenario
import Testing

/// Cold starts whom nobody else notices (`audience.extraColdStarts`).
@Suite("Extra cold starts") struct ExtraColdStartTests {
  /// Sessions of a view or two, so that cold starts are many.
  private static let brief = [
    "audience.viewsPerDayPerEdge=172800", "audience.viewsPerSession=1", "audience.drain=1 min",
    "audience.sessionLength={kind: uniform, min: 100 ms, max: 2 s}", "catalogue.titles=2000",
  ]

  ///
  @Test(arguments: [
    [],
    ["cdn.start={kind: cold}", "cdn.ttl.segments={maxAge: 5 s}"],
    ["cdn.start={kind: warmed, period: 30 s}", "cdn.edge.capacity=100 MB"],
    ["cdn.start={kind: everything}"],
    ["cdn.shield=none", "cdn.edge={kind: sieve, capacity: 3 GB, admission: {kind: second-miss}}"],
    ["cdn.edges=3", "cdn.edgesBehindShield=9", "cdn.regional={kind: lru, count: 2}"],
    ["cdn.purges=[{at: 30 s}]", "cdn.cacheKey={kind: session}"],
    ["client.segmentErrorShare=2 %", "network.access[0].kind=3g"],
  ])
  func `leave all else of a replication as it is, to the last bit`(_ changes: [String]) throws {
    func result(_ count: Int) throws -> FeedRunResult {
      try run(
        scenario(
          ExtraColdStartTests.brief + changes + ["audience.extraColdStarts=\(count)"],
          window: "1 min"))
    }
    let plain = try result(0)
    var more = try result(200)
    let extra = more.measures.extraColdStarts
    #expect(extra.count == 200 && more.measures.counts.extraColdStarts == 200)
    #expect(plain.measures.extraColdStarts.isEmpty)
    more.measures.extraColdStarts = []
    more.measures.counts.extraColdStarts = 0
    #expect(more.fingerprint == plain.fingerprint)
    #expect(more.summary == plain.summary)
    // Every field of it, down to the last.
    #expect("\(more.measures)" == "\(plain.measures)")
    #expect(plain.measures.views.count > 50)
  }

  @Test func `come in order, in equal parts of the measured time, and have one view each`() throws {
    let made = try scenario(
      ExtraColdStartTests.brief + [
        "audience.extraColdStarts=60", "cdn.start={kind: warmed, period: 30 s}",
      ], window: "1 min")
    let views = try run(made).measures.extraColdStarts
    #expect(Set(views.map(\.session)).count == 60)
    for (place, view) in views.enumerated() {
      #expect(view.flags.contains(.cold) && view.item == 0)
      #expect(view.hasStarted || view.ttff >= .seconds(1))
      let second = (view.settledAt - Instant.zero - .seconds(30)).seconds
      #expect(second >= Double(place) && second < Double(place + 1))
    }
  }

  /// A mean over replications with its standard error, which is all that is known of it.
  private struct Mean {
    let value, error: Double
    /// Variance of one of the values.
    let variance: Double

    init(_ values: [Double]) {
      let count = Double(values.count)
      let mean = values.reduce(0, +) / count
      value = mean
      variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
      error = (variance / count).squareRoot()
    }
  }

  /// What of a list of first views is compared.
  private struct Summary {
    var time, missed: Double

    init(_ views: [ViewRecord]) {
      let started = views.filter(\.hasStarted)
      time = started.reduce(0) { $0 + $1.ttff.seconds } / Double(started.count)
      missed =
        Double(started.count { $0.flags.contains(.edgeMiss) }) / Double(started.count)
    }
  }

  private typealias Caches = (changes: [String], mostVariance: Double)

  /// Four standard errors; caches of which some start full, some empty, with copies that expire
  /// soon, are pushed out, or lie in a shield only; and three titles, where most requests wait for
  /// another's fetch, and cold starts of one replication are too much alike for many to help.
  ///
  ///
  @Test(
    arguments: [
      (["cdn.ttl.segments={maxAge: 20 s}", "cdn.edgesBehindShield=5"], 0.6),
      (
        ["cdn.start={kind: cold}", "cdn.ttl.segments={maxAge: 20 s, staleWhileRevalidate: 20 s}"],
        0.6
      ),
      (["cdn.edge.capacity=2 GB", "cdn.shield=none"], 0.6),
      (
        [
          "catalogue.titles=3", "cdn.ttl.segments={maxAge: 1 s}", "cdn.ttl.playlists={maxAge: 1 s}",
          "cdn.originFirstByte=800 ms", "audience.viewsPerDayPerEdge=691200",
        ], .infinity
      ),
    ] as [Caches])
  private func `are of the law of the audience's cold starts, and vary less by their number`(
    _ caches: Caches
  ) throws {
    let made = try scenario(
      ExtraColdStartTests.brief + caches.changes + ["audience.extraColdStarts=360"], window: "1 min"
    )
    let plan = try FeedRun.plan(made.configuration, seed: 7)
    var (own, extra, both): ([Summary], [Summary], [Summary]) = ([], [], [])
    for replication in 0..<60 as Range<UInt16> {
      let measures = try FeedRun.run(
        made.configuration, plan: plan, seed: 7, replication: replication
      ).measures
      let first = measures.views.filter { $0.flags.contains(.cold) }
      own.append(Summary(first))
      extra.append(Summary(measures.extraColdStarts))
      both.append(Summary(first + measures.extraColdStarts))
    }
    for part in [\Summary.time, \Summary.missed] {
      let difference = Mean(zip(own, extra).map { $0[keyPath: part] - $1[keyPath: part] })
      #expect(abs(difference.value) < 4 * difference.error, "\(difference)")
      // A quarter of the variance; F of 59 and 59 degrees is within a factor of 2 in 99 %.
      let ratio =
        Mean(both.map { $0[keyPath: part] }).variance / Mean(own.map { $0[keyPath: part] }).variance
      #expect(ratio < caches.mostVariance, "\(ratio)")
    }
    // Enough of them had to wait for more than the edge.
    #expect(Mean(extra.map(\.missed)).value > 0.05)
  }
}
