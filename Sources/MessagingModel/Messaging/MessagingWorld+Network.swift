import MediaUnits
import MessageDelivery
import ModelBasics
import SimulationKernel

/// Messages on their way, the object store and the push service.
extension MessagingWorld {
  var serverActor: UInt32 { schedule.actors }
  var storeActor: UInt32 { schedule.actors + 1 }

  private mutating func delay(_ client: UInt32, _ law: DelayLaw) -> TimeSpan {
    clients[Int(client)].draws &+= 1
    return law.span(
      streams.uniform(.messageDelay, entity: UInt64(client), draw: clients[Int(client)].draws))
  }

  /// Whether the next message of a client is lost by the channel's own law.
  private mutating func isDropped(_ client: UInt32) -> Bool {
    if configuration.requestLoss == 0 { return false }
    clients[Int(client)].draws &+= 1
    return streams.uniform(
      .messageLoss, entity: UInt64(client), draw: clients[Int(client)].draws)
      < configuration.requestLoss
  }

  private func label(_ kind: RequestKind) -> MessagingLabel {
    MessagingLabel(rawValue: kind.rawValue) ?? .failure
  }

  private func actor(of kind: RequestKind) -> UInt32 {
    kind == .store || kind == .download ? storeActor : serverActor
  }

  // MARK: Requests

  mutating func ask(
    _ client: UInt32, _ errand: Errand, _ attempt: UInt32, peer: UInt32, order: UInt64,
    status: DeliveryStatus, _ context: inout Context<MessagingEvent>
  ) {
    let number = number(errand.video)
    send(
      MessagingFlight(
        kind: .request, client: client, epoch: clients[Int(client)].epoch, request: errand.kind,
        number: number, attempt: attempt, peer: peer,
        order: order == 0 ? videos[Int(number)].order : order, status: status), &context)
  }

  mutating func poll(
    _ client: UInt32, _ number: UInt32, _ context: inout Context<MessagingEvent>
  ) {
    send(
      MessagingFlight(
        kind: .request, client: client, epoch: clients[Int(client)].epoch, request: .poll,
        number: number), &context)
  }

  private mutating func send(
    _ flight: MessagingFlight, _ context: inout Context<MessagingEvent>
  ) {
    let client = flight.client
    guard isConnected(client) else { return }
    meter.measures.requests[Int(flight.request.rawValue)] += 1
    meter.useRadio(client, at: context.now)
    let kind = flight.request
    let channel = kind == .store || kind == .download ? FaultChannel.store : .service
    let fate = injector.fate(client: client, channel: channel, direction: .up, at: context.now)
    var span = delay(client, configuration.network) + fate.delay
    if kind == .store || kind == .submit {
      let transfer = delay(client, configuration.transfer)
      if kind == .submit { meter.measures.busyTime += transfer }
      span += transfer
    }
    if kind == .download { videos[Int(flight.number)].downloads += 1 }
    let arrival = context.now + span
    let isLost = isDropped(client) || fate.isLost
    record(
      client, actor(of: kind), label(kind), flight.number, sent: context.now,
      received: isLost ? nil : arrival)
    if isLost { return }
    if fate.isDamaged || fate.status != 0 {
      var answer = flight
      answer.kind = .answer
      switch fate.status {
      case 400: answer.outcome = .refused
      case 429: answer.outcome = .busy(after: fate.retryAfter)
      case 503: answer.outcome = .busy(after: .zero)
      default: answer.outcome = .lost
      }
      // A refusal ends an errand for good, which only a server that knows the request may do.
      if answer.outcome == .refused { answer.outcome = .lost }
      reply(answer, at: arrival, &context)
      return
    }
    for _ in 0..<(fate.isDoubled ? 2 : 1) {
      let slot = flights.add(flight)
      context.schedule(
        .arrive(flight: slot), at: arrival, for: MessagingWorld.firstClient + client,
        phase: .arrival)
    }
  }

  /// Sends an answer back, from `start` on.
  mutating func reply(
    _ flight: MessagingFlight, at start: Instant, _ context: inout Context<MessagingEvent>
  ) {
    let client = flight.client
    let channel =
      flight.request == .store || flight.request == .download ? FaultChannel.store : .service
    let fate = injector.fate(
      client: client, channel: channel, direction: .down, at: context.now)
    var span = delay(client, configuration.network) + fate.delay
    if flight.request == .download, case .done = flight.outcome {
      span += delay(client, configuration.transfer)
    }
    if let slow = injector.amount(.slow, at: Fault.server, now: context.now) {
      span += TimeSpan(nanoseconds: slow)
    }
    var flight = flight
    if fate.isDamaged {
      flight.kind = .answer
      flight.outcome = .lost
    }
    let isLost = isDropped(client) || fate.isLost
    record(
      actor(of: flight.request), client, flight.kind == .packet ? .packet : answerLabel(flight),
      flight.number, sent: start, received: isLost ? nil : start + span)
    if isLost { return }
    for _ in 0..<(fate.isDoubled ? 2 : 1) {
      let slot = flights.add(flight)
      context.schedule(
        .arrive(flight: slot), at: start + span, for: MessagingWorld.firstClient + client,
        phase: .arrival)
    }
  }

  private func answerLabel(_ flight: MessagingFlight) -> MessagingLabel {
    if case .done = flight.outcome { return .answer }
    return .failure
  }

  /// A message arrives.
  mutating func land(_ slot: UInt32, _ context: inout Context<MessagingEvent>) {
    let flight = flights[slot]
    flights.giveBack(slot)
    switch flight.kind {
    case .request:
      if flight.request == .store || flight.request == .download {
        serveObject(flight, &context)
      } else {
        serve(flight, &context)
      }
    case .answer: takeAnswer(flight, &context)
    case .packet:
      let state = clients[Int(flight.client)]
      guard state.epoch == flight.epoch, isConnected(flight.client) else { return }
      if let lost = state.lostPush, lost <= flight.packet.version {
        probes.reach(.pushLostPollFound)
        clients[Int(flight.client)].lostPush = nil
      }
      takePacket(flight.client, flight.packet, &context)
      tellPoll(
        flight.client, .answered(poll: flight.number, remaining: flight.packet.remaining),
        &context)
    case .push: landPush(flight, &context)
    }
  }

  private mutating func takeAnswer(
    _ flight: MessagingFlight, _ context: inout Context<MessagingEvent>
  ) {
    guard clients[Int(flight.client)].epoch == flight.epoch, isConnected(flight.client) else {
      return
    }
    let errand = Errand(flight.request, name(flight.number))
    var outcome = flight.outcome
    switch flight.request {
    case .poll: tellPoll(flight.client, .failed(poll: flight.number), &context)
    case .download, .report:
      if flight.request == .download, case .done = outcome, find(flight.number) == nil {
        // Deleted under the reader's hands (TBM-061).
        outcome = .gone
        probes.reach(.goneWhileLoading)
      }
      tellReceiver(
        flight.client, .answered(errand, attempt: flight.attempt, outcome), &context)
    case .delete where videos[Int(flight.number)].recipient == flight.client:
      tellReceiver(
        flight.client, .answered(errand, attempt: flight.attempt, outcome), &context)
    case .intent, .store, .register, .submit, .acknowledge, .delete:
      tellSender(
        flight.client, .answered(errand, attempt: flight.attempt, outcome), &context)
    }
  }

  mutating func takePacket(
    _ client: UInt32, _ packet: InfoPacket, _ context: inout Context<MessagingEvent>
  ) {
    if packet.hasAllUploads {
      for index in 0..<videos.count where videos[index].sender == client {
        let video = videos[index]
        if video.isStored && !video.isForgotten && video.shown != .viewed && !video.isOver
          && !packet.uploads.contains(where: { $0.video == name(UInt32(index)) })
        {
          probes.reach(.packetFromBeforeRegistration)
        }
      }
    }
    tellSender(client, .packet(packet), &context)
    tellReceiver(client, .packet(packet), &context)
  }

  // MARK: The object store

  func find(_ video: UInt32) -> Int? {
    for index in 0..<objects.count where objects[index].video == name(video) { return index }
    return nil
  }

  private mutating func serveObject(
    _ flight: MessagingFlight, _ context: inout Context<MessagingEvent>
  ) {
    var answer = flight
    answer.kind = .answer
    let isThere = find(flight.number) != nil
    if flight.request == .store {
      if !isThere { put(flight.number, at: context.now) }
      answer.outcome = .done(version: 0, status: .pending)
      if configuration.sender.sequence == .mediated { tellLater(flight.number, &context) }
    } else {
      answer.outcome = isThere ? .done(version: 0, status: .pending) : .gone
    }
    reply(answer, at: context.now, &context)
  }

  mutating func put(_ video: UInt32, at now: Instant) {
    let truth = videos[Int(video)]
    videos[Int(video)].isStored = true
    objects.append(
      StoredVideo(
        video: name(video), sender: ClientID(truth.sender), recipient: ClientID(truth.recipient),
        order: truth.order, since: now))
  }

  private mutating func tellLater(_ video: UInt32, _ context: inout Context<MessagingEvent>) {
    let span = delay(videos[Int(video)].sender, configuration.storeEvent)
    context.schedule(.storeEvent(video: video), at: context.now + span, for: 0)
  }

  /// The store tells the service of a new video until it is heard.
  mutating func tellOfStored(_ video: UInt32, _ context: inout Context<MessagingEvent>) {
    guard let place = find(video) else { return }
    if isServerUp {
      record(
        storeActor, serverActor, .storeEvent, video, sent: context.now, received: context.now)
      tellServer(.stored(objects[place]), &context)
    } else {
      context.schedule(.storeEvent(video: video), at: context.now + .seconds(5), for: 0)
    }
  }

  // MARK: The push service

  mutating func push(
    _ client: UInt32, _ packet: InfoPacket, _ context: inout Context<MessagingEvent>
  ) {
    probes.check(
      .pushFits, packet.bytes(configuration.server.addresses) <= InfoPacket.pushLimit,
      at: context.now)
    let fate = injector.fate(client: client, channel: .push, direction: .down, at: context.now)
    clients[Int(client)].draws &+= 1
    let (u, v) = streams.uniformPair(
      .messagePush, entity: UInt64(client), pair: clients[Int(client)].draws)
    let arrival = context.now + configuration.push.span(u) + fate.delay
    meter.measures.largestPush = max(
      meter.measures.largestPush, packet.bytes(configuration.server.addresses))
    let isLost = fate.isLost || fate.isDamaged || v < configuration.pushLoss
    record(
      serverActor, client, .push, UInt32(truncatingIfNeeded: packet.version), sent: context.now,
      received: isLost ? nil : arrival)
    if isLost {
      meter.measures.lostPushes += 1
      clients[Int(client)].lostPush = packet.version
      return
    }
    for _ in 0..<(fate.isDoubled ? 2 : 1) {
      var flight = MessagingFlight(
        kind: .push, client: client, epoch: 0, request: .poll, number: 0)
      flight.packet = packet
      let slot = flights.add(flight)
      context.schedule(
        .arrive(flight: slot), at: arrival, for: MessagingWorld.firstClient + client,
        phase: .arrival)
    }
  }

  /// A push reaches the device or is held for it: the latest only.
  private mutating func landPush(
    _ flight: MessagingFlight, _ context: inout Context<MessagingEvent>
  ) {
    let client = flight.client
    let state = clients[Int(client)]
    let isThrottled = injector.amount(.throttle, at: client, now: context.now) != nil
    if !state.isOnline || !state.hasPushes || isThrottled {
      if state.held != nil {
        probes.reach(.coalescedPush)
        meter.measures.coalescedPushes += 1
      }
      clients[Int(client)].held = flight.packet
      return
    }
    deliver(client, flight.packet, &context)
  }

  mutating func releasePush(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    let state = clients[Int(client)]
    guard let packet = state.held, state.isOnline, state.hasPushes else { return }
    clients[Int(client)].held = nil
    deliver(client, packet, &context)
  }

  /// The system gives a push to the app, which it may wake for half a minute.
  private mutating func deliver(
    _ client: UInt32, _ packet: InfoPacket, _ context: inout Context<MessagingEvent>
  ) {
    guard clients[Int(client)].isRunning else { return }
    meter.useRadio(client, at: context.now)
    if !isConnected(client) {
      let hour = context.now.nanoseconds / TimeSpan.hours(1).nanoseconds
      if clients[Int(client)].wakeHour != hour {
        clients[Int(client)].wakeHour = hour
        clients[Int(client)].wakes = 0
      }
      if clients[Int(client)].wakes == configuration.wakesPerHour { return }
      clients[Int(client)].wakes += 1
      clients[Int(client)].isAwake = true
      context.schedule(
        .sleep(client: client, epoch: clients[Int(client)].epoch),
        at: context.now + .seconds(30), for: MessagingWorld.firstClient + client)
      tellConnection(client, &context)
    }
    takePacket(client, packet, &context)
    tellPoll(client, .pushed, &context)
  }
}
