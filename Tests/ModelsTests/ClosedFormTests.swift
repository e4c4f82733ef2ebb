import CachePolicy
import MediaUnits
import Models
import Scenario
import Testing

/// The world against arithmetic done by hand.
@Suite struct ClosedFormTests {
  /// The cold start on a constant link is the sum of its chain, to the rounding of each step.
  // X-006, SIG-004
  @Test func `a cold start on a constant link takes what its chain adds up to`() throws {
    let result = try run(scenario(constantWorld + ["policy.startupCap.rate=none"]))
    let cold = result.measures.views.filter { $0.flags.contains(.cold) && $0.hasStarted }
    #expect(cold.count > 20)
    let packet = 1502.0 * 8 / 20e6  // seconds on the wire
    func wire(_ bytes: Double) -> Double {
      let packets = (bytes / 1448).rounded(.up) + 1
      return (bytes + 400 + packets * 54) * 8 / 20e6
    }
    /// One request on an open connection with window `window`: the round trip, the service, the
    /// waits of slow start, the bytes; and the window afterwards.
    func fetch(_ bytes: Double, service: Double, window: inout Double) -> Double {
      let packets = (bytes / 1448).rounded(.up) + 1
      var sent = window
      var stall = 0.0
      while sent < packets && window * packet < 0.030 + packet {
        stall += 0.030 + packet - window * packet
        window *= 2
        sent += window
      }
      return 0.030 + service + stall + wire(bytes)
    }
    var feedWindow = 10.0
    // A SYN and its answer; a hello of 517 bytes, an answer of 1,100 and 2.7 ms of computation.
    let path = 0.030 + 62.0 * 8 / 20e6
    let secure = 0.030 + 0.0027 + 1154.0 * 8 / 20e6
    let handshake = 0.025 + path + secure
    let page = handshake + fetch(3500, service: 0.020, window: &feedWindow)
    var window = 10.0
    var chain = page + handshake
    chain += fetch(800, service: 0.004, window: &window)
    chain += fetch(900, service: 0.004, window: &window)
    chain += fetch(150 + 52 * 10, service: 0.004, window: &window)
    chain += fetch(1700, service: 0.004, window: &window)
    let decoder = chain + 0.100
    // Two seconds at 600 kbps; the first of them, half of the wire bytes, is enough to start.
    let segment = 150_000.0
    let before = window
    _ = fetch(segment, service: 0.004, window: &window)
    // Its packets wait for the rounds before them, and for none that come later.
    var sent = before
    var grown = before
    var stall = 0.0
    while sent < ((segment / 1448).rounded(.up) + 1) / 2 + 1 && grown * packet < 0.030 + packet {
      stall += 0.030 + packet - grown * packet
      grown *= 2
      sent += grown
    }
    let half = chain + 0.030 + 0.004 + stall + wire(segment) / 2
    #expect(before == 10 && window > 10)
    let expected = max(half, decoder) + 0.030
    for view in cold {
      #expect(abs(view.ttff.seconds - expected) < 1e-6, "\(view.ttff.seconds) \(expected)")
      #expect(abs(view.part(.feed).seconds - page) < 1e-6)
      #expect(abs(view.part(.tls).seconds - secure) < 1e-7)
      #expect(abs(view.part(.nameLookup).seconds - 0.025) < 1e-9)
    }
  }

  /// hit = rate·TTL / (1 + rate·TTL) per title, weighted by requests (caches.md section 1.3), with
  /// the rates of a session that shows no title twice, in the steady state between warm-up and cut.
  // SIG-064, SIG-066
  @Test func `manifests hit as the TTL formula says`() throws {
    let titles = 3000
    let set = [
      "catalogue.titles=\(titles)", "audience.viewsPerDayPerEdge=400000", "audience.backSwipe=0",
      "cdn.ttl.mediaManifest.staleWhileRevalidate=0", "cdn.ttl.mediaManifest.staleIfError=0",
      "cdn.edge.capacity=none", "cdn.edge.collapsing=none", "audience.drain=0",
      "cdn.start={kind: warmed, period: 60 min}", "audience.sessionLength=5 min",
    ]
    var differences: [Double] = []
    var mean = 0.0
    for replication in 0..<UInt16(8) {
      let made = try scenario(set, window: "40 min")
      let result = try run(made, replication: replication)
      let edge = result.measures.edge
      let all = CacheOutcome.allCases.reduce(0) { $0 + edge.requests(.mediaManifest, $1) }
      let ratio = Double(edge.requests(.mediaManifest, .hit)) / Double(all)
      let predicted = predictedHits(
        titles: titles, requestsPerSecond: Double(all) / 2400,
        perSession: Double(result.measures.views.count)
          / (made.configuration.audience.sessionsPerSecondPerEdge * 2400))
      differences.append(ratio - predicted)
      mean += ratio / 8
    }
    let difference = differences.reduce(0, +) / 8
    let variance =
      differences.reduce(0) { $0 + ($1 - difference) * ($1 - difference) } / 7
    let error = (variance / 8).squareRoot()
    // Requests come in sessions, not singly, and prefetches of one item follow each other: 0.01 on
    // top.
    #expect(abs(difference) < 4 * error + 0.01, "\(difference) ± \(error)")
    #expect(error < 0.01 && mean > 0.15 && mean < 0.9)
  }

  private func predictedHits(
    titles: Int, requestsPerSecond: Double, perSession: Double
  ) -> Double {
    let weights = (1...titles).map { 1 / Double($0) }
    let sum = weights.reduce(0, +)
    func included(_ c: Double) -> [Double] { weights.map { 1 - PortableMath.exp(-c * $0 / sum) } }
    var (low, high) = (1.0, 1e7)
    for _ in 0..<80 {
      let middle = (low * high).squareRoot()
      if included(middle).reduce(0, +) < perSession { low = middle } else { high = middle }
    }
    let shares = included(low)
    let total = shares.reduce(0, +)
    return shares.reduce(0) { hits, share in
      let rate = share / total * requestsPerSecond
      return hits + share / total * rate * 60 / (1 + rate * 60)
    }
  }

  /// A stationary start against the same world after a long warm-up, for an unlimited edge and for
  /// one that evicts: equal hit ratios within four standard errors.
  // SIG-005, SIG-063, X-005
  @Test(arguments: ["none", "2 GB"])
  func `a stationary start hits as a long run does`(_ capacity: String) throws {
    let set = [
      "catalogue.titles=1000", "audience.viewsPerDayPerEdge=200000",
      "cdn.edge.capacity=\(capacity)", "cdn.ttl.segments.maxAge=1 h",
      "cdn.ttl.images.maxAge=1 h", "policy.abr={kind: fixed, rung: 1}",
    ]
    let differences = try (0..<6).map {
      try stationaryExcess(set, minutes: 120 + 10 * $0, replication: UInt16($0))
    }
    let mean = differences.reduce(0, +) / 6
    let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 5
    let error = (variance / 6).squareRoot()
    #expect(abs(mean) < 4 * error + 0.02, "\(mean) ± \(error)")
    #expect(error < 0.02)
  }
}
