import AudienceModel
import MediaUnits
import SimulationKernel
import UploadPolicy

/// Who uploads what over which link.
public struct UploaderSettings: Sendable {
  /// Uploads a second, from the beginning of the run.
  public var uploads: RateProfile
  /// Seconds of a video; bits a second of its file; bits a second of the uplink.
  public var duration, sourceRate, uplink: QuantileTable
  public var client: UploadMachine.Configuration
  /// Share of uploads from far away, and the two round trips.
  public var farShare: Double
  public var nearRoundTrip, farRoundTrip: TimeSpan
  /// Share of packets that are lost; bounds what one connection carries (Mathis et al. 1997).
  public var loss: Double
  /// Whether uploads enter the network near the client (SIG-056).
  public var isAccelerated: Bool
  /// Share of uploads whose network goes when half of the file is there, and for how many seconds.
  public var outageShare: Double
  public var outage: QuantileTable
  /// Share of answers to requests without media that are lost.
  public var answerLoss: Double
  /// Share of files with other codecs.
  public var unsupportedShare: Double
  /// Share of published videos that are published again, and when.
  public var republishShare: Double
  public var republishAfter: TimeSpan

  public init(
    uploads: RateProfile, duration: QuantileTable, sourceRate: QuantileTable,
    uplink: QuantileTable, client: UploadMachine.Configuration = UploadMachine.Configuration(),
    farShare: Double = 0, nearRoundTrip: TimeSpan = .milliseconds(40),
    farRoundTrip: TimeSpan = .milliseconds(220), loss: Double = 0, isAccelerated: Bool = false,
    outageShare: Double = 0, outage: QuantileTable = QuantileTable(constant: 30),
    answerLoss: Double = 0, unsupportedShare: Double = 0, republishShare: Double = 0,
    republishAfter: TimeSpan = .minutes(5)
  ) {
    self.uploads = uploads
    self.duration = duration
    self.sourceRate = sourceRate
    self.uplink = uplink
    self.client = client
    self.farShare = farShare
    self.nearRoundTrip = nearRoundTrip
    self.farRoundTrip = farRoundTrip
    self.loss = loss
    self.isAccelerated = isAccelerated
    self.outageShare = outageShare
    self.outage = outage
    self.answerLoss = answerLoss
    self.unsupportedShare = unsupportedShare
    self.republishShare = republishShare
    self.republishAfter = republishAfter
  }
}

/// One stage's service.
public struct StageSettings: Sendable {
  public var servers: Int
  /// Seconds of a job: `fixed` + `perSecond` · seconds of the video.
  public var fixed, perSecond: QuantileTable
  /// Share of jobs that fail at their end.
  public var failureShare: Double
  /// Dollars of a job and of a minute of video.
  public var price, pricePerMinute: Double

  public init(
    servers: Int, fixed: QuantileTable, perSecond: QuantileTable = QuantileTable(constant: 0),
    failureShare: Double = 0, price: Double = 0, pricePerMinute: Double = 0
  ) {
    self.servers = servers
    self.fixed = fixed
    self.perSecond = perSecond
    self.failureShare = failureShare
    self.price = price
    self.pricePerMinute = pricePerMinute
  }
}

/// Everything that a run of the pipeline depends on but its seed.
public struct PipelineConfiguration: Sendable {
  public var warmUp, window: TimeSpan
  public var uploader: UploaderSettings
  public var service: UploadService.Configuration
  /// Seconds that the service takes for a request.
  public var serviceTime: QuantileTable
  /// Seconds until the bus delivers; share of events that come twice, and seconds until they do.
  public var busDelay: QuantileTable
  public var duplicateShare: Double
  public var duplicateDelay: QuantileTable
  public var ledger: ExecutionLedger.Configuration
  public var machine: PipelineMachine.Configuration
  /// Inspect, Moderate, Transcode, Storyboard.
  public var stages: [StageSettings]
  /// Seconds between two stages, and dollars for it.
  public var transition: QuantileTable
  public var transitionPrice: Double
  /// Share of starts whose answer is lost, and when the orchestrator gives up waiting for it.
  public var submitLoss: Double
  public var submitTimeout: TimeSpan
  /// Whether services know a start by its token (SIG-073). False is a negative control.
  public var hasTokens: Bool
  /// Share of videos that moderation flags.
  public var flagShare: Double
  /// Seconds of a write of Publish, and until the index shows the row.
  public var writeTime, indexLag: QuantileTable
  /// Views of a listed video a second, and how many of them are looked at.
  public var readRate: Double
  public var reads: Int
  /// How long a view lasts; its last segment is asked for at its end.
  public var viewLength: TimeSpan
  /// Whether the objects of a version go when the next one is published. A negative control.
  public var deletesOld: Bool

  public init(
    warmUp: TimeSpan, window: TimeSpan, uploader: UploaderSettings,
    service: UploadService.Configuration = UploadService.Configuration(),
    serviceTime: QuantileTable, busDelay: QuantileTable, duplicateShare: Double = 0,
    duplicateDelay: QuantileTable,
    ledger: ExecutionLedger.Configuration = ExecutionLedger.Configuration(),
    machine: PipelineMachine.Configuration = PipelineMachine.Configuration(),
    stages: [StageSettings], transition: QuantileTable, transitionPrice: Double = 0,
    submitLoss: Double = 0, submitTimeout: TimeSpan = .seconds(10), hasTokens: Bool = true,
    flagShare: Double = 0, writeTime: QuantileTable, indexLag: QuantileTable,
    readRate: Double = 1, reads: Int = 3, viewLength: TimeSpan = .seconds(20),
    deletesOld: Bool = false
  ) {
    precondition(stages.count == 4, "there are four stages with servers")
    self.warmUp = warmUp
    self.window = window
    self.uploader = uploader
    self.service = service
    self.serviceTime = serviceTime
    self.busDelay = busDelay
    self.duplicateShare = duplicateShare
    self.duplicateDelay = duplicateDelay
    self.ledger = ledger
    self.machine = machine
    self.stages = stages
    self.transition = transition
    self.transitionPrice = transitionPrice
    self.submitLoss = submitLoss
    self.submitTimeout = submitTimeout
    self.hasTokens = hasTokens
    self.flagShare = flagShare
    self.writeTime = writeTime
    self.indexLag = indexLag
    self.readRate = readRate
    self.reads = reads
    self.viewLength = viewLength
    self.deletesOld = deletesOld
  }
}
