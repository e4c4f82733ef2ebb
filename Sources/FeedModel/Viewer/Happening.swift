import MediaUnits
import ModelBasics
import SimulationKernel

/// Two requests of one viewer that reach the edge together: their places, and the low halves of
/// their generations.
public struct RequestPair: BitwiseCopyable, Sendable {
  var first, second: UInt16
  var firstGeneration, secondGeneration: UInt16
}

/// What happens to a viewer by itself, at a time of his ``Agenda``.
enum Happening: BitwiseCopyable {
  /// The app is there and asks for the feed.
  case appLaunched
  /// A request reaches its edge.
  case requestAtEdge(request: UInt32, generation: UInt32)
  /// Likewise two that were sent together.
  case pairAtEdge(RequestPair)
  /// A transfer joined or ended, or a second of the link is over.
  case linkChanged
  /// Something was read from the disk cache.
  case diskRead(request: UInt32, generation: UInt32)
  /// A player can show its item's first frame.
  case playerReady(player: UInt32, generation: UInt32)
  /// The viewer has seen enough.
  case watchEnded
  /// The current item's first frame is on the display.
  case framePresented
  /// The viewer waited too long for a frame.
  case patienceEnded
  /// The next item has settled.
  case settled
  /// The playhead may have reached the end of the buffer.
  case bufferEnded
  /// The current item may load on.
  case loadResumed
  /// A long press begins, moves, ends; a scrub timer fires.
  case scrubBegan, scrubMoved, scrubTimer
  /// A viewer in a burst of swipes goes on.
  case burstEnded
  /// The access network changes.
  case handOver(index: UInt32)
  /// A viewer asks again after an error.
  case requestRetried(request: UInt32, generation: UInt32)
  /// It turns out that a request's server cannot be found.
  case nameFailed(request: UInt32, generation: UInt32)
  /// Nobody has answered a request for too long.
  case unanswered(request: UInt32, generation: UInt32)
  /// A request's first byte may have been waited for long enough to ask a second provider.
  case hedgeDue(request: UInt32, generation: UInt32)
  /// The first byte of one of two copies of a request is there.
  case firstByte(request: UInt32, generation: UInt32)
  /// Something pauses the view, or ends it; the pause is over.
  case pauseBegan, pauseEnded
  /// A pass of an item that loops is over; the next one begins.
  case passEnded, passBegan
  /// A timer of the telemetry: for a flush, or for a post that is sent again.
  case telemetryTimer(isRetry: Bool)
  /// The access network is lost, or back.
  case offlineChanged(isOffline: Bool)
}

extension Happening {
  /// What has one time at most: planning it again moves it. ``many`` stands for what may come
  /// several times.
  struct Slot: Equatable {
    let number: UInt8
    static let many = Slot(number: 0)
    static let link = Slot(number: 1)
    /// The end of the watching, or before it the first frame's way to the display.
    static let watch = Slot(number: 2)
    static let patience = Slot(number: 3)
    static let buffer = Slot(number: 4)
    static let load = Slot(number: 5)
    /// The beginning of a long press, or its next move.
    static let scrub = Slot(number: 6)
    static let burst = Slot(number: 7)
    static let pause = Slot(number: 8)
    /// The end of a pass, or the beginning of the next.
    static let pass = Slot(number: 9)
    static let flush = Slot(number: 10)
    static let retry = Slot(number: 11)
    /// Readiness of one of the pool's players.
    static func player(_ index: Int) -> Slot { Slot(number: 32 + UInt8(truncatingIfNeeded: index)) }
  }

  var slot: Slot {
    switch self {
    case .linkChanged: .link
    case .watchEnded, .framePresented: .watch
    case .patienceEnded: .patience
    case .bufferEnded: .buffer
    case .loadResumed: .load
    case .scrubBegan, .scrubMoved: .scrub
    case .burstEnded: .burst
    case .pauseBegan: .pause
    case .passEnded, .passBegan: .pass
    case .telemetryTimer(let isRetry): isRetry ? .retry : .flush
    case .playerReady(let player, _): .player(Int(player))
    case .requestAtEdge, .pairAtEdge, .diskRead, .settled, .scrubTimer, .handOver, .requestRetried,
      .pauseEnded, .offlineChanged, .appLaunched,
      .nameFailed, .unanswered, .hedgeDue, .firstByte:
      .many
    }
  }

  /// Among happenings of one time the order in which they happen; then that of their planning.
  var phase: Phase {
    switch self {
    case .requestAtEdge, .pairAtEdge, .linkChanged: .arrival
    default: .normal
    }
  }

  /// Whether an edge is asked, which others see.
  var isAtEdge: Bool {
    switch self {
    case .requestAtEdge, .pairAtEdge: true
    default: false
    }
  }

  var tag: FeedTag {
    switch self {
    case .requestAtEdge: .requestAtEdge
    case .pairAtEdge: .pairAtEdge
    case .linkChanged: .linkChanged
    case .diskRead: .diskRead
    case .playerReady: .playerReady
    case .framePresented: .framePresented
    case .watchEnded: .watchEnded
    case .patienceEnded: .patienceEnded
    case .settled: .settled
    case .bufferEnded: .bufferEnded
    case .loadResumed: .loadResumed
    case .scrubBegan: .scrubBegan
    case .scrubMoved: .scrubMoved
    case .scrubTimer: .scrubTimer
    case .burstEnded: .burstEnded
    case .handOver: .handOver
    case .requestRetried: .requestRetried
    case .pauseBegan: .pauseBegan
    case .pauseEnded: .pauseEnded
    case .telemetryTimer: .telemetryTimer
    case .offlineChanged: .offlineChanged
    case .passEnded: .passEnded
    case .passBegan: .passBegan
    case .appLaunched: .appLaunched
    case .nameFailed: .nameFailed
    case .unanswered: .unanswered
    case .hedgeDue: .hedgeDue
    case .firstByte: .firstByte
    }
  }
}
