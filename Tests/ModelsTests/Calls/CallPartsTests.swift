import CallSignalling
import MediaUnits
import Testing

@testable import CallsModel

private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

@Suite struct CallLinesTests {
  @Test func `the server believes in a connection from its opening until it gives it up`() {
    var lines = CallLines()
    #expect([7, 8, 7].map { lines.dial($0) } == [0, 1, 2])
    #expect(lines.owner(of: 2) == 7 && !lines.isOpen(0))
    for line in 0..<3 as Range<UInt32> { lines.open(line) }
    #expect(lines.isOpen(1) && lines.close(1))
    #expect(!lines.isOpen(1) && !lines.close(1))
    #expect(lines.closeAll() == [0, 2] && lines.closeAll().isEmpty)
    #expect(lines.dial(9) == 3)
  }
}

@Suite struct CallServerProcessTests {
  @Test func `what was set before a stop finds nobody, neither during it nor after it`() {
    var server = CallServerProcess(CallServer.Configuration())
    let epoch = server.epoch
    #expect(server.isUp(in: epoch))
    server.stop()
    #expect(!server.isUp && !server.isUp(in: epoch) && !server.isUp(in: server.epoch))
    server.restart(CallServer.Configuration())
    #expect(server.isUp(in: server.epoch) && !server.isUp(in: epoch))
  }

  @Test func `a timer is kept under a number until it fires`() {
    var server = CallServerProcess(CallServer.Configuration())
    let call = CallID(high: 1, low: 2)
    let (ring, statistics) = (server.keep(.ring(call)), server.keep(.statistics))
    #expect(server.takeTimer(ring) == .ring(call))
    #expect(server.keep(.ice(call)) == ring)
    #expect(server.takeTimer(statistics) == .statistics)
  }
}

@Suite struct CallStandingsTests {
  private let call = CallID(high: 1, low: 2)

  /// Covers: ICC-011.
  @Test func `an interpreter becomes available, rings, talks and is available again`() {
    var standings = CallStandings(clients: 2)
    let way: [CallServer.Standing?] = [
      .unavailable, .available, .ringing(call), .inCall(call), .available, nil,
    ]
    for standing in way {
      #expect(standings.note(1, standing) == true, "\(String(describing: standing))")
      #expect(standings.note(1, standing) == nil)
    }
  }

  @Test(
    arguments: [
      [.available], [.unavailable, .ringing(CallID(high: 1, low: 2))],
      [.unavailable, .available, .inCall(CallID(high: 1, low: 2))],
      [
        .unavailable, .available, .ringing(CallID(high: 1, low: 2)),
        .inCall(CallID(high: 3, low: 4)),
      ],
    ] as [[CallServer.Standing]])
  func `the last step of these is not legal`(way: [CallServer.Standing]) {
    var standings = CallStandings(clients: 1)
    for standing in way.dropLast() { #expect(standings.note(0, standing) == true) }
    #expect(way.last.map { standings.note(0, $0) } == false)
  }

  @Test func `a server that begins anew may have anybody unavailable`() {
    var standings = CallStandings(clients: 1)
    for standing in [.unavailable, .available, .ringing(call)] as [CallServer.Standing] {
      _ = standings.note(0, standing)
    }
    standings.forget()
    #expect(standings.note(0, nil) == nil && standings.note(0, .unavailable) == true)
  }
}

@Suite struct CallTruthsTests {
  private func call(_ number: UInt64) -> CallTruth {
    CallTruth(id: CallID(high: number, low: 0), rungAt: at(1), isUnheard: false)
  }

  @Test func `a ring ends once, and a call comes as far as it was accepted and connected`() {
    var call = call(1)
    #expect(call.stage == .ringing)
    #expect(call.endRing(at: at(4)) == .seconds(3) && call.endRing(at: at(5)) == nil)
    call.accept(at: at(4))
    #expect(call.stage == .connecting && call.acceptedAt == at(4) && call.accepts == 1)
    call.connect()
    #expect(call.stage == .connected)
    call.end()
    #expect(call.ends == 1)
  }

  @Test func `of those who leave a call the first one counts`() {
    var call = call(1)
    call.leave(at: at(2))
    call.leave(at: at(3))
    #expect(call.goneAt == at(2))
  }

  @Test func `calls are found until they are over or forgotten`() throws {
    var truths = CallTruths()
    for number in 1...3 as ClosedRange<UInt64> { truths.add(call(number)) }
    let second = try #require(truths.place(of: CallID(high: 2, low: 0)))
    truths.remove(second)
    #expect(truths.place(of: CallID(high: 2, low: 0)) == nil)
    let third = try #require(truths.place(of: CallID(high: 3, low: 0)))
    #expect(truths[third].id.high == 3)
    #expect(truths.removeAll().map { $0.id.high } == [1, 3])
    #expect(truths.place(of: CallID(high: 1, low: 0)) == nil)
  }
}

@Suite struct ClientTimersTests {
  @Test func `each purpose of each client has a timer of its own, found by its number`() {
    var timers = ClientTimers(clients: 2)
    timers.set(1, .ring, ClientTimerDue(number: 5, at: at(3)))
    timers.set(0, .ring, ClientTimerDue(number: 5, at: at(4)))
    timers.set(1, .answer, ClientTimerDue(number: 6, at: at(5)))
    #expect(timers.due(1, .ring, 5)?.at == at(3) && timers.due(0, .ring, 5)?.at == at(4))
    #expect(timers.due(1, .ring, 4) == nil && timers[1, .reconnect] == nil)
    timers.clear(1, .ring)
    #expect(timers[1, .ring] == nil && timers[1, .answer]?.number == 6)
    timers.clear(1)
    #expect(timers[1, .answer] == nil && timers[0, .ring] != nil)
  }
}

@Suite struct HealedCallsTests {
  @Test func `a call is made, and another one only if that did not connect`() {
    for connects in [false, true] {
      var healed = HealedCalls()
      healed.noteConnected()
      #expect(!healed.isHealed)
      healed.heal()
      #expect(healed.isHealed && healed.nextMove() == .goOnline && healed.connected == 1)
      #expect(healed.nextMove() == .call && healed.connected == 0)
      if connects { healed.noteConnected() }
      #expect(healed.nextMove() == (connects ? .nothing : .callAgain))
    }
  }
}
