import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Views: what the viewer stops at, how long he waits for it and watches it, and the record.
extension SurfaceWorld {
  /// The viewer gives up what he stopped at, or has seen enough of it.
  mutating func leaveView(_ viewer: SurfacePointer, at now: Instant) {
    if !viewer.pointee.view.isOpen || viewer.pointee.view.leftAt != nil { return }
    let item = Int(viewer.pointee.view.item)
    viewer.pointee.view.leave(viewer.pointee.items[item].times, at: now)
  }

  /// The list has come to rest: what is nearest to the middle is what the viewer wants to see.
  mutating func openView(
    _ viewer: SurfacePointer, _ index: Int, at now: Instant
  ) {
    closeView(viewer, at: now, isCut: false)
    // What the card has played or waited until now was nobody's view.
    settleTime(viewer, index, at: now)
    let item = viewer.pointee.items[index]
    viewer.pointee.view = SurfaceView(
      of: index, at: now, wasReady: item.isTold ? item.player.wasReady : nil,
      shown: item.playback.isRunning ? item.times : nil)
  }

  /// Writes the view down. A card that plays on while the list moves belongs to the view before.
  mutating func closeView(_ viewer: SurfacePointer, at now: Instant, isCut: Bool) {
    if !viewer.pointee.view.isOpen { return }
    settleTime(viewer, Int(viewer.pointee.view.item), at: now)
    let view = viewer.pointee.view
    let isFirst = viewer.pointee.closeView()
    let item = viewer.pointee.items[Int(view.item)]
    let left = view.leftAt ?? now
    let end = view.frameAt ?? left
    var flags: ViewRecord.Flags = []
    if view.frameAt != nil { flags.insert(.started) }
    if isFirst { flags.insert(.cold) }
    if isCut && view.leftAt == nil { flags.insert(.cut) }
    if view.isReady { flags.insert(.ready) }
    let told = view.toldAt ?? end
    var record = ViewRecord(
      session: viewer.pointee.session, item: view.item, title: item.title.id.index,
      network: UInt8(viewer.pointee.traits.network), device: UInt8(viewer.pointee.traits.device),
      flags: flags, firstRung: item.loading.rungs.first ?? .max, settledAt: view.startedAt,
      ttff: end - view.startedAt, ttffPlay: end > told ? end - told : .zero,
      played: view.played, stalled: view.stalled, stalls: view.stalls,
      parts: parts(view.times ?? item.times, from: view.startedAt, to: end))
    noteWaits(item.waits.list, from: view.startedAt, to: end, in: &record)
    measures.views.append(record)
  }

  /// What the view saw of its card's waits behind the edge. Where every object has the same
  /// probability of a hit, nothing is known of a miss but that the edge does not have it.
  private func noteWaits(
    _ waits: [SurfaceWait], from begin: Instant, to end: Instant, in record: inout ViewRecord
  ) {
    for wait in waits {
      let from = wait.from > begin ? wait.from : begin
      let until = wait.until < end ? wait.until : end
      if until <= from { continue }
      record.flags.insert(.edgeMiss)
      record.upstreamWait += until - from
      if (until - from).nanoseconds > record.answer.wait {
        record.answer = StartAnswer(
          asset: wait.asset, tier: wait.until <= end ? .origin : .none, reason: .cold,
          wait: (until - from).nanoseconds)
      }
    }
  }

  /// Cuts the wait into its parts: each step that ended within it takes the time since the one
  /// before; what was left when everything was ready is the wait for the policy.
  private func parts(_ times: SurfaceTimes, from begin: Instant, to end: Instant) -> StartupParts {
    var parts = StartupParts()
    var cursor = begin
    func take(_ part: StartupPart, _ time: Instant) {
      var until = time < end ? time : end
      // A step that has not happened takes the rest.
      if time == .zero { until = end }
      if until <= cursor { return }
      parts[part] += (until - cursor).nanoseconds
      cursor = until
    }
    take(.queue, times[.asked])
    take(.connect, times[.connected])
    take(.manifest, times[.manifest])
    take(.playlists, times[.playlists])
    take(.initSegment, times[.initSegment])
    take(.segmentWait, times[.firstByte])
    take(.transfer, times[.data])
    take(.decoder, times[.decoder])
    take(.firstDecode, times[.decoded])
    take(.queue, times[.presented])
    take(.presentation, end)
    return parts
  }

  // MARK: Time

  /// Counts the time up to now for the view that is open now, or for none; what follows may belong
  /// to another. Of several cards that play, time counts for the view of its own card alone.
  mutating func settleTime(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    let (played, stalled) = viewer.pointee.items[index].playback.settle(at: now)
    if viewer.pointee.view.isOf(index) {
      viewer.pointee.view.add(played: played, stalled: stalled)
    }
    measures.surface.playTime += played.nanoseconds
    measures.surface.stallTime += stalled.nanoseconds
  }

  // MARK: Watching

  func isLowEnd(_ viewer: SurfacePointer) -> Bool { surface.lowEnd[viewer.pointee.traits.device] }

  /// The viewer waits for a frame, or has one and watches.
  mutating func watch(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let number = viewer.pointee.habit.rests
    let (u0, u1) = streams.uniformPair(.surfaceRest, entity: viewer.pointee.entity(number), pair: 2)
    if viewer.pointee.view.frameAt == nil {
      let patience = configuration.audience.patience.quantile(u0)
      scheduleRestEnd(
        viewer, after: configuration.audience.patienceFloor + TimeSpan(seconds: patience), &context)
      return
    }
    let item = viewer.pointee.items[Int(viewer.pointee.view.item)]
    let persona = configuration.audience.personas[viewer.pointee.traits.persona]
    var bucket = 0
    while bucket < persona.dwell.count - 1 && item.title.duration >= persona.dwell[bucket].below {
      bucket += 1
    }
    let u2 = streams.uniform(.surfaceRest, entity: viewer.pointee.entity(number), draw: 6)
    var time = TimeSpan(seconds: persona.dwell[bucket].watchTime.quantile(u1))
    let turn = surface.visibility.sequence.length(of: item.title.duration, in: item.kind)
    if u2 < persona.dwell[bucket].completion || time > turn { time = turn }
    scheduleRestEnd(viewer, after: time, &context)
  }

  /// The first frame of what the viewer wants to see: from now on he watches, unless he only
  /// glances.
  mutating func noteFrame(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.pointee.view.awaitsFrame(of: index) { return }
    viewer.pointee.view.show(viewer.pointee.items[index].times, at: context.now)
    let number = viewer.pointee.habit.rests - 1
    let u = streams.uniform(.surfaceRest, entity: viewer.pointee.entity(number), draw: 2)
    if isLowEnd(viewer) || u >= surface.habits.glances { watch(viewer, &context) }
  }

  mutating func scheduleRestEnd(
    _ viewer: SurfacePointer, after time: TimeSpan, _ context: inout Context<SurfaceEvent>
  ) {
    context.cancel(viewer.pointee.timers.take(.rest))
    let event = context.schedule(
      .restEnded(slot: viewer.pointee.slot), at: context.now.advanced(saturatingBy: time),
      for: viewer.pointee.session)
    viewer.pointee.timers.set(.rest, event)
  }
}
