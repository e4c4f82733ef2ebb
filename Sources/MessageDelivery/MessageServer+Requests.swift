import MediaUnits

/// What requests do to the table.
extension MessageServer {
  /// Clients and videos that a service can name: a number beyond this is a broken request.
  public static let clientLimit: UInt32 = 1 << 24

  mutating func take(
    _ request: ServerRequest, _ token: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    if request.client.index >= MessageServer.clientLimit
      || request.peer.index >= MessageServer.clientLimit
    {
      refusals += 1
      commands.append(.answer(token, .refused))
      return
    }
    switch request.kind {
    case .poll: poll(request.client, token, into: &commands)
    case .intent: announce(request, token, at: now, into: &commands)
    case .register, .submit: upload(request, token, at: now, into: &commands)
    case .report: report(request, token, into: &commands)
    case .acknowledge: acknowledge(request, token, into: &commands)
    case .delete: delete(request, token, into: &commands)
    case .store, .download:
      // Those go to the object store.
      refusals += 1
      commands.append(.answer(token, .refused))
    }
  }

  // MARK: Uploads

  /// What is known of a video that somebody wants to register.
  enum Standing: Sendable, Equatable {
    case new
    /// In the table, at this place of the slab.
    case tracked(Int)
    /// It was tracked and is over, or a later one has taken its place.
    case over(DeliveryStatus?)
  }

  func standing(_ stored: StoredVideo) -> Standing {
    if let place = find(stored.video) { return .tracked(place) }
    if Int(stored.sender.index) < rows.count {
      if rows[Int(stored.sender.index)].finished.contains(stored.video) { return .over(nil) }
      if let index = pairPlace(stored.sender, stored.recipient), configuration.replaces {
        let pair = rows[Int(stored.sender.index)].pairs[index]
        if pair.video == stored.video { return .over(pair.final) }
        if stored.order <= pair.order { return .over(nil) }
      }
    }
    return .new
  }

  private mutating func announce(
    _ request: ServerRequest, _ token: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    reads += 1
    let stored = StoredVideo(
      video: request.video, sender: request.client, recipient: request.peer,
      order: request.order, since: now)
    switch standing(stored) {
    case .tracked(let place) where slab[place].sender != request.client:
      refusals += 1
      commands.append(.answer(token, .refused))
    case .tracked(let place):
      droppedUploads += 1
      commands.append(
        .answer(token, .done(version: slab[place].version, status: slab[place].status)))
    case .over(let final):
      droppedUploads += 1
      commands.append(.answer(token, answer(final)))
    case .new:
      add(stored, .pending)
      commands.append(.answer(token, .done(version: version, status: .pending)))
    }
  }

  private func answer(_ final: DeliveryStatus?) -> RequestOutcome {
    final.map { .done(version: version, status: $0) } ?? .gone
  }

  private mutating func add(_ stored: StoredVideo, _ status: DeliveryStatus) {
    insert(
      Entry(
        video: stored.video, sender: stored.sender, recipient: stored.recipient,
        order: stored.order, status: status, version: version + 1, since: stored.since))
  }

  private mutating func upload(
    _ request: ServerRequest, _ token: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    reads += 1
    let stored = StoredVideo(
      video: request.video, sender: request.client, recipient: request.peer,
      order: request.order, since: now)
    if let place = find(request.video), slab[place].sender != request.client {
      refusals += 1
      commands.append(.answer(token, .refused))
      return
    }
    if let place = register(stored, into: &commands) {
      commands.append(
        .answer(token, .done(version: slab[place].version, status: slab[place].status)))
      return
    }
    droppedUploads += 1
    switch standing(stored) {
    case .tracked(let place):
      commands.append(
        .answer(token, .done(version: slab[place].version, status: slab[place].status)))
    case .over(let final): commands.append(.answer(token, answer(final)))
    case .new: commands.append(.answer(token, .gone))
    }
  }

  /// Begins to track a video that is in the store, once; nil when it is or was tracked.
  mutating func register(
    _ stored: StoredVideo, into commands: inout [Command]
  ) -> Int? {
    switch standing(stored) {
    case .over:
      // Whatever came late into the store must not stay there.
      commands.append(.deleteVideo(stored.video))
      return nil
    case .tracked(let place):
      guard slab[place].status == .pending else { return nil }
      slab[place].status = .uploaded
      version += 1
      writes += configuration.keepsPackets ? 3 : 1
    case .new: add(stored, .uploaded)
    }
    replace(stored, into: &commands)
    guard let place = find(stored.video) else { return nil }
    push(to: stored.recipient, about: place, into: &commands)
    if configuration.lattice.contains(.notified) {
      slab[place].status = slab[place].status.joined(with: .notified)
      version += 1
    }
    return place
  }

  /// The video takes the place of the one before from the same sender to the same recipient.
  private mutating func replace(_ stored: StoredVideo, into commands: inout [Command]) {
    let row = Int(stored.sender.index)
    if configuration.replaces { dropAnnounced(before: stored, into: &commands) }
    guard let index = pairPlace(stored.sender, stored.recipient) else {
      rows[row].pairs.append(
        Pair(recipient: stored.recipient, order: stored.order, video: stored.video))
      return
    }
    let old = rows[row].pairs[index].video
    if old == stored.video { return }
    let isLatest = stored.order > rows[row].pairs[index].order
    if !configuration.replaces {
      if isLatest {
        rows[row].pairs[index] = Pair(
          recipient: stored.recipient, order: stored.order, video: stored.video)
      }
      return
    }
    if let place = find(old) {
      // With cleanup by the sender, its own call deletes; the service only stops tracking.
      remove(place, deletes: configuration.cleanup != .bySender, into: &commands)
    } else {
      commands.append(.deleteVideo(old))
    }
    rows[row].pairs[index] = Pair(
      recipient: stored.recipient, order: stored.order, video: stored.video)
  }

  /// Uploads of the pair that were announced before and have not come: they would take the place of
  /// a later one.
  private mutating func dropAnnounced(
    before stored: StoredVideo, into commands: inout [Command]
  ) {
    for place in rows[Int(stored.sender.index)].outgoing {
      let entry = slab[Int(place)]
      if entry.recipient == stored.recipient && entry.status == .pending
        && entry.order < stored.order
      {
        remove(Int(place), deletes: true, into: &commands)
      }
    }
  }

  // MARK: Statuses

  private mutating func report(
    _ request: ServerRequest, _ token: UInt32, into commands: inout [Command]
  ) {
    reads += 1
    var found = find(request.video)
    if configuration.identity == .pair, let pair = pairPlace(request.peer, request.client) {
      found = find(rows[Int(request.peer.index)].pairs[pair].video)
    }
    guard let place = found else {
      droppedUnknown += 1
      commands.append(.answer(token, .gone))
      return
    }
    // Nobody has been told of what is only announced.
    if slab[place].recipient != request.client || slab[place].status == .pending {
      refusals += 1
      commands.append(.answer(token, .refused))
      return
    }
    let status = configuration.lattice.projected(request.status)
    if status <= slab[place].status {
      repeats += 1
      commands.append(
        .answer(token, .done(version: version, status: slab[place].status)))
      return
    }
    slab[place].status = status
    version += 1
    writes += configuration.keepsPackets ? 3 : 1
    commands.append(.answer(token, .done(version: version, status: status)))
    push(to: slab[place].sender, about: place, into: &commands)
    if status == .viewed && configuration.cleanup == .onView {
      remove(place, deletes: true, into: &commands)
    }
  }

  private mutating func acknowledge(
    _ request: ServerRequest, _ token: UInt32, into commands: inout [Command]
  ) {
    reads += 1
    let place = find(request.video)
    if let place, slab[place].sender != request.client || slab[place].status != .viewed {
      refusals += 1
      commands.append(.answer(token, .refused))
      return
    }
    if let place, configuration.cleanup == .onAcknowledgement {
      remove(place, deletes: true, into: &commands)
    }
    commands.append(.answer(token, .done(version: version, status: .viewed)))
  }

  private mutating func delete(
    _ request: ServerRequest, _ token: UInt32, into commands: inout [Command]
  ) {
    reads += 1
    guard let place = find(request.video) else {
      // The object may be left of a video that is not tracked; only its parties know its name.
      droppedUnknown += 1
      commands.append(.deleteVideo(request.video))
      commands.append(.answer(token, .done(version: version, status: .viewed)))
      return
    }
    let isSender = slab[place].sender == request.client
    let isRecipient = slab[place].recipient == request.client && slab[place].status == .viewed
    if !isSender && !isRecipient {
      refusals += 1
      commands.append(.answer(token, .refused))
      return
    }
    let status = slab[place].status
    remove(place, deletes: true, into: &commands)
    commands.append(.answer(token, .done(version: version, status: status)))
  }
}
