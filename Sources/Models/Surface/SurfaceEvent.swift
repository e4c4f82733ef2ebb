import MediaUnits
import SimulationKernel

/// The events of the surface world. `slot` is a viewer's place in memory; the target is the
/// session.
@frozen
public enum SurfaceEvent: BitwiseCopyable, Sendable {
  /// The next session begins. Target: the audience.
  case sessionArrived(index: UInt32)
  /// The viewer closes the feed.
  case sessionEnded(slot: UInt32)
  /// A frame of a motion.
  case frame(slot: UInt32)
  /// The viewer moves on.
  case restEnded(slot: UInt32)
  /// The viewer taps the card that he stopped at.
  case tapped(slot: UInt32)
  /// A transfer joined or ended, or a second of the link is over.
  case linkChanged(slot: UInt32)
  /// A player and its decoder can take a card's media.
  case decoderReady(slot: UInt32, item: UInt32, generation: UInt32)
  /// A card's first frame is decoded.
  case frameDecoded(slot: UInt32, item: UInt32, generation: UInt32)
  /// The playhead may have reached the end of the buffer or of the turn.
  case mediaChanged(slot: UInt32, item: UInt32, generation: UInt32)
  /// Timers of the policies.
  case visibilityTimer(slot: UInt32, item: UInt32, token: UInt32)
  case gateTimer(slot: UInt32)
  case pagerTimer(slot: UInt32)
  /// A page of the feed has arrived.
  case pageArrived(slot: UInt32, request: UInt32)
}

extension SurfaceEvent {
  /// Above those of ``FeedEvent``, so that a message names one kind of event.
  var tag: UInt32 {
    switch self {
    case .sessionArrived: 101
    case .sessionEnded: 102
    case .frame: 103
    case .restEnded: 104
    case .tapped: 105
    case .linkChanged: 106
    case .decoderReady: 107
    case .frameDecoded: 108
    case .mediaChanged: 109
    case .visibilityTimer: 110
    case .gateTimer: 111
    case .pagerTimer: 112
    case .pageArrived: 113
    }
  }

  /// The slot of a viewer's event; nil for the audience's.
  var slot: UInt32? {
    switch self {
    case .sessionArrived: nil
    case .sessionEnded(let slot), .frame(let slot), .restEnded(let slot), .tapped(let slot),
      .linkChanged(let slot), .gateTimer(let slot), .pagerTimer(let slot):
      slot
    case .decoderReady(let slot, _, _), .frameDecoded(let slot, _, _),
      .mediaChanged(let slot, _, _), .visibilityTimer(let slot, _, _):
      slot
    case .pageArrived(let slot, _): slot
    }
  }

  /// The name of a kind of event, for messages; nil for a tag of another world.
  static func name(ofTag tag: UInt32) -> StaticString? {
    switch tag {
    case 101: "surface session arrived"
    case 102: "surface session ended"
    case 103: "frame"
    case 104: "rest ended"
    case 105: "tapped"
    case 106: "surface link changed"
    case 107: "decoder ready"
    case 108: "frame decoded"
    case 109: "media changed"
    case 110: "visibility timer"
    case 111: "gate timer"
    case 112: "pager timer"
    case 113: "page arrived"
    default: nil
    }
  }
}
