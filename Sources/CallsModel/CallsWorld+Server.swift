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
    let line = UInt32(lineOwners.count)
    lineOwners.append(client)
    lineOpen.append(false)
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
    if !isServerUp {
      closeHere(client, line, &context)
      return
    }
    lineOpen[Int(line)] = true
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
    guard lineOpen[Int(line)], isServerUp else { return }
    lineOpen[Int(line)] = false
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

  private mutating func launch(_ flight: CallsFlight) -> UInt32 {
    if let slot = freeFlights.popLast() {
      flights[Int(slot)] = flight
      return slot
    }
    flights.append(flight)
    return UInt32(flights.count - 1)
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
    let slot = launch(
      CallsFlight(client: client, line: state.line, envelope: envelope, sent: context.now))
    context.schedule(.toServer(flight: slot), at: at, for: 0, phase: .arrival)
  }

  mutating func reachServer(_ slot: UInt32, _ context: inout Context<CallsEvent>) {
    let flight = flights[Int(slot)]
    freeFlights.append(slot)
    if !isServerUp || !lineOpen[Int(flight.line)] {
      // Nobody listens there any more: the client is told.
      let at = context.now + delay(flight.client)
      context.schedule(
        .lineClosed(client: flight.client, line: flight.line), at: at,
        for: CallsWorld.firstClient + flight.client)
      return
    }
    if isMeasuring && flight.envelope.type == .callAccept
      && flight.envelope.call.flatMap({ server.parties(of: $0) }) == nil
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
    let client = lineOwners[Int(line)]
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
    let slot = launch(
      CallsFlight(client: client, line: line, envelope: envelope, sent: context.now))
    context.schedule(
      .toClient(flight: slot), at: at, for: CallsWorld.firstClient + client, phase: .arrival)
  }

  mutating func reachClient(_ slot: UInt32, _ context: inout Context<CallsEvent>) {
    let flight = flights[Int(slot)]
    freeFlights.append(slot)
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
    if !isServerUp { return }
    if server.callCount > 0 { probes.reach(.serverLostCalls) }
    isServerUp = false
    serverEpoch += 1
    for line in 0..<lineOpen.count where lineOpen[line] {
      lineOpen[line] = false
      let client = lineOwners[line]
      if clients[Int(client)].line != UInt32(line) || clients[Int(client)].isDead { continue }
      let at = arrival(client, up: false, &context)
      context.schedule(
        .lineClosed(client: client, line: UInt32(line)), at: at,
        for: CallsWorld.firstClient + client)
    }
    context.schedule(.restartServer(epoch: serverEpoch), at: context.now + length, for: 0)
  }

  mutating func restartServer(_ context: inout Context<CallsEvent>) {
    if isServerUp { return }
    isServerUp = true
    serverEpoch += 1
    if isMeasuring { countRestart(at: context.now) }
    server = CallServer(configuration.server)
    for index in 0..<standings.count { standings[index] = nil }
    truths.removeAll()
    tellServer(.started, &context)
  }

  mutating func tellServer(
    _ event: CallServer.Event, _ context: inout Context<CallsEvent>
  ) {
    var commands: [CallServer.Command] = []
    let expiries = server.expiries
    server.handle(event, at: context.now, into: &commands)
    let isExpiry = isMeasuring && server.expiries > expiries
    for index in 0..<commands.count {
      switch commands[index] {
      case .send(let connection, let envelope): sendDown(connection.index, envelope, &context)
      case .close(let connection):
        if isExpiry { countExpiry(connection.index) }
        closeFromServer(connection.index, &context)
      case .setTimer(let timer, let at):
        let slot: UInt32
        if let free = freeTimers.popLast() {
          slot = free
          serverTimers[Int(slot)] = timer
        } else {
          slot = UInt32(serverTimers.count)
          serverTimers.append(timer)
        }
        context.schedule(.serverTimer(slot: slot, epoch: serverEpoch), at: at, for: 0)
      case .askStore(let number):
        let wait = configuration.store.span(
          streams.uniform(.callName, entity: UInt64(number), draw: 2))
        context.schedule(
          .storeAnswer(number: number, epoch: serverEpoch), at: context.now + wait, for: 0)
      case .log(let line): note(line, at: context.now)
      }
    }
    if isMeasuring { countGone(at: context.now) } else { checkServer(at: context.now) }
  }

  private mutating func closeFromServer(
    _ line: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard lineOpen[Int(line)] else { return }
    lineOpen[Int(line)] = false
    tellServer(.closed(ConnectionID(line)), &context)
    let client = lineOwners[Int(line)]
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
      let interpreter = server.parties(of: call)?.interpreter ?? UserID(0)
      truths.append(CallTruth(id: call, interpreter: interpreter, rungAt: now))
      if isMeasuring { countRing(at: now) }
      return
    }
    for index in 0..<truths.count where truths[index].id == call {
      if isMeasuring {
        count(kind, index, at: now)
        return
      }
      switch kind {
      case .accepted: truths[index].accepts += 1
      case .ended: truths[index].ends += 1
      case .connected:
        connectedCalls += 1
        probes.reach(.connected)
      default: return
      }
      if truths[index].isRinging {
        let length = now - truths[index].rungAt
        probes.check(
          .ringIsBounded, length <= configuration.server.timeouts.ring, at: now)
        truths[index].isRinging = false
      }
      probes.check(.oneOutcome, truths[index].accepts <= 1 && truths[index].ends <= 1, at: now)
      return
    }
  }

  private mutating func checkServer(at now: Instant) {
    probes.check(.oneCallEach, server.doubleRings == 0, at: now)
    probes.check(.noGhostRing, server.ghostRings == 0, at: now)
    if server.expiries > 0 { probes.reach(.presenceExpired) }
    if server.returns > 0 { probes.reach(.tokenTakenUp) }
    for client in configuration.callers..<schedule.actors {
      let user = UserID(client)
      let standing = server.standing(of: user)
      if server.isCallable(user) {
        probes.check(.listedIsPresent, server.isPresent(user), at: now)
      }
      if standing == standings[Int(client)] { continue }
      probes.check(.legalStanding, isLegal(standings[Int(client)], standing), at: now)
      standings[Int(client)] = standing
    }
  }

  /// The edges of ICC-011, and leaving, which may happen at any time.
  private func isLegal(
    _ old: CallServer.Standing?, _ new: CallServer.Standing?
  ) -> Bool {
    switch (old, new) {
    case (_, nil), (nil, .unavailable): return true
    case (.unavailable, .available), (.available, .unavailable), (.available, .ringing):
      return true
    case (.ringing, .available), (.ringing, .unavailable): return true
    case (.ringing(let a), .inCall(let b)): return a == b
    case (.inCall, .available), (.inCall, .unavailable): return true
    default: return false
    }
  }
}
