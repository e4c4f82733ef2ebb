import MediaUnits
import PolicyTesting
import Testing

@testable import CallSignalling

private func anyPayload(_ random: inout SeededGenerator, _ type: MessageType) -> Payload {
  if random.once(in: 10) { return .reason(.mediaFailed) }
  switch type {
  case .offer, .answer, .ice, .statsUpdate: return description
  case .register:
    return .registration(
      Role.allCases[random.below(2)], token: random.once(in: 2) ? 0 : random.next() % 32)
  default: return .none
  }
}

struct `Call machines under any order of events` {
  private static let rules: [DepartureRule] = [
    .removed, .unavailable, .available, .grace(.seconds(8)),
  ]

  /// Covers: ICC-004, ICC-010, ICC-011, ICC-016, ICC-017, ICC-021, ICC-033.
  @Test(arguments: 0..<4)
  func `an interpreter has one state and at most one call and everyone else hears of none`(
    _ rule: Int
  ) {
    for seed in 0..<16 as Range<UInt64> {
      var random = SeededGenerator(seed &+ UInt64(rule) &* 100)
      var server = CallServer(
        .init(
          departure: Self.rules[rule], returning: ReturnRule.allCases[random.below(2)],
          missLimit: random.below(3), endedMemory: 8))
      var seen: [CallID] = []
      var now = Instant.zero
      var timers: [(CallServer.Timer, Instant)] = []
      for step in 0..<2_000 {
        now += .milliseconds(Int64(random.below(2_000)))
        let event = anyEvent(&random, step, seen, timers)
        let before = server
        let commands = server.tell(event, at: now)
        for command in commands {
          switch command {
          case .setTimer(let timer, let at):
            #expect(at >= now)
            timers.append((timer, at))
            if timers.count > 40 { timers.removeFirst() }
          case .send(let connection, let envelope):
            if let call = envelope.call, !seen.contains(call) { seen.append(call) }
            checkReach(envelope, connection, before, server)
          default: break
          }
        }
        if seen.count > 60 { seen.removeFirst(20) }
        check(server)
      }
      #expect(server.faults > 0)
    }
  }

  private func anyEvent(
    _ random: inout SeededGenerator, _ step: Int, _ seen: [CallID],
    _ timers: [(CallServer.Timer, Instant)]
  ) -> CallServer.Event {
    let who = UInt32(random.below(7))
    switch random.below(20) {
    case 0: return .opened(connection(who))
    case 1: return .closed(connection(who))
    case 2, 3: return timers.isEmpty ? .started : .timerFired(timers[random.below(timers.count)].0)
    case 4:
      return .message(
        connection(who),
        Envelope(
          .register, from: user(who),
          payload: .registration(who < 3 ? .caller : .interpreter, token: 0)),
        fresh(UInt64(step) % 32))
    case 5: return .message(connection(who), Envelope(.goOnline), fresh(0))
    case 6, 7:
      return .message(
        connection(UInt32(random.below(3))),
        Envelope(.callRequest, to: user(UInt32(3 + random.below(4)))),
        fresh(1_000 + UInt64(step)))
    default:
      let type = MessageType.allCases[random.below(MessageType.allCases.count)]
      return .message(
        connection(who),
        Envelope(
          type, call: seen.isEmpty || random.once(in: 9) ? nil : seen[random.below(seen.count)],
          from: random.once(in: 3) ? user(who) : nil, to: user(UInt32(random.below(8))),
          payload: anyPayload(&random, type)), fresh(1_000 + UInt64(step)))
    }
  }

  /// A message of a call reaches its parties only.
  private func checkReach(
    _ envelope: Envelope, _ connection: ConnectionID, _ before: CallServer, _ after: CallServer
  ) {
    guard let call = envelope.call, envelope.type != .fault else { return }
    let user =
      after.connections[Int(connection.index)] ?? before.connections[Int(connection.index)]
    let parties = before.parties(of: call) ?? after.parties(of: call)
    guard let parties, let user else {
      Issue.record("a message of call \(call) to somebody unknown")
      return
    }
    #expect(parties.caller == user || parties.interpreter == user)
  }

  private func check(_ server: CallServer) {
    var connected = 0
    for (index, user) in server.users.enumerated() {
      guard let user else { continue }
      if let connection = user.connection {
        connected += 1
        #expect(server.connections[Int(connection.index)] == UserID(UInt32(index)))
      }
      if user.role == .caller { #expect(user.standing != .available) }
      if let call = user.standing.call {
        let found = server.calls.filter { $0.id == call }
        #expect(found.count == 1)
        #expect(
          user.role == .caller
            ? found[0].caller.index == UInt32(index) : found[0].interpreter.index == UInt32(index))
        let isRinging = found[0].phase == .ringing
        #expect((user.standing == .ringing(call)) == isRinging)
      }
    }
    #expect(server.connections.count { $0 != nil } == connected)
    for call in server.calls {
      #expect(server.calls.count { $0.interpreter == call.interpreter } == 1)
      #expect(server.calls.count { $0.caller == call.caller } == 1)
      #expect(server.standing(of: call.interpreter)?.call == call.id)
      #expect(server.standing(of: call.caller)?.call == call.id)
    }
    #expect(server.doubleRings == 0)
    #expect(server.ghostRings == 0 || server.configuration.departure == .available)
    let callers = server.callers
    #expect(Set(callers).count == callers.count)
    #expect(callers.allSatisfy { server.users[Int($0.index)]?.role == .caller })
  }

  /// Covers: ICC-046, ICC-032.
  @Test func `a client has media only in a call and speaks of its own call only`() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed &+ 7_000)
      var client = CallClient(
        .init(signallingGrace: random.once(in: 2) ? .zero : .seconds(10), earlyCandidates: 3))
      let role = Role.allCases[random.below(2)]
      var hasMedia = false
      var number: [UInt32] = Array(repeating: 0, count: CallClient.Timer.allCases.count)
      for step in 0..<2_000 {
        let event = anyClientEvent(&random, role, client, number)
        let oldTalk = client.talk
        let oldScreen = client.screen
        for command in client.tell(event, at: seconds(Double(step))) {
          switch command {
          case .startMedia:
            #expect(!hasMedia)
            hasMedia = true
          case .stopMedia:
            #expect(hasMedia)
            hasMedia = false
          case .send(let envelope):
            if envelope.type.needsCall { #expect(envelope.call != nil) }
            let isOwn =
              envelope.call == nil || envelope.type == .hangup || envelope.type == .reportAbuse
              || envelope.type == .callDecline
              || envelope.call == oldTalk?.call || envelope.call == client.talk?.call
            #expect(isOwn)
            #expect(envelope.fault == nil)
          case .setTimer(let timer, let count, let at, _):
            number[Int(timer.rawValue)] = count
            #expect(at > seconds(Double(step)))
          case .show(let screen): #expect(screen != oldScreen && screen == client.screen)
          default: break
          }
        }
        #expect(hasMedia == (client.screen == .connecting || client.screen == .inCall))
        #expect(client.state != .registered || client.link == .confirmed)
        if !hasMedia { #expect(client.early.isEmpty) }
      }
    }
  }

  private func anyClientEvent(
    _ random: inout SeededGenerator, _ role: Role, _ client: CallClient, _ number: [UInt32]
  ) -> CallClient.Event {
    let own = client.talk?.call ?? call(UInt64(random.below(4)))
    switch random.below(26) {
    case 0: return .register(user(0), role)
    case 1: return random.once(in: 8) ? .unregister : .opened
    case 2: return random.once(in: 3) ? .closed : .opened
    case 3: return .goOnline
    case 4: return .goOffline
    case 5: return .call(user(3))
    case 6, 7: return .accept
    case 8: return random.once(in: 2) ? .decline : .hangUp
    case 9: return .report
    case 10: return .dismiss
    case 11: return .described(description)
    case 12: return .candidate(description)
    case 13: return .mediaConnected
    case 14: return .remoteVisible
    case 15: return random.once(in: 4) ? .mediaFailed : .candidate(description)
    case 16: return random.once(in: 4) ? .suspended : .resumed
    case 17:
      let timer = CallClient.Timer.allCases[random.below(number.count)]
      return .timerFired(timer, number: number[Int(timer.rawValue)])
    case 18, 19:
      return .message(
        Envelope(
          .registered, call: random.once(in: 3) ? own : nil,
          payload: .registration(role, token: random.next() % 3 + 1)))
    default:
      let type = MessageType.allCases[random.below(MessageType.allCases.count)]
      var payload = Payload.none
      if type == .fault {
        payload = .fault(EnvelopeFault.allCases[random.below(EnvelopeFault.allCases.count)])
      }
      if type == .presence { payload = .presence(user(3), isAvailable: true) }
      if type == .offer || type == .answer || type == .ice { payload = description }
      return .message(
        Envelope(
          type, call: random.once(in: 5) ? call(UInt64(random.below(4))) : own, from: user(3),
          payload: payload))
    }
  }

  /// Covers: ICC-044.
  @Test func `the monitor warns and clears in turn and is severed once a call`() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed &+ 9_000)
      var monitor = QualityMonitor()
      var isWarned = false
      var isOver = false
      for step in 0..<2_000 {
        let event: QualityMonitor.Event
        switch random.below(12) {
        case 0: event = random.once(in: 4) ? .interrupted : .resumed
        case 1: event = random.once(in: 10) ? .reset : .resumed
        case 2: event = .timerFired(monitor.timer)
        default:
          event = .sample(
            .init(
              loss: Double(random.below(20)) / (step % 100 < 50 ? 100 : 1_000),
              roundTrip: .milliseconds(Int64(random.below(300))),
              frameRate: 30))
        }
        for command in monitor.tell(event, at: seconds(Double(step))) {
          switch command {
          case .warn:
            #expect(!isWarned)
            isWarned = true
          case .clear:
            #expect(isWarned || isOver)
            isWarned = false
          case .severed:
            #expect(!isOver)
            isOver = true
            isWarned = false
          case .setTimer(_, let at): #expect(at > seconds(Double(step)))
          }
        }
        if event == .reset {
          isOver = false
          isWarned = false
        }
        #expect(monitor.isPoor == isWarned)
      }
      #expect(monitor.warnings > 0)
    }
  }
}
