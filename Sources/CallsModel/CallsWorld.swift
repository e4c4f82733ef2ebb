import CallSignalling
import MediaUnits
import MessagingModel
import ModelBasics
import SimulationKernel

/// The events of the call world. `epoch` counts the lives of a process, `line` those of a
/// connection.
public enum CallsEvent: BitwiseCopyable, Sendable {
  case step(UInt32)
  case begin
  case opened(client: UInt32, line: UInt32)
  case refusedLine(client: UInt32, line: UInt32)
  case toServer(flight: UInt32)
  case toClient(flight: UInt32)
  case lineClosed(client: UInt32, line: UInt32)
  case closedAtServer(client: UInt32, line: UInt32)
  case clientTimer(client: UInt32, timer: UInt8, number: UInt32, epoch: UInt32)
  case serverTimer(slot: UInt32, epoch: UInt32)
  case storeAnswer(number: UInt32, epoch: UInt32)
  case media(client: UInt32, kind: UInt8, epoch: UInt32)
  case user(client: UInt32, kind: UInt8, epoch: UInt32)
  case restartServer(epoch: UInt32)
  case mend
  case lastCalls
  case judge
  case count
  /// A clock was set back: whatever another fault sets it to holds from now on.
  case clockSet(target: UInt32)
  /// A timer of somebody else's monitor; `epoch` counts media sessions.
  case qualityTimer(client: UInt32, timer: UInt32, epoch: UInt32)

  var tag: UInt32 {
    switch self {
    case .step: return CallsTag.step.rawValue
    case .begin: return CallsTag.begin.rawValue
    case .opened: return CallsTag.opened.rawValue
    case .refusedLine: return CallsTag.refusedLine.rawValue
    case .toServer: return CallsTag.toServer.rawValue
    case .toClient: return CallsTag.toClient.rawValue
    case .lineClosed: return CallsTag.lineClosed.rawValue
    case .closedAtServer: return CallsTag.closedAtServer.rawValue
    case .clientTimer: return CallsTag.clientTimer.rawValue
    case .serverTimer: return CallsTag.serverTimer.rawValue
    case .storeAnswer: return CallsTag.storeAnswer.rawValue
    case .media: return CallsTag.media.rawValue
    case .user: return CallsTag.user.rawValue
    case .restartServer: return CallsTag.restartServer.rawValue
    case .mend: return CallsTag.mend.rawValue
    case .lastCalls: return CallsTag.lastCalls.rawValue
    case .judge: return CallsTag.judge.rawValue
    case .count: return CallsTag.count.rawValue
    case .clockSet: return CallsTag.clockSet.rawValue
    case .qualityTimer: return CallsTag.qualityTimer.rawValue
    }
  }
}

/// One client of the world.
struct CallsClient {
  var machine: CallClient
  var role: Role
  var isRunning = true
  var isGone = false
  var epoch: UInt32 = 0
  /// The present connection, and whether each end believes in it. Numbers never repeat.
  var line: UInt32 = 0
  var isOpenHere = false
  /// Nothing passes on this connection any more, and neither end is told.
  var isDead = false
  /// The latest arrival each way: a connection keeps the order.
  var lastUp = Instant.zero
  var lastDown = Instant.zero
  var draws: UInt32 = 0
  var userDraws: UInt32 = 0
  var translation = Translation.open
  var blocksUDP = false
  var wishesOnline = false
  var connectingSince: Instant?
  /// What the media engine is doing.
  var media = CallsMedia()
}

/// The media engine of one client.
struct CallsMedia {
  var call: CallID?
  var offers = false
  /// Counts media sessions.
  var epoch: UInt32 = 0
  var hasRemote = false
  var hasCandidate = false
  var isConnected = false
  var usesRelay = false
  var path = MediaPath.none
  /// When the camera gives pictures.
  var cameraFrom = Instant.zero
}

struct CallsFlight {
  var client: UInt32
  var line: UInt32
  var envelope: Envelope
  var sent: Instant
}

/// Callers and interpreters, the signalling server, their WebSockets and their media (S12, S13).
///
/// Included: the machines of CallSignalling as they ship, connections that keep the order, delay,
/// break or only seem open, address translators and relays with room for a few, the times of
/// candidates, checks and DTLS, apps that are suspended and ended, a server that forgets everything
/// when it stops, users who answer, decline and ignore.
///
/// Left out: pictures and sound; their quality is the monitor's own matter.
public struct CallsWorld: ~Copyable, SimulatedWorld {
  public typealias Event = CallsEvent

  let configuration: CallsConfiguration
  let schedule: ProtocolSchedule<CallsAction>
  let streams: RandomStreams
  var clients: [CallsClient] = []
  var server: CallServerProcess
  var flights = SlotTable<CallsFlight>()
  var lines = CallLines()
  var injector: FaultInjector
  var relays: RelayPool
  var timers: ClientTimers
  var truths = CallTruths()
  var standings: CallStandings
  var names: UInt32 = 0
  var healed = HealedCalls()
  var scratch: [CallClient.Command] = []

  var probes = ProtocolProbes<CallsProperty>()
  var sequence: [SequenceEntry] = []
  let isRecording: Bool

  /// Of measured runs only.
  let isMeasuring: Bool
  var meter = CallsMeter()
  /// Somebody else's, by client; none where the shipped ones watch.
  var monitors: [ForeignMonitor?] = []

  static let firstClient: UInt32 = 1

  public init(
    _ configuration: CallsConfiguration, _ schedule: ProtocolSchedule<CallsAction>,
    records: Bool = false, measures: Bool = false
  ) {
    self.configuration = configuration
    self.schedule = schedule
    isRecording = records
    isMeasuring = measures
    streams = RandomStreams(seed: schedule.seed, replication: 0)
    server = CallServerProcess(configuration.server)
    relays = RelayPool(capacity: configuration.relayCapacity)
    timers = ClientTimers(clients: schedule.actors)
    standings = CallStandings(clients: schedule.actors)
    injector = FaultInjector(
      clients: Int(schedule.actors), choices: schedule.choices,
      choicesFrom: schedule.choicesFrom)
    for number in 0..<schedule.actors {
      let (u, v) = streams.uniformPair(.callUser, entity: UInt64(number), pair: 0)
      var client = CallsClient(
        machine: CallClient(configuration.client),
        role: number < configuration.callers ? .caller : .interpreter)
      client.translation = configuration.mix.translation(u)
      client.blocksUDP = v < configuration.mix.blocksUDP
      client.userDraws = 1
      clients.append(client)
      if measures { meter.usages.append(CallsUsage()) }
    }
  }

  public static func tag(of event: CallsEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { CallsTag.name(of: tag) }

  /// Runs a schedule to its end.
  public static func run(
    _ configuration: CallsConfiguration, _ schedule: ProtocolSchedule<CallsAction>,
    records: Bool = false
  ) -> ProtocolRun<CallsProperty> {
    var simulation = Simulation(
      CallsWorld(configuration, schedule, records: records), pendingEvents: 512)
    simulation.schedule(.begin, at: .zero, for: 0, source: 0)
    for index in 0..<schedule.steps.count {
      simulation.schedule(
        .step(UInt32(index)), at: schedule.steps[index].at, for: 0, source: 0)
    }
    let end = Instant.zero + schedule.duration
    simulation.schedule(.mend, at: end, for: 0, source: 0)
    if schedule.settling > .zero {
      simulation.schedule(
        .judge, at: end + schedule.settling, for: 0, source: 0, phase: .observe)
    }
    var events: UInt64 = 0
    do throws(SimulationError) {
      events = try simulation.run(eventLimit: 200_000, sameInstantLimit: 10_000).events
    } catch {
      simulation.world.probes.check(.nothingLeft, false, at: error.time)
    }
    return ProtocolRun(
      probes: simulation.world.probes, sequence: simulation.world.sequence,
      fingerprint: simulation.fingerprint.value, events: events,
      messages: simulation.world.injector.messages)
  }

  public mutating func handle(
    _ event: CallsEvent, target: UInt32, in context: inout Context<CallsEvent>
  ) {
    switch event {
    case .step(let index): take(schedule.steps[Int(index)].action, &context)
    case .begin:
      tellServer(.started, &context)
      for client in 0..<schedule.actors {
        if isMeasuring { discover(client, &context) } else { start(client, &context) }
      }
    case .count: beginCounting(at: context.now)
    case .clockSet(let target): jump(target, &context)
    case .qualityTimer(let client, let timer, let epoch):
      if fireMonitor(client, timer, epoch, &context) { tell(client, .mediaFailed, &context) }
    case .opened(let client, let line): openLine(client, line, &context)
    case .refusedLine(let client, let line), .lineClosed(let client, let line):
      closeHere(client, line, &context)
    case .closedAtServer(_, let line): closeAtServer(line, &context)
    case .toServer(let flight): reachServer(flight, &context)
    case .toClient(let flight): reachClient(flight, &context)
    case .clientTimer(let client, let timer, let number, let epoch):
      guard isAlive(client, epoch), let timer = CallClient.Timer(rawValue: timer) else { return }
      fire(client, timer, number, &context)
    case .serverTimer(let slot, let epoch):
      let timer = server.takeTimer(slot)
      if server.isUp(in: epoch) { tellServer(.timerFired(timer), &context) }
    case .storeAnswer(let number, let epoch):
      if server.isUp(in: epoch) { tellServer(.storeAnswered(number), &context) }
    case .media(let client, let kind, let epoch): moveMedia(client, kind, epoch, &context)
    case .user(let client, let kind, let epoch): act(client, kind, epoch, &context)
    case .restartServer(let epoch): if epoch == server.epoch { restartServer(&context) }
    case .mend: mend(&context)
    case .lastCalls: callAgain(&context)
    case .judge:
      judge(at: context.now)
      context.stop()
    }
    if !isMeasuring { checkClients(at: context.now) }
  }

  func isAlive(_ client: UInt32, _ epoch: UInt32) -> Bool {
    clients[Int(client)].epoch == epoch && clients[Int(client)].isRunning
  }

  // MARK: Steps

  private mutating func take(_ action: CallsAction, _ context: inout Context<CallsEvent>) {
    switch action {
    case .call(let client, let peer): tell(client, .call(UserID(peer)), &context)
    case .wish(let number): if isMeasuring { wish(number, &context) }
    case .hangUp(let client): hangUp(client, &context)
    case .accept(let client): accept(client, &context)
    case .decline(let client): tell(client, .decline, &context)
    case .goOnline(let client):
      clients[Int(client)].wishesOnline = true
      tell(client, .goOnline, &context)
    case .goOffline(let client):
      clients[Int(client)].wishesOnline = false
      if clients[Int(client)].machine.screen == .incoming { probes.reach(.leftWhileRinging) }
      tell(client, .goOffline, &context)
    case .report(let client): tell(client, .report, &context)
    case .suspend(let client):
      leave(client, at: context.now)
      tell(client, .suspended, &context)
    case .resume(let client): tell(client, .resumed, &context)
    case .kill(let client):
      leave(client, at: context.now)
      kill(client, &context)
    case .start(let client): start(client, &context)
    case .fault(let fault): begin(fault, &context)
    }
  }

  private mutating func begin(_ fault: Fault, _ context: inout Context<CallsEvent>) {
    let isClient = fault.target < schedule.actors
    switch fault.kind {
    case .crash where isClient: kill(fault.target, &context)
    case .crash, .crashAfterWrite: stopServer(for: fault.length, &context)
    case .suspend where isClient: tell(fault.target, .suspended, &context)
    case .halfOpen, .rebind:
      for client in 0..<schedule.actors
      where fault.target == client || fault.target == Fault.everyone {
        leave(client, at: context.now)
        clients[Int(client)].isDead = true
      }
    case .relayDown:
      injector.begin(fault, at: context.now)
      relays.isUp = false
    case .skew:
      injector.begin(fault, at: context.now)
      jump(fault.target, &context)
      context.schedule(
        .clockSet(target: fault.target), at: context.now.advanced(saturatingBy: fault.length),
        for: 0)
    default:
      injector.begin(fault, at: context.now)
      if isMeasuring && fault.kind == .drop { meter.measures.outages += 1 }
      if fault.kind == .drop && fault.channel == .everything
        && fault.length >= configuration.mediaTimeout
      {
        cutMedia(fault.target, &context)
      }
    }
  }

  // MARK: The end

  private mutating func mend(_ context: inout Context<CallsEvent>) {
    if schedule.settling == .zero {
      context.stop()
      return
    }
    healed.heal()
    injector.heal()
    relays.isUp = true
    restartServer(&context)
    for client in 0..<schedule.actors {
      if schedule.core >> UInt64(client) & 1 == 0 {
        kill(client, &context)
        clients[Int(client)].isGone = true
        continue
      }
      start(client, &context)
      tell(client, .resumed, &context)
      tell(client, .dismiss, &context)
      tell(client, .register(UserID(client), clients[Int(client)].role), &context)
      hangUp(client, &context)
    }
    // What has been going on may ring, connect and expire for so long.
    context.schedule(.lastCalls, at: context.now + .seconds(73), for: 0)
  }

  func isCore(_ client: UInt32) -> Bool {
    schedule.core >> UInt64(client) & 1 == 1 && !clients[Int(client)].isGone
  }

  /// When all has settled, every interpreter of the core goes online and one caller calls one of
  /// them. Checks and key frames have long tails, so a call may honestly exceed the time to connect
  /// (ICC-039): the caller tries once more, when the first call must be over.
  private mutating func callAgain(_ context: inout Context<CallsEvent>) {
    switch healed.nextMove() {
    case .goOnline:
      checkSettled(at: context.now)
      for client in configuration.callers..<schedule.actors where isCore(client) {
        clients[Int(client)].wishesOnline = true
        tell(client, .goOnline, &context)
      }
      context.schedule(.lastCalls, at: context.now + .seconds(2), for: 0)
      return
    case .call: context.schedule(.lastCalls, at: context.now + .seconds(22), for: 0)
    case .callAgain: break
    case .nothing: return
    }
    for caller in 0..<configuration.callers where isCore(caller) {
      for interpreter in configuration.callers..<schedule.actors where isCore(interpreter) {
        tell(caller, .call(UserID(interpreter)), &context)
        return
      }
    }
  }

  private mutating func checkSettled(at now: Instant) {
    for client in 0..<schedule.actors where isCore(client) {
      let state = clients[Int(client)]
      probes.check(.everyoneIsBack, state.machine.screen == .registered, at: now)
      if state.role == .caller { continue }
      let expected: CallServer.Standing = state.wishesOnline ? .available : .unavailable
      probes.check(
        .standingsAgree, server.machine.standing(of: UserID(client)) == expected, at: now)
    }
    probes.check(.nothingLeft, server.machine.callCount == 0 && relays.inUse == 0, at: now)
  }

  private mutating func judge(at now: Instant) {
    var callers = 0
    var interpreters = 0
    for client in 0..<schedule.actors where isCore(client) {
      if clients[Int(client)].role == .caller { callers += 1 } else { interpreters += 1 }
    }
    if callers > 0 && interpreters > 0 { probes.check(.callsWork, healed.connected > 0, at: now) }
  }
}
