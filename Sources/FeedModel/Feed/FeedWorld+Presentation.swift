import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What stands between a ready frame and the display, and what players cost the device: the main
/// thread, the decoder under load.
extension FeedWorld {
  // MARK: The display

  /// The pool says play: the frame is decoded. It is attached when the main thread is free, and
  /// shown some refreshes later. Who leaves before that has not seen it.
  mutating func present(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard viewer.pointee.view.phase == .starting else { return }
    let now = context.now
    viewer.pointee.view.isReady = now == viewer.pointee.view.settledAt
    viewer.pointee.view.playAt = now
    viewer.pointee.view.attachAt = now
    let device = devices + viewer.pointee.device
    guard device.pointee.presentation != nil else {
      startPlayback(viewer, &context)
      return
    }
    let (u, phase) = streams.uniformPair(.presentation, entity: viewEntity(viewer))
    let attach = TimeSpan(seconds: device.pointee.presentation!.attach.quantile(u))
    let attached = work(viewer, attach, at: now)
    viewer.pointee.view.attachAt = attached - attach
    let shown = attached + device.pointee.presentation!.display(phase)
    if shown == now {
      startPlayback(viewer, &context)
      return
    }
    // The view's end cancels it, as it does that of the watching.
    context.cancel(viewer.pointee.watchEvent)
    viewer.pointee.watchEvent = context.schedule(
      .framePresented(slot: viewer.pointee.slot), at: shown, for: viewer.pointee.session)
  }

  // MARK: The main thread

  /// When the main thread has done a piece of work that comes up now: after all that came before.
  /// Where its work is not modelled it is free.
  private mutating func work(
    _ viewer: ViewerPointer, _ length: TimeSpan, at now: Instant
  ) -> Instant {
    if devices[viewer.pointee.device].mainThread == nil { return now + length }
    let free = viewer.pointee.mainFreeAt
    viewer.pointee.mainFreeAt = (free > now ? free : now) + length
    return viewer.pointee.mainFreeAt
  }

  /// A player is created for the item that it has; when its decoder can be set up.
  mutating func createPlayer(
    _ viewer: ViewerPointer, _ index: Int, at now: Instant
  ) -> Instant {
    let device = devices + viewer.pointee.device
    let u = streams.uniform(
      .device, entity: UInt64(viewer.pointee.session) << 32 | UInt64(index))
    let creation = TimeSpan(seconds: device.pointee.playerCreation.quantile(u))
    var ready = now + creation
    if device.pointee.mainThread != nil {
      let held = TimeSpan(seconds: device.pointee.mainThread!.create.quantile(u))
      let done = work(viewer, held, at: now)
      viewer.pointee.players[index].mainDoneAt = done
      let begun = done - held
      ready = creation > held ? begun + creation : done
    }
    return prepareSource(viewer, index, at: ready)
  }

  /// A player gets another item; when its decoder can be set up.
  mutating func retarget(_ viewer: ViewerPointer, _ index: Int, at now: Instant) -> Instant {
    let device = devices + viewer.pointee.device
    let isSetUpAnew = policy.pointee.player.isSetUpAnew
    if isSetUpAnew { viewer.pointee.players[index].hasDecoder = false }
    if device.pointee.mainThread == nil { return prepareSource(viewer, index, at: now) }
    let (u, detach) = streams.uniformPair(
      .mainThread, entity: entity(ofItemIn: index, viewer), pair: 0)
    var length = TimeSpan(seconds: device.pointee.mainThread!.retarget.quantile(u))
    // The surface leaves the item before, which takes as long as attaching it (assumed).
    if isSetUpAnew && device.pointee.presentation != nil {
      length += TimeSpan(seconds: device.pointee.presentation!.attach.quantile(detach))
    }
    let done = work(viewer, length, at: now)
    viewer.pointee.players[index].mainDoneAt = done
    return prepareSource(viewer, index, at: done)
  }

  /// Where a player begins with each item anew: source, timeline, tracks and renderers come before
  /// the decoder.
  private mutating func prepareSource(
    _ viewer: ViewerPointer, _ index: Int, at begin: Instant
  ) -> Instant {
    let device = devices + viewer.pointee.device
    if !policy.pointee.player.isSetUpAnew || device.pointee.sourcePreparation == nil {
      return begin
    }
    let u = streams.uniform(.mainThread, entity: entity(ofItemIn: index, viewer), draw: 2)
    return begin + TimeSpan(seconds: device.pointee.sourcePreparation!.quantile(u))
  }

  private mutating func entity(ofItemIn index: Int, _ viewer: ViewerPointer) -> UInt64 {
    UInt64(viewer.pointee.session) << 32 | UInt64(viewer.pointee.players[index].item)
  }

  // MARK: Load

  /// What a decoder's set-up that is asked for now is slowed down by.
  mutating func stress(_ viewer: ViewerPointer, beside index: Int, at now: Instant) -> Double {
    var busy = 0
    for other in 0..<viewer.pointee.players.count
    where other != index && viewer.pointee.players[other].hasDecoder {
      let item = viewer.pointee.players[other].item
      let isPlaying =
        item == viewer.pointee.current && viewer.pointee.view.playAt != StartupTimes.unset
      let isBeingSetUp =
        viewer.pointee.players[other].isPreparing
        && viewer.pointee.items[place(item)].times.decoder > now
      if isPlaying || isBeingSetUp { busy += 1 }
    }
    let isSwiping = viewer.pointee.view.phase == .between || viewer.pointee.view.isBurst
    return devices[viewer.pointee.device].stress!.factor(
      players: busy, transfers: viewer.pointee.link.count, isSwiping: isSwiping)
  }
}
