import MediaUnits
import MessageDelivery
import ModelBasics
import SimulationKernel

/// The events of the message world. Numbers of videos, clients and flights; `epoch` counts the
/// lives of a process, so that what was meant for an earlier life is dropped.
public enum MessagingEvent: BitwiseCopyable, Sendable {
  case step(UInt32)
  case arrive(flight: UInt32)
  case senderTimer(client: UInt32, kind: UInt8, video: UInt32, attempt: UInt32, epoch: UInt32)
  case receiverTimer(client: UInt32, kind: UInt8, video: UInt32, attempt: UInt32, epoch: UInt32)
  case pollTimer(client: UInt32, number: UInt32, epoch: UInt32)
  case serverTimer(epoch: UInt32)
  case storeEvent(video: UInt32)
  case releasePush(client: UInt32)
  case sleep(client: UInt32, epoch: UInt32)
  case restartServer(epoch: UInt32)
  case catchUp
  case mend
  case useAll
  case judge
  /// So long after an opening the screen must be right.
  case checkOpen(client: UInt32, opening: UInt32)

  var tag: UInt32 {
    switch self {
    case .step: return MessagingTag.step.rawValue
    case .arrive: return MessagingTag.arrive.rawValue
    case .senderTimer: return MessagingTag.senderTimer.rawValue
    case .receiverTimer: return MessagingTag.receiverTimer.rawValue
    case .pollTimer: return MessagingTag.pollTimer.rawValue
    case .serverTimer: return MessagingTag.serverTimer.rawValue
    case .storeEvent: return MessagingTag.storeEvent.rawValue
    case .releasePush: return MessagingTag.releasePush.rawValue
    case .sleep: return MessagingTag.sleep.rawValue
    case .restartServer: return MessagingTag.restartServer.rawValue
    case .catchUp: return MessagingTag.catchUp.rawValue
    case .mend: return MessagingTag.mend.rawValue
    case .useAll: return MessagingTag.useAll.rawValue
    case .judge: return MessagingTag.judge.rawValue
    case .checkOpen: return MessagingTag.checkOpen.rawValue
    }
  }
}

/// One client of the world: its machines, what of them is on its disk, and its app.
struct MessagingClient {
  var sender: SenderMachine
  var receiver: ReceiverMachine
  var poll: ClientPolls
  var savedSender: SenderMachine
  var savedReceiver: ReceiverMachine
  /// Whether the process lives; whether the app is in the foreground; whether it was woken.
  var isRunning = true
  var isOpen = true
  var isAwake = false
  /// Whether there is HTTP; whether pushes get through.
  var isOnline = true
  var hasPushes = true
  /// Never comes back.
  var isGone = false
  var epoch: UInt32 = 0
  var skew = TimeSpan.zero
  /// What the push service holds: the latest only.
  var held: InfoPacket?
  var wakes = 0
  var wakeHour: Int64 = -1
  var draws: UInt32 = 0
  var timerDraws: UInt32 = 0
  /// Openings and losses of the connection: a check of an opening is for that one only.
  var openings: UInt32 = 0
  /// Since when the app is open, and how many of the videos that waited then still do.
  var openedAt = Instant.zero
  var waiting = 0
  /// A push to this client was lost, with this version.
  var lostPush: UInt64?
}

/// What is true of one video, and what its sender sees.
struct VideoTruth {
  /// What the apps' open time was, for the lags in open time: the recipient's when the service knew
  /// of the video, the sender's when it was offered and when it was viewed.
  struct Clocks {
    var known = TimeSpan.zero
    var offered = TimeSpan.zero
    var viewed = TimeSpan.zero
  }

  var sender, recipient: UInt32
  var order: UInt64
  var isStored = false
  var isKnown = false
  var wasTracked = false
  var isOver = false
  var isOffered = false
  var isViewed = false
  var isFailed = false
  var isReplaced = false
  var isForgotten = false
  /// Requests to register it that reached the server.
  var registrations = 0
  var shown: DeliveryStatus?
  /// When the recipient got it and saw it, for the lags; from when on the sender sees what is not
  /// true.
  var offeredAt = Instant.zero
  var viewedAt = Instant.zero
  var wrongSince: Instant?
  /// The furthest status that the service has had of it; of that, what an opening must show.
  var served = DeliveryStatus.pending
  var due = DeliveryStatus.pending
  /// When it was composed and when the service knew of it; downloads that were asked for.
  var composedAt = Instant.zero
  var knownAt = Instant.zero
  var downloads = 0
  /// It waited when its recipient opened the app.
  var isWaiting = false
  var clocks = Clocks()
}

/// One message under way.
struct MessagingFlight {
  enum Kind: UInt8 { case request, answer, packet, push }
  var kind: Kind
  var client: UInt32
  var epoch: UInt32
  var request: RequestKind
  /// The video's number, or the poll's.
  var number: UInt32
  var attempt: UInt32 = 0
  var peer: UInt32 = 0
  var order: UInt64 = 0
  var status = DeliveryStatus.pending
  var outcome = RequestOutcome.lost
  var packet = InfoPacket()
}
