import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

/// One session a second on average, each of them short.
let briefSessions = [
  "audience.viewsPerDayPerEdge=86400", "audience.viewsPerSession=1", "audience.sessionLength=1 s",
  "cdn.start={kind: everything}", "audience.drain=10 min",
]

extension FeedRunResult {
  /// When each session arrived: the cold view's clock starts then.
  var arrivals: [UInt32: Instant] {
    var arrivals: [UInt32: Instant] = [:]
    for view in measures.views where view.flags.contains(.cold) {
      #expect(arrivals.updateValue(view.settledAt, forKey: view.session) == nil)
    }
    return arrivals
  }

  /// Arrivals in a span of seconds from the start of the run.
  func arrivals(from: Int64, to: Int64) -> Double {
    Double(
      arrivals.values.filter {
        $0 >= .zero + .seconds(from) && $0 < .zero + .seconds(to)
      }.count)
  }
}

private func isPoisson(_ count: Double, mean: Double) -> Bool {
  abs(count - mean) <= 4 * mean.squareRoot()
}

@Suite struct ArrivalTests {
  static let crowd =
    "audience.crowds=[{name: burst, from: 10 min, length: 10 min, factor: 4, ramp: 2 min}]"

  // SIG-068
  @Test func `sessions in and out of a crowd are as many as the rate says`() throws {
    let result = try run(scenario(briefSessions + [ArrivalTests.crowd], window: "30 min"))
    #expect(isPoisson(result.arrivals(from: 0, to: 600), mean: 600))
    #expect(isPoisson(result.arrivals(from: 600, to: 720), mean: 120 + 3 * 60))
    #expect(isPoisson(result.arrivals(from: 720, to: 1080), mean: 4 * 360))
    #expect(isPoisson(result.arrivals(from: 1080, to: 1200), mean: 120 + 3 * 60))
    #expect(isPoisson(result.arrivals(from: 1200, to: 1800), mean: 600))
    #expect(result.arrivals.values.allSatisfy { $0 < .zero + .minutes(30) })
  }

  @Test func `crowds that overlap add their sessions, and a warm-up shifts them`() throws {
    let result = try run(
      scenario(
        briefSessions + [
          "audience.warmUp=5 min",
          "audience.crowds=[{name: a, from: 0 s, length: 10 min, factor: 3}, "
            + "{name: b, from: 5 min, length: 10 min, factor: 3}]",
        ], window: "15 min"))
    // What the warm-up left under way is measured, the rest is not.
    #expect(result.arrivals(from: 0, to: 300) < 30)
    #expect(isPoisson(result.arrivals(from: 300, to: 600), mean: 3 * 300))
    #expect(isPoisson(result.arrivals(from: 600, to: 900), mean: 5 * 300))
    #expect(isPoisson(result.arrivals(from: 900, to: 1200), mean: 3 * 300))
  }

  @Test func `the time of day moves sessions from the trough to the peak`() throws {
    let result = try run(
      scenario(
        briefSessions + ["audience.diurnal={peakToTrough: 4, period: 20 min, peakAt: 5 min}"],
        window: "40 min"))
    #expect(isPoisson(result.arrivals(from: 0, to: 2400), mean: 2400))
    // Over the half around the peak a cosine has a mean of 2/π; its polygon, 0.6330.
    for (from, sign) in [(0, 1.0), (600, -1), (1200, 1), (1800, -1)] as [(Int64, Double)] {
      let mean = 600 * (1 + sign * 0.6 * 0.6330)
      #expect(isPoisson(result.arrivals(from: from, to: from + 600), mean: mean))
    }
  }

  // ARCHITECTURE.md: variants share their draws
  @Test func `a policy moves no arrival, and a crowd moves nobody else's`() throws {
    let plain = try run(scenario(briefSessions, window: "15 min")).arrivals
    let crowded = try run(
      scenario(briefSessions + [ArrivalTests.crowd], window: "15 min")
    ).arrivals
    let variant = try run(
      scenario(
        briefSessions + [
          ArrivalTests.crowd, "policy.pool.size=1", "policy.prefetch.headLength=0 s",
          "cdn.start={kind: cold}", "cdn.ttl.mediaManifest.maxAge=1 s",
        ], window: "15 min")
    ).arrivals
    #expect(variant == crowded)
    #expect(crowded.count > plain.count + 500)
    for (session, time) in plain { #expect(crowded[session] == time) }
  }
}
