import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the visibility machine is told and commands: prefetches, mounts, plays.
extension SurfaceViewer {
  /// Reports an event to the visibility machine and does what it commands. Nothing that is done
  /// here reports to the machine again.
  mutating func tell(_ event: VisibilityMachine.Event, _ context: inout SurfaceContext) {
    context.visibilityCommands.removeAll(keepingCapacity: true)
    machine.handle(event, at: context.now, into: &context.visibilityCommands)
    if context.visibilityCommands.isEmpty { return }
    for index in 0..<context.visibilityCommands.count {
      perform(context.visibilityCommands[index], &context)
    }
    if isPooled { followCommands(&context) }
    pump(&context)
  }

  mutating func tellGate(_ event: ScrollGate.Event, _ context: inout SurfaceContext) {
    context.gateCommands.removeAll(keepingCapacity: true)
    gate.handle(event, at: context.now, into: &context.gateCommands)
    for command in context.gateCommands {
      switch command {
      case .admit(let admission): tell(.admissionChanged(admission), &context)
      case .setTimer(let at): context.plan(.gateTimer(slot: slot), at: at)
      }
    }
  }

  private mutating func perform(
    _ command: VisibilityMachine.Command, _ context: inout SurfaceContext
  ) {
    switch command {
    case .startPrefetch(let item, _): items[Int(item.index)].loading.startPrefetch()
    case .cancelPrefetch(let item, _):
      items[Int(item.index)].loading.endPrefetch()
      if !items[Int(item.index)].hasPlayer { cancelLoad(Int(item.index), &context) }
    case .mount(let item, _, let number):
      items[Int(item.index)].player.mount(number)
      mount(Int(item.index), &context)
    case .unmount(let item, _): unmount(Int(item.index), &context)
    case .play(let item, _): play(Int(item.index), &context)
    case .pause(let item, _): pause(Int(item.index), &context)
    case .setTimer(let item, let token, let at):
      context.plan(.visibilityTimer(slot: slot, item: item.index, token: token), at: at)
    }
  }

  // MARK: Mounts

  /// Viewports per second above which a mount counts as one in a fling.
  private static let flingSpeed = 2.0

  private mutating func mount(_ index: Int, _ context: inout SurfaceContext) {
    items[index].loading.endPrefetch()
    let speed = motion.speed(at: context.now, under: traits.law) / screenHeight
    if speed > SurfaceViewer.flingSpeed { context.measures.surface.flingMounts += 1 }
    if !isPooled {
      createPlayer(index, &context)
      return
    }
    if items[index].hasPlayer {
      attach(&context)
      // The machine is told at once, but not in the midst of its own commands.
      if items[index].player.isDecoded { planDecoded(index, at: context.now, &context) }
    }
  }

  private mutating func unmount(_ index: Int, _ context: inout SurfaceContext) {
    settleTime(index, &context)
    items[index].playback.endTurn(isLast: false)
    if isPooled {
      if items[index].hasPlayer { detach(&context) }
      items[index].player.unmount()
      items[index].player.takeOff()
      items[index].times.undo(.presented)
      if !items[index].hasPlayer { cancelLoad(index, &context) }
      return
    }
    destroyPlayer(index, &context)
    items[index].player.unmount()
    cancelLoad(index, &context)
    createMissingPlayer(&context)
  }

  // MARK: Plays

  mutating func finishDecoding(_ index: Int, _ context: inout SurfaceContext) {
    if !items[index].player.isDecoded {
      items[index].player.finishDecoding()
      items[index].times.reach(.decoded, at: context.now)
      tellPool(readinessOf: index, &context)
    }
    let token = items[index].cell.token
    if token > 0 && items[index].isMounted {
      tell(
        .mediaReady(ItemID(UInt32(index)), token: token, mount: items[index].player.mount),
        &context)
    }
    playOn(index, &context)
  }

  private mutating func play(_ index: Int, _ context: inout SurfaceContext) {
    items[index].playback.tell()
    items[index].bytes.want()
    items[index].player.tell()
    if view.isOf(index) { view.tell(isReady: items[index].player.isDecoded, at: context.now) }
    promote(index, &context)
    if !isPooled && !items[index].hasPlayer {
      context.measures.surface.starvedPlays += 1
      takeFromAnother(index, &context)
    }
    planMedia(index, at: context.now, &context)
  }

  private mutating func pause(_ index: Int, _ context: inout SurfaceContext) {
    settleTime(index, &context)
    items[index].playback.pause(at: context.now)
    items[index].player.stopPresenting()
    context.cancel(.playhead(index))
  }

  /// A card's playhead is looked at at a time, and no sooner.
  private func planMedia(_ index: Int, at time: Instant, _ context: inout SurfaceContext) {
    context.cancel(.playhead(index))
    context.plan(
      .mediaChanged(
        slot: slot, item: UInt32(index), generation: items[index].player.generation),
      at: time, as: .playhead(index))
  }

  /// Starts, goes on with, stalls or ends a card's turn.
  mutating func playOn(_ index: Int, _ context: inout SurfaceContext) {
    settleTime(index, &context)
    guard items[index].isTold, items[index].player.isDecoded else { return }
    let turn = surface.pointee.visibility.sequence.length(
      of: items[index].title.duration, in: items[index].kind)
    let head = items[index].playback.mark
    if head >= turn {
      endCardTurn(index, &context)
      return
    }
    let playable = playable(index)
    if items[index].playback.isRunning {
      if playable <= head { stall(index, at: context.now) }
    } else {
      let hasRun = items[index].playback.hasRun
      let need =
        head + (hasRun ? policy.pointee.resumeThreshold : policy.pointee.startThreshold)
      if playable < (need < turn ? need : turn) { return }
      if !items[index].player.isShown && !present(index, &context) { return }
      items[index].playback.run(at: context.now)
      countPlaying(&context)
      noteFrame(index, &context)
    }
    if items[index].playback.isRunning {
      let end = playable < turn ? playable : turn
      planMedia(index, at: context.now + (end - head), &context)
    }
    pump(&context)
  }

  /// Lets a card's first frame go to the display; whether it is there. Attachment, refresh and
  /// composition as in the other feed; the main thread's other work is counted and not waited for.
  private mutating func present(_ index: Int, _ context: inout SurfaceContext) -> Bool {
    if let presentation = device.pointee.presentation {
      if items[index].player.shownAt == nil {
        let (u, phase) = streams.uniformPair(
          .presentation, entity: entity(items[index].player.number ?? 0),
          pair: items[index].player.mount)
        items[index].times.reach(.presented, at: context.now)
        items[index].player.present(
          until: context.now + TimeSpan(seconds: presentation.attach.quantile(u))
            + presentation.display(phase))
      }
      if let shownAt = items[index].player.shownAt, shownAt > context.now {
        planMedia(index, at: shownAt, &context)
        return false
      }
    }
    items[index].player.show()
    return true
  }

  private mutating func endCardTurn(_ index: Int, _ context: inout SurfaceContext) {
    context.measures.surface.turns += 1
    let isLast = surface.pointee.visibility.sequence.reading == .once
    items[index].playback.endTurn(isLast: isLast)
    tell(
      .mediaEnded(
        ItemID(UInt32(index)), token: items[index].cell.token, mount: items[index].player.mount),
      &context)
  }

  private func countPlaying(_ context: inout SurfaceContext) {
    var count: Int64 = 0
    for index in column.boundCards where items[index].playback.isRunning { count += 1 }
    if count > context.measures.surface.mostPlaying {
      context.measures.surface.mostPlaying = count
    }
  }
}
