import MediaUnits
import UploadPolicy

/// What a run of the pipeline has shown: of the uploads that began in the measured window.
public struct PipelineMeasures: Sendable, Equatable {
  public var uploads = 0
  public var uploaded = 0
  public var givenUp = 0
  /// Nanoseconds of an upload, near and far.
  public var uploadTimes: [[Int64]] = [[], []]
  /// Bytes of files, bytes sent, and uploads that sent more again than their outages allow.
  public var fileBytes: Int64 = 0
  public var sentBytes: Int64 = 0
  public var outages = 0
  public var overSent = 0
  /// Events of the bus and those of them that were repeats.
  public var busEvents = 0
  public var duplicateEvents = 0
  public var executions = 0
  /// Uploads with a second execution; with a second job of Transcode that did not fail.
  public var doubledExecutions = 0
  public var doubledTranscodes = 0
  /// Nanoseconds in the queue of a stage and from its start to its end, by stage.
  public var waits: [[Int64]] = [[], [], [], []]
  public var stageTimes: [[Int64]] = [[], [], [], []]
  /// Nanoseconds from the file's arrival to the feed's entry.
  public var publishTimes: [Int64] = []
  public var published = 0
  /// Executions that ended with a code, in the order of ``RejectionCode``; that failed otherwise.
  public var rejections = [Int](repeating: 0, count: RejectionCode.allCases.count)
  public var failures = 0
  /// Rejected by the inspection and transcoded all the same: must be zero.
  public var lateRejections = 0
  /// Seconds of video that were transcoded and then flagged.
  public var wastedSeconds = 0.0
  /// Published without exactly one storyboard, transcoded before the inspection was over: must be
  /// zero.
  public var orderFaults = 0
  /// Entries of feeds, and those that were there before their manifest (SIG-020).
  public var listings = 0
  public var earlyListings = 0
  /// Views of listed videos, those that found no manifest, those whose version was gone at the end.
  public var reads = 0
  public var notFound = 0
  public var goneVersions = 0
  public var indexLags: [Int64] = []
  /// Dollars by stage; the fifth is the orchestration.
  public var cost = [Double](repeating: 0, count: 5)

  public init() {}

  public var resentBytes: Int64 { sentBytes - fileBytes }
  public var totalCost: Double { cost.reduce(0, +) }
}
