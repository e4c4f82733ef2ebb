import CallSignalling
import MediaUnits
import MessagingModel
import ModelBasics
import SimulationKernel

/// Connections and the server.
extension CallsWorld {
  /// A system gives a connection without acknowledgements up after this. 30 s (assumed: between a
  /// phone's minute and a WebSocket library's ping).
  static let giveUp = TimeSpan.seconds(30)

  private mutating func delay(_ client: UInt32) -> TimeSpan {
    clients[Int(client)].draws &+= 1
    return configuration.network.span(
      streams.uniform(.callDelay, entity: UInt64(client), draw: clients[Int(client)].draws))
  }

  // MARK: Connections

  mutating func dial(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let line = lines.dial(client)
    clients[Int(client)].line = line
    clients[Int(client)].isOpenHere = false
    clients[Int(client)].isDead = false
    clients[Int(client)].lastUp = .zero
    clients[Int(client)].lastDown = .zero
    if isMeasuring { meter.usages[Int(client)].dialedAt = context.now }
    let fate = injector.fate(
      client: client, channel: .socket, direction: .up, at: context.now)
    let wait = delay(client) * (2 * configuration.connectRoundTrips) + fate.delay
    if fate.isLost || fate.isDamaged {
      context.schedule(
        .refusedLine(client: client, line: line), at: context.now + .seconds(5),
        for: CallsWorld.firstClient + client)
      return
    }
    context.schedule(
      .opened(client: client, line: line), at: context.now + wait,
      for: CallsWorld.firstClient + client)
  }

  mutating func openLine(
    _ client: UInt32, _ line: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard clients[Int(client)].line == line, clients[Int(client)].isRunning else { return }
    if !server.isUp {
      closeHere(client, line, &context)
      return
    }
    lines.open(line)
    clients[Int(client)].isOpenHere = true
    if isMeasuring { countOpened(client, at: context.now) }
    tellServer(.opened(ConnectionID(line)), &context)
    tell(client, .opened, &context)
  }

  /// The client learns that its connection is gone.
  mutating func closeHere(
    _ client: UInt32, _ line: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard clients[Int(client)].line == line, clients[Int(client)].isRunning else { return }
    if clients[Int(client)].isDead { probes.reach(.resetFound) }
    clients[Int(client)].isOpenHere = false
    if isMeasuring { meter.usages[Int(client)].list.removeAll(keepingCapacity: true) }
    tell(client, .closed, &context)
  }

  /// The client's end closes the connection.
  mutating func hangLine(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let state = clients[Int(client)]
    guard state.isOpenHere else {
      // An attempt under way is given up.
      clients[Int(client)].line = .max
      return
    }
    clients[Int(client)].isOpenHere = false
    clients[Int(client)].line = .max
    if state.isDead { return }
    let at = arrival(client, up: true, &context)
    context.schedule(.closedAtServer(client: client, line: state.line), at: at, for: 0)
  }

  mutating func closeAtServer(_ line: UInt32, _ context: inout Context<CallsEvent>) {
    guard server.isUp, lines.close(line) else { return }
    tellServer(.closed(ConnectionID(line)), &context)
  }

  /// When something that is sent now arrives: what is lost is repeated, and the order is kept. What
  /// is damaged ends the connection.
  private mutating func arrival(
    _ client: UInt32, up: Bool, _ context: inout Context<CallsEvent>
  ) -> Instant {
    let fate = injector.fate(
      client: client, channel: .socket, direction: up ? .up : .down, at: context.now)
    var at = context.now + delay(client) + fate.delay
    if !up, let slow = injector.amount(.slow, at: Fault.server, now: context.now) {
      at += TimeSpan(nanoseconds: slow)
    }
    if fate.isLost { at = fate.lostUntil + delay(client) }
    if fate.isDamaged { reset(client, at: at, &context) }
    if up {
      if at <= clients[Int(client)].lastUp { at = clients[Int(client)].lastUp + .nanoseconds(1) }
      clients[Int(client)].lastUp = at
    } else {
      if at <= clients[Int(client)].lastDown {
        at = clients[Int(client)].lastDown + .nanoseconds(1)
      }
      clients[Int(client)].lastDown = at
    }
    return at
  }

  /// Both ends learn that the connection is of no use any more.
  private mutating func reset(
    _ client: UInt32, at: Instant, _ context: inout Context<CallsEvent>
  ) {
    let line = clients[Int(client)].line
    if line == .max { return }
    context.schedule(
      .lineClosed(client: client, line: line), at: at, for: CallsWorld.firstClient + client,
      phase: .arrival)
    context.schedule(.closedAtServer(client: client, line: line), at: at, for: 0, phase: .arrival)
  }

  private mutating func record(
    _ from: UInt32, _ to: UInt32, _ envelope: Envelope, sent: Instant, received: Instant?
  ) {
    if !isRecording || envelope.type == .heartbeat { return }
    sequence.append(
      SequenceEntry(
        from: from, to: to, label: envelope.type.rawValue,
        number: UInt32(truncatingIfNeeded: envelope.call?.high ?? 0), sent: sent,
        received: received))
  }

  // MARK: Messages

  mutating func sendUp(
    _ client: UInt32, _ envelope: Envelope, _ context: inout Context<CallsEvent>
  ) {
    let state = clients[Int(client)]
    guard state.isOpenHere else { return }
    if isMeasuring { countSent(client, envelope, at: context.now) }
    if state.isDead {
      record(client, schedule.actors, envelope, sent: context.now, received: nil)
      context.schedule(
        .lineClosed(client: client, line: state.line), at: context.now + CallsWorld.giveUp,
        for: CallsWorld.firstClient + client)
      return
    }
    let at = arrival(client, up: true, &context)
    record(client, schedule.actors, envelope, sent: context.now, received: at)
    let slot = flights.add(
      CallsFlight(client: client, line: state.line, envelope: envelope, sent: context.now))
    context.schedule(.toServer(flight: slot), at: at, for: 0, phase: .arrival)
  }

  mutating func reachServer(_ slot: UInt32, _ context: inout Context<CallsEvent>) {
    let flight = flights[slot]
    flights.giveBack(slot)
    if !server.isUp || !lines.isOpen(flight.line) {
      // Nobody listens there any more: the client is told.
      let at = context.now + delay(flight.client)
      context.schedule(
        .lineClosed(client: flight.client, line: flight.line), at: at,
        for: CallsWorld.firstClient + flight.client)
      return
    }
    if isMeasuring && flight.envelope.type == .callAccept
      && flight.envelope.call.flatMap({ server.machine.parties(of: $0) }) == nil
    {
      meter.measures.lateAccepts += 1
    }
    names += 1
    let (u, v) = (
      streams.bits(.callName, entity: UInt64(names), draw: 0),
      streams.bits(.callName, entity: UInt64(names), draw: 1)
    )
    // The upper half counts, for diagrams; the lower half is the secret.
    tellServer(
      .message(
        ConnectionID(flight.line), flight.envelope,
        CallServer.Fresh(high: UInt64(names), low: u ^ (v << 1))), &context)
  }

  private mutating func sendDown(
    _ line: UInt32, _ envelope: Envelope, _ context: inout Context<CallsEvent>
  ) {
    let client = lines.owner(of: line)
    if case .fault(let fault) = envelope.payload {
      if fault == .expiredCall { probes.reach(.acceptedTooLate) }
      if fault == .nameTaken { probes.reach(.nameTaken) }
    }
    if clients[Int(client)].line != line || clients[Int(client)].isDead {
      record(schedule.actors, client, envelope, sent: context.now, received: nil)
      return
    }
    let at = arrival(client, up: false, &context)
    record(schedule.actors, client, envelope, sent: context.now, received: at)
    let slot = flights.add(
      CallsFlight(client: client, line: line, envelope: envelope, sent: context.now))
    context.schedule(
      .toClient(flight: slot), at: at, for: CallsWorld.firstClient + client, phase: .arrival)
  }

  mutating func reachClient(_ slot: UInt32, _ context: inout Context<CallsEvent>) {
    let flight = flights[slot]
    flights.giveBack(slot)
    let state = clients[Int(flight.client)]
    guard state.line == flight.line, state.isOpenHere, state.isRunning, !state.isDead else {
      return
    }
    if isMeasuring { countHeard(flight, at: context.now) }
    if flight.envelope.type == .callAccept && state.machine.talk?.call != flight.envelope.call {
      probes.reach(.hangUpCrossedAccept)
    }
    tell(flight.client, .message(flight.envelope), &context)
  }

  // MARK: The server

  mutating func stopServer(for length: TimeSpan, _ context: inout Context<CallsEvent>) {
    if !server.isUp { return }
    if server.machine.callCount > 0 { probes.reach(.serverLostCalls) }
    server.stop()
    for line in lines.closeAll() { tellClosed(line, &context) }
    context.schedule(.restartServer(epoch: server.epoch), at: context.now + length, for: 0)
  }

  mutating func restartServer(_ context: inout Context<CallsEvent>) {
    if server.isUp { return }
    let lost = truths.removeAll()
    if isMeasuring { countRestart(losing: lost, at: context.now) }
    server.restart(configuration.server)
    standings.forget()
    tellServer(.started, &context)
  }

  mutating func tellServer(
    _ event: CallServer.Event, _ context: inout Context<CallsEvent>
  ) {
    var commands: [CallServer.Command] = []
    let expiries = server.machine.expiries
    server.handle(event, at: context.now, into: &commands)
    let isExpiry = isMeasuring && server.machine.expiries > expiries
    for index in 0..<commands.count {
      switch commands[index] {
      case .send(let connection, let envelope): sendDown(connection.index, envelope, &context)
      case .close(let connection):
        if isExpiry { countExpiry(connection.index) }
        closeFromServer(connection.index, &context)
      case .setTimer(let timer, let at):
        context.schedule(
          .serverTimer(slot: server.keep(timer), epoch: server.epoch), at: at, for: 0)
      case .askStore(let number):
        let wait = configuration.store.span(
          streams.uniform(.callName, entity: UInt64(number), draw: 2))
        context.schedule(
          .storeAnswer(number: number, epoch: server.epoch), at: context.now + wait, for: 0)
      case .log(let line): note(line, at: context.now)
      }
    }
    if isMeasuring { countGone(at: context.now) } else { checkServer(at: context.now) }
  }

  private mutating func closeFromServer(
    _ line: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard lines.close(line) else { return }
    tellServer(.closed(ConnectionID(line)), &context)
    tellClosed(line, &context)
  }

  /// The client learns, if it still has the connection, that the server has closed it.
  private mutating func tellClosed(_ line: UInt32, _ context: inout Context<CallsEvent>) {
    let client = lines.owner(of: line)
    if clients[Int(client)].line != line || clients[Int(client)].isDead { return }
    let at = arrival(client, up: false, &context)
    context.schedule(
      .lineClosed(client: client, line: line), at: at, for: CallsWorld.firstClient + client)
  }

  // MARK: Checks

  /// The server's own log tells when calls are rung, accepted and over.
  private mutating func note(_ line: CallLog, at now: Instant) {
    guard case .event(let kind, .some(let call), _, _) = line else {
      if case .abuse = line { probes.reach(.reported) }
      if case .statistics = line { meter.measures.statisticsLines += 1 }
      return
    }
    if kind == .requested {
      let isUnheard = isMeasuring && !isHeard(call)
      truths.add(CallTruth(id: call, rungAt: now, isUnheard: isUnheard))
      if isMeasuring { countRing(isUnheard: isUnheard) }
      return
    }
    guard let place = truths.place(of: call) else { return }
    if isMeasuring { count(kind, place, at: now) } else { check(kind, place, at: now) }
  }

  private mutating func check(_ kind: CallLog.Kind, _ place: Int, at now: Instant) {
    switch kind {
    case .accepted: truths[place].accept(at: now)
    case .ended: truths[place].end()
    case .connected:
      healed.noteConnected()
      probes.reach(.connected)
    default: return
    }
    if let length = truths[place].endRing(at: now) {
      probes.check(.ringIsBounded, length <= configuration.server.timeouts.ring, at: now)
    }
    probes.check(.oneOutcome, truths[place].accepts <= 1 && truths[place].ends <= 1, at: now)
  }

  private mutating func checkServer(at now: Instant) {
    probes.check(.oneCallEach, server.machine.doubleRings == 0, at: now)
    probes.check(.noGhostRing, server.machine.ghostRings == 0, at: now)
    if server.machine.expiries > 0 { probes.reach(.presenceExpired) }
    if server.machine.returns > 0 { probes.reach(.tokenTakenUp) }
    for client in configuration.callers..<schedule.actors {
      let user = UserID(client)
      if server.machine.isCallable(user) {
        probes.check(.listedIsPresent, server.machine.isPresent(user), at: now)
      }
      if let isLegal = standings.note(client, server.machine.standing(of: user)) {
        probes.check(.legalStanding, isLegal, at: now)
      }
    }
  }
}
