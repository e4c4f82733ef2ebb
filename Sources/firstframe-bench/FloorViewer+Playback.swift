import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// The floor's players: the pool says what is prepared and what plays; there is no decoder, so that
/// an item can be rendered when the media for its first frame is there.
extension FloorViewer {
  /// How far into the current item the playhead is.
  func position(at now: Instant) -> TimeSpan {
    min(playhead.position(at: now), items[place(current)].title.duration)
  }

  // MARK: The pool

  /// Tells the pool, and does what it commands.
  mutating func tell(pool event: PlayerPool.Event, _ context: inout FloorContext) {
    context.counts.poolTells += 1
    pool.handle(event, at: context.now, into: &context.poolCommands)
    perform(&context)
  }

  /// Does what the machines have commanded, and what they command on being told what came of it.
  mutating func perform(_ context: inout FloorContext) {
    if context.isPerforming { return }
    context.isPerforming = true
    var (poolPlace, prefetchPlace) = (0, 0)
    while true {
      if poolPlace < context.poolCommands.count {
        let command = context.poolCommands[poolPlace]
        poolPlace += 1
        perform(command, &context)
      } else if prefetchPlace < context.prefetchCommands.count {
        let command = context.prefetchCommands[prefetchPlace]
        prefetchPlace += 1
        perform(command, &context)
      } else {
        break
      }
    }
    context.poolCommands.removeAll(keepingCapacity: true)
    context.prefetchCommands.removeAll(keepingCapacity: true)
    context.isPerforming = false
  }

  private mutating func perform(_ command: PlayerPool.Command, _ context: inout FloorContext) {
    switch command {
    case .prepare(let slot, let item, let generation):
      let place = self.item(item.index)
      players[Int(slot.index)] = (item.index, generation)
      if items[place].hasStart { tell(pool: .slotReady(slot, generation: generation), &context) }
    case .play: startPlayback(&context)
    case .pause: break
    case .release(let slot): players[Int(slot.index)].item = FloorItem.nobody
    }
  }

  /// The media for an item's first frame is there.
  mutating func reachStart(_ place: Int, _ context: inout FloorContext) {
    if items[place].hasStart { return }
    items[place].hasStart = true
    for slot in 0..<policy.pointee.pool.size where players[slot].item == items[place].item {
      tell(
        pool: .slotReady(SlotID(UInt32(slot)), generation: players[slot].generation), &context)
    }
  }

  // MARK: Playback

  private mutating func startPlayback(_ context: inout FloorContext) {
    guard playhead.isStarting else { return }
    play(&context)
    continueLoading(current, &context)
    reportBuffer(&context)
  }

  private mutating func play(_ context: inout FloorContext) {
    times.watchEnd = playhead.play(at: context.now)
    watchBuffer(&context)
  }

  /// Media of the current item that can be played.
  private var playable: TimeSpan {
    let state = items + place(current)
    let held = held(state)
    return state.pointee.hasStart ? max(held, startNeed(state)) : held
  }

  /// Plans the look at the buffer when the playhead will have reached its present end.
  private mutating func watchBuffer(_ context: inout FloorContext) {
    let end = playable
    times.bufferEnd = FloorTimes.never
    if end >= items[place(current)].title.duration || end >= playhead.intended { return }
    times.bufferEnd = context.now + max(end - position(at: context.now), .zero)
  }

  /// The playhead has reached what was the end of the buffer: it goes on, or stalls.
  mutating func checkBuffer(_ context: inout FloorContext) {
    if playable > position(at: context.now) {
      watchBuffer(&context)
      return
    }
    playhead.stall(at: position(at: context.now))
    times.bufferEnd = FloorTimes.never
    times.watchEnd = FloorTimes.never
    reportBuffer(&context)
  }

  /// More of the current item is there: a stall may end.
  mutating func endStall(_ context: inout FloorContext) {
    let state = items + place(current)
    guard playhead.isStalled,
      held(state) - playhead.position(at: context.now) >= policy.pointee.resumeThreshold
        || isWhole(state)
    else { return }
    play(&context)
  }

  /// Tells the prefetch policy how the current item stands.
  mutating func reportBuffer(_ context: inout FloorContext) {
    if !playhead.isInView { return }
    let state = items + place(current)
    let ahead = max(held(state) - position(at: context.now), .zero)
    tell(prefetch: .bufferChanged(ahead: ahead, isComplete: isWhole(state)), &context)
  }
}
