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

  /// A link whose responses take turns, with memory of its own.
  private final class TurningLink {
    var link: AccessLink
    private let turns: UnsafeMutablePointer<LinkTurns>
    private let session: UInt32
    private let profile: UnsafeMutablePointer<NetworkProfile>

    init(
      session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
      sources: borrowing DrawSources
    ) {
      self.session = session
      self.profile = profile
      turns = .allocate(capacity: 1)
      turns.initialize(to: LinkTurns())
      link = AccessLink(
        rate: LinkRate(session: session, profile: profile, sources: sources), isInCell: false,
        turns: turns, at: .zero)
    }

    deinit {
      turns.deinitialize(count: 1)
      turns.deallocate()
    }

    /// A response with a pause of its connection's sender after a third of it.
    func add(_ flow: Flow, pause: Int64) {
      let stream = link.stream(of: flow.connection)!
      stream.pointee.send(flow.remaining / 3)
      stream.pointee.pause(pause)
      stream.pointee.send(flow.remaining * 2 / 3)
      link.add(flow)
    }

    func advance(to time: Instant, _ sources: borrowing DrawSources) {
      link.advance(to: time, session: session, profile: profile, sources: sources)
    }

    func nextChange(after time: Instant, _ sources: borrowing DrawSources) -> Instant? {
      link.nextChange(after: time, session: session, profile: profile, sources: sources)
    }

    /// What is left of all transfers.
    var bytes: Double { link.backlog }
  }

  @Test(arguments: weather)
  func `what is foreseen of turns happens, not earlier, and whoever looks on the way`(
    _ set: [String]
  ) throws {
    let configuration = try scenario(set).configuration
    var profile = configuration.networks[0]
    let sources = DrawSources(
      streams: RandomStreams(seed: 5, replication: 0), normal: configuration.normal)
    var seen = 0
    try withUnsafeMutablePointer(to: &profile) { profile in
      for session in 0..<UInt32(200) {
        var draws = Draws(state: UInt64(session) + 1)
        let now = Instant(nanoseconds: draws.below(3_000_000_000))
        var flows: [(flow: Flow, pause: Int64)] = []
        for request in 0..<Int(1 + draws.below(6)) {
          let bytes = Double(1_000 + draws.below(600_000))
          let flow = Flow(
            request: request, joinAt: now.nanoseconds + draws.below(500_000_000),
            remaining: bytes, markAt: draws.below(2) == 0 ? -1 : bytes * 0.4,
            stallAfterMark: draws.below(3) == 0 ? 20_000_000 : 0,
            weight: draws.below(3) == 0 ? 0.3 : 1, role: .other,
            connection: draws.below(4) == 0 ? Connection.perHost : 0)
          flows.append((flow, draws.below(2) == 0 ? 0 : draws.below(100_000_000)))
        }
        func busy() -> TurningLink {
          let busy = TurningLink(session: session, profile: profile, sources: sources)
          busy.advance(to: now, sources)
          for (flow, pause) in flows { busy.add(flow, pause: pause) }
          return busy
        }
        let (whole, looked) = (busy(), busy())
        let before = whole.bytes
        var time = now
        // The ends of all of them, one after the other.
        while let foreseen = whole.nextChange(after: time, sources) {
          let early = foreseen + .microseconds(-1)
          if early > time {
            looked.advance(to: early, sources)
            #expect(looked.link.takeFinished(at: early) == nil, "session \(session)")
          }
          let next = looked.nextChange(after: early > time ? early : time, sources)
          let again = try #require(next)
          #expect((again - foreseen).nanoseconds.magnitude <= 300, "session \(session)")
          time = foreseen
          whole.advance(to: time, sources)
          looked.advance(to: time + .nanoseconds(300), sources)
          while let (request, isEnd, _) = whole.link.takeFinished(at: time) {
            seen += 1
            let other = looked.link.takeFinished(at: time + .nanoseconds(300))
            #expect(other?.request == request && other?.isEnd == isEnd, "session \(session)")
          }
          time = time + .nanoseconds(300)
          whole.advance(to: time, sources)
          if whole.link.count == 0 { break }
        }
        #expect(whole.bytes == 0 && before > 0, "session \(session)")
      }
    }
    #expect(seen > 700)
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
