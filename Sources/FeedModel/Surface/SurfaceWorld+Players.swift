import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the visibility machine commands: prefetches, players, plays.
extension SurfaceWorld {
  /// Reports an event to the viewer's visibility machine and does what it commands. Nothing that is
  /// done here reports to the machine again.
  mutating func tell(
    _ viewer: SurfacePointer, _ event: VisibilityMachine.Event,
    _ context: inout Context<SurfaceEvent>
  ) {
    commands.removeAll(keepingCapacity: true)
    viewer.pointee.machine.handle(event, at: context.now, into: &commands)
    if commands.isEmpty { return }
    for index in 0..<commands.count { perform(commands[index], viewer, &context) }
    if isPooled { followCommands(viewer, &context) }
    pump(viewer, &context)
  }

  mutating func tellGate(
    _ viewer: SurfacePointer, _ event: ScrollGate.Event, _ context: inout Context<SurfaceEvent>
  ) {
    gateCommands.removeAll(keepingCapacity: true)
    viewer.pointee.gate.handle(event, at: context.now, into: &gateCommands)
    for command in gateCommands {
      switch command {
      case .admit(let admission): tell(viewer, .admissionChanged(admission), &context)
      case .setTimer(let at):
        context.schedule(
          .gateTimer(slot: viewer.pointee.slot), at: at, for: viewer.pointee.session)
      }
    }
  }

  private mutating func perform(
    _ command: VisibilityMachine.Command, _ viewer: SurfacePointer,
    _ context: inout Context<SurfaceEvent>
  ) {
    switch command {
    case .startPrefetch(let item, _):
      viewer.pointee.items[Int(item.index)].loading.startPrefetch()
    case .cancelPrefetch(let item, _):
      viewer.pointee.items[Int(item.index)].loading.endPrefetch()
      if !viewer.pointee.items[Int(item.index)].hasPlayer {
        cancelLoad(viewer, Int(item.index), &context)
      }
    case .mount(let item, _, let number):
      viewer.pointee.items[Int(item.index)].player.mount(number)
      mount(viewer, Int(item.index), &context)
    case .unmount(let item, _): unmount(viewer, Int(item.index), &context)
    case .play(let item, _): play(viewer, Int(item.index), &context)
    case .pause(let item, _): pause(viewer, Int(item.index), &context)
    case .setTimer(let item, let token, let at):
      context.schedule(
        .visibilityTimer(slot: viewer.pointee.slot, item: item.index, token: token), at: at,
        for: viewer.pointee.session)
    }
  }

  // MARK: Players

  /// Milliseconds of the main thread, for a fast device.
  mutating func spend(_ viewer: SurfacePointer, _ milliseconds: Double) {
    measures.surface.mainThread += Int64(milliseconds * viewer.pointee.traits.slowness * 1_000)
  }

  private mutating func mount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].loading.endPrefetch()
    if speed(viewer, at: context.now) > SurfaceWorld.flingSpeed {
      measures.surface.flingMounts += 1
    }
    if !isPooled {
      createPlayer(viewer, index, &context)
      return
    }
    if viewer.pointee.items[index].hasPlayer {
      attach(viewer)
      // The machine is told at once, but not in the midst of its own commands.
      if viewer.pointee.items[index].player.isDecoded {
        announce(viewer, index, at: context.now, &context)
      }
    }
  }

  /// Whether players are kept for other cards.
  var isPooled: Bool { surface.reuse != .none }

  private func speed(_ viewer: SurfacePointer, at now: Instant) -> Double {
    let motion = viewer.pointee.motion
    let height = viewer.pointee.traits.geometry.screenHeight
    switch motion.kind {
    case .rest, .tremble, .sideways: return 0
    case .drag: return abs(motion.velocity) / height
    case .fling:
      let velocity = viewer.pointee.traits.law.velocity(
        at: now - motion.since, from: motion.velocity)
      return abs(velocity) / height
    }
  }

  /// Players that may live at once on a device: decoders are scarce, a pool has its size, and
  /// low-end devices have one (VF-029).
  func playerLimit(_ device: Int) -> Int {
    if surface.lowEnd[device] { return 1 }
    let decoders = configuration.devices[device].decoderLimit
    let size = configuration.policy.pool.size
    return isPooled && size < decoders ? size : decoders
  }

  /// A surface goes to another cell, unless it stays with its player.
  private mutating func attach(_ viewer: SurfacePointer) {
    if surface.reuse != .surfaces { spend(viewer, surface.costs.attach) }
  }

  private mutating func detach(_ viewer: SurfacePointer) {
    if surface.reuse != .surfaces { spend(viewer, surface.costs.detach) }
  }

  // MARK: A pool

  /// Moves the pool once for all that the machine has commanded at a time: after a mount or a play,
  /// and when a card that plays has lost its player.
  private mutating func followCommands(
    _ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>
  ) {
    var isDue = false
    for command in commands {
      switch command {
      case .mount, .play: isDue = true
      case .pause: if hasStarved(viewer) { isDue = true }
      default: break
      }
    }
    if isDue { movePool(viewer, &context) }
    for command in commands {
      if case .play(let item, _) = command,
        !viewer.pointee.items[Int(item.index)].hasPlayer
      {
        measures.surface.starvedPlays += 1
      }
    }
  }

  /// Whether a card that was told to play has no player.
  private func hasStarved(_ viewer: SurfacePointer) -> Bool {
    for index in viewer.pointee.column.boundCards
    where viewer.pointee.items[index].isTold && !viewer.pointee.items[index].hasPlayer {
      return true
    }
    return false
  }

  /// Tells the pool which card is the current one, unless all that need a player have one already.
  private mutating func movePool(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    guard let needy = needyCards(viewer) else { return }
    var isServed = true
    for index in needy where needsPlayer(viewer, index, of: needy) {
      if !viewer.pointee.items[index].hasPlayer { isServed = false }
    }
    let widget = viewer.pointee.items[needy.lowerBound].widget
    if isServed, let current = viewer.pointee.players.current,
      viewer.pointee.items[Int(current.index)].widget == widget
    {
      return
    }
    tellPool(
      viewer,
      .currentChanged(
        ItemID(UInt32(poolCurrent(viewer, needy))),
        last: ItemID(UInt32(viewer.pointee.items.count - 1))), &context)
  }

  /// From the first to the last card that plays in the widget nearest to the middle, or that is
  /// mounted there while none plays; nil while none is.
  private func needyCards(_ viewer: SurfacePointer) -> ClosedRange<Int>? {
    var best: ClosedRange<Int>?
    var nearest = Double.infinity
    var isBestTold = false
    for index in viewer.pointee.column.boundCards {
      let item = viewer.pointee.items[index]
      if !item.isTold && (!item.isMounted || isBestTold) { continue }
      let distance = abs(item.cell.sight.offset)
      if let known = best, isBestTold == item.isTold,
        viewer.pointee.items[known.lowerBound].widget == item.widget
      {
        best = known.lowerBound...index
      } else if best == nil || (item.isTold && !isBestTold) || distance < nearest {
        best = index...index
        nearest = distance
        isBestTold = item.isTold
      }
    }
    return best
  }

  /// Whether a card of the range is one of those that it was made of, as its ends are.
  private func needsPlayer(
    _ viewer: SurfacePointer, _ index: Int, of needy: ClosedRange<Int>
  ) -> Bool {
    viewer.pointee.items[needy.lowerBound].isTold
      ? viewer.pointee.items[index].isTold : viewer.pointee.items[index].isMounted
  }

  /// The card around which the pool serves the most (see ``SurfacePlayers/centre(of:needs:has:)``).
  private func poolCurrent(_ viewer: SurfacePointer, _ needy: ClosedRange<Int>) -> Int {
    viewer.pointee.players.centre(
      of: needy, needs: { needsPlayer(viewer, $0, of: needy) },
      has: { viewer.pointee.items[$0].hasPlayer })
  }

  private mutating func tellPool(
    _ viewer: SurfacePointer, _ event: PlayerPool.Event, _ context: inout Context<SurfaceEvent>
  ) {
    poolCommands.removeAll(keepingCapacity: true)
    viewer.pointee.players.handle(event, at: context.now, into: &poolCommands)
    for command in poolCommands {
      switch command {
      case .prepare(let slot, let item, let generation):
        prepare(viewer, Int(slot.index), Int(item.index), generation, &context)
      case .release(let slot):
        if let loser = viewer.pointee.players.slots[Int(slot.index)] {
          losePlayer(viewer, Int(loser), &context)
        }
        viewer.pointee.players.clear(Int(slot.index))
      // Which cards play is the visibility machine's to say.
      case .play, .pause: break
      }
    }
  }

  /// Puts a card into a slot of the pool.
  private mutating func prepare(
    _ viewer: SurfacePointer, _ slot: Int, _ index: Int, _ generation: UInt32,
    _ context: inout Context<SurfaceEvent>
  ) {
    let loser = viewer.pointee.players.slots[slot]
    if let loser { losePlayer(viewer, Int(loser), &context) }
    let isNew = loser == nil
    let begin = viewer.pointee.players.put(index, in: slot, isNew: isNew, at: context.now)
    let ready = givePlayer(viewer, index, isNew: isNew, from: begin, &context)
    viewer.pointee.players.ready(slot, at: ready)
  }

  // MARK: Players of their own

  /// Gives the card a player of its own if the device can have one more.
  private mutating func createPlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let limit = playerLimit(viewer.pointee.traits.device)
    if !viewer.pointee.players.takeOwn(of: limit) {
      measures.counts.decodersRefused += 1
      return
    }
    _ = givePlayer(viewer, index, isNew: true, from: context.now, &context)
  }

  private mutating func destroyPlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.pointee.items[index].hasPlayer { return }
    losePlayer(viewer, index, &context)
    viewer.pointee.players.giveOwn()
  }

  /// A card that is to play and has no player takes that of one that does not play.
  private mutating func takeFromAnother(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    var victim = -1
    var farthest = -1.0
    for other in viewer.pointee.column.boundCards where other != index {
      let item = viewer.pointee.items[other]
      if !item.hasPlayer || item.isTold { continue }
      if abs(item.cell.sight.offset) > farthest {
        victim = other
        farthest = abs(item.cell.sight.offset)
      }
    }
    if victim < 0 { return }
    destroyPlayer(viewer, victim, &context)
    createPlayer(viewer, index, &context)
  }

  // MARK: Both

  /// A player takes the card's media once its decoder is ready.
  ///
  /// - Parameter begin: when the player can be worked on.
  /// - Returns: when the decoder is.
  private mutating func givePlayer(
    _ viewer: SurfacePointer, _ index: Int, isNew: Bool, from begin: Instant,
    _ context: inout Context<SurfaceEvent>
  ) -> Instant {
    let device = configuration.devices[viewer.pointee.traits.device]
    let number = viewer.pointee.players.nextNumber()
    let serial = viewer.pointee.entity(number)
    let (u0, u1) = streams.uniformPair(.surfacePlayer, entity: serial, pair: 0)
    var time: Double
    if isNew {
      let creation = device.playerCreation.quantile(u0)
      time = creation + device.decoderSetup.quantile(u1)
      measures.counts.playerCreates += 1
      // The law of the creation knows how slow the device is.
      measures.surface.mainThread += Int64(creation * 1e6)
      if surface.reuse == .surfaces { spend(viewer, surface.costs.attach) }
    } else {
      time = device.decoderReuse.quantile(u1)
      measures.counts.playerRetargets += 1
      spend(viewer, surface.costs.retarget)
    }
    if surface.isScripted { time += surface.bridgeDelay.seconds }
    if viewer.pointee.items[index].isMounted { attach(viewer) }
    viewer.pointee.items[index].player.give(number)
    context.schedule(
      .decoderReady(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].player.generation),
      at: begin + TimeSpan(seconds: time), for: viewer.pointee.session)
    return begin + TimeSpan(seconds: time)
  }

  private mutating func losePlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    if viewer.pointee.items[index].playback.isRunning { stall(viewer, index, at: context.now) }
    context.cancel(viewer.pointee.items[index].playback.takeEvent())
    viewer.pointee.items[index].player.lose()
    viewer.pointee.items[index].times.undo(.presented)
    viewer.pointee.items[index].times.undo(.decoder)
    viewer.pointee.items[index].times.undo(.decoded)
    if viewer.pointee.items[index].isMounted {
      detach(viewer)
    } else if !viewer.pointee.items[index].loading.isPrefetch {
      cancelLoad(viewer, index, &context)
    }
  }

  /// A card that runs waits for media, or for a player.
  private func stall(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    viewer.pointee.items[index].playback.stall(at: now)
    if viewer.pointee.view.isOf(index) { viewer.pointee.view.countStall() }
  }

  private mutating func unmount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    viewer.pointee.items[index].playback.endTurn(isLast: false)
    if isPooled {
      if viewer.pointee.items[index].hasPlayer { detach(viewer) }
      viewer.pointee.items[index].player.unmount()
      viewer.pointee.items[index].player.takeOff()
      viewer.pointee.items[index].times.undo(.presented)
      if !viewer.pointee.items[index].hasPlayer { cancelLoad(viewer, index, &context) }
      return
    }
    destroyPlayer(viewer, index, &context)
    viewer.pointee.items[index].player.unmount()
    cancelLoad(viewer, index, &context)
    // A mounted card that found no player gets one now.
    for other in viewer.pointee.column.boundCards
    where viewer.pointee.items[other].isMounted && !viewer.pointee.items[other].hasPlayer {
      createPlayer(viewer, other, &context)
      return
    }
  }

  mutating func readyDecoder(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].player.readyDecoder()
    viewer.pointee.items[index].times.reach(.decoder, at: context.now)
    decode(viewer, index, &context)
  }

  /// Decodes the first frame once player and media are there.
  mutating func decode(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let item = viewer.pointee.items[index]
    guard let player = item.player.freeDecoder, item.times.has(.data) else { return }
    viewer.pointee.items[index].player.beginDecoding()
    let u = streams.uniform(
      .surfacePlayer, entity: viewer.pointee.entity(player), draw: 2)
    let time = configuration.devices[viewer.pointee.traits.device].firstDecode.quantile(u)
    context.schedule(
      .frameDecoded(
        slot: viewer.pointee.slot, item: UInt32(index), generation: item.player.generation),
      at: context.now + TimeSpan(seconds: time), for: viewer.pointee.session)
  }

  mutating func finishDecoding(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.pointee.items[index].player.isDecoded {
      viewer.pointee.items[index].player.finishDecoding()
      viewer.pointee.items[index].times.reach(.decoded, at: context.now)
      if let event = viewer.pointee.players.readiness(of: ItemID(UInt32(index))) {
        tellPool(viewer, event, &context)
      }
    }
    let item = viewer.pointee.items[index]
    if item.cell.token > 0 && item.isMounted {
      tell(
        viewer,
        .mediaReady(ItemID(UInt32(index)), token: item.cell.token, mount: item.player.mount),
        &context)
    }
    playOn(viewer, index, &context)
  }

  /// The frame of a card that is decoded already is reported once more, for its new mount.
  private mutating func announce(
    _ viewer: SurfacePointer, _ index: Int, at time: Instant,
    _ context: inout Context<SurfaceEvent>
  ) {
    context.schedule(
      .frameDecoded(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].player.generation),
      at: time, for: viewer.pointee.session)
  }

  // MARK: Plays

  private mutating func play(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].playback.tell()
    viewer.pointee.items[index].bytes.want()
    viewer.pointee.items[index].player.tell()
    if viewer.pointee.view.isOf(index) {
      let isReady = viewer.pointee.items[index].player.isDecoded
      viewer.pointee.view.tell(isReady: isReady, at: context.now)
    }
    promote(viewer, index, at: context.now)
    if !isPooled && !viewer.pointee.items[index].hasPlayer {
      measures.surface.starvedPlays += 1
      takeFromAnother(viewer, index, &context)
    }
    scheduleMedia(viewer, index, at: context.now, &context)
  }

  private mutating func pause(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    viewer.pointee.items[index].playback.pause(at: context.now)
    viewer.pointee.items[index].player.stopPresenting()
    context.cancel(viewer.pointee.items[index].playback.takeEvent())
  }

  mutating func scheduleMedia(
    _ viewer: SurfacePointer, _ index: Int, at time: Instant,
    _ context: inout Context<SurfaceEvent>
  ) {
    context.cancel(viewer.pointee.items[index].playback.takeEvent())
    let event = context.schedule(
      .mediaChanged(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].player.generation),
      at: time, for: viewer.pointee.session)
    viewer.pointee.items[index].playback.plan(event)
  }

  /// Starts, goes on with, stalls or ends a card's turn.
  mutating func playOn(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    let item = viewer.pointee.items[index]
    guard item.isTold, item.player.isDecoded else { return }
    let turn = surface.visibility.sequence.length(of: item.title.duration, in: item.kind)
    let head = item.playback.mark
    if head >= turn {
      endTurn(viewer, index, &context)
      return
    }
    let playable = playable(item)
    if item.playback.isRunning && playable <= head {
      stall(viewer, index, at: context.now)
    } else if !item.playback.isRunning {
      let policy = configuration.policy
      let need = head + (item.playback.hasRun ? policy.resumeThreshold : policy.startThreshold)
      if playable < (need < turn ? need : turn) { return }
      if !item.player.isShown && !present(viewer, index, &context) { return }
      viewer.pointee.items[index].playback.run(at: context.now)
      countPlaying(viewer)
      noteFrame(viewer, index, &context)
    }
    if viewer.pointee.items[index].playback.isRunning {
      let end = playable < turn ? playable : turn
      scheduleMedia(viewer, index, at: context.now + (end - head), &context)
    }
    pump(viewer, &context)
  }

  /// Lets a card's first frame go to the display; whether it is there. Attachment, refresh and
  /// composition as in the other feed; the main thread's other work is counted and not waited for.
  private mutating func present(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) -> Bool {
    let device = configuration.devices[viewer.pointee.traits.device]
    if let presentation = device.presentation {
      if viewer.pointee.items[index].player.shownAt == nil {
        let (u, phase) = streams.uniformPair(
          .presentation,
          entity: viewer.pointee.entity(viewer.pointee.items[index].player.number ?? 0),
          pair: viewer.pointee.items[index].player.mount)
        viewer.pointee.items[index].times.reach(.presented, at: context.now)
        viewer.pointee.items[index].player.present(
          until: context.now + TimeSpan(seconds: presentation.attach.quantile(u))
            + presentation.display(phase))
      }
      if let shownAt = viewer.pointee.items[index].player.shownAt, shownAt > context.now {
        scheduleMedia(viewer, index, at: shownAt, &context)
        return false
      }
    }
    viewer.pointee.items[index].player.show()
    return true
  }

  private mutating func endTurn(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    measures.surface.turns += 1
    let isLast = surface.visibility.sequence.reading == .once
    viewer.pointee.items[index].playback.endTurn(isLast: isLast)
    let token = viewer.pointee.items[index].cell.token
    let mount = viewer.pointee.items[index].player.mount
    tell(viewer, .mediaEnded(ItemID(UInt32(index)), token: token, mount: mount), &context)
  }

  private mutating func countPlaying(_ viewer: SurfacePointer) {
    var count: Int64 = 0
    for index in viewer.pointee.column.boundCards
    where viewer.pointee.items[index].playback.isRunning { count += 1 }
    if count > measures.surface.mostPlaying { measures.surface.mostPlaying = count }
  }
}
