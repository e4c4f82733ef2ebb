import MediaUnits
import Scenario
import SimulationKernel
import Testing

@testable import ModelBasics
@testable import NetworkModels

/// The link foresees joins and rates, so that a transfer which nothing disturbs is one event.
@Suite struct AccessLinkTests {
  private struct Draws {
    var state: UInt64

    mutating func below(_ limit: Int64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64((state >> 33) % UInt64(limit))
    }
  }

  private static let weather = [
    ["network.access=[{kind: wifi-good}]"], ["network.access=[{kind: 3g}]"],
    [
      "network.access=[{kind: steps, roundTrip: 40 ms, end: loop, length: 4 s, steps: "
        + "[{at: 0 s, rate: 4 Mbps}, {at: 1 s, rate: 0}, {at: 1500 ms, rate: 1 Mbps}]}]"
    ],
  ]

  @Test(arguments: weather)
  func `what is foreseen happens, not earlier, and whoever looks on the way`(
    _ set: [String]
  ) throws {
    let configuration = try scenario(set).configuration
    var profile = configuration.networks[0]
    let sources = DrawSources(
      streams: RandomStreams(seed: 5, replication: 0), normal: configuration.normal)
    var crossed = 0
    try withUnsafeMutablePointer(to: &profile) { profile in
      for session in 0..<UInt32(300) {
        var draws = Draws(state: UInt64(session) + 1)
        let now = Instant(nanoseconds: draws.below(3_000_000_000))
        var flows: [Flow] = []
        for request in 0..<Int(1 + draws.below(5)) {
          let bytes = Double(1_000 + draws.below(2_000_000))
          flows.append(
            Flow(
              request: request, joinAt: now.nanoseconds + draws.below(2_500_000_000),
              remaining: bytes, markAt: draws.below(2) == 0 ? -1 : bytes * 0.4,
              weight: draws.below(3) == 0 ? 0.3 : 1, role: .other, connection: request))
        }
        func busy() -> AccessLink {
          var link = AccessLink(
            rate: LinkRate(session: session, profile: profile, sources: sources), isInCell: false,
            at: .zero)
          link.advance(to: now, session: session, profile: profile, sources: sources)
          for flow in flows { link.add(flow) }
          return link
        }
        let link = busy()
        let change = link.nextChange(
          after: now, session: session, profile: profile, sources: sources)
        let foreseen = try #require(change)
        // The link looks no further than 64 changes ahead.
        if foreseen - now > .seconds(50) { continue }
        var early = busy()
        var whole = busy()
        var looked = busy()
        func advance(_ link: inout AccessLink, to time: Instant) {
          link.advance(to: time, session: session, profile: profile, sources: sources)
        }
        // A transfer counts as ended when less than a thousandth of a byte is left.
        let before = foreseen + .microseconds(-1)
        if before > now {
          advance(&early, to: before)
          #expect(early.takeFinished(at: before) == nil, "session \(session)")
        }
        advance(&whole, to: foreseen)
        #expect(whole.takeFinished(at: foreseen) != nil, "session \(session)")
        var time = now
        for _ in 0..<3 where foreseen > time {
          time = time + TimeSpan(nanoseconds: draws.below((foreseen - time).nanoseconds + 1))
          advance(&looked, to: time)
        }
        let later = looked.nextChange(
          after: time, session: session, profile: profile, sources: sources)
        let again = try #require(later)
        #expect(abs((again - foreseen).nanoseconds) <= 3, "session \(session)")
        if (foreseen - now) > .seconds(1) { crossed += 1 }
      }
    }
    // Many of them saw the rate change on the way.
    #expect(crossed > 20)
  }

  @Test func `rounds after a mark bring their bytes evenly, and the end stays`() {
    var flow = Flow(
      request: 0, joinAt: -1, remaining: 1000, markAt: 1000, stallAfterMark: 100, weight: 1,
      role: .current, connection: 0)
    #expect(flow.spread(1200, rate: 10, at: 0) == 1200)
    flow.passMark(at: 0)
    #expect(flow.joinAt == 100 && flow.markAt == -1000)
    // Ten bytes a nanosecond after a hundred of them: all is there at 200.
    for (time, left) in [(0, 1000.0), (50, 1000), (100, 1000), (150, 500), (200, 0)]
      as [(Int64, Double)]
    {
      let even = 1000 * Double(200 - time) / 200
      #expect(abs(flow.spread(left, rate: 10, at: time) - even) < 1e-9, "\(time)")
    }
    // Nothing comes over a link that is down.
    #expect(flow.spread(700, rate: 0, at: 120) == 700)
    var plain = Flow(
      request: 0, joinAt: -1, remaining: 1000, markAt: 1000, weight: 1, role: .current,
      connection: 0)
    plain.passMark(at: 0)
    #expect(plain.spread(300, rate: 10, at: 70) == 300)
  }
}
