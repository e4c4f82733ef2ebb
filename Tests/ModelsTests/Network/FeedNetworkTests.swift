import MediaUnits
import Models
import Scenario
import Testing

/// The feed's network: handshakes, connections, links that change, what prefetches cost.
@Suite struct FeedNetworkTests {
  private func colds(_ set: [String]) throws -> [ViewRecord] {
    try run(scenario(constantWorld + set)).measures.views.filter { $0.flags.contains(.cold) }
  }

  private func isNear(_ part: TimeSpan, _ milliseconds: Int64) -> Bool {
    let excess = part - .milliseconds(milliseconds)
    return excess >= .zero && excess < .milliseconds(milliseconds > 0 ? 6 : 1)
  }

  // parameters.md section 2; 30 ms round trip, 25 ms name look-up.
  @Test(arguments: [
    ("tcp", 30, 0), ("tcp+tls12", 30, 60), ("tcp+tls13", 30, 30), ("tcp+tls13-resumed", 30, 30),
    ("tcp+tls13-early", 30, 0), ("quic", 30, 0), ("quic-0rtt", 0, 0), ("none", 0, 0),
  ])
  func `a cold start pays its handshake's round trips, part by part`(
    _ handshake: String, connect: Int64, secure: Int64
  ) throws {
    let views = try colds([
      "network.handshake=\(handshake)", "network.http=\(handshake.hasPrefix("quic") ? 3 : 2)",
    ])
    #expect(views.count > 20)
    for view in views {
      #expect(view.part(.nameLookup) == .milliseconds(25))
      // Serialisation and computation come on top: network.md section 6 has 3 to 5 ms.
      #expect(isNear(view.part(.connect), connect) && isNear(view.part(.tls), secure))
    }
  }

  @Test func `resumed sessions open their first connections as later ones`() throws {
    let full = ["network.handshake=tcp+tls12", "network.resumedHandshake=tcp+tls13-early"]
    #expect(
      try colds(full + ["network.resumption=1"]).allSatisfy { $0.part(.tls) < .milliseconds(10) })
    #expect(try colds(full).allSatisfy { $0.part(.tls) >= .milliseconds(60) })
    let half = try colds(full + ["network.resumption=0.5"])
    let resumed = half.count { $0.part(.tls) < .milliseconds(10) }
    // Binomial: within five standard deviations.
    let spread = 5 * (Double(half.count) * 0.25).squareRoot()
    #expect(abs(Double(resumed) - Double(half.count) / 2) < spread)
  }

  @Test func `HTTP/1.1 opens more connections, and with one of them requests queue`() throws {
    let shared = try run(scenario(["network.access=[{kind: lte}]"])).measures
    let set = ["network.access=[{kind: lte}]", "network.http=1.1"]
    let six = try run(scenario(set)).measures
    let one = try run(scenario(set + ["network.connectionsPerHost=1"])).measures
    #expect(six.counts.connectionsOpened > shared.counts.connectionsOpened)
    func queued(_ measures: FeedMeasures) -> Int64 {
      measures.views.reduce(0) { $0 + $1.part(.ownQueue).nanoseconds }
    }
    #expect(queued(one) > queued(six))
    #expect(queued(one) > queued(shared))
  }

  // S02: offline, tunnel
  @Test func `offline viewers see what was prefetched and nothing else`() throws {
    let online = try run(scenario()).measures
    let offline = try run(
      scenario(["network.access=[{kind: wifi-good, events: [{kind: offline, at: 20 s}]}]"])
    ).measures
    var after = 0
    for session in FeedRunResult.grouped(offline.views) {
      let start = session[0].settledAt
      let late = session.filter { $0.settledAt > start + .seconds(25) }
      after += late.count
      // Three items ahead and the one on the screen may have been there.
      #expect(Set(late.filter(\.hasStarted).map(\.item)).count <= 8)
    }
    #expect(after > 100)
    #expect(offline.counts.deliveredBytes < online.counts.deliveredBytes)
    #expect(offline.views.count { !$0.hasStarted } > online.views.count { !$0.hasStarted })
  }

  @Test func `a start inside a tunnel waits for its end and a retransmission`() throws {
    let set =
      constantWorld + [
        "network.access[0].events=[{kind: tunnel, at: 0 s, length: 2 s}]",
        "audience.patience=1 h",
      ]
    for view in try run(scenario(set)).measures.views where view.flags.contains(.cold) {
      // The first SYN is repeated after 1 s and again after 2 s more.
      #expect(view.ttff > .seconds(3) && view.hasStarted)
    }
  }

  @Test func `a hand-over costs TCP its connections and QUIC a round trip`() throws {
    let event = "events: [{kind: hand-over, at: 15 s, outage: 1 s}]"
    let change = "network.access=[{kind: lte, \(event)}]"
    let gone = try run(scenario([change])).measures
    let kept = try run(scenario([change, "network.http=3"])).measures
    let none = try run(scenario(["network.access=[{kind: lte}]"])).measures
    #expect(gone.counts.handOvers > 10 && gone.counts.handOvers == kept.counts.handOvers)
    #expect(gone.counts.repeatedRequests > 0 && kept.counts.repeatedRequests == 0)
    #expect(
      gone.counts.connectionsOpened > none.counts.connectionsOpened + gone.counts.handOvers / 2)
    #expect(
      kept.counts.connectionsOpened < none.counts.connectionsOpened + gone.counts.handOvers / 10)
  }

  @Test func `prefetches cost the item on the screen less when they weigh less`() throws {
    func share(_ set: [String]) throws -> Double {
      let contention = try run(scenario(["network.access=[{kind: wifi-poor}]"] + set)).measures
        .contention[0]
      #expect(contention.foreground > 0)
      return Double(contention.lost) / Double(contention.foreground)
    }
    let equal = try share([])
    let light = try share(["network.prefetchWeight=0.1"])
    #expect(equal > 0.01 && light < equal / 2)
    let set = ["policy.prefetch.headLength=0 s", "policy.player.posters=false"]
    #expect(try share(set) == 0)
  }

  @Test func `turns move what a connection carries at one time, and nothing else`() throws {
    let busy = ["network.access=[{kind: wifi-poor}]", "policy.prefetch.concurrency=4"]
    let weights = try run(scenario(busy))
    let turns = try run(scenario(busy + ["network.sharing=turns"]))
    #expect(turns.fingerprint != weights.fingerprint)
    #expect(turns.measures.contention[0].lost != weights.measures.contention[0].lost)
    func delivered(_ result: FeedRunResult) -> Double {
      Double(result.measures.counts.deliveredBytes)
    }
    #expect(abs(delivered(turns) / delivered(weights) - 1) < 0.05)
  }

  @Test func `a link that stands still lets nothing through`() throws {
    let steps =
      "network.access=[{kind: steps, roundTrip: 30 ms, end: silence, length: 10 s, "
      + "steps: [{at: 0 s, rate: 20 Mbps}]}]"
    let views = try run(scenario([steps, "policy.prefetch.headLength=0 s"])).measures.views
    for session in FeedRunResult.grouped(views) {
      let start = session[0].settledAt
      var seen: Set<UInt32> = []
      for view in session where seen.insert(view.item).inserted {
        let isLate = view.settledAt > start + .seconds(12)
        #expect(!isLate || !view.hasStarted, "\(view.session) \(view.item)")
      }
    }
  }

  @Test func `peers' networks start sooner than ours where connections and loss matter`() throws {
    let set = ["network.access=[{kind: 3g}]", "cdn.start={kind: everything}"]
    func cold(_ model: String) throws -> Int64 {
      let views = try run(scenario(set + ["network.model=\(model)"])).measures.views
      return percentile(
        views.filter { $0.flags.contains(.cold) && $0.hasStarted }.map { $0.ttff.nanoseconds }, 0.5)
    }
    let ours = try cold("firstframe")
    #expect(try cold("sabre") < ours)
    #expect(try cold("pensieve") < ours)
  }

  @Test func `a cell that never fills changes nothing, and a small one is shared`() throws {
    let set = constantWorld + ["audience.personas=[{kind: typical}]"]
    let free = try run(scenario(set)).measures.views
    let wide = try run(scenario(set + ["network.access[0].cell={rate: 100 Gbps}"])).measures.views
    #expect(free.count == wide.count)
    for (a, b) in zip(free, wide) {
      // Rates in a cell are whole bits per second, and its ends are rounded up.
      #expect(a.item == b.item && abs((a.ttff - b.ttff).nanoseconds) < 100_000)
    }
    let tight = try run(scenario(set + ["network.access[0].cell={rate: 6 Mbps}"])).measures
    let roomy = try run(scenario(set + ["network.access[0].cell={rate: 6 Mbps, count: 50}"]))
      .measures
    func stalled(_ measures: FeedMeasures) -> Int64 {
      measures.views.reduce(0) { $0 + $1.stalled.nanoseconds + $1.ttff.nanoseconds }
    }
    #expect(stalled(tight) > stalled(roomy))
    #expect(stalled(roomy) >= free.reduce(0) { $0 + $1.stalled.nanoseconds + $1.ttff.nanoseconds })
  }

  @Test func `a queue that never fills is as the viewer's own link, and a short one is shared`()
    throws
  {
    func measures(_ cell: String, _ more: [String] = []) throws -> FeedMeasures {
      let access = "{kind: constant, rate: 6 Mbps, roundTrip: 60 ms\(cell)}"
      return try run(scenario(["network.access=[\(access)]"] + more)).measures
    }
    func waited(_ measures: FeedMeasures) -> Double {
      measures.views.reduce(0) { $0 + $1.stalled.seconds + $1.ttff.seconds }
    }
    func cold(_ measures: FeedMeasures) -> Double {
      let views = measures.views.filter { $0.flags.contains(.cold) && $0.hasStarted }
      return Double(percentile(views.map { $0.ttff.nanoseconds }, 0.5))
    }
    // The packets of a connection in a queue have one sender, as in turns.
    let free = try measures("", ["network.sharing=turns"])
    let wide = try measures(", cell: {rate: 10 Gbps, queue: 500 ms}")
    let tight = try measures(", cell: {rate: 8 Mbps, queue: 500 ms}")
    let roomy = try measures(", cell: {rate: 8 Mbps, queue: 500 ms, count: 50}")
    #expect(abs(cold(wide) / cold(free) - 1) < 0.01, "\(cold(wide)) \(cold(free))")
    #expect(abs(wide.views.count - free.views.count) < free.views.count / 50)
    #expect(waited(tight) > 1.2 * waited(roomy), "\(waited(tight)) \(waited(roomy))")
    #expect(waited(roomy) >= 0.9 * waited(wide))
  }

  // network.md section 7.8: with HTTP/2 all streams wait for a lost packet, with HTTP/3 its own.
  @Test func `a lost packet holds up the other responses of HTTP/2`() throws {
    func waited(_ http: String) throws -> Int64 {
      let set = [
        "network.http=\(http)", "network.handshake=none", "network.resumedHandshake=none",
        "network.access=[{kind: constant, rate: 6 Mbps, roundTrip: 150 ms, loss: 2 %}]",
        "policy.prefetch.concurrency=4",
      ]
      return try run(scenario(set)).measures.views.filter(\.hasStarted).reduce(0) {
        $0 + $1.ttff.nanoseconds + $1.stalled.nanoseconds
      }
    }
    #expect(try waited("2") > waited("3"))
  }

  @Test func `a transfer priced in a tunnel leaves no trace on its connection`() throws {
    let event = "{kind: tunnel, at: 10 s, length: 1 s}, {kind: tunnel, at: 30 s, length: 1 s}"
    let access =
      "network.access=[{kind: constant, rate: 2.5 Mbps, roundTrip: 50 ms, events: [\(event)]}]"
    for congestion in ["cubic", "bbr"] {
      let views = try run(
        scenario([access, "network.congestion=\(congestion)", "policy.prefetch.headLength=0 s"])
      ).measures.views
      #expect(views.allSatisfy { $0.stalled < .seconds(20) })
    }
  }

  @Test func `a QUIC hand-over on a lossy link goes on`() throws {
    let access =
      "network.access=[{kind: 3g, events: [{kind: hand-over, at: 10 s}, "
      + "{kind: hand-over, at: 20 s}]}]"
    let measures = try run(scenario([access, "network.http=3"], window: "3 min")).measures
    #expect(measures.counts.handOvers > 30 && measures.views.count > 1_000)
  }
}
