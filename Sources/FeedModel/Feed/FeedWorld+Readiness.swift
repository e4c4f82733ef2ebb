import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// When players become ready, and how the pool hears of it.
extension FeedWorld {
  /// Plans readiness when both the media and the decoder are there and a frame is decoded.
  ///
  /// The pool does something at once only where the item is the current one. Of other items it
  /// hears later, by ``tellReadiness(_:before:_:)``, which saves most of these events.
  mutating func announceReadiness(
    _ viewer: ViewerPointer, _ place: Int, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    guard viewer.pointee.players[index].isPreparing, state.pointee.known.contains(.data),
      case .unknown = viewer.pointee.players[index].readiness
    else { return }
    let device = devices + viewer.pointee.device
    var begin = context.now
    if state.pointee.times.decoder > begin { begin = state.pointee.times.decoder }
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(state.pointee.item)
    let u = streams.uniform(.decoder, entity: entity, draw: 1)
    let time = begin + TimeSpan(seconds: device.pointee.firstDecode.quantile(u))
    // A gate looks at the players at any time.
    if hasClient || viewer.pointee.pool.current == ItemID(state.pointee.item) {
      planReadiness(viewer, index, at: time, &context)
    } else {
      viewer.pointee.players[index].readiness = .unheard(from: time)
    }
  }

  private mutating func planReadiness(
    _ viewer: ViewerPointer, _ index: Int, at time: Instant, _ context: inout Context<FeedEvent>
  ) {
    let event = context.schedule(
      .playerReady(
        slot: viewer.pointee.slot, player: UInt32(index),
        generation: viewer.pointee.players[index].generation),
      at: time, for: viewer.pointee.session)
    viewer.pointee.players[index].readiness = .planned(event)
  }

  /// A player has another item, or none.
  mutating func forgetReadiness(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    if case .planned(let event) = viewer.pointee.players[index].readiness { context.cancel(event) }
    viewer.pointee.players[index].readiness = .unknown
  }

  /// A player has become ready.
  mutating func receiveReadiness(
    _ viewer: ViewerPointer, _ player: UInt32, _ generation: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    noteReadiness(viewer, player: player, generation: generation, at: context.now)
    if hasClient {
      tellGate(viewer, player: Int(player), generation: generation, .ready, at: context.now)
    }
    tellPool(viewer, .slotReady(SlotID(player), generation: generation), &context)
  }

  /// Brings the pool up to date before it hears of an event. A player that is to play next and is
  /// not ready yet gets an event.
  mutating func tellReadiness(
    _ viewer: ViewerPointer, before event: PlayerPool.Event, _ context: inout Context<FeedEvent>
  ) {
    tellReadiness(viewer, until: context.now)
    guard case .currentChanged(let item, _) = event,
      let index = player(of: item.index, viewer),
      case .unheard(let time) = viewer.pointee.players[index].readiness
    else { return }
    planReadiness(viewer, index, at: time, &context)
  }

  /// Tells the pool of players that have become ready, the earliest first.
  mutating func tellReadiness(_ viewer: ViewerPointer, until now: Instant) {
    while let (index, time) = firstUnheard(viewer), time <= now {
      viewer.pointee.players[index].readiness = .heard
      let generation = viewer.pointee.players[index].generation
      noteReadiness(viewer, player: UInt32(index), generation: generation, at: time)
      let ready = PlayerPool.Event.slotReady(SlotID(UInt32(index)), generation: generation)
      viewer.pointee.pool.handle(ready, at: time, into: &poolCommands)
      noteTold(viewer, PlayerPool.self, ready, at: time, poolCommands)
      precondition(poolCommands.isEmpty, "nothing follows from a player that is not to play")
    }
  }

  /// The player that was or will be ready first among those of which the pool has not heard.
  private mutating func firstUnheard(_ viewer: ViewerPointer) -> (index: Int, time: Instant)? {
    var first: (index: Int, time: Instant)?
    for index in 0..<viewer.pointee.players.count {
      guard case .unheard(let time) = viewer.pointee.players[index].readiness else { continue }
      if let earliest = first, earliest.time <= time { continue }
      first = (index, time)
    }
    return first
  }
}
