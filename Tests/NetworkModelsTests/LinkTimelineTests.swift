import Testing

@testable import NetworkModels

@Suite struct LinkTimelineTests {
  static let second: Int64 = 1_000_000_000

  static func at(_ seconds: Int64, _ kind: LinkEvent.Kind) -> LinkEvent {
    LinkEvent(at: seconds * second, kind)
  }

  static let base = RateTrace(
    starts: [0, 4 * second, 7 * second], rates: [2e6, 0, 6e6], end: .loop(period: 10 * second))

  static let script = LinkTimeline([
    at(21, .handOver(outage: 2 * second, keepsConnections: false)),
    at(3, .tunnel(length: 5 * second)), at(6, .tunnel(length: 4 * second)),
    at(12, .step(rate: 9e6)),
    at(15, .step(rate: 1e6)), at(18, .trace), at(30, .offline),
  ])

  /// What the rate is by the events' definitions, one by one.
  static func expected(_ time: Int64) -> Double {
    switch time / second {
    case 3..<10, 21..<23, 30...: 0
    case 12..<15: 9e6
    case 15..<18: 1e6
    default: base.step(at: time).rate
    }
  }

  @Test func `a timeline lies over a looping trace as its events say`() {
    let laid = Self.base.overlaid(by: Self.script, horizon: 60 * Self.second)
    for time in stride(from: Int64(0), to: 60 * Self.second, by: 250_000_000) {
      #expect(laid.step(at: time).rate == Self.expected(time))
    }
    #expect(laid.end == .silence(at: 30 * Self.second))
  }

  @Test func `no two neighbouring steps of an overlaid trace are equal`() {
    let laid = Self.base.overlaid(by: Self.script, horizon: 60 * Self.second)
    for index in 1..<laid.rates.count { #expect(laid.rates[index] != laid.rates[index - 1]) }
  }

  @Test func `an empty timeline changes nothing`() {
    #expect(Self.base.overlaid(by: LinkTimeline([]), horizon: Self.second) == Self.base)
    #expect(LinkTimeline([]).conditions == nil)
  }

  @Test func `a looping trace is written out to the horizon and holds after it`() {
    let timeline = LinkTimeline([Self.at(1, .tunnel(length: Self.second))])
    let laid = Self.base.overlaid(by: timeline, horizon: 28 * Self.second)
    for time in stride(from: 2 * Self.second, to: 28 * Self.second, by: 500_000_000) {
      #expect(laid.step(at: time).rate == Self.base.step(at: time).rate)
    }
    #expect(laid.end == .hold && laid.step(at: 95 * Self.second).rate == 6e6)
    let late = LinkTimeline([Self.at(50, .tunnel(length: Self.second))])
    let beyond = Self.base.overlaid(by: late, horizon: 5 * Self.second)
    #expect(beyond.step(at: 50 * Self.second).rate == 0)
    #expect(beyond.step(at: 51 * Self.second).rate == Self.base.step(at: 51 * Self.second).rate)
  }

  @Test func `the ends of other traces stay`() {
    let timeline = LinkTimeline([Self.at(1, .tunnel(length: Self.second))])
    let held = RateTrace(constant: 5e6).overlaid(by: timeline, horizon: 1)
    #expect(
      held
        == RateTrace(starts: [0, Self.second, 2 * Self.second], rates: [5e6, 0, 5e6], end: .hold))
    let ending = RateTrace(starts: [0], rates: [5e6], end: .silence(at: 4 * Self.second))
    #expect(
      ending.overlaid(by: timeline, horizon: 1)
        == RateTrace(
          starts: [0, Self.second, 2 * Self.second], rates: [5e6, 0, 5e6],
          end: .silence(at: 4 * Self.second)))
    let loop = RateTrace(starts: [0], rates: [3e6], end: .loop(period: 7))
    #expect(loop.overlaid(by: timeline, horizon: Self.second).rates == [3e6, 0, 3e6])
  }

  @Test func `conditions are zero exactly where the link is down`() throws {
    let conditions = try #require(Self.script.conditions)
    for time in stride(from: Int64(0), to: 40 * Self.second, by: 250_000_000) {
      let isDown = [3..<10, 21..<23, 30..<41].contains { $0.contains(time / Self.second) }
      #expect(conditions.step(at: time).rate == (isDown ? 0 : 1))
      #expect(Self.script.isUp(at: time) == !isDown)
      #expect(Self.script.upTime(from: time) >= time)
      #expect((Self.script.upTime(from: time) == time) == !isDown)
    }
    #expect(Self.script.upTime(from: 3 * Self.second) == 10 * Self.second)
    #expect(Self.script.upTime(from: 31 * Self.second) == .max)
    #expect(LinkTimeline([Self.at(0, .offline)]).conditions?.step(at: 5).rate == 0)
  }

  @Test func `a hand-over takes TCP connections and moves QUIC ones by a round trip`() {
    let roundTrip: Int64 = 60_000_000
    func fate(_ opened: Int64, _ time: Int64, _ migrates: Bool) -> ConnectionFate {
      Self.script.fate(
        openedAt: opened * Self.second, at: time * Self.second, migrates: migrates,
        roundTrip: roundTrip)
    }
    #expect(fate(5, 20, false) == .intact && fate(5, 20, true) == .intact)
    #expect(fate(5, 21, false) == .lost(at: 21 * Self.second))
    #expect(fate(5, 25, true) == .migrated(readyAt: 23 * Self.second + roundTrip))
    #expect(fate(21, 25, false) == .intact)
    #expect(fate(22, 40, false) == .intact)
    #expect(!Self.script.survives(openedAt: 0, at: 21 * Self.second, migrates: false))
    #expect(Self.script.survives(openedAt: 0, at: 50 * Self.second, migrates: true))
  }

  @Test func `a hand-over that keeps the address keeps connections`() {
    let timeline = LinkTimeline([
      Self.at(4, .handOver(outage: Self.second, keepsConnections: true))
    ])
    #expect(timeline.survives(openedAt: 0, at: 9 * Self.second, migrates: false))
    #expect(!timeline.isUp(at: 4 * Self.second) && timeline.isUp(at: 5 * Self.second))
  }

  @Test func `a migration waits for the tunnel it happens in and for ever when offline`() {
    let tunnel = LinkTimeline([
      Self.at(1, .handOver(outage: Self.second, keepsConnections: false)),
      Self.at(1, .tunnel(length: 9 * Self.second)),
    ])
    #expect(
      tunnel.fate(openedAt: 0, at: 2 * Self.second, migrates: true, roundTrip: 5)
        == .migrated(readyAt: 10 * Self.second + 5))
    let offline = LinkTimeline([
      Self.at(1, .handOver(outage: 0, keepsConnections: false)), Self.at(1, .offline),
    ])
    #expect(
      offline.fate(openedAt: 0, at: 2 * Self.second, migrates: true, roundTrip: 5)
        == .migrated(readyAt: .max))
  }

  @Test func `events are ordered by time and keep their order at the same time`() {
    let timeline = LinkTimeline([
      Self.at(5, .step(rate: 1)), Self.at(2, .trace), Self.at(5, .step(rate: 2)),
    ])
    #expect(timeline.events.map(\.at) == [2 * Self.second, 5 * Self.second, 5 * Self.second])
    #expect(
      RateTrace(constant: 9).overlaid(by: timeline, horizon: 1)
        == RateTrace(starts: [0, 5 * Self.second], rates: [9, 2], end: .hold))
    #expect(
      Self.script.handOvers == [
        HandOver(from: 21 * Self.second, until: 23 * Self.second, keepsConnections: false)
      ])
  }

  @Test func `random scripts over random traces are what their events say`() {
    var state: UInt64 = 7
    func draw(_ bound: Int64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 33) % bound
    }
    for round in 0..<400 {
      var starts: [Int64] = [0]
      for _ in 0..<draw(5) { starts.append(starts[starts.count - 1] + 1 + draw(9)) }
      let last = starts[starts.count - 1]
      let ends: [RateTrace.End] = [.hold, .loop(period: last + 3), .silence(at: last + 2)]
      let base = RateTrace(
        starts: starts, rates: starts.map { _ in Double(draw(3)) }, end: ends[round % 3])
      var events: [LinkEvent] = []
      for _ in 0...draw(6) {
        let kinds: [LinkEvent.Kind] = [
          .handOver(outage: draw(4), keepsConnections: draw(2) == 0), .tunnel(length: draw(12)),
          .step(rate: Double(draw(4))), .trace, draw(4) == 0 ? .offline : .trace,
        ]
        events.append(LinkEvent(at: draw(60), kinds[Int(draw(5))]))
      }
      let timeline = LinkTimeline(events)
      let laid = base.overlaid(by: timeline, horizon: 80)
      for time in Int64(0)..<80 {
        let isSilent = timeline.events.contains { event in
          switch event.kind {
          case .handOver(let length, _), .tunnel(let length):
            event.at <= time && time < event.at + length
          case .offline: event.at <= time
          case .step, .trace: false
          }
        }
        var rate = base.step(at: time).rate
        for event in timeline.events.reversed() where event.at <= time {
          if case .trace = event.kind { break }
          guard case .step(let level) = event.kind else { continue }
          rate = level
          break
        }
        #expect(laid.step(at: time).rate == (isSilent ? 0 : rate))
        #expect(timeline.isUp(at: time) == !isSilent)
      }
    }
  }
}

extension LinkTimeline {
  /// Whether a connection opened at `opened` still exists at `time`.
  fileprivate func survives(openedAt opened: Int64, at time: Int64, migrates: Bool) -> Bool {
    if case .lost = fate(openedAt: opened, at: time, migrates: migrates, roundTrip: 0) {
      return false
    }
    return true
  }
}
