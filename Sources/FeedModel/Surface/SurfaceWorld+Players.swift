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
      viewer.pointee.items[Int(item.index)].isPrefetch = true
    case .cancelPrefetch(let item, _):
      viewer.pointee.items[Int(item.index)].isPrefetch = false
      if viewer.pointee.items[Int(item.index)].player == nil {
        cancelLoad(viewer, Int(item.index), &context)
      }
    case .mount(let item, _, let number):
      viewer.pointee.items[Int(item.index)].mount = number
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
    measures.surface.mainThread += Int64(milliseconds * viewer.pointee.slowness * 1_000)
  }

  private mutating func mount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isPrefetch = false
    viewer.pointee.items[index].isMounted = true
    if speed(viewer, at: context.now) > SurfaceWorld.flingSpeed {
      measures.surface.flingMounts += 1
    }
    if !isPooled {
      createPlayer(viewer, index, &context)
      return
    }
    if viewer.pointee.items[index].player != nil {
      attach(viewer)
      // The machine is told at once, but not in the midst of its own commands.
      if viewer.pointee.items[index].isDecoded {
        announce(viewer, index, at: context.now, &context)
      }
    }
  }

  /// Whether players are kept for other cards.
  var isPooled: Bool { surface.reuse != .none }

  private func speed(_ viewer: SurfacePointer, at now: Instant) -> Double {
    let motion = viewer.pointee.motion
    let height = viewer.pointee.geometry.screenHeight
    switch motion.kind {
    case .rest, .tremble, .sideways: return 0
    case .drag: return abs(motion.velocity) / height
    case .fling:
      let velocity = viewer.pointee.law.velocity(at: now - motion.since, from: motion.velocity)
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
        viewer.pointee.items[Int(item.index)].player == nil
      {
        measures.surface.starvedPlays += 1
      }
    }
  }

  /// Whether a card that was told to play has no player.
  private func hasStarved(_ viewer: SurfacePointer) -> Bool {
    for index in boundItems(viewer)
    where viewer.pointee.items[index].isTold && viewer.pointee.items[index].player == nil {
      return true
    }
    return false
  }

  /// Tells the pool which card is the current one, unless all that need a player have one already.
  private mutating func movePool(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    guard let needy = needyCards(viewer) else { return }
    var isServed = true
    for index in needy where needsPlayer(viewer, index, of: needy) {
      if viewer.pointee.items[index].player == nil { isServed = false }
    }
    let widget = viewer.pointee.items[needy.lowerBound].widget
    if isServed, let current = viewer.pointee.pool.current,
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
    for index in boundItems(viewer) {
      let item = viewer.pointee.items[index]
      if !item.isTold && (!item.isMounted || isBestTold) { continue }
      let distance = abs(item.sight.offset)
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

  /// The card around which the pool's window serves the most of those that have no player, then the
  /// most of all that need one, then the one in their middle.
  private func poolCurrent(_ viewer: SurfacePointer, _ needy: ClosedRange<Int>) -> Int {
    let pool = viewer.pointee.pool.configuration
    let ahead = pool.ahead < pool.size - 1 ? pool.ahead : pool.size - 1
    let behind = pool.behind < pool.size - 1 - ahead ? pool.behind : pool.size - 1 - ahead
    var best = needy.lowerBound
    var bestScore = (-1, -1, Int.min)
    for card in needy {
      var without = 0
      var all = 0
      for index in needy
      where index >= card - behind && index <= card + ahead
        && needsPlayer(viewer, index, of: needy)
      {
        all += 1
        if viewer.pointee.items[index].player == nil { without += 1 }
      }
      let score = (without, all, -abs(2 * card - needy.lowerBound - needy.upperBound))
      if score > bestScore {
        best = card
        bestScore = score
      }
    }
    return best
  }

  private mutating func tellPool(
    _ viewer: SurfacePointer, _ event: PlayerPool.Event, _ context: inout Context<SurfaceEvent>
  ) {
    poolCommands.removeAll(keepingCapacity: true)
    viewer.pointee.pool.handle(event, at: context.now, into: &poolCommands)
    for command in poolCommands {
      switch command {
      case .prepare(let slot, let item, let generation):
        prepare(viewer, Int(slot.index), Int(item.index), generation, &context)
      case .release(let slot):
        if let loser = viewer.pointee.slots[Int(slot.index)] {
          losePlayer(viewer, Int(loser), &context)
        }
        viewer.pointee.slots[Int(slot.index)] = nil
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
    let loser = viewer.pointee.slots[slot]
    if let loser { losePlayer(viewer, Int(loser), &context) }
    viewer.pointee.slots[slot] = UInt32(index)
    // A player that is not ready for its last card yet cannot begin with the next.
    let free = viewer.pointee.slotsReadyAt[slot]
    let begin = loser != nil && free > context.now ? free : context.now
    viewer.pointee.slotsReadyAt[slot] = givePlayer(
      viewer, index, isNew: loser == nil, from: begin, &context)
  }

  // MARK: Players of their own

  /// Gives the card a player of its own if the device can have one more.
  private mutating func createPlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if viewer.pointee.livePlayers >= playerLimit(viewer.pointee.device) {
      measures.counts.decodersRefused += 1
      return
    }
    viewer.pointee.livePlayers += 1
    _ = givePlayer(viewer, index, isNew: true, from: context.now, &context)
  }

  private mutating func destroyPlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if viewer.pointee.items[index].player == nil { return }
    losePlayer(viewer, index, &context)
    viewer.pointee.livePlayers -= 1
  }

  /// A card that is to play and has no player takes that of one that does not play.
  private mutating func takeFromAnother(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    var victim = -1
    var farthest = -1.0
    for other in boundItems(viewer) where other != index {
      let item = viewer.pointee.items[other]
      if item.player == nil || item.isTold { continue }
      if abs(item.sight.offset) > farthest {
        victim = other
        farthest = abs(item.sight.offset)
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
    let device = configuration.devices[viewer.pointee.device]
    viewer.pointee.playerSerial += 1
    let serial = viewer.pointee.entity(viewer.pointee.playerSerial)
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
    viewer.pointee.items[index].player = viewer.pointee.playerSerial
    viewer.pointee.items[index].generation &+= 1
    context.schedule(
      .decoderReady(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].generation),
      at: begin + TimeSpan(seconds: time), for: viewer.pointee.session)
    return begin + TimeSpan(seconds: time)
  }

  private mutating func losePlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    if viewer.pointee.items[index].isRunning {
      viewer.pointee.items[index].playhead.stall(at: context.now)
      if isViewed(viewer, index) { viewer.pointee.view.stalls += 1 }
    }
    context.cancel(viewer.pointee.items[index].mediaEvent)
    viewer.pointee.items[index].mediaEvent = .none
    viewer.pointee.items[index].player = nil
    viewer.pointee.items[index].isDecoderReady = false
    viewer.pointee.items[index].isDecoding = false
    viewer.pointee.items[index].isDecoded = false
    takeOff(viewer, index)
    viewer.pointee.items[index].times.decoder = .zero
    viewer.pointee.items[index].times.decoded = .zero
    viewer.pointee.items[index].generation &+= 1
    if viewer.pointee.items[index].isMounted {
      detach(viewer)
    } else if !viewer.pointee.items[index].isPrefetch {
      cancelLoad(viewer, index, &context)
    }
  }

  /// The display does not show the card's frame any more.
  private mutating func takeOff(_ viewer: SurfacePointer, _ index: Int) {
    viewer.pointee.items[index].isShown = false
    viewer.pointee.items[index].shownAt = nil
    viewer.pointee.items[index].times.presented = .zero
  }

  private mutating func unmount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    viewer.pointee.items[index].playhead.rewind()
    viewer.pointee.items[index].hasRun = false
    viewer.pointee.items[index].isSpent = false
    if isPooled {
      if viewer.pointee.items[index].player != nil { detach(viewer) }
      viewer.pointee.items[index].isMounted = false
      takeOff(viewer, index)
      if viewer.pointee.items[index].player == nil { cancelLoad(viewer, index, &context) }
      return
    }
    destroyPlayer(viewer, index, &context)
    viewer.pointee.items[index].isMounted = false
    cancelLoad(viewer, index, &context)
    // A mounted card that found no player gets one now.
    for other in boundItems(viewer)
    where viewer.pointee.items[other].isMounted && viewer.pointee.items[other].player == nil {
      createPlayer(viewer, other, &context)
      return
    }
  }

  /// Cards with a cell; they are neighbours.
  func boundItems(_ viewer: SurfacePointer) -> Range<Int> {
    if viewer.pointee.firstBound >= viewer.pointee.boundEnd { return 0..<0 }
    let first = viewer.pointee.widgets[viewer.pointee.firstBound].widget
    let last = viewer.pointee.widgets[viewer.pointee.boundEnd - 1].widget
    return Int(first.first.index)..<Int(last.first.index + last.cards)
  }

  mutating func readyDecoder(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isDecoderReady = true
    viewer.pointee.items[index].times.decoder = context.now
    decode(viewer, index, &context)
  }

  /// Decodes the first frame once player and media are there.
  mutating func decode(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let item = viewer.pointee.items[index]
    guard let player = item.player, item.isDecoderReady, !item.isDecoding, !item.isDecoded,
      item.times.data != .zero
    else { return }
    viewer.pointee.items[index].isDecoding = true
    let u = streams.uniform(
      .surfacePlayer, entity: viewer.pointee.entity(player), draw: 2)
    let time = configuration.devices[viewer.pointee.device].firstDecode.quantile(u)
    context.schedule(
      .frameDecoded(
        slot: viewer.pointee.slot, item: UInt32(index), generation: item.generation),
      at: context.now + TimeSpan(seconds: time), for: viewer.pointee.session)
  }

  mutating func finishDecoding(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.pointee.items[index].isDecoded {
      viewer.pointee.items[index].isDecoding = false
      viewer.pointee.items[index].isDecoded = true
      viewer.pointee.items[index].times.decoded = context.now
      if let slot = viewer.pointee.pool.slot(for: ItemID(UInt32(index))) {
        tellPool(
          viewer, .slotReady(slot, generation: viewer.pointee.pool.generation(of: slot)), &context)
      }
    }
    let item = viewer.pointee.items[index]
    if item.token > 0 && item.isMounted {
      tell(
        viewer, .mediaReady(ItemID(UInt32(index)), token: item.token, mount: item.mount), &context)
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
        generation: viewer.pointee.items[index].generation),
      at: time, for: viewer.pointee.session)
  }

  // MARK: Plays

  private mutating func play(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isTold = true
    viewer.pointee.items[index].isWanted = true
    let isReady = viewer.pointee.items[index].isDecoded
    viewer.pointee.items[index].wasReady = isReady
    if viewer.pointee.view.isOpen && viewer.pointee.view.item == UInt32(index)
      && viewer.pointee.view.toldAt == nil
    {
      viewer.pointee.view.toldAt = context.now
      viewer.pointee.view.isReady = isReady
    }
    promote(viewer, index, at: context.now)
    if !isPooled && viewer.pointee.items[index].player == nil {
      measures.surface.starvedPlays += 1
      takeFromAnother(viewer, index, &context)
    }
    scheduleMedia(viewer, index, at: context.now, &context)
  }

  private mutating func pause(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    viewer.pointee.items[index].playhead.hold(at: context.now)
    viewer.pointee.items[index].isTold = false
    viewer.pointee.items[index].shownAt = nil
    context.cancel(viewer.pointee.items[index].mediaEvent)
    viewer.pointee.items[index].mediaEvent = .none
  }

  mutating func scheduleMedia(
    _ viewer: SurfacePointer, _ index: Int, at time: Instant,
    _ context: inout Context<SurfaceEvent>
  ) {
    context.cancel(viewer.pointee.items[index].mediaEvent)
    viewer.pointee.items[index].mediaEvent = context.schedule(
      .mediaChanged(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].generation),
      at: time, for: viewer.pointee.session)
  }

  /// Starts, goes on with, stalls or ends a card's turn.
  mutating func playOn(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    settleTime(viewer, index, at: context.now)
    let item = viewer.pointee.items[index]
    guard item.isTold, item.isDecoded else { return }
    let turn = surface.visibility.sequence.length(of: item.title.duration, in: item.kind)
    let head = item.playhead.mark
    if head >= turn {
      endTurn(viewer, index, &context)
      return
    }
    let playable = playable(item)
    if item.isRunning && playable <= head {
      viewer.pointee.items[index].playhead.stall(at: context.now)
      if isViewed(viewer, index) { viewer.pointee.view.stalls += 1 }
    } else if !item.isRunning {
      let policy = configuration.policy
      let need = head + (item.hasRun ? policy.resumeThreshold : policy.startThreshold)
      if playable < (need < turn ? need : turn) { return }
      if !item.isShown && !present(viewer, index, &context) { return }
      viewer.pointee.items[index].playhead.play(at: context.now)
      viewer.pointee.items[index].hasRun = true
      countPlaying(viewer)
      noteFrame(viewer, index, &context)
    }
    if viewer.pointee.items[index].isRunning {
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
    let device = configuration.devices[viewer.pointee.device]
    if let presentation = device.presentation {
      if viewer.pointee.items[index].shownAt == nil {
        let (u, phase) = streams.uniformPair(
          .presentation, entity: viewer.pointee.entity(viewer.pointee.items[index].player ?? 0),
          pair: viewer.pointee.items[index].mount)
        viewer.pointee.items[index].times.presented = context.now
        viewer.pointee.items[index].shownAt =
          context.now + TimeSpan(seconds: presentation.attach.quantile(u))
          + presentation.display(phase)
      }
      if let shownAt = viewer.pointee.items[index].shownAt, shownAt > context.now {
        scheduleMedia(viewer, index, at: shownAt, &context)
        return false
      }
    }
    viewer.pointee.items[index].isShown = true
    return true
  }

  private mutating func endTurn(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].playhead.rewind()
    viewer.pointee.items[index].hasRun = false
    measures.surface.turns += 1
    viewer.pointee.items[index].isSpent = surface.visibility.sequence.reading == .once
    let (token, mount) = (viewer.pointee.items[index].token, viewer.pointee.items[index].mount)
    tell(viewer, .mediaEnded(ItemID(UInt32(index)), token: token, mount: mount), &context)
  }

  private mutating func countPlaying(_ viewer: SurfacePointer) {
    var count: Int64 = 0
    for index in boundItems(viewer) where viewer.pointee.items[index].isRunning { count += 1 }
    if count > measures.surface.mostPlaying { measures.surface.mostPlaying = count }
  }
}
