import MediaUnits

/// What the user, the server and the media engine do to a call.
extension CallClient {
  // MARK: The user

  mutating func obey(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch (event, state) {
    case (.register(let user, let role), .idle), (.register(let user, let role), .error):
      if self.user != user || self.role != role { token = 0 }
      self.user = user
      self.role = role
      state = .registering
      attempts = 0
      if isSuspended { return }
      commands.append(.open)
    case (.unregister, .idle), (.unregister, .error): break
    case (.unregister, _):
      if talk != nil { endTalk(.hungUp, tells: true, at: now, into: &commands) }
      state = .idle
      token = 0
      wantsOnline = false
      for timer in Timer.allCases { voidTimer(timer) }
      link = .none
      commands.append(.close)
    case (.goOnline, _) where role == .interpreter: setOnline(true, at: now, into: &commands)
    case (.goOffline, _) where role == .interpreter: setOnline(false, at: now, into: &commands)
    case (.call(let peer), .registered) where role == .caller:
      state = .requesting(peer, isCancelled: false)
      commands.append(.send(Envelope(.callRequest, from: user, to: peer)))
      setTimer(.answer, after: configuration.answerTimeout, at: now, into: &commands)
    case (.accept, .incoming(var talk)):
      talk.offers = false
      state = .connecting(talk)
      commands.append(.send(Envelope(.callAccept, call: talk.call, from: user)))
      connect(talk, at: now, into: &commands)
    case (.decline, .incoming(let talk)):
      commands.append(.send(Envelope(.callDecline, call: talk.call, from: user)))
      endTalk(.declined, tells: false, at: now, into: &commands)
    case (.hangUp, .requesting(let peer, _)): state = .requesting(peer, isCancelled: true)
    case (.hangUp, .calling), (.hangUp, .connecting), (.hangUp, .inCall):
      endTalk(.hungUp, tells: true, at: now, into: &commands)
    case (.report, _):
      guard let call = talk?.call ?? lastCall, link == .confirmed else { return }
      commands.append(.send(Envelope(.reportAbuse, call: call, from: user)))
    case (.dismiss, .error): state = .idle
    default: break
    }
  }

  private mutating func setOnline(
    _ isOnline: Bool, at now: Instant, into commands: inout [Command]
  ) {
    switch state {
    case .registered:
      wantsOnline = isOnline
      commands.append(.send(Envelope(isOnline ? .goOnline : .goOffline, from: user)))
    case .incoming(let talk) where !isOnline:
      // Going offline while it rings declines (ICC-047).
      wantsOnline = false
      commands.append(.send(Envelope(.callDecline, call: talk.call, from: user)))
      endTalk(.declined, tells: false, at: now, into: &commands)
    case .idle, .registering, .requesting, .calling, .incoming, .connecting, .inCall, .error:
      wantsOnline = isOnline
    }
  }

  // MARK: The server

  mutating func hear(_ envelope: Envelope, at now: Instant, into commands: inout [Command]) {
    if link == .none {
      staleMessages += 1
      return
    }
    switch envelope.type {
    case .registered: confirm(envelope, at: now, into: &commands)
    case .fault: hearFault(envelope, at: now, into: &commands)
    case .presence:
      guard case .presence(let peer, let isAvailable) = envelope.payload else {
        staleMessages += 1
        return
      }
      commands.append(.showPresence(peer, isAvailable: isAvailable))
    case .busy:
      guard case .requesting = state else {
        staleMessages += 1
        return
      }
      voidTimer(.answer)
      state = .registered
      commands.append(.showBusy)
    case .ringing: hearRinging(envelope, at: now, into: &commands)
    case .callRequest: hearRequest(envelope, at: now, into: &commands)
    case .callAccept, .offer, .answer, .ice, .hangup, .videoVisible:
      guard let talk, envelope.call == talk.call else {
        staleMessages += 1
        return
      }
      hearInCall(envelope, talk, at: now, into: &commands)
    case .callDecline, .reportAbuse, .statsUpdate, .register, .heartbeat, .goOnline, .goOffline:
      staleMessages += 1
    }
  }

  private mutating func hearFault(
    _ envelope: Envelope, at now: Instant, into commands: inout [Command]
  ) {
    guard case .fault(let fault) = envelope.payload else {
      staleMessages += 1
      return
    }
    switch (fault, state) {
    case (.nameTaken, _) where link == .open:
      // Perhaps by oneself, on a connection that the server still believes in.
      if token != 0 || attempts > 0 || talk != nil {
        lose(at: now, into: &commands)
        return
      }
      state = .error(fault)
      link = .none
      voidTimer(.answer)
      commands.append(.showFault(fault))
      commands.append(.close)
    case (.notRegistered, _):
      // The server has forgotten this client: begin again on a new connection.
      lose(at: now, into: &commands)
    case (_, .requesting):
      voidTimer(.answer)
      state = .registered
      commands.append(.showFault(fault))
    case (.unknownCall, _), (.expiredCall, _), (.notParty, _):
      guard let talk, envelope.call == talk.call else {
        staleMessages += 1
        return
      }
      endTalk(.lostByServer, tells: false, at: now, into: &commands)
    default: commands.append(.showFault(fault))
    }
  }

  private mutating func hearRinging(
    _ envelope: Envelope, at now: Instant, into commands: inout [Command]
  ) {
    guard case .requesting(let peer, let isCancelled) = state, let call = envelope.call else {
      staleMessages += 1
      // A call that nobody here wants any more.
      if let call = envelope.call, talk?.call != call {
        commands.append(.send(Envelope(.hangup, call: call, from: user)))
      }
      return
    }
    voidTimer(.answer)
    let talk = Talk(call: call, peer: peer, offers: true)
    state = .calling(talk)
    lastCall = call
    if isCancelled {
      endTalk(.hungUp, tells: true, at: now, into: &commands)
      return
    }
    let wait = configuration.timeouts.ring.adding(saturating: configuration.margin)
    setTimer(.ring, after: wait, at: now, into: &commands)
  }

  private mutating func hearRequest(
    _ envelope: Envelope, at now: Instant, into commands: inout [Command]
  ) {
    guard role == .interpreter, let call = envelope.call, call != talk?.call else {
      staleMessages += 1
      return
    }
    if state != .registered || !wantsOnline {
      // The server believes this client to be free: the caller need not wait.
      staleMessages += 1
      say(Envelope(.callDecline, call: call), &commands)
      // It was rung before it heard of the wish to be offline, and a decline makes available.
      if state == .registered { say(Envelope(.goOffline), &commands) }
      return
    }
    state = .incoming(Talk(call: call, peer: envelope.from, offers: false))
    lastCall = call
    let wait = configuration.timeouts.ring.adding(saturating: configuration.margin)
    setTimer(.ring, after: wait, at: now, into: &commands)
  }

  private mutating func hearInCall(
    _ envelope: Envelope, _ talk: Talk, at now: Instant, into commands: inout [Command]
  ) {
    switch (envelope.type, state) {
    case (.hangup, _):
      var reason = EndReason.hungUp
      if case .reason(let said) = envelope.payload { reason = said }
      endTalk(reason, tells: false, at: now, into: &commands)
    case (.callAccept, .calling):
      state = .connecting(talk)
      connect(talk, at: now, into: &commands)
    case (.offer, .connecting) where !talk.offers && !talk.hasRemoteDescription,
      (.answer, .connecting) where talk.offers && talk.isDescribed && !talk.hasRemoteDescription:
      var talk = talk
      talk.hasRemoteDescription = true
      state = .connecting(talk)
      commands.append(.takeDescription(envelope.payload))
      for candidate in early { commands.append(.takeCandidate(candidate)) }
      early.removeAll(keepingCapacity: true)
    case (.ice, .connecting), (.ice, .inCall):
      if talk.hasRemoteDescription {
        commands.append(.takeCandidate(envelope.payload))
      } else if early.count < configuration.earlyCandidates {
        early.append(envelope.payload)
        earlyCount += 1
      } else {
        staleMessages += 1
      }
    case (.videoVisible, .connecting), (.videoVisible, .inCall): break
    default: staleMessages += 1
    }
  }

  // MARK: The media engine

  mutating func follow(_ event: Event, at now: Instant, into commands: inout [Command]) {
    guard var talk else { return }
    switch (event, state) {
    case (.described(let payload), .connecting):
      if talk.isDescribed || !talk.offers && !talk.hasRemoteDescription { return }
      talk.isDescribed = true
      state = .connecting(talk)
      say(Envelope(talk.offers ? .offer : .answer, call: talk.call, payload: payload), &commands)
    case (.candidate(let payload), .connecting), (.candidate(let payload), .inCall):
      say(Envelope(.ice, call: talk.call, payload: payload), &commands)
    case (.mediaConnected, .connecting):
      talk.isConnected = true
      state = .connecting(talk)
    case (.remoteVisible, .connecting):
      voidTimer(.connecting)
      state = .inCall(talk)
      say(Envelope(.videoVisible, call: talk.call), &commands)
    case (.mediaFailed, .connecting), (.mediaFailed, .inCall):
      say(
        Envelope(.hangup, call: talk.call, payload: .reason(.mediaFailed)), &commands)
      endTalk(.mediaFailed, tells: false, at: now, into: &commands)
    default: break
    }
  }

  private func say(_ envelope: Envelope, _ commands: inout [Command]) {
    if link != .confirmed { return }
    var copy = envelope
    copy.from = user
    commands.append(.send(copy))
  }

  /// Begins to make the media connection.
  private mutating func connect(
    _ talk: Talk, at now: Instant, into commands: inout [Command]
  ) {
    voidTimer(.ring)
    early.removeAll(keepingCapacity: true)
    commands.append(.startMedia(talk.call, offers: talk.offers))
    let wait = configuration.timeouts.connecting.adding(saturating: configuration.margin)
    setTimer(.connecting, after: wait, at: now, into: &commands)
  }

  /// The call is over for this client.
  mutating func endTalk(
    _ reason: EndReason, tells: Bool, at now: Instant, into commands: inout [Command]
  ) {
    guard let talk else { return }
    if tells { say(Envelope(.hangup, call: talk.call, payload: .reason(reason)), &commands) }
    switch state {
    case .connecting, .inCall: commands.append(.stopMedia)
    default: break
    }
    voidTimer(.ring)
    voidTimer(.connecting)
    voidTimer(.signalling)
    early.removeAll(keepingCapacity: true)
    lastCall = talk.call
    state = link == .confirmed ? .registered : .registering
    // The server makes an interpreter available after a call; not if the user wants otherwise.
    if role == .interpreter && !wantsOnline { say(Envelope(.goOffline), &commands) }
    if reason != .hungUp || !tells { commands.append(.showEnd(reason)) }
  }
}
