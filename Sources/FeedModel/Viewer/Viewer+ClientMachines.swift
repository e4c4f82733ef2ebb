import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the machines of the app beyond loading and playing are told.
extension Viewer {
  func tellStack(_ event: PauseStack.Event, at now: Instant, _ context: inout ViewerContext) {
    var commands: [PauseStack.Command] = []
    clientState.pointee.stack.handle(event, at: now, into: &commands)
    noteTold(context.logs?.pauses, event, at: now, commands, &context)
  }

  /// Reports to the store of drafts; a bar gets its text back.
  func tellDrafts(_ event: DraftStore.Event, at now: Instant, _ context: inout ViewerContext) {
    var commands: [DraftStore.Command] = []
    clientState.pointee.drafts.handle(event, at: now, into: &commands)
    noteTold(context.logs?.drafts, event, at: now, commands, &context)
    for case .restore in commands { context.measures.clientSide.draftsRestored += 1 }
  }

  /// What the gate knows a preparation by: no two players' generations are the same.
  func token(_ player: Int, _ generation: UInt32) -> UInt32 {
    UInt32(player) << 24 | generation & 0xFF_FFFF
  }

  func tellGate(
    player: Int, generation: UInt32, _ change: PlayerChange,
    at now: Instant, _ context: inout ViewerContext
  ) {
    let item = players[player].item
    if item == ItemState.nobody { return }
    let state = clientState
    let token = token(player, generation)
    let event: ReadinessGate.Event =
      switch change {
      case .preparing: .preparing(ItemID(item), generation: token)
      case .ready: .becameReady(ItemID(item), generation: token)
      case .dropped: .dropped(ItemID(item), generation: token)
      }
    var commands: [ReadinessGate.Command] = []
    state.pointee.gate.handle(event, at: now, into: &commands)
    noteTold(context.logs?.gate, event, at: now, commands, &context)
    if change == .preparing && pool.liveSlots > state.pointee.peakPlayers {
      state.pointee.peakPlayers = pool.liveSlots
    }
  }

  /// A player loses the item that it has.
  func dropFromGate(_ player: Int, at now: Instant, _ context: inout ViewerContext) {
    tellGate(
      player: player, generation: players[player].generation, .dropped,
      at: now, &context)
  }

  /// What has become of a player's item.
  enum PlayerChange { case preparing, ready, dropped }
}
