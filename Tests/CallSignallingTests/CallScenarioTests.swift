import MediaUnits
import PolicyTesting
import Testing

@testable import CallSignalling

struct `Calls on the server` {
  @Test func `ICC-016, ICC-017: of two callers one rings and the other is told at once`() {
    var server = CallServer.busy()
    let first = server.say(0, Envelope(.callRequest, to: user(2)), fresh: 1)
    let second = server.say(1, Envelope(.callRequest, to: user(2)), fresh: 2)
    #expect(sent(first, to: 2).map(\.type) == [.callRequest])
    #expect(sent(first, to: 1).map(\.type) == [.presence])
    #expect(sent(second, to: 1).map(\.type) == [.busy])
    #expect(sent(second, to: 2).isEmpty)
    #expect(server.callCount == 1)
  }

  /// The negative control of ICC-016: looking and acting in two steps lets two callers win.
  @Test func `ICC-048: a lock that looks first and acts later admits two`() {
    var server = CallServer.busy(.init(lock: .checkThenAct))
    server.say(0, Envelope(.callRequest, to: user(2)), fresh: 1)
    server.say(1, Envelope(.callRequest, to: user(2)), fresh: 2)
    server.tell(.storeAnswered(1))
    server.tell(.storeAnswered(2))
    #expect(server.doubleRings == 1)
    #expect(server.callCount == 2)
  }

  @Test func `ICC-007, ICC-008: presence lasts 20 s from the last heartbeat and no longer`() {
    var server = CallServer.busy()
    server.say(2, Envelope(.heartbeat), at: seconds(15))
    let early = server.tell(
      .timerFired(.presence(user(2), generation: 3)), at: seconds(20))
    #expect(early == [.setTimer(.presence(user(2), generation: 3), at: seconds(35))])
    #expect(server.isPresent(user(2)))
    let due = server.tell(.timerFired(.presence(user(2), generation: 3)), at: seconds(35))
    #expect(due.first == .close(connection(2)))
    #expect(server.standing(of: user(2)) == nil)
    #expect(sent(due, to: 0).map(\.payload) == [.presence(user(2), isAvailable: false)])
  }

  @Test func `ICC-005: a token takes up a registration that a dead connection still holds`() {
    for rule in ReturnRule.allCases {
      var server = CallServer.busy(.init(returning: rule))
      server.tell(.opened(connection(7)))
      let again = Envelope(
        .register, from: user(2), payload: .registration(.interpreter, token: 102))
      let commands = server.say(7, again)
      if rule == .token {
        #expect(commands.first == .close(connection(2)))
        #expect(sent(commands, to: 7).map(\.type) == [.registered])
        // The close of the old connection comes late and must not take the name away.
        server.tell(.closed(connection(2)))
        #expect(server.isPresent(user(2)))
      } else {
        #expect(sent(commands, to: 7).map(\.payload) == [.fault(.nameTaken)])
      }
    }
  }

  @Test func `ICC-025: only the literal rule rings an interpreter who is gone`() {
    let rules: [DepartureRule] = [.available, .unavailable, .removed, .grace(.seconds(10))]
    for rule in rules {
      var server = CallServer.busy(.init(departure: rule))
      server.tell(.closed(connection(2)))
      let commands = server.say(0, Envelope(.callRequest, to: user(2)))
      let isGhost = rule == .available
      #expect(server.ghostRings == (isGhost ? 1 : 0))
      #expect(sent(commands, to: 0).map(\.type).contains(.busy) == !isGhost)
    }
  }

  @Test func `ICC-020: an accept after the ring time finds the call over`() {
    var server = CallServer.busy()
    server.say(0, Envelope(.callRequest, to: user(2)))
    let ended = server.tell(.timerFired(.ring(call(1))), at: seconds(10))
    #expect(sent(ended, to: 0).contains { $0.payload == .reason(.noAnswer) })
    #expect(sent(ended, to: 2).map(\.payload) == [.reason(.noAnswer)])
    #expect(server.standing(of: user(2)) == .available)
    let late = server.say(2, Envelope(.callAccept, call: call(1)), at: seconds(10.1))
    #expect(sent(late, to: 2).map(\.payload) == [.fault(.expiredCall)])
    #expect(server.callCount == 0)
  }

  @Test func `ICC-023: after so many missed rings an interpreter is not available`() {
    var server = CallServer.busy(.init(missLimit: 2))
    for number in 1...2 as ClosedRange<UInt64> {
      server.say(0, Envelope(.callRequest, to: user(2)), fresh: number)
      server.tell(.timerFired(.ring(call(number))))
    }
    #expect(server.standing(of: user(2)) == .unavailable)
  }

  /// Covers: ICC-031.
  @Test(arguments: IceClock.allCases)
  func `of the time-outs of a call one ends it and the others find it over`(_ clock: IceClock) {
    var server = CallServer.busy(.init(timeouts: .init(iceClock: clock)))
    server.say(0, Envelope(.callRequest, to: user(2)))
    let accepted = server.say(2, Envelope(.callAccept, call: call(1)))
    server.say(0, Envelope(.offer, call: call(1), payload: description), at: seconds(6))
    let answered = server.say(
      2, Envelope(.answer, call: call(1), payload: description), at: seconds(9))
    var timers: [(Instant, CallServer.Timer)] = []
    for case .setTimer(let timer, let at) in accepted + answered { timers.append((at, timer)) }
    timers.sort { $0.0 < $1.0 }
    var reasons: [Payload] = []
    for (at, timer) in timers {
      reasons += sent(server.tell(.timerFired(timer), at: at), to: 0)
        .filter { $0.type == .hangup }.map(\.payload)
    }
    #expect(reasons == [.reason(clock == .accept ? .iceTimeout : .connectingTimeout)])
  }

  @Test func `ICC-052: a call that is over can be reported, by its parties only`() {
    var server = CallServer.busy()
    server.say(0, Envelope(.callRequest, to: user(2)))
    server.say(0, Envelope(.hangup, call: call(1)))
    let report = server.say(2, Envelope(.reportAbuse, call: call(1)))
    #expect(report == [.log(.abuse(call(1), session: 3, offender: user(0)))])
    let foreign = server.say(1, Envelope(.reportAbuse, call: call(1)))
    #expect(sent(foreign, to: 1).map(\.payload) == [.fault(.notParty)])
  }

  @Test func `ICC-050, ICC-051: statistics every five minutes, about nobody`() {
    var server = CallServer.busy()
    let commands = server.tell(.timerFired(.statistics), at: seconds(300))
    #expect(commands.first == .log(.statistics(users: 4, available: 2, calls: 0)))
    #expect(commands.last == .setTimer(.statistics, at: seconds(600)))
  }

  @Test func `ICC-012, ICC-013: an interpreter is listed from its going online to its ring`() {
    var server = CallServer(.init())
    for number in [0, 2] as [UInt32] {
      server.tell(.opened(connection(number)))
      server.say(
        number,
        Envelope(
          .register, from: user(number),
          payload: .registration(number == 0 ? .caller : .interpreter, token: 0)))
    }
    let hidden = server.say(0, Envelope(.callRequest, to: user(2)))
    #expect(sent(hidden, to: 0).map(\.type) == [.busy])
    let online = server.say(2, Envelope(.goOnline))
    #expect(sent(online, to: 0).map(\.payload) == [.presence(user(2), isAvailable: true)])
    let rung = server.say(0, Envelope(.callRequest, to: user(2)))
    #expect(sent(rung, to: 0).first?.payload == .presence(user(2), isAvailable: false))
  }

  @Test func `ICC-051: nothing that is logged holds what a description or a statistic holds`() {
    let secret = Payload.opaque(bytes: 7_654_321, digest: 1_234_567_890_123)
    var server = CallServer.busy()
    var lines: [String] = []
    func keep(_ commands: [CallServer.Command]) {
      for case .log(let line) in commands { lines.append("\(line)") }
    }
    keep(server.say(0, Envelope(.callRequest, to: user(2))))
    keep(server.say(2, Envelope(.callAccept, call: call(1))))
    for type in [MessageType.offer, .ice, .statsUpdate, .reportAbuse, .answer] {
      for sender in [0, 2, 1] as [UInt32] {
        keep(server.say(sender, Envelope(type, call: call(1), payload: secret)))
      }
    }
    keep(server.say(0, Envelope(.hangup, call: call(1))))
    keep(server.tell(.timerFired(.statistics), at: seconds(300)))
    #expect(lines.count > 8)
    for line in lines {
      #expect(!line.contains("7654321") && !line.contains("1234567890123"))
      #expect(!line.contains("opaque"))
    }
  }
}

struct `A client that comes back` {
  /// Covers: ICC-027.
  @Test func `whoever lost its call on the way says once that it wants no more`() {
    var client = CallClient(.init(signallingGrace: .seconds(10)))
    let registered = Envelope(
      .registered, from: user(2), payload: .registration(.interpreter, token: 9))
    client.tell(all: [
      .register(user(2), .interpreter), .opened, .message(registered), .goOnline,
      .message(Envelope(.callRequest, call: call(1), from: user(0))), .accept, .goOffline, .closed,
      .opened,
    ])
    // The server has forgotten the call.
    let commands = client.tell(.message(registered))
    let said = commands.compactMap { command -> MessageType? in
      if case .send(let envelope) = command { envelope.type } else { nil }
    }
    #expect(said.filter { $0 == .goOffline }.count == 1, "\(said)")
    #expect(client.screen == .registered)
    // Without a call the wish is said once as well.
    client.tell(all: [.closed, .opened])
    let again = client.tell(.message(registered)).count {
      if case .send(let envelope) = $0 { envelope.type == .goOffline } else { false }
    }
    #expect(again == 1)
  }
}
