import MediaUnits

/// Calls: who may say what, and what becomes of them.
extension CallServer {
  /// Acts on a message; what is wrong with it, if something is.
  mutating func receive(
    _ envelope: Envelope, on connection: ConnectionID, _ fresh: Fresh, at now: Instant,
    into commands: inout [Command]
  ) -> EnvelopeFault? {
    if let fault = envelope.fault { return fault }
    if envelope.type == .register {
      return register(envelope, on: connection, fresh, at: now, into: &commands)
    }
    guard let id = connections[Int(connection.index)], let record = user(id) else {
      return .notRegistered
    }
    if let from = envelope.from, from != id { return .wrongSender }
    switch envelope.type {
    case .heartbeat:
      users[Int(id.index)]?.lastHeartbeat = now
      return nil
    case .goOnline, .goOffline:
      if record.role != .interpreter { return .wrongRole }
      return setOnline(id, record, envelope.type == .goOnline, into: &commands)
    case .callRequest:
      if record.role != .caller { return .wrongRole }
      return request(envelope, id, record, fresh, at: now, into: &commands)
    case .reportAbuse: return report(envelope, id, record, into: &commands)
    default: return signal(envelope, id, record, at: now, into: &commands)
    }
  }

  private mutating func setOnline(
    _ id: UserID, _ record: User, _ isOnline: Bool, into commands: inout [Command]
  ) -> EnvelopeFault? {
    if record.standing.call != nil { return .wrongPhase }
    users[Int(id.index)]?.misses = 0
    setStanding(isOnline ? .available : .unavailable, of: id, into: &commands)
    return nil
  }

  // MARK: Requests

  private mutating func request(
    _ envelope: Envelope, _ id: UserID, _ record: User, _ fresh: Fresh, at now: Instant,
    into commands: inout [Command]
  ) -> EnvelopeFault? {
    if record.standing.call != nil { return .wrongPhase }
    guard let to = envelope.to, to != id else { return .noSuchUser }
    let call = CallID(high: fresh.high, low: fresh.low)
    guard let other = user(to), other.role == .interpreter, isListed(other),
      place(of: call) == nil
    else {
      send(Envelope(.busy, from: to), to: id, into: &commands)
      return nil
    }
    if configuration.lock == .checkThenAct {
      lastAsking &+= 1
      asking.append(Asking(number: lastAsking, caller: id, interpreter: to, call: call))
      commands.append(.askStore(lastAsking))
      return nil
    }
    ring(call, id, to, at: now, into: &commands)
    return nil
  }

  mutating func act(_ number: UInt32, at now: Instant, into commands: inout [Command]) {
    for index in 0..<asking.count where asking[index].number == number {
      let found = asking.remove(at: index)
      guard let caller = user(found.caller), caller.standing.call == nil,
        user(found.interpreter) != nil
      else { return }
      ring(found.call, found.caller, found.interpreter, at: now, into: &commands)
      return
    }
    staleTimers += 1
  }

  /// In this order: the name, the state, the timer, the message (ICC-015).
  private mutating func ring(
    _ call: CallID, _ caller: UserID, _ interpreter: UserID, at now: Instant,
    into commands: inout [Command]
  ) {
    if user(interpreter)?.standing.call != nil { doubleRings += 1 }
    if user(interpreter)?.connection == nil { ghostRings += 1 }
    calls.append(Call(id: call, caller: caller, interpreter: interpreter))
    setStanding(.ringing(call), of: interpreter, into: &commands)
    setStanding(.ringing(call), of: caller, into: &commands)
    commands.append(
      .setTimer(.ring(call), at: now.advanced(saturatingBy: configuration.timeouts.ring)))
    log(.requested, call, caller, into: &commands)
    send(Envelope(.callRequest, call: call, from: caller), to: interpreter, into: &commands)
    send(Envelope(.ringing, call: call, from: interpreter), to: caller, into: &commands)
  }

  private mutating func log(
    _ kind: CallLog.Kind, _ call: CallID, _ id: UserID, into commands: inout [Command]
  ) {
    let record = user(id)
    commands.append(
      .log(.event(kind, call: call, session: record?.session ?? 0, role: record?.role)))
  }

  // MARK: Messages within a call

  /// Who may exchange what in a call (ICC-033).
  private mutating func signal(
    _ envelope: Envelope, _ id: UserID, _ record: User, at now: Instant,
    into commands: inout [Command]
  ) -> EnvelopeFault? {
    guard let call = envelope.call else { return .missingCall }
    guard let place = place(of: call) else {
      for old in ended where old.id == call { return .expiredCall }
      return .unknownCall
    }
    let isCaller = calls[place].caller == id
    if !isCaller && calls[place].interpreter != id { return .notParty }
    if let fault = roleFault(envelope.type, isCaller) { return fault }
    let phase = calls[place].phase
    switch envelope.type {
    case .hangup:
      var reason = EndReason.hungUp
      if case .reason(.mediaFailed) = envelope.payload { reason = .mediaFailed }
      if case .reason(.iceTimeout) = envelope.payload { reason = .iceTimeout }
      end(place, reason, by: id, at: now, into: &commands)
    case .callDecline:
      if phase != .ringing { return .wrongPhase }
      end(place, .declined, by: id, at: now, into: &commands)
    case .callAccept:
      if phase != .ringing { return .wrongPhase }
      accept(place, at: now, into: &commands)
    case .offer:
      if phase != .accepted { return .wrongPhase }
      calls[place].phase = .offered
      forward(envelope, place, isCaller, into: &commands)
    case .answer:
      if phase != .offered { return .wrongPhase }
      answer(place, at: now, into: &commands)
      forward(envelope, place, isCaller, into: &commands)
    case .ice:
      if phase == .ringing { return .wrongPhase }
      forward(envelope, place, isCaller, into: &commands)
    case .statsUpdate:
      // Of use to nobody else, and not to be kept (ICC-051): counted as a message, no more.
      if phase == .ringing { return .wrongPhase }
    case .videoVisible:
      if phase == .ringing { return .wrongPhase }
      see(place, isCaller, into: &commands)
      forward(envelope, place, isCaller, into: &commands)
    default: return .wrongType
    }
    return nil
  }

  private func roleFault(_ type: MessageType, _ isCaller: Bool) -> EnvelopeFault? {
    switch type {
    case .callAccept, .callDecline, .answer: return isCaller ? .wrongRole : nil
    case .offer: return isCaller ? nil : .wrongRole
    default: return nil
    }
  }

  private mutating func forward(
    _ envelope: Envelope, _ place: Int, _ isCaller: Bool, into commands: inout [Command]
  ) {
    let call = calls[place]
    var copy = envelope
    copy.from = isCaller ? call.caller : call.interpreter
    send(copy, to: isCaller ? call.interpreter : call.caller, into: &commands)
  }

  private mutating func accept(_ place: Int, at now: Instant, into commands: inout [Command]) {
    let call = calls[place]
    let timeouts = configuration.timeouts
    calls[place].phase = .accepted
    users[Int(call.interpreter.index)]?.misses = 0
    setStanding(.inCall(call.id), of: call.interpreter, into: &commands)
    setStanding(.inCall(call.id), of: call.caller, into: &commands)
    commands.append(
      .setTimer(.offerAnswer(call.id), at: now.advanced(saturatingBy: timeouts.offerAnswer)))
    commands.append(
      .setTimer(.connecting(call.id), at: now.advanced(saturatingBy: timeouts.connecting)))
    if timeouts.iceClock == .accept {
      commands.append(.setTimer(.ice(call.id), at: now.advanced(saturatingBy: timeouts.ice)))
    }
    log(.accepted, call.id, call.interpreter, into: &commands)
    send(
      Envelope(.callAccept, call: call.id, from: call.interpreter), to: call.caller,
      into: &commands)
  }

  private mutating func answer(_ place: Int, at now: Instant, into commands: inout [Command]) {
    calls[place].phase = .answered
    if configuration.timeouts.iceClock == .answer {
      commands.append(
        .setTimer(
          .ice(calls[place].id), at: now.advanced(saturatingBy: configuration.timeouts.ice)))
    }
  }

  /// One party sees the other (ICC-055).
  private mutating func see(_ place: Int, _ isCaller: Bool, into commands: inout [Command]) {
    if isCaller { calls[place].callerSees = true } else { calls[place].interpreterSees = true }
    if calls[place].callerSees && calls[place].interpreterSees
      && calls[place].phase == .answered
    {
      calls[place].phase = .connected
      log(.connected, calls[place].id, calls[place].caller, into: &commands)
    }
  }

  // MARK: Ends

  /// Ends a call, tells whoever did not end it, and frees both (ICC-022 to ICC-026).
  mutating func end(
    _ place: Int, _ reason: EndReason, by: UserID?, at now: Instant,
    into commands: inout [Command]
  ) {
    let call = calls.remove(at: place)
    lastEnding = reason
    if configuration.endedMemory > 0 {
      if ended.count == configuration.endedMemory { ended.removeFirst() }
      ended.append(Ended(id: call.id, caller: call.caller, interpreter: call.interpreter))
    }
    log(.ended, call.id, by ?? call.interpreter, into: &commands)
    let message = Envelope(.hangup, call: call.id, payload: .reason(reason))
    if by != call.caller { send(message, to: call.caller, into: &commands) }
    if by != call.interpreter { send(message, to: call.interpreter, into: &commands) }
    if user(call.caller)?.standing.call == call.id {
      setStanding(.unavailable, of: call.caller, into: &commands)
    }
    guard let interpreter = user(call.interpreter), interpreter.standing.call == call.id else {
      return
    }
    if reason == .noAnswer { users[Int(call.interpreter.index)]?.misses += 1 }
    let limit = configuration.missLimit
    let isTired = limit > 0 && (user(call.interpreter)?.misses ?? 0) >= limit
    setStanding(isTired ? .unavailable : .available, of: call.interpreter, into: &commands)
  }

  private mutating func report(
    _ envelope: Envelope, _ id: UserID, _ record: User, into commands: inout [Command]
  ) -> EnvelopeFault? {
    guard let call = envelope.call else { return .missingCall }
    var parties: (caller: UserID, interpreter: UserID)?
    if let place = place(of: call) {
      parties = (calls[place].caller, calls[place].interpreter)
    }
    for old in ended where old.id == call { parties = (old.caller, old.interpreter) }
    guard let parties else { return .unknownCall }
    if parties.caller != id && parties.interpreter != id { return .notParty }
    reports += 1
    let offender = parties.caller == id ? parties.interpreter : parties.caller
    commands.append(.log(.abuse(call, session: record.session, offender: offender)))
    return nil
  }
}
