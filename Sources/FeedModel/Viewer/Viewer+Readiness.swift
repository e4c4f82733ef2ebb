import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// When players become ready, and how the pool hears of it.
extension Viewer {
  /// Plans readiness when both the media and the decoder are there and a frame is decoded.
  ///
  /// The pool does something at once only where the item is the current one. Of other items it
  /// hears later, by ``tellReadiness(before:_:)``, which saves most of these events.
  mutating func announceReadiness(_ place: Int, _ index: Int, _ context: inout ViewerContext) {
    let state = items.at(place)
    guard players[index].isPreparing, state.pointee.known.contains(.data),
      case .unknown = players[index].readiness
    else { return }
    let device = devices + self.device
    var begin = context.now
    if state.pointee.times.decoder > begin { begin = state.pointee.times.decoder }
    let entity = UInt64(session) << 32 | UInt64(state.pointee.item)
    let u = streams.uniform(.decoder, entity: entity, draw: 1)
    let time = begin + TimeSpan(seconds: device.pointee.firstDecode.quantile(u))
    // A gate looks at the players at any time.
    if hasClient || pool.current == ItemID(state.pointee.item) {
      planReadiness(index, at: time, &context)
    } else {
      players[index].readiness = .unheard(from: time)
    }
  }

  private mutating func planReadiness(
    _ index: Int, at time: Instant, _ context: inout ViewerContext
  ) {
    plan(
      .playerReady(
        player: UInt32(index),
        generation: players[index].generation), at: time, context)
    players[index].readiness = .planned
  }

  /// A player has another item, or none.
  mutating func forgetReadiness(_ index: Int, _ context: inout ViewerContext) {
    agenda.cancel(.player(index))
    players[index].readiness = .unknown
  }

  /// Brings the pool up to date before it hears of an event. A player that is to play next and is
  /// not ready yet gets an event.
  mutating func tellReadiness(before event: PlayerPool.Event, _ context: inout ViewerContext) {
    tellReadiness(until: context.now, &context)
    guard case .currentChanged(let item, _) = event,
      let index = players.index(of: item.index),
      case .unheard(let time) = players[index].readiness
    else { return }
    planReadiness(index, at: time, &context)
  }

  /// Tells the pool of players that have become ready, the earliest first.
  mutating func tellReadiness(until now: Instant, _ context: inout ViewerContext) {
    while let (index, time) = players.firstUnheard(), time <= now {
      players[index].readiness = .heard
      let generation = players[index].generation
      noteReadiness(player: UInt32(index), generation: generation, at: time, &context)
      let ready = PlayerPool.Event.slotReady(SlotID(UInt32(index)), generation: generation)
      pool.handle(ready, at: time, into: &context.commands.pool)
      noteTold(context.logs?.pool, ready, at: time, context.commands.pool, &context)
      precondition(
        context.commands.pool.isEmpty, "nothing follows from a player that is not to play")
    }
  }
}
