import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What stands between a ready frame and the display, and what players cost the device: the main
/// thread, the decoder under load.
extension Viewer {
  // MARK: The main thread

  /// When the main thread has done a piece of work that comes up now: after all that came before.
  /// Where its work is not modelled it is free.
  mutating func work(_ length: TimeSpan, at now: Instant) -> Instant {
    devices[device].mainThread == nil ? now + length : players.work(length, at: now)
  }

  /// A player is created for the item that it has; when its decoder can be set up.
  mutating func createPlayer(_ index: Int, at now: Instant) -> Instant {
    let device = devices + self.device
    let u = streams.uniform(
      .device, entity: UInt64(session) << 32 | UInt64(index))
    let creation = TimeSpan(seconds: device.pointee.playerCreation.quantile(u))
    var ready = now + creation
    if device.pointee.mainThread != nil {
      let held = TimeSpan(seconds: device.pointee.mainThread!.create.quantile(u))
      let done = work(held, at: now)
      players[index].mainDoneAt = done
      let begun = done - held
      ready = creation > held ? begun + creation : done
    }
    return prepareSource(index, at: ready)
  }

  /// A player gets another item; when its decoder can be set up.
  mutating func retarget(_ index: Int, at now: Instant) -> Instant {
    let device = devices + self.device
    let isSetUpAnew = policy.pointee.player.isSetUpAnew
    if isSetUpAnew { players[index].hasDecoder = false }
    if device.pointee.mainThread == nil { return prepareSource(index, at: now) }
    let (u, detach) = streams.uniformPair(
      .mainThread, entity: entity(ofItemIn: index), pair: 0)
    var length = TimeSpan(seconds: device.pointee.mainThread!.retarget.quantile(u))
    // The surface leaves the item before, which takes as long as attaching it (assumed).
    if isSetUpAnew && device.pointee.presentation != nil {
      length += TimeSpan(seconds: device.pointee.presentation!.attach.quantile(detach))
    }
    let done = work(length, at: now)
    players[index].mainDoneAt = done
    return prepareSource(index, at: done)
  }

  /// Where a player begins with each item anew: source, timeline, tracks and renderers come before
  /// the decoder.
  private func prepareSource(_ index: Int, at begin: Instant) -> Instant {
    let device = devices + self.device
    if !policy.pointee.player.isSetUpAnew || device.pointee.sourcePreparation == nil {
      return begin
    }
    let u = streams.uniform(.mainThread, entity: entity(ofItemIn: index), draw: 2)
    return begin + TimeSpan(seconds: device.pointee.sourcePreparation!.quantile(u))
  }

  private func entity(ofItemIn index: Int) -> UInt64 {
    UInt64(session) << 32 | UInt64(players[index].item)
  }

  // MARK: Load

  /// What a decoder's set-up that is asked for now is slowed down by.
  func stress(beside index: Int, at now: Instant) -> Double {
    var busy = 0
    for other in 0..<players.count
    where other != index && players[other].hasDecoder {
      let item = players[other].item
      let isPlaying =
        item == current && view.playAt != StartupTimes.unset
      let isBeingSetUp =
        players[other].isPreparing
        && items[place(item)].times.decoder > now
      if isPlaying || isBeingSetUp { busy += 1 }
    }
    let isSwiping = view.phase == .between || view.isBurst
    return devices[device].stress!.factor(
      players: busy, transfers: transport.count, isSwiping: isSwiping)
  }
}
