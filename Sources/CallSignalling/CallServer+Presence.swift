import MediaUnits

/// Registration, heartbeats, departure and the callers' lists.
extension CallServer {
  /// Takes a name for a connection (ICC-004, ICC-005).
  mutating func register(
    _ envelope: Envelope, on connection: ConnectionID, _ fresh: Fresh, at now: Instant,
    into commands: inout [Command]
  ) -> EnvelopeFault? {
    guard case .registration(let role, let token) = envelope.payload else { return .wrongPayload }
    guard let id = envelope.from else { return .wrongSender }
    if id.index >= CallServer.limit { return .tooMany }
    if let own = connections[Int(connection.index)] {
      guard own == id, let record = user(own), record.role == role else {
        return .alreadyRegistered
      }
      // The confirmation was lost: say it again.
      confirm(id, into: &commands)
      return nil
    }
    if let record = user(id) {
      let isHis =
        configuration.returning == .token && token != 0 && record.token == token
        && record.role == role
      if !isHis { return .nameTaken }
      comeBack(id, on: connection, at: now, into: &commands)
      return nil
    }
    while users.count <= Int(id.index) { users.append(nil) }
    lastSession &+= 1
    users[Int(id.index)] = User(
      role: role, connection: connection, token: fresh.low == 0 ? 1 : fresh.low,
      session: lastSession, lastHeartbeat: now, generation: lastSession)
    connections[Int(connection.index)] = id
    if role == .caller { callers.append(id) }
    commands.append(
      .setTimer(
        .presence(id, generation: lastSession),
        at: now.advanced(saturatingBy: configuration.presenceLife)))
    commands.append(.log(.event(.registered, call: nil, session: lastSession, role: role)))
    confirm(id, into: &commands)
    return nil
  }

  /// A user takes up the registration of a connection that is gone or only seems open.
  private mutating func comeBack(
    _ id: UserID, on connection: ConnectionID, at now: Instant, into commands: inout [Command]
  ) {
    if let old = users[Int(id.index)]?.connection {
      connections[Int(old.index)] = nil
      commands.append(.close(old))
    }
    connections[Int(connection.index)] = id
    returns += 1
    lastSession &+= 1
    let generation = lastSession
    update(id, into: &commands) {
      $0.connection = connection
      $0.lastHeartbeat = now
      $0.generation = generation
    }
    commands.append(
      .setTimer(
        .presence(id, generation: generation),
        at: now.advanced(saturatingBy: configuration.presenceLife)))
    confirm(id, into: &commands)
  }

  /// Says that the name is taken, with the call that still runs, and who is available.
  private mutating func confirm(_ id: UserID, into commands: inout [Command]) {
    guard let record = user(id) else { return }
    send(
      Envelope(
        .registered, call: record.standing.call,
        payload: .registration(record.role, token: record.token)),
      to: id, into: &commands)
    if record.role != .caller { return }
    for index in 0..<users.count {
      guard let other = users[index], isListed(other) else { continue }
      presenceMessages += 1
      send(
        Envelope(.presence, payload: .presence(UserID(UInt32(index)), isAvailable: true)),
        to: id, into: &commands)
    }
  }

  /// Whether callers see the user (ICC-013). With the literal rule of departure also those without
  /// a connection.
  func isListed(_ user: User) -> Bool {
    user.standing == .available
      && (user.connection != nil || configuration.departure == .available)
  }

  private mutating func announce(
    _ id: UserID, isAvailable: Bool, into commands: inout [Command]
  ) {
    for index in 0..<callers.count {
      presenceMessages += 1
      send(
        Envelope(.presence, payload: .presence(id, isAvailable: isAvailable)),
        to: callers[index], into: &commands)
    }
  }

  mutating func setStanding(
    _ standing: Standing, of id: UserID, into commands: inout [Command]
  ) {
    update(id, into: &commands) { $0.standing = standing }
  }

  /// Changes a user and tells the callers if that puts it into their lists or takes it out.
  private mutating func update(
    _ id: UserID, into commands: inout [Command], _ change: (inout User) -> Void
  ) {
    guard var record = user(id) else { return }
    let wasListed = isListed(record)
    change(&record)
    users[Int(id.index)] = record
    let isListed = isListed(record)
    if wasListed != isListed { announce(id, isAvailable: isListed, into: &commands) }
  }

  // MARK: Heartbeats

  mutating func checkPresence(
    _ id: UserID, _ generation: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    guard let record = user(id), record.generation == generation else {
      staleTimers += 1
      return
    }
    let due = record.lastHeartbeat.advanced(saturatingBy: configuration.presenceLife)
    if now < due {
      commands.append(.setTimer(.presence(id, generation: generation), at: due))
      return
    }
    guard let connection = record.connection else {
      // The name of a departed user was kept until now; a grace has a timer of its own.
      if case .grace = configuration.departure { return }
      remove(id, .expired, at: now, into: &commands)
      return
    }
    expiries += 1
    commands.append(.close(connection))
    drop(connection, .expired, at: now, into: &commands)
    guard let left = user(id) else { return }
    // What stays for one more life stays no longer.
    users[Int(id.index)]?.lastHeartbeat = now
    commands.append(
      .setTimer(
        .presence(id, generation: left.generation),
        at: now.advanced(saturatingBy: configuration.presenceLife)))
  }

  // MARK: Departure

  /// The connection of a user is gone (ICC-024 to ICC-027).
  mutating func drop(
    _ connection: ConnectionID, _ reason: EndReason, at now: Instant,
    into commands: inout [Command]
  ) {
    guard let id = connections[Int(connection.index)], let record = user(id) else { return }
    connections[Int(connection.index)] = nil
    update(id, into: &commands) { $0.connection = nil }
    switch configuration.departure {
    case .removed: remove(id, reason, at: now, into: &commands)
    case .grace(let span):
      // The presence timer of this generation is void from here on.
      lastSession &+= 1
      users[Int(id.index)]?.generation = lastSession
      users[Int(id.index)]?.lastHeartbeat = now
      commands.append(
        .setTimer(
          .absence(id, generation: lastSession), at: now.advanced(saturatingBy: span)))
      commands.append(
        .setTimer(
          .presence(id, generation: lastSession),
          at: now.advanced(saturatingBy: configuration.presenceLife)))
    case .available, .unavailable:
      if let call = record.standing.call, let place = place(of: call) {
        end(place, reason, by: id, at: now, into: &commands)
      }
      let stays = configuration.departure == .available && record.role == .interpreter
      setStanding(stays ? .available : .unavailable, of: id, into: &commands)
    }
  }

  /// Frees a name, and ends its call.
  mutating func remove(
    _ id: UserID, _ reason: EndReason, at now: Instant, into commands: inout [Command]
  ) {
    guard let record = user(id) else { return }
    if let call = record.standing.call, let place = place(of: call) {
      end(place, reason, by: id, at: now, into: &commands)
    }
    setStanding(.unavailable, of: id, into: &commands)
    if let connection = record.connection { connections[Int(connection.index)] = nil }
    users[Int(id.index)] = nil
    callers.removeAll { $0 == id }
    commands.append(
      .log(.event(.left, call: nil, session: record.session, role: record.role)))
  }
}
