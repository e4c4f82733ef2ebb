import SlowTesting
import Statistics
import Testing

/// Longer versions of what the quick tests check once; run by `make test-slow`.
@Suite(.enabled(if: SlowRun.isOn))
struct SlowTests {
  /// The stationary start against half a day's warm-up, over more replications and capacities that
  /// evict much, a little and nothing. The warm-ups' lengths are spread over one TTL, since what a
  /// cold start fetches together expires together.
  // SIG-005, SIG-063, X-005
  @Test(arguments: ["none", "700 MB", "300 MB"])
  func `a stationary start hits as half a day of traffic does`(_ capacity: String) throws {
    let set = [
      "catalogue.titles=1000", "audience.viewsPerDayPerEdge=200000",
      "cdn.edge.capacity=\(capacity)", "cdn.ttl.segments.maxAge=6 h",
      "cdn.ttl.images.maxAge=6 h", "policy.abr={kind: fixed, rung: 1}",
    ]
    let differences = try (0..<UInt16(12)).map {
      try stationaryExcess(set, minutes: 720 + 30 * Int($0), replication: $0)
    }
    let estimate = try Estimates.mean(of: differences)
    let error = try #require(estimate.standardError)
    #expect(abs(estimate.value) < 4 * error + 0.02, "\(estimate.value) ± \(error)")
    #expect(error < 0.02)
  }

  /// The same where a fifth of the feed is explored, which varies more from run to run.
  // SIG-005, SIG-063, X-005
  @Test func `a stationary start hits as a long run does where the feed explores`() throws {
    let set = [
      "catalogue.titles=1000", "audience.viewsPerDayPerEdge=200000", "cdn.edge.capacity=none",
      "cdn.ttl.segments.maxAge=3 h", "cdn.ttl.images.maxAge=3 h",
      "policy.abr={kind: fixed, rung: 1}", "feed.exploration={share: 20 %}",
    ]
    let differences = try (0..<12).map {
      try stationaryExcess(set, minutes: 360 + 30 * ($0 % 6), replication: UInt16($0))
    }
    let estimate = try Estimates.mean(of: differences)
    let error = try #require(estimate.standardError)
    #expect(abs(estimate.value) < 4 * error + 0.02, "\(estimate.value) ± \(error)")
    #expect(error < 0.02)
  }
}
