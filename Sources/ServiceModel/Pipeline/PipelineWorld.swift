import MediaUnits
import ModelBasics
import SimulationKernel
import UploadPolicy

/// From a phone to the feed: upload, event bus, pipeline, publishing (S09).
///
/// Included: clients with ``UploadMachine`` over links of their own, parts in parallel, losses of
/// the network, lost answers; the service and the store; a bus that delivers at least once; an
/// execution for each upload with ``PipelineMachine``; stages with servers and queues, jobs that
/// fail and starts whose answer is lost; the three writes of Publish, the index that is behind,
/// readers who open what is listed; a second version of some videos; cost by stage.
///
/// Left out: what the transcoder does to quality, the CDN in front of the store (the feed's world
/// has it), limits of the store (parameters section 8: 3,500 writes a second and prefix), the
/// queues' own limits.
public struct PipelineWorld: ~Copyable, MeasuredWorld {
  public typealias Event = PipelineEvent

  let configuration: PipelineConfiguration
  let streams: RandomStreams
  let begin: Instant
  let end: Instant
  var uploads: [Upload] = []
  /// The upload of each number of the service.
  var registered: [UInt32] = []
  var service: UploadService
  var ledger: ExecutionLedger
  var executions: [Execution] = []
  var jobs: [PipelineJob] = []
  var stations: [QueueStation] = []
  var videoCount: UInt32 = 0
  /// What it has counted.
  public var measures = PipelineMeasures()

  public init(_ configuration: PipelineConfiguration, seed: UInt64, replication: UInt16) {
    self.configuration = configuration
    streams = RandomStreams(seed: seed, replication: replication)
    begin = .zero + configuration.warmUp
    end = begin + configuration.window
    service = UploadService(configuration.service)
    ledger = ExecutionLedger(configuration.ledger)
    for stage in configuration.stages { stations.append(QueueStation(servers: stage.servers)) }
  }

  public static func tag(of event: PipelineEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { PipelineTag.name(of: tag) }

  /// Runs until everything that was uploaded is published or rejected.
  ///
  /// - Throws: ``SimulationError`` when a limit is reached.
  public static func run(
    _ configuration: PipelineConfiguration, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64? = nil
  ) throws(SimulationError) -> MeasuredRun<PipelineMeasures> {
    try run(
      PipelineWorld(configuration, seed: seed, replication: replication), shuffleTies: shuffleTies)
  }

  /// Schedules the first events.
  public static func start(_ simulation: inout Simulation<PipelineWorld>) {
    if let first = simulation.world.nextUpload(0, after: 0) {
      simulation.schedule(.uploadBegins(0), at: first, for: backend, source: backend)
    }
  }

  static let backend: UInt32 = 0
  func clientEntity(_ upload: UInt32) -> UInt32 { upload + 1 }

  public mutating func handle(
    _ event: PipelineEvent, target: UInt32, in context: inout Context<PipelineEvent>
  ) {
    switch event {
    case .uploadBegins(let number):
      if let next = nextUpload(number + 1, after: context.now.seconds) {
        context.schedule(
          .uploadBegins(number + 1), at: max(next, context.now), for: PipelineWorld.backend)
      }
      beginUpload(&context)
    case .republish(let upload): beginAgain(upload, &context)
    case .network(let upload, let isOnline):
      advance(upload, at: context.now)
      tellUpload(upload, .connected(isOnline), &context)
      share(upload, &context)
    case .linkFree(let upload, let epoch):
      if uploads[Int(upload)].epoch == epoch { freeLink(upload, &context) }
    case .requestDone(let upload, let request):
      tellUpload(upload, .done(request: request), &context)
    case .uploadTimer(let upload, let number, let isRetry):
      tellUpload(
        upload, .timerFired(isRetry ? .retry(number) : .answer(request: number)), &context)
    case .stored(let upload): deliver(upload, &context)
    case .stageBegins(let job): enter(job, &context)
    case .submitLost(let execution, let stage, let attempt):
      if let stage = PipelineMachine.Stage(rawValue: stage) {
        tellPipeline(execution, .failed(stage, attempt: attempt), &context)
      }
    case .jobDone(let job): endJob(job, &context)
    case .stageTimer(let execution, let stage, let attempt, let isRetry):
      if let stage = PipelineMachine.Stage(rawValue: stage) {
        tellPipeline(
          execution,
          .timerFired(
            isRetry ? .retry(stage, attempt: attempt) : .timeout(stage, attempt: attempt)),
          &context)
      }
    case .written(let execution, let write):
      if let write = PublishWrite(rawValue: write) { noteWrite(execution, write, &context) }
    case .indexed(let execution): list(execution, &context)
    case .read(let execution, let number): read(execution, number, &context)
    case .viewEnds(let execution):
      if executions[Int(execution)].isDeleted { measures.goneVersions += 1 }
    }
  }

  /// Closes what is open at the end.
  public mutating func finish() {
    for upload in uploads where upload.isMeasured {
      if upload.executions > 1 { measures.doubledExecutions += 1 }
      if upload.transcodes > 1 { measures.doubledTranscodes += 1 }
    }
    measures.duplicateEvents = ledger.duplicates
  }
}
