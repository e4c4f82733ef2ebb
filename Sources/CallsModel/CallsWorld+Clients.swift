import CallSignalling
import MediaUnits
import MessagingModel
import ModelBasics
import SimulationKernel

/// The clients, their users and their media engines.
extension CallsWorld {
  enum UserMove: UInt8 { case answer, hangUp, registerAgain, tryAgain, begin }
  enum MediaMove: UInt8 { case described, candidate, connected, visible, failed, second }

  /// A random number of a client's user.
  mutating func draw(_ client: UInt32) -> Double {
    clients[Int(client)].userDraws += 1
    return streams.uniform(
      .callUser, entity: UInt64(client), draw: clients[Int(client)].userDraws + 1)
  }

  // MARK: Processes

  mutating func start(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    if clients[Int(client)].isGone { return }
    let isNew = !clients[Int(client)].isRunning
    if isNew {
      clients[Int(client)].machine = CallClient(configuration.client)
      clients[Int(client)].isRunning = true
      clients[Int(client)].epoch += 1
    }
    if isNew || context.now == .zero { enter(client, &context) }
  }

  /// The user takes up a name, and an interpreter goes online.
  private mutating func enter(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let role = clients[Int(client)].role
    tell(client, .register(UserID(client), role), &context)
    if role == .interpreter {
      clients[Int(client)].wishesOnline = true
      tell(client, .goOnline, &context)
    }
  }

  /// The process ends; the system closes its connection.
  mutating func kill(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    if !clients[Int(client)].isRunning { return }
    stopMedia(client, at: context.now)
    clients[Int(client)].isRunning = false
    clients[Int(client)].epoch += 1
    clients[Int(client)].connectingSince = nil
    timers.clear(client)
    if isMeasuring { meter.usages[Int(client)].endProcess() }
    hangLine(client, &context)
  }

  // MARK: The machine

  mutating func tell(
    _ client: UInt32, _ event: CallClient.Event, _ context: inout Context<CallsEvent>
  ) {
    guard clients[Int(client)].isRunning else { return }
    var commands: [CallClient.Command] = []
    swap(&commands, &scratch)
    commands.removeAll(keepingCapacity: true)
    let now = clock(client, at: context.now)
    clients[Int(client)].machine.handle(event, at: now, into: &commands)
    for index in 0..<commands.count { perform(commands[index], client, &context) }
    swap(&commands, &scratch)
  }

  private mutating func perform(
    _ command: CallClient.Command, _ client: UInt32, _ context: inout Context<CallsEvent>
  ) {
    switch command {
    case .open: dial(client, &context)
    case .close: hangLine(client, &context)
    case .send(let envelope): sendUp(client, envelope, &context)
    case .setTimer(let timer, let number, let at, let jitter):
      let at = at + jitter.scaled(by: draw(client))
      timers.set(client, timer, ClientTimerDue(number: number, at: at))
      wait(client, timer, number, &context)
    case .startMedia(let call, let offers): startMedia(client, call, offers, &context)
    case .takeDescription: takeDescription(client, &context)
    case .takeCandidate:
      clients[Int(client)].media.hasCandidate = true
      tryConnect(client, &context)
    case .stopMedia: stopMedia(client, at: context.now)
    case .show(let screen): show(client, screen, &context)
    case .showBusy:
      probes.reach(.lostRace)
      if isMeasuring { countBusy(client, &context) }
    case .showEnd(let reason):
      if isMeasuring { tryAgain(client, &context) }
      if reason == .connectingTimeout || reason == .iceTimeout || reason == .offerAnswerTimeout {
        probes.reach(.timedOutConnecting)
      }
    case .showFault(.nameTaken): schedule(.registerAgain, client, .seconds(10), &context)
    case .showPresence(let peer, let isAvailable):
      if isMeasuring { meter.usages[Int(client)].list(peer.index, isAvailable) }
    case .showFault: break
    }
  }

  private mutating func show(
    _ client: UInt32, _ screen: CallClient.Screen, _ context: inout Context<CallsEvent>
  ) {
    clients[Int(client)].connectingSince =
      screen == .connecting ? clock(client, at: context.now) : nil
    switch screen {
    case .incoming:
      let wait = healed.isHealed ? TimeSpan.seconds(1) : configuration.answering.span(draw(client))
      schedule(.answer, client, wait, &context)
    case .inCall where clients[Int(client)].role == .caller:
      if isMeasuring { countServed(client, at: context.now) }
      schedule(.hangUp, client, configuration.talking.span(draw(client)), &context)
    default: break
    }
  }

  func schedule(
    _ move: UserMove, _ client: UInt32, _ wait: TimeSpan, _ context: inout Context<CallsEvent>
  ) {
    context.schedule(
      .user(client: client, kind: move.rawValue, epoch: clients[Int(client)].epoch),
      at: context.now + wait, for: CallsWorld.firstClient + client)
  }

  // MARK: Users

  mutating func act(
    _ client: UInt32, _ kind: UInt8, _ epoch: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard isAlive(client, epoch), let move = UserMove(rawValue: kind) else { return }
    switch move {
    case .begin: enter(client, &context)
    case .tryAgain: request(client, &context)
    case .hangUp: if clients[Int(client)].machine.screen == .inCall { hangUp(client, &context) }
    case .registerAgain:
      tell(client, .dismiss, &context)
      tell(client, .register(UserID(client), clients[Int(client)].role), &context)
    case .answer:
      if clients[Int(client)].machine.screen != .incoming { return }
      let u = healed.isHealed ? 1 : draw(client)
      if u < configuration.declines {
        tell(client, .decline, &context)
      } else if u >= configuration.declines + configuration.ignores {
        accept(client, &context)
      }
    }
  }

  mutating func accept(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    tell(client, .accept, &context)
  }

  mutating func hangUp(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let machine = clients[Int(client)].machine
    if machine.screen == .calling && machine.talk == nil { probes.reach(.cancelledEarly) }
    tell(client, .hangUp, &context)
  }

  // MARK: Media

  func schedule(
    _ move: MediaMove, _ client: UInt32, _ wait: TimeSpan, _ context: inout Context<CallsEvent>
  ) {
    context.schedule(
      .media(
        client: client, kind: move.rawValue, epoch: clients[Int(client)].media.epoch),
      at: context.now + wait, for: CallsWorld.firstClient + client)
  }

  private mutating func startMedia(
    _ client: UInt32, _ call: CallID, _ offers: Bool, _ context: inout Context<CallsEvent>
  ) {
    clients[Int(client)].media = CallsMedia(
      call: call, offers: offers, epoch: clients[Int(client)].media.epoch + 1)
    var sharing = 0
    for other in clients where other.media.call == call { sharing += 1 }
    probes.check(.twoInACall, sharing <= 2, at: context.now)
    if isMeasuring {
      let camera = configuration.cameraStart.span(draw(client))
      clients[Int(client)].media.cameraFrom = context.now + camera
      meter.measures.localFrames.append(camera.nanoseconds)
    }
    if offers { describe(client, &context) }
  }

  /// The description, and the candidates around it: one of five calls has one before.
  private mutating func describe(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let camera = max(clients[Int(client)].media.cameraFrom, context.now) - context.now
    let wait = camera + configuration.describing.span(draw(client))
    let roundTrip = configuration.network.span(draw(client)) * 2
    if draw(client) < 0.2 { schedule(.candidate, client, wait / 2, &context) }
    schedule(.described, client, wait, &context)
    schedule(.candidate, client, wait + roundTrip, &context)
    schedule(.candidate, client, wait + roundTrip * 2, &context)
  }

  private mutating func takeDescription(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    clients[Int(client)].media.hasRemote = true
    if !clients[Int(client)].media.offers { describe(client, &context) }
    tryConnect(client, &context)
  }

  mutating func stopMedia(_ client: UInt32, at now: Instant) {
    if clients[Int(client)].media.usesRelay {
      if isMeasuring { countRelayTime(at: now) }
      relays.free()
    }
    clients[Int(client)].media = CallsMedia(epoch: clients[Int(client)].media.epoch + 1)
  }

  /// Once each has the other's description and a candidate, the checks decide.
  private mutating func tryConnect(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let own = clients[Int(client)].media
    guard let call = own.call, own.hasRemote, own.hasCandidate, !own.isConnected else { return }
    for peer in 0..<schedule.actors where peer != client {
      let other = clients[Int(peer)].media
      if other.call != call || !other.hasRemote || !other.hasCandidate || other.isConnected {
        continue
      }
      connect(client, peer, &context)
      return
    }
  }

  private mutating func connect(
    _ client: UInt32, _ peer: UInt32, _ context: inout Context<CallsEvent>
  ) {
    clients[Int(client)].media.isConnected = true
    clients[Int(peer)].media.isConnected = true
    let own = clients[Int(client)]
    let other = clients[Int(peer)]
    let path = MediaPath.between(
      (own.translation, own.blocksUDP), (other.translation, other.blocksUDP),
      usesTLS: draw(client) < configuration.mix.onlyTLS)
    if path == .none { return }
    if isMeasuring { meter.measures.paths[Int(path.rawValue)] += 1 }
    if path != .direct {
      if isMeasuring { countRelay(at: context.now) }
      if !relays.take() {
        // Nothing connects; the time-outs end the call (ICC-039).
        probes.reach(.relayBlocked)
        return
      }
      probes.reach(.relayed)
      let offerer = own.media.offers ? client : peer
      clients[Int(offerer)].media.usesRelay = true
    }
    clients[Int(client)].media.path = path
    clients[Int(peer)].media.path = path
    probes.check(.relaysWithinCapacity, relays.inUse <= relays.capacity, at: context.now)
    let roundTrip = configuration.network.span(draw(client)) * 2
    var checks = configuration.checking.span(draw(client))
    if isMeasuring && (path == .relayTCP || path == .relayTLS) {
      checks += configuration.tcpExtra.span(draw(client))
    }
    // DTLS needs two round trips.
    let ready = checks + roundTrip * (path.gatheringRoundTrips + 2)
    for end in [client, peer] {
      schedule(.connected, end, ready, &context)
      schedule(.visible, end, ready + configuration.keyFrame.span(draw(end)), &context)
    }
  }

  mutating func cutMedia(_ target: UInt32, _ context: inout Context<CallsEvent>) {
    for client in 0..<schedule.actors where target == client || target == Fault.everyone {
      if clients[Int(client)].media.isConnected {
        schedule(.failed, client, configuration.mediaTimeout, &context)
      }
    }
  }

  mutating func moveMedia(
    _ client: UInt32, _ kind: UInt8, _ epoch: UInt32, _ context: inout Context<CallsEvent>
  ) {
    guard clients[Int(client)].media.epoch == epoch, let move = MediaMove(rawValue: kind) else {
      return
    }
    // What the engine makes is opaque: a length and a digest.
    switch move {
    case .described: tell(client, .described(.opaque(bytes: 2_400, digest: 1)), &context)
    case .candidate: tell(client, .candidate(.opaque(bytes: 120, digest: 2)), &context)
    case .connected: tell(client, .mediaConnected, &context)
    case .visible:
      tell(client, .remoteVisible, &context)
      if isMeasuring { watch(client, &context) }
    case .second: sample(client, &context)
    case .failed: tell(client, .mediaFailed, &context)
    }
  }

  // MARK: Checks

  mutating func checkClients(at now: Instant) {
    let timeouts = configuration.client.timeouts
    let limit = timeouts.connecting + configuration.client.margin
    for index in 0..<clients.count {
      if clients[index].machine.earlyCount > 0 { probes.reach(.earlyCandidate) }
      guard let since = clients[index].connectingSince else { continue }
      let own = clock(UInt32(index), at: now)
      probes.check(.connectingIsBounded, own - since <= limit, at: now)
    }
  }
}
