import MediaUnits
import ModelBasics
import SimulationKernel
import UploadPolicy

/// The events of the pipeline's world. Numbers of uploads, executions, jobs.
public enum PipelineEvent: BitwiseCopyable, Sendable {
  case uploadBegins(UInt32)
  case republish(UInt32)
  case network(upload: UInt32, isOnline: Bool)
  case linkFree(upload: UInt32, epoch: UInt32)
  case requestDone(upload: UInt32, request: UInt32)
  case uploadTimer(upload: UInt32, number: UInt32, isRetry: Bool)
  case stored(upload: UInt32)
  case stageBegins(job: UInt32)
  case submitLost(execution: UInt32, stage: UInt8, attempt: UInt8)
  case jobDone(job: UInt32)
  case stageTimer(execution: UInt32, stage: UInt8, attempt: UInt8, isRetry: Bool)
  case written(execution: UInt32, write: UInt8)
  case indexed(execution: UInt32)
  case read(execution: UInt32, number: UInt32)
  case viewEnds(execution: UInt32)

  var tag: UInt32 {
    switch self {
    case .uploadBegins: return PipelineTag.uploadBegins.rawValue
    case .republish: return PipelineTag.republish.rawValue
    case .network: return PipelineTag.network.rawValue
    case .linkFree: return PipelineTag.linkFree.rawValue
    case .requestDone: return PipelineTag.requestDone.rawValue
    case .uploadTimer: return PipelineTag.uploadTimer.rawValue
    case .stored: return PipelineTag.stored.rawValue
    case .stageBegins: return PipelineTag.stageBegins.rawValue
    case .submitLost: return PipelineTag.submitLost.rawValue
    case .jobDone: return PipelineTag.jobDone.rawValue
    case .stageTimer: return PipelineTag.stageTimer.rawValue
    case .written: return PipelineTag.written.rawValue
    case .indexed: return PipelineTag.indexed.rawValue
    case .read: return PipelineTag.read.rawValue
    case .viewEnds: return PipelineTag.viewEnds.rawValue
    }
  }
}

/// A part on its way.
struct PartFlight {
  var request: UInt32
  var bitsLeft: Double
}

struct Upload {
  var key: UploadKey
  var facts: MediaFacts
  var isFar: Bool
  var isMeasured: Bool
  var beganAt: Instant
  var machine: UploadMachine
  /// Bits a second of the link, and of one connection.
  var uplink: Double
  var ceiling: Double
  var roundTrip: TimeSpan
  var parts: [PartFlight] = []
  var progressAt = Instant.zero
  var epoch: UInt32 = 0
  var outages: Int64 = 0
  /// Failures other than outages; each costs a part at most.
  var hadOutage = false
  var number: UInt32 = 0
  var storedAt = Instant.zero
  var executions = 0
  /// Jobs of Transcode that did not fail.
  var transcodes = 0
}

/// One execution of the pipeline.
struct Execution {
  var upload: UInt32
  var machine: PipelineMachine
  var beganAt: Instant
  /// The job of each stage that runs or is done.
  var jobs: [UInt32?] = [nil, nil, nil, nil]
  var storyboards = 0
  var isListed = false
  var isManifestThere = false
  var isDeleted = false
}

struct PipelineJob {
  var execution: UInt32
  var stage: PipelineMachine.Stage
  var attempt: UInt8
  var arrivedAt = Instant.zero
  var isOver = false
}
