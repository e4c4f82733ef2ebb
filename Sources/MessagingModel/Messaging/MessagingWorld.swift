import MediaUnits
import MessageDelivery
import ModelBasics
import SimulationKernel

/// What a measured run came to.
public struct MessagingOutcome: Sendable {
  public var measures: MessagingMeasures
  public var events: UInt64
  public var end: Instant
  public var fingerprint: Fingerprint
}

/// Clients that send each other videos, the service, its object store and the push service (S10,
/// S11).
///
/// Included: the machines of MessageDelivery as they ship, requests with delays, a store that takes
/// its time, pushes of which an offline device gets the last one, replicas that are behind, apps
/// that are left, woken, ended and opened again, and the faults of a schedule. After the last step
/// everything but the clients outside the core is mended, and the run must settle.
///
/// Left out: bandwidth (a transfer takes a drawn time), accounts, the bytes of the videos.
public struct MessagingWorld: ~Copyable, SimulatedWorld {
  public typealias Event = MessagingEvent

  /// What machines command, kept for its memory.
  struct Scratch {
    var sender: [SenderMachine.Command] = []
    var receiver: [ReceiverMachine.Command] = []
    var poll: [PollMachine.Command] = []
  }

  let configuration: MessagingConfiguration
  let schedule: ProtocolSchedule<MessagingAction>
  let streams: RandomStreams
  var clients: [MessagingClient] = []
  var server: MessageServer
  /// The copy that a replica which is behind answers from.
  var replica: MessageServer?
  var replicaUntil = Instant.zero
  var isServerUp = true
  var serverEpoch: UInt32 = 0
  var stopsAfterWrite = false
  var stopLength = TimeSpan.zero
  var objects: [StoredVideo] = []
  var videos: [VideoTruth] = []
  var flights = SlotTable<MessagingFlight>()
  var injector: FaultInjector
  var isMended = false
  var scratch = Scratch()
  var pairs: [UInt8] = []

  /// What the run has shown.
  var probes = ProtocolProbes<MessagingProperty>()
  /// The messages, if they are recorded.
  var sequence: [SequenceEntry] = []
  let isRecording: Bool
  var meter: MessagingMeter

  /// The first entity that is a client; the service is entity 0.
  static let firstClient: UInt32 = 1

  public init(
    _ configuration: MessagingConfiguration, _ schedule: ProtocolSchedule<MessagingAction>,
    records: Bool = false
  ) {
    self.configuration = configuration
    self.schedule = schedule
    isRecording = records
    streams = RandomStreams(seed: schedule.seed, replication: 0)
    server = MessageServer(configuration.server)
    meter = MessagingMeter(clients: Int(schedule.actors))
    injector = FaultInjector(
      clients: Int(schedule.actors), choices: schedule.choices,
      choicesFrom: schedule.choicesFrom)
    pairs = [UInt8](repeating: 0, count: Int(schedule.actors * schedule.actors))
    let sender = SenderMachine(configuration.sender)
    let receiver = ReceiverMachine(configuration.receiver)
    for client in 0..<schedule.actors {
      clients.append(
        MessagingClient(
          sender: sender, receiver: receiver, poll: ClientPolls(configuration, client: client),
          savedSender: sender, savedReceiver: receiver))
    }
  }

  public static func tag(of event: MessagingEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { MessagingTag.name(of: tag) }

  /// Runs a schedule to its end.
  public static func run(
    _ configuration: MessagingConfiguration, _ schedule: ProtocolSchedule<MessagingAction>,
    records: Bool = false
  ) -> ProtocolRun<MessagingProperty> {
    var simulation = Simulation(
      MessagingWorld(configuration, schedule, records: records), pendingEvents: 512)
    let events = run(&simulation)
    return ProtocolRun(
      probes: simulation.world.probes, sequence: simulation.world.sequence,
      fingerprint: simulation.fingerprint.value, events: events,
      messages: simulation.world.injector.messages)
  }

  static func finish(
    _ configuration: MessagingConfiguration, _ schedule: ProtocolSchedule<MessagingAction>
  ) -> MessagingMeasures {
    var simulation = Simulation(MessagingWorld(configuration, schedule), pendingEvents: 512)
    _ = run(&simulation)
    simulation.world.closeMeasures(at: simulation.now)
    return simulation.world.meter.measures
  }

  /// Runs a schedule to its end, or to a limit on its events, and says what it cost.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` at the limit, and where somebody else's machine
  ///   commanded what cannot be done.
  public static func measured(
    _ configuration: MessagingConfiguration, _ schedule: ProtocolSchedule<MessagingAction>,
    shuffleTies: UInt64?, eventLimit: UInt64
  ) throws(SimulationError) -> MessagingOutcome {
    var simulation = Simulation(
      MessagingWorld(configuration, schedule), shuffleTies: shuffleTies, pendingEvents: 512)
    start(&simulation)
    let summary = try simulation.run(eventLimit: eventLimit, sameInstantLimit: 100_000)
    if let polls = configuration.polls, polls.hasFailed {
      throw SimulationError.policyFailed(at: simulation.now)
    }
    simulation.world.closeMeasures(at: simulation.now)
    return MessagingOutcome(
      measures: simulation.world.meter.measures, events: summary.events, end: simulation.now,
      fingerprint: simulation.fingerprint)
  }

  private static func run(_ simulation: inout Simulation<MessagingWorld>) -> UInt64 {
    start(&simulation)
    let limit: UInt64 = 200_000 + UInt64(simulation.world.schedule.steps.count) * 10_000
    do throws(SimulationError) {
      return try simulation.run(eventLimit: limit, sameInstantLimit: 10_000).events
    } catch {
      // A loop without an end: the run is judged as one that never settles.
      simulation.world.probes.check(.nothingStuck, false, at: error.time)
      return error.limit
    }
  }

  /// Puts the first events into a simulation of this world.
  public static func start(_ simulation: inout Simulation<MessagingWorld>) {
    let schedule = simulation.world.schedule
    for index in 0..<schedule.steps.count {
      simulation.schedule(
        .step(UInt32(index)), at: schedule.steps[index].at, for: 0, source: 0)
    }
    simulation.schedule(.catchUp, at: .zero, for: 0, source: 0)
    let end = Instant.zero + schedule.duration
    simulation.schedule(.mend, at: end, for: 0, source: 0)
    if schedule.settling > .zero {
      simulation.schedule(
        .judge, at: end + schedule.settling, for: 0, source: 0, phase: .observe)
    }
  }

  public mutating func handle(
    _ event: MessagingEvent, target: UInt32, in context: inout Context<MessagingEvent>
  ) {
    switch event {
    case .step(let index): take(schedule.steps[Int(index)].action, &context)
    case .arrive(let flight): land(flight, &context)
    case .senderTimer(let client, let kind, let video, let attempt, let epoch):
      guard isAlive(client, epoch), let kind = RequestKind(rawValue: kind) else { return }
      tellSender(
        client, .timerFired(Errand(kind, name(video)), attempt: attempt), &context)
    case .receiverTimer(let client, let kind, let video, let attempt, let epoch):
      guard isAlive(client, epoch), let kind = RequestKind(rawValue: kind) else { return }
      tellReceiver(
        client, .timerFired(Errand(kind, name(video)), attempt: attempt), &context)
    case .pollTimer(let client, let number, let epoch):
      guard isAlive(client, epoch), let number = clients[Int(client)].poll.fired(number) else {
        return
      }
      tellPoll(client, .timerFired(number), &context)
    case .serverTimer(let epoch):
      if isServerUp && epoch == serverEpoch { tellServer(.timerFired, &context) }
    case .storeEvent(let video): tellOfStored(video, &context)
    case .releasePush(let client): releasePush(client, &context)
    case .sleep(let client, let epoch):
      guard isAlive(client, epoch) else { return }
      clients[Int(client)].isAwake = false
      tellConnection(client, &context)
    case .restartServer(let epoch): if epoch == serverEpoch { restartServer(&context) }
    case .catchUp:
      tellServer(.started, &context)
      for client in 0..<schedule.actors {
        tellPoll(client, .opened, &context)
        tellConnection(client, &context)
      }
    case .mend: mend(&context)
    case .useAll: useAll(&context)
    case .judge:
      judge(at: context.now)
      context.stop()
    case .checkOpen(let client, let opening): checkOpening(client, opening)
    }
  }

  private func isAlive(_ client: UInt32, _ epoch: UInt32) -> Bool {
    clients[Int(client)].epoch == epoch && clients[Int(client)].isRunning
  }

  /// The name of a video from its number.
  func name(_ video: UInt32) -> VideoID { VideoID(high: schedule.seed, low: UInt64(video)) }

  func number(_ video: VideoID) -> UInt32 { UInt32(truncatingIfNeeded: video.low) }

  // MARK: Steps

  private mutating func take(
    _ action: MessagingAction, _ context: inout Context<MessagingEvent>
  ) {
    switch action {
    case .send(let from, let to): compose(from, to, &context)
    case .view(let client): view(client, &context)
    case .open(let client): open(client, &context)
    case .leave(let client): leave(client, &context)
    case .kill(let client): kill(client, at: context.now)
    case .connect(let client, let isOnline):
      clients[Int(client)].isOnline = isOnline
      if !isOnline { clients[Int(client)].openings += 1 }
      tellConnection(client, &context)
      if isOnline { releasePush(client, &context) }
    case .pushes(let client, let works):
      clients[Int(client)].hasPushes = works
      if works { releasePush(client, &context) }
    case .fault(let fault): begin(fault, &context)
    }
  }

  private mutating func begin(_ fault: Fault, _ context: inout Context<MessagingEvent>) {
    let isClient = fault.target < schedule.actors
    switch fault.kind {
    case .crash where isClient: kill(fault.target, at: context.now)
    case .crash: stopServer(for: fault.length, &context)
    case .crashAfterWrite:
      stopsAfterWrite = true
      stopLength = fault.length
    case .suspend where isClient: leave(fault.target, &context)
    case .skew where isClient:
      clients[Int(fault.target)].skew = TimeSpan(nanoseconds: fault.amount)
    case .staleRead:
      replica = server
      replicaUntil = context.now + fault.length
    case .throttle:
      injector.begin(fault, at: context.now)
      for client in 0..<schedule.actors {
        context.schedule(
          .releasePush(client: client), at: context.now + fault.length,
          for: MessagingWorld.firstClient + client)
      }
    default: injector.begin(fault, at: context.now)
    }
  }

  private mutating func stopServer(
    for length: TimeSpan, _ context: inout Context<MessagingEvent>
  ) {
    isServerUp = false
    serverEpoch += 1
    context.schedule(.restartServer(epoch: serverEpoch), at: context.now + length, for: 0)
  }

  private mutating func restartServer(_ context: inout Context<MessagingEvent>) {
    if isServerUp { return }
    isServerUp = true
    serverEpoch += 1
    tellServer(.started, &context)
  }

  /// The service stops between a write and whatever was to follow.
  mutating func stopAfterWrite(_ context: inout Context<MessagingEvent>) {
    stopsAfterWrite = false
    probes.reach(.crashAfterWrite)
    stopServer(for: stopLength, &context)
  }

  // MARK: The end

  /// Everything is mended but the clients outside the core, which are gone for good.
  private mutating func mend(_ context: inout Context<MessagingEvent>) {
    if schedule.settling == .zero {
      context.stop()
      return
    }
    isMended = true
    injector.heal()
    replica = nil
    stopsAfterWrite = false
    restartServer(&context)
    for client in 0..<schedule.actors {
      if schedule.core >> UInt64(client) & 1 == 0 {
        clients[Int(client)].isOnline = false
        clients[Int(client)].isGone = true
        kill(client, at: context.now)
        continue
      }
      clients[Int(client)].isOnline = true
      clients[Int(client)].hasPushes = true
      open(client, &context)
      releasePush(client, &context)
    }
    context.schedule(.useAll, at: context.now + .seconds(5), for: 0)
  }

  /// The users of the core look at everything that comes.
  private mutating func useAll(_ context: inout Context<MessagingEvent>) {
    for client in 0..<schedule.actors where isCore(client) { view(client, &context) }
    context.schedule(.useAll, at: context.now + .seconds(5), for: 0)
  }

  func isCore(_ client: UInt32) -> Bool {
    schedule.core >> UInt64(client) & 1 == 1 && !clients[Int(client)].isGone
  }

  private mutating func judge(at now: Instant) {
    for index in 0..<videos.count {
      let video = videos[index]
      if !isCore(video.sender) || !isCore(video.recipient) { continue }
      let status = server.status(of: name(UInt32(index)))
      if let status, video.isViewed { probes.check(.nothingStuck, status == .viewed, at: now) }
      if video.isReplaced || video.isFailed { continue }
      probes.check(.latestArrives, video.isOffered, at: now)
      probes.check(.statusConverges, !video.isViewed || video.shown == .viewed, at: now)
    }
    for client in 0..<schedule.actors where isCore(client) {
      let state = clients[Int(client)]
      probes.check(.nothingStuck, state.sender.pendingRequests == 0, at: now)
      probes.check(.nothingStuck, state.receiver.pendingRequests == 0, at: now)
    }
    for object in objects where isCore(object.sender.index) && isCore(object.recipient.index) {
      probes.check(.noOrphans, server.status(of: object.video) != nil, at: now)
    }
  }
}
