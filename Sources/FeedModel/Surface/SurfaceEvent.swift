import MediaUnits
import ModelBasics
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
  /// A transfer passes its mark or ends; in a cell: one joins it, or the link's rate changes.
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
  /// A request is at the edge.
  case requestAtEdge(slot: UInt32, request: UInt32, generation: UInt32)
  /// The edge has got what it did not keep.
  case edgeAnswered(slot: UInt32, request: UInt32, generation: UInt32)
  /// The access network changes.
  case handOver(slot: UInt32, index: UInt32)
  /// A transfer in a shared cell may have passed its mark or ended. Target: the edge.
  case cellChanged(cell: UInt32)
}

extension SurfaceEvent {
  var tag: UInt32 {
    switch self {
    case .sessionArrived: SurfaceTag.sessionArrived.rawValue
    case .sessionEnded: SurfaceTag.sessionEnded.rawValue
    case .frame: SurfaceTag.frame.rawValue
    case .restEnded: SurfaceTag.restEnded.rawValue
    case .tapped: SurfaceTag.tapped.rawValue
    case .linkChanged: SurfaceTag.linkChanged.rawValue
    case .decoderReady: SurfaceTag.decoderReady.rawValue
    case .frameDecoded: SurfaceTag.frameDecoded.rawValue
    case .mediaChanged: SurfaceTag.mediaChanged.rawValue
    case .visibilityTimer: SurfaceTag.visibilityTimer.rawValue
    case .gateTimer: SurfaceTag.gateTimer.rawValue
    case .pagerTimer: SurfaceTag.pagerTimer.rawValue
    case .requestAtEdge: SurfaceTag.requestAtEdge.rawValue
    case .edgeAnswered: SurfaceTag.edgeAnswered.rawValue
    case .cellChanged: SurfaceTag.cellChanged.rawValue
    case .handOver: SurfaceTag.handOver.rawValue
    }
  }

  /// The slot of a viewer's event; nil for the audience's and a cell's.
  var slot: UInt32? {
    switch self {
    case .sessionArrived, .cellChanged: nil
    case .sessionEnded(let slot), .frame(let slot), .restEnded(let slot), .tapped(let slot),
      .linkChanged(let slot), .gateTimer(let slot), .pagerTimer(let slot):
      slot
    case .decoderReady(let slot, _, _), .frameDecoded(let slot, _, _),
      .mediaChanged(let slot, _, _), .visibilityTimer(let slot, _, _):
      slot
    case .requestAtEdge(let slot, _, _), .edgeAnswered(let slot, _, _), .handOver(let slot, _): slot
    }
  }
}
