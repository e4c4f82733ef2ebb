import MediaUnits
import MessageDelivery
import ModelBasics
import SimulationKernel

/// The clients: users, apps and machines.
extension MessagingWorld {
  func isConnected(_ client: UInt32) -> Bool {
    let state = clients[Int(client)]
    let runs = state.isOpen || state.isAwake || configuration.runsInBackground
    return state.isOnline && state.isRunning && runs
  }

  /// Tells the machines of a client whether there is a connection, if that has changed.
  mutating func tellConnection(
    _ client: UInt32, _ context: inout Context<MessagingEvent>
  ) {
    if !clients[Int(client)].isRunning { return }
    let isOnline = isConnected(client)
    tellSender(client, .connected(isOnline), &context)
    tellReceiver(client, .connected(isOnline), &context)
    tellPoll(client, .connected(isOnline), &context)
  }

  // MARK: Users

  mutating func compose(
    _ from: UInt32, _ to: UInt32, _ context: inout Context<MessagingEvent>
  ) {
    guard clients[Int(from)].isRunning, clients[Int(from)].isOpen, from != to else { return }
    let number = UInt32(videos.count)
    var order: UInt64 = 1
    for other in videos where other.sender == from { order = other.order + 1 }
    for index in 0..<videos.count
    where videos[index].sender == from && videos[index].recipient == to {
      if configuration.sender.replaces {
        videos[index].isReplaced = true
        endWait(index, at: context.now, isHere: false)
      }
      if !videos[index].isViewed { probes.reach(.replacedBeforeView) }
    }
    videos.append(
      VideoTruth(sender: from, recipient: to, order: order, composedAt: context.now))
    tellSender(from, .composed(name(number), to: ClientID(to)), &context)
  }

  /// The user looks at what waits.
  mutating func view(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    guard clients[Int(client)].isRunning, clients[Int(client)].isOpen else { return }
    for index in 0..<videos.count where videos[index].recipient == client {
      guard clients[Int(client)].receiver.status(of: name(UInt32(index))) == .downloaded else {
        continue
      }
      if isIgnored(UInt32(index)) { continue }
      probes.check(.viewedTwiceNever, !videos[index].isViewed, at: context.now)
      videos[index].isViewed = true
      videos[index].viewedAt = context.now
      videos[index].clocks.viewed = meter.openClock(videos[index].sender, at: context.now)
      noteTruth(index, at: context.now)
      tellReceiver(client, .viewed(name(UInt32(index))), &context)
      return
    }
  }

  /// Whether a video is one of those that nobody ever looks at.
  private func isIgnored(_ video: UInt32) -> Bool {
    configuration.neverViewed > 0
      && streams.uniform(.messageIgnored, entity: UInt64(video)) < configuration.neverViewed
  }

  mutating func open(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    if clients[Int(client)].isGone { return }
    if !clients[Int(client)].isRunning {
      clients[Int(client)].isRunning = true
      clients[Int(client)].epoch += 1
      let sender = clients[Int(client)].savedSender.restarted
      let receiver = clients[Int(client)].savedReceiver.restarted
      if sender.pendingRequests + receiver.pendingRequests > 0 {
        probes.reach(.restartWithErrands)
      }
      clients[Int(client)].sender = sender
      clients[Int(client)].receiver = receiver
      clients[Int(client)].poll = ClientPolls(configuration, client: client)
    }
    clients[Int(client)].isOpen = true
    noteOpen(client, true, at: context.now)
    tellTracks(client, &context)
    tellPoll(client, .opened, &context)
    tellConnection(client, &context)
    noteOpening(client, &context)
  }

  mutating func leave(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    guard clients[Int(client)].isRunning, clients[Int(client)].isOpen else { return }
    clients[Int(client)].isOpen = false
    noteOpen(client, false, at: context.now)
    tellPoll(client, .left, &context)
    tellConnection(client, &context)
  }

  private mutating func noteOpen(_ client: UInt32, _ isOpen: Bool, at now: Instant) {
    meter.open(client, isOpen, at: now)
    if isOpen { beginWaits(client, at: now) } else { cutWaits(client, at: now) }
    for index in 0..<videos.count where videos[index].sender == client {
      noteTruth(index, at: now)
    }
  }

  mutating func kill(_ client: UInt32, at now: Instant) {
    if clients[Int(client)].isOpen { noteOpen(client, false, at: now) }
    clients[Int(client)].isRunning = false
    clients[Int(client)].isOpen = false
    clients[Int(client)].isAwake = false
    clients[Int(client)].epoch += 1
  }

  // MARK: Machines

  /// The time on a client's own clock.
  private func clock(_ client: UInt32, _ now: Instant) -> Instant {
    now.advanced(saturatingBy: clients[Int(client)].skew)
  }

  /// When a timer of a client's clock fires, with its jitter drawn.
  private mutating func due(
    _ client: UInt32, _ at: Instant, _ jitter: TimeSpan, _ now: Instant
  ) -> Instant {
    clients[Int(client)].timerDraws &+= 1
    let u = streams.uniform(
      .messageTimer, entity: UInt64(client), draw: clients[Int(client)].timerDraws)
    let time = (at - clients[Int(client)].skew) + jitter.scaled(by: u)
    return time > now ? time : now
  }

  mutating func tellSender(
    _ client: UInt32, _ event: SenderMachine.Event, _ context: inout Context<MessagingEvent>
  ) {
    scratch.sender.removeAll(keepingCapacity: true)
    clients[Int(client)].sender.handle(
      event, at: clock(client, context.now), into: &scratch.sender)
    let epoch = clients[Int(client)].epoch
    for index in 0..<scratch.sender.count {
      switch scratch.sender[index] {
      case .send(let errand, let to, let order, let attempt):
        ask(
          client, errand, attempt, peer: to.index == .max ? client : to.index, order: order,
          status: .pending, &context)
      case .setTimer(let errand, let attempt, let at, let jitter):
        context.schedule(
          .senderTimer(
            client: client, kind: errand.kind.rawValue, video: number(errand.video),
            attempt: attempt, epoch: epoch),
          at: due(client, at, jitter, context.now), for: MessagingWorld.firstClient + client)
      case .show(let video, let status): show(number(video), status, at: context.now)
      case .showFailure(let video):
        let failed = Int(number(video))
        probes.check(.failureIsTrue, !videos[failed].isKnown, at: context.now)
        videos[failed].isFailed = true
      case .forget(let video): videos[Int(number(video))].isForgotten = true
      case .save: clients[Int(client)].savedSender = clients[Int(client)].sender
      }
    }
    tellTracks(client, &context)
  }

  mutating func tellReceiver(
    _ client: UInt32, _ event: ReceiverMachine.Event, _ context: inout Context<MessagingEvent>
  ) {
    scratch.receiver.removeAll(keepingCapacity: true)
    clients[Int(client)].receiver.handle(
      event, at: clock(client, context.now), into: &scratch.receiver)
    let epoch = clients[Int(client)].epoch
    var endsDownload = false
    for index in 0..<scratch.receiver.count {
      switch scratch.receiver[index] {
      case .send(let errand, let from, let status, let attempt):
        ask(
          client, errand, attempt, peer: from.index == .max ? client : from.index, order: 0,
          status: status, &context)
      case .setTimer(let errand, let attempt, let at, let jitter):
        if errand.kind == .report && jitter > .zero { probes.reach(.reportRepeated) }
        context.schedule(
          .receiverTimer(
            client: client, kind: errand.kind.rawValue, video: number(errand.video),
            attempt: attempt, epoch: epoch),
          at: due(client, at, jitter, context.now), for: MessagingWorld.firstClient + client)
      case .offer(let video, _):
        endsDownload = true
        let number = Int(number(video))
        probes.check(.offeredOnce, !videos[number].isOffered, at: context.now)
        if !videos[number].isOffered { noteOffered(number, at: context.now) }
        videos[number].isOffered = true
        noteTruth(number, at: context.now)
      case .gone:
        endsDownload = true
        meter.measures.gone += 1
      case .save: clients[Int(client)].savedReceiver = clients[Int(client)].receiver
      }
    }
    tellTracks(client, &context)
    if endsDownload { tellPoll(client, .downloaded(isLast: true), &context) }
  }

  mutating func tellTracks(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    let tracks = clients[Int(client)].sender.inTransit + clients[Int(client)].receiver.inTransit
    tellPoll(client, .tracks(tracks > 0), &context)
  }

  mutating func tellPoll(
    _ client: UInt32, _ event: PollMachine.Event, _ context: inout Context<MessagingEvent>
  ) {
    scratch.poll.removeAll(keepingCapacity: true)
    let isDone = clients[Int(client)].poll.handle(
      event, at: clock(client, context.now), into: &scratch.poll)
    if !isDone { context.stop() }
    let epoch = clients[Int(client)].epoch
    for index in 0..<scratch.poll.count {
      switch scratch.poll[index] {
      case .poll(let number): poll(client, number, &context)
      case .setTimer(let number, let at, let jitter):
        context.schedule(
          .pollTimer(client: client, number: number, epoch: epoch),
          at: due(client, at, jitter, context.now), for: MessagingWorld.firstClient + client)
      }
    }
  }

  // MARK: What the sender sees

  private mutating func show(_ number: UInt32, _ status: DeliveryStatus, at now: Instant) {
    let video = videos[Int(number)]
    if let shown = video.shown { probes.check(.statusRises, shown < status, at: now) }
    videos[Int(number)].shown = status
    noteTruth(Int(number), at: now)
    switch status {
    case .pending: break
    case .uploaded, .notified, .received:
      let isMediated = configuration.sender.sequence == .mediated
      probes.check(
        .shownAsSentWhenKnown, video.isKnown || isMediated && video.isStored, at: now)
    case .downloaded:
      probes.check(.statusIsTrue, video.isOffered, at: now)
      if video.isOffered { noteSeen(Int(number), .downloaded, at: now) }
    case .viewed:
      probes.check(.noFalseView, video.isViewed, at: now)
      if video.isViewed {
        probes.reach(.viewedKnown)
        noteSeen(Int(number), .viewed, at: now)
      } else {
        meter.measures.falseViews += 1
      }
    }
  }

  mutating func record(
    _ from: UInt32, _ to: UInt32, _ label: MessagingLabel, _ number: UInt32, sent: Instant,
    received: Instant?
  ) {
    if !isRecording { return }
    sequence.append(
      SequenceEntry(
        from: from, to: to, label: label.rawValue, number: number, sent: sent, received: received))
  }
}
