import MediaUnits

/// The connection to the server, the name, and the life of the app.
extension CallClient {
  mutating func open(at now: Instant, into commands: inout [Command]) {
    if link != .none { return }
    if !wantsConnection || isSuspended {
      commands.append(.close)
      return
    }
    link = .open
    commands.append(
      .send(Envelope(.register, from: user, payload: .registration(role, token: token))))
    setTimer(.answer, after: configuration.answerTimeout, at: now, into: &commands)
  }

  /// The connection is gone, for all that the system can tell.
  mutating func close(at now: Instant, into commands: inout [Command]) {
    let wasConfirmed = link == .confirmed
    link = .none
    voidTimer(.heartbeat)
    voidTimer(.answer)
    if !wantsConnection || isSuspended { return }
    if talk != nil && configuration.signallingGrace > .zero && !isRinging {
      if wasConfirmed {
        setTimer(.signalling, after: configuration.signallingGrace, at: now, into: &commands)
      }
    } else if talk != nil {
      endTalk(.disconnected, tells: false, at: now, into: &commands)
    } else {
      state = .registering
    }
    reconnect(at: now, into: &commands)
  }

  private var isRinging: Bool {
    switch state {
    case .calling, .incoming: return true
    default: return false
    }
  }

  /// Nothing comes through: gives the connection up.
  mutating func lose(at now: Instant, into commands: inout [Command]) {
    commands.append(.close)
    close(at: now, into: &commands)
  }

  private mutating func reconnect(at now: Instant, into commands: inout [Command]) {
    if attempts < 1_000 { attempts += 1 }
    let backoff = Backoff(
      firstWait: configuration.firstWait, longestWait: configuration.longestWait)
    setTimer(
      .reconnect, after: backoff.wait(failures: attempts),
      jitter: backoff.jitter(failures: attempts), at: now, into: &commands)
  }

  /// The server has given the name.
  mutating func confirm(
    _ envelope: Envelope, at now: Instant, into commands: inout [Command]
  ) {
    guard case .registration(let role, let token) = envelope.payload, role == self.role,
      link == .open
    else {
      staleMessages += 1
      return
    }
    let isTakenUp = token == self.token
    self.token = token
    attempts = 0
    link = .confirmed
    voidTimer(.answer)
    voidTimer(.signalling)
    beat(at: now, into: &commands)
    if state == .registering { state = .registered }
    let hadTalk = talk != nil
    settleCalls(envelope.call, at: now, into: &commands)
    // A new registration begins unavailable, and one that is taken up as it was left: whether the
    // user wants calls must be said once more. After a call that was lost on the way, the wish for
    // none is said already.
    let hasSaidOffline = hadTalk && talk == nil
    if role == .interpreter && state == .registered
      && (wantsOnline || isTakenUp && !hasSaidOffline)
    {
      commands.append(.send(Envelope(wantsOnline ? .goOnline : .goOffline, from: user)))
    }
  }

  /// Server and client must mean the same call after a registration.
  private mutating func settleCalls(
    _ call: CallID?, at now: Instant, into commands: inout [Command]
  ) {
    if let call, talk?.call != call {
      // The server thinks of a call that is over here.
      commands.append(.send(Envelope(.hangup, call: call, from: user)))
    }
    if let talk, talk.call != call {
      endTalk(.lostByServer, tells: false, at: now, into: &commands)
    }
  }

  /// The app goes to the background, where it may not run (ICC-001).
  mutating func suspend(at now: Instant, into commands: inout [Command]) {
    if isSuspended { return }
    isSuspended = true
    if talk != nil { endTalk(.hungUp, tells: true, at: now, into: &commands) }
    if link != .none { commands.append(.close) }
    link = .none
    voidTimer(.heartbeat)
    voidTimer(.answer)
    voidTimer(.reconnect)
    if wantsConnection { state = .registering }
  }
}
