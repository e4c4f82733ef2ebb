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
      cancelLoad(viewer, Int(item.index), &context)
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

  private mutating func mount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isPrefetch = false
    viewer.pointee.items[index].isMounted = true
    viewer.pointee.items[index].generation &+= 1
    if speed(viewer, at: context.now) > SurfaceWorld.flingSpeed {
      measures.surface.flingMounts += 1
    }
    givePlayer(viewer, index, &context)
  }

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

  /// Players that may live at once: decoders are scarce, and a pool has its size.
  private func playerLimit(_ viewer: SurfacePointer) -> Int {
    let decoders = configuration.devices[viewer.pointee.device].decoderLimit
    if surface.reuse == .none { return decoders }
    let size = configuration.policy.pool.size
    return size < decoders ? size : decoders
  }

  /// Gives the card a player if there is one.
  private mutating func givePlayer(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let device = configuration.devices[viewer.pointee.device]
    viewer.pointee.playerSerial += 1
    let serial = entity(viewer, viewer.pointee.playerSerial)
    let (u0, u1) = streams.uniformPair(.surfacePlayer, entity: serial, pair: 0)
    var time: Double
    if viewer.pointee.idlePlayers > 0 {
      viewer.pointee.idlePlayers -= 1
      time = device.decoderReuse.quantile(u1)
      measures.counts.playerRetargets += 1
      spend(
        viewer,
        surface.costs.retarget + (surface.reuse == .surfaces ? 0 : surface.costs.attach))
    } else if viewer.pointee.livePlayers < playerLimit(viewer) {
      viewer.pointee.livePlayers += 1
      let creation = device.playerCreation.quantile(u0)
      time = creation + device.decoderSetup.quantile(u1)
      measures.counts.playerCreates += 1
      // The law of the creation knows how slow the device is.
      measures.surface.mainThread += Int64(creation * 1e6)
      spend(viewer, surface.costs.attach)
    } else {
      measures.counts.decodersRefused += 1
      return
    }
    if surface.isScripted { time += surface.bridgeDelay.seconds }
    viewer.pointee.items[index].hasPlayer = true
    context.schedule(
      .decoderReady(
        slot: viewer.pointee.slot, item: UInt32(index),
        generation: viewer.pointee.items[index].generation),
      at: context.now + TimeSpan(seconds: time), for: viewer.pointee.session)
  }

  private mutating func takePlayer(_ viewer: SurfacePointer, _ index: Int) {
    guard viewer.pointee.items[index].hasPlayer else { return }
    viewer.pointee.items[index].hasPlayer = false
    viewer.pointee.items[index].isDecoderReady = false
    viewer.pointee.items[index].isDecoding = false
    viewer.pointee.items[index].isDecoded = false
    viewer.pointee.items[index].isShown = false
    viewer.pointee.items[index].shownAt = nil
    viewer.pointee.items[index].times.presented = .zero
    viewer.pointee.items[index].generation &+= 1
    spend(viewer, surface.costs.detach)
    if surface.reuse == .none {
      viewer.pointee.livePlayers -= 1
    } else {
      viewer.pointee.idlePlayers += 1
    }
  }

  private mutating func unmount(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    takePlayer(viewer, index)
    viewer.pointee.items[index].isMounted = false
    viewer.pointee.items[index].generation &+= 1
    viewer.pointee.items[index].playhead = .zero
    viewer.pointee.items[index].hasRun = false
    viewer.pointee.items[index].isSpent = false
    viewer.pointee.items[index].times.decoder = .zero
    viewer.pointee.items[index].times.decoded = .zero
    cancelLoad(viewer, index, &context)
    // A mounted card that found no player gets this one.
    for other in boundItems(viewer)
    where viewer.pointee.items[other].isMounted && !viewer.pointee.items[other].hasPlayer {
      givePlayer(viewer, other, &context)
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
    guard item.isDecoderReady, !item.isDecoding, !item.isDecoded, item.times.data != .zero else {
      return
    }
    viewer.pointee.items[index].isDecoding = true
    let u = streams.uniform(
      .surfacePlayer, entity: entity(viewer, viewer.pointee.playerSerial), draw: 2)
    let time = configuration.devices[viewer.pointee.device].firstDecode.quantile(u)
    context.schedule(
      .frameDecoded(
        slot: viewer.pointee.slot, item: UInt32(index), generation: item.generation),
      at: context.now + TimeSpan(seconds: time), for: viewer.pointee.session)
  }

  mutating func finishDecoding(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isDecoding = false
    viewer.pointee.items[index].isDecoded = true
    viewer.pointee.items[index].times.decoded = context.now
    let token = viewer.pointee.items[index].token
    if token > 0 {
      let mount = viewer.pointee.items[index].mount
      tell(viewer, .mediaReady(ItemID(UInt32(index)), token: token, mount: mount), &context)
    }
    playOn(viewer, index, &context)
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
    if !viewer.pointee.items[index].hasPlayer { takeFromAnother(viewer, index, &context) }
    scheduleMedia(viewer, index, at: context.now, &context)
  }

  /// A card that is to play and has no player takes that of one that does not play.
  private mutating func takeFromAnother(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    measures.surface.starvedPlays += 1
    var victim = -1
    var farthest = -1.0
    for other in boundItems(viewer) where other != index {
      let item = viewer.pointee.items[other]
      if !item.hasPlayer || item.isTold { continue }
      if abs(item.sight.offset) > farthest {
        victim = other
        farthest = abs(item.sight.offset)
      }
    }
    if victim < 0 { return }
    takePlayer(viewer, victim)
    givePlayer(viewer, index, &context)
  }

  private mutating func pause(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    advancePlayhead(viewer, index, at: context.now)
    endStall(viewer, index, at: context.now)
    viewer.pointee.items[index].isTold = false
    viewer.pointee.items[index].isRunning = false
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

  /// Moves the playhead of a card that plays to now.
  mutating func advancePlayhead(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    guard viewer.pointee.items[index].isRunning else { return }
    let time = now - viewer.pointee.items[index].runningSince
    viewer.pointee.items[index].runningSince = now
    viewer.pointee.items[index].playhead += time
    let head = viewer.pointee.items[index].playhead
    if head > viewer.pointee.items[index].rendered { viewer.pointee.items[index].rendered = head }
    if isViewed(viewer, index) { viewer.pointee.view.played += time }
    measures.surface.playTime += time.nanoseconds
  }

  mutating func endStall(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    advanceStall(viewer, index, at: now)
    viewer.pointee.items[index].stalledSince = nil
  }

  /// Counts the stall of a card up to now.
  private mutating func advanceStall(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    guard let since = viewer.pointee.items[index].stalledSince else { return }
    viewer.pointee.items[index].stalledSince = now
    if isViewed(viewer, index) { viewer.pointee.view.stalled += now - since }
    measures.surface.stallTime += (now - since).nanoseconds
  }

  /// Whether the view that is open is the card's: of several cards that play, time counts for the
  /// view of its own card alone.
  private func isViewed(_ viewer: SurfacePointer, _ index: Int) -> Bool {
    viewer.pointee.view.isOpen && viewer.pointee.view.item == UInt32(index)
  }

  /// Counts the time up to now for the view that is open now, or for none; what follows may belong
  /// to another.
  mutating func settleTime(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    advancePlayhead(viewer, index, at: now)
    advanceStall(viewer, index, at: now)
  }

  /// Starts, goes on with, stalls or ends a card's turn.
  mutating func playOn(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    advancePlayhead(viewer, index, at: context.now)
    let item = viewer.pointee.items[index]
    guard item.isTold, item.isDecoded else { return }
    let turn = surface.visibility.sequence.length(of: item.title.duration, in: item.kind)
    if item.playhead >= turn {
      endTurn(viewer, index, &context)
      return
    }
    if item.isRunning && item.held <= item.playhead {
      viewer.pointee.items[index].isRunning = false
      viewer.pointee.items[index].stalledSince = context.now
      if isViewed(viewer, index) { viewer.pointee.view.stalls += 1 }
    } else if !item.isRunning {
      let policy = configuration.policy
      let need = item.playhead + (item.hasRun ? policy.resumeThreshold : policy.startThreshold)
      if item.held < (need < turn ? need : turn) { return }
      if !item.isShown && !present(viewer, index, &context) { return }
      endStall(viewer, index, at: context.now)
      viewer.pointee.items[index].isRunning = true
      viewer.pointee.items[index].hasRun = true
      viewer.pointee.items[index].runningSince = context.now
      countPlaying(viewer)
      noteFrame(viewer, index, &context)
    }
    if viewer.pointee.items[index].isRunning {
      let end = item.held < turn ? item.held : turn
      scheduleMedia(viewer, index, at: context.now + (end - item.playhead), &context)
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
          .presentation, entity: entity(viewer, UInt32(index)),
          pair: viewer.pointee.items[index].generation)
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
    viewer.pointee.items[index].isRunning = false
    viewer.pointee.items[index].hasRun = false
    viewer.pointee.items[index].playhead = .zero
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
