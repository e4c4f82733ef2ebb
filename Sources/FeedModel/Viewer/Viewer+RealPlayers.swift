import FeedPolicy
import MediaUnits
import ModelBasics

/// Real players: what the pool commands goes out, and what became of it comes in.
///
/// The devices' model says nothing here: a player is ready when it says so, a frame is on the
/// display when it was seen there, and the item on the screen stalls and goes on as it tells. Where
/// players are modelled nothing of this is called, or it does nothing.
extension Viewer {
  /// A player gets the item that it has in ``players``.
  mutating func prepareReal(_ index: Int, _ context: inout ViewerContext) {
    // Its decoder is not set up by the model, and its readiness is told and not reckoned.
    players[index].isPreparing = true
    players[index].readiness = .planned
    tellPlayer(
      .prepare(
        player: UInt32(index), item: players[index].item, generation: players[index].generation),
      &context)
  }

  /// The current item's player is to show it.
  func playReal(_ context: inout ViewerContext) {
    guard let index = players.index(of: current) else { return }
    tellPlayer(.play(player: UInt32(index), item: current), &context)
  }

  func pauseReal(_ index: Int, _ context: inout ViewerContext) {
    if setting.pointee.hasRealPlayers { tellPlayer(.pause(player: UInt32(index)), &context) }
  }

  func releaseReal(_ index: Int, _ context: inout ViewerContext) {
    if setting.pointee.hasRealPlayers { tellPlayer(.release(player: UInt32(index)), &context) }
  }

  private func tellPlayer(_ command: OutsidePlayerCommand, _ context: inout ViewerContext) {
    context.outsideCommands.append(
      .player(slot: slot, session: session, at: context.now, command))
  }

  /// A real player has told something. What comes late or twice changes nothing.
  mutating func hear(_ news: OutsidePlayerNews, _ context: inout ViewerContext) {
    switch news {
    case .ready(let player, let generation):
      guard isAssigned(player, generation) else { return }
      let place = place(players[Int(player)].item)
      if items[place].item == players[Int(player)].item { items[place].times.decoder = context.now }
      receiveReadiness(player, generation, &context)
    case .failed(let player, let generation):
      guard isAssigned(player, generation) else { return }
      // Nothing more of it is seen.
      if players[Int(player)].item == current && view.phase == .playing { beginStall(&context) }
      tellPool(.slotFailed(SlotID(player), generation: generation), &context)
    case .presented(let item):
      if item == current && view.playAt != StartupTimes.unset { startPlayback(&context) }
    case .stalled(let item):
      if item == current && view.phase == .playing { beginStall(&context) }
    case .resumed(let item):
      if item == current && view.phase == .stalled { endStall(&context) }
    }
    workOff(&context)
  }

  private func isAssigned(_ player: UInt32, _ generation: UInt32) -> Bool {
    Int(player) < players.count && players[Int(player)].isCreated
      && players[Int(player)].generation == generation
  }
}
