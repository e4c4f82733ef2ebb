import MediaUnits
import MessageDelivery
import SimulationKernel

/// The service.
extension MessagingWorld {
  /// A request reaches the service.
  mutating func serve(_ flight: MessagingFlight, _ context: inout Context<MessagingEvent>) {
    var answer = flight
    answer.kind = .answer
    if !isServerUp {
      answer.outcome = .lost
      reply(answer, at: context.now, &context)
      return
    }
    var request = ServerRequest(flight.request, client: ClientID(flight.client))
    if flight.request != .poll {
      request.video = name(flight.number)
      request.peer = ClientID(flight.peer)
      request.order = flight.order
      request.status = flight.status
    }
    if flight.request == .register || flight.request == .submit {
      noteRegistration(flight)
      if flight.request == .submit && find(flight.number) == nil {
        put(flight.number, at: context.now)
      }
    }
    if flight.request == .report && server.status(of: request.video) == nil {
      probes.reach(.reportOfUntracked)
    }
    tellServer(.request(request, token: 0), from: flight, &context)
  }

  private mutating func noteRegistration(_ flight: MessagingFlight) {
    let number = Int(flight.number)
    videos[number].registrations += 1
    if videos[number].registrations > 1 { probes.reach(.doubledRegistration) }
    for other in videos
    where other.sender == flight.client && other.recipient == flight.peer
      && other.order > videos[number].order && other.isKnown
    {
      probes.reach(.lateRegistration)
    }
  }

  mutating func tellServer(
    _ event: MessageServer.Event, from flight: MessagingFlight? = nil,
    _ context: inout Context<MessagingEvent>
  ) {
    let version = server.version
    let strays = server.strays
    var commands: [MessageServer.Command] = []
    server.handle(event, at: context.now, into: &commands)
    if server.strays > strays { probes.reach(.strayFound) }
    if server.version != version { check(at: context.now) }
    if stopsAfterWrite && server.version != version {
      stopAfterWrite(&context)
      return
    }
    for index in 0..<commands.count {
      switch commands[index] {
      case .answer(_, let outcome):
        guard var answer = flight else { continue }
        answer.kind = .answer
        answer.outcome = outcome
        reply(answer, at: context.now, &context)
      case .packet(_, let packet):
        guard var answer = flight else { continue }
        answer.kind = .packet
        answer.packet = packet
        if let replica, context.now < replicaUntil {
          answer.packet = replica.packet(for: ClientID(answer.client))
          if answer.packet != packet { probes.reach(.staleReadSeen) }
        }
        reply(answer, at: context.now, &context)
      case .push(let client, let packet): push(client.index, packet, &context)
      case .deleteVideo(let video):
        for object in objects where object.video == video {
          meter.measures.storedTime += context.now - object.since
        }
        objects.removeAll { $0.video == video }
      case .sweep: sweep(&context)
      case .setTimer(let at):
        context.schedule(.serverTimer(epoch: serverEpoch), at: at, for: 0)
      }
    }
  }

  private mutating func sweep(_ context: inout Context<MessagingEvent>) {
    let found = objects.filter { server.status(of: $0.video) ?? .pending == .pending }
    if !found.isEmpty { tellServer(.swept(found), &context) }
  }

  /// What must hold of the table after every change.
  private mutating func check(at now: Instant) {
    for index in 0..<pairs.count { pairs[index] = 0 }
    for index in 0..<videos.count {
      let status = server.status(of: name(UInt32(index)))
      guard let status else {
        if videos[index].wasTracked { videos[index].isOver = true }
        continue
      }
      probes.check(.noReturn, !videos[index].isOver, at: now)
      videos[index].wasTracked = true
      if status == .pending { continue }
      videos[index].served = videos[index].served.joined(with: status)
      if !videos[index].isKnown { noteKnown(index, at: now) }
      let pair = Int(videos[index].sender * schedule.actors + videos[index].recipient)
      pairs[pair] += 1
      if configuration.server.replaces {
        probes.check(.oneTrackedPerPair, pairs[pair] == 1, at: now)
      }
    }
  }
}
