import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Views: what the viewer stops at, how long he waits for it and watches it, and the record.
extension SurfaceViewer {
  /// The viewer gives up what he stopped at, or has seen enough of it.
  mutating func leaveView(at now: Instant) {
    if !view.isOpen || view.leftAt != nil { return }
    view.leave(items[Int(view.item)].times, at: now)
  }

  /// The list has come to rest: what is nearest to the middle is what the viewer wants to see.
  mutating func openView(_ index: Int, _ context: inout SurfaceContext) {
    closeView(isCut: false, &context)
    // What the card has played or waited until now was nobody's view.
    settleTime(index, &context)
    view = SurfaceView(
      of: index, at: context.now,
      wasReady: items[index].isTold ? items[index].player.wasReady : nil,
      shown: items[index].playback.isRunning ? items[index].times : nil)
  }

  /// Writes the view down. A card that plays on while the list moves belongs to the view before.
  mutating func closeView(isCut: Bool, _ context: inout SurfaceContext) {
    if !view.isOpen { return }
    settleTime(Int(view.item), &context)
    let isFirst = countView()
    let record = self.record(isFirst: isFirst, isCut: isCut, at: context.now)
    context.measures.views.append(record)
    if record.flags.contains(.cut) { return }
    let cohort = setting.pointee.cohort(network: traits.network, device: traits.device)
    context.measures.shown[cohort].watch(record.played, of: items[Int(view.item)].title.duration)
  }

  /// What is written down of the view.
  private func record(isFirst: Bool, isCut: Bool, at now: Instant) -> ViewRecord {
    let item = items[Int(view.item)]
    let left = view.leftAt ?? now
    let end = view.frameAt ?? left
    var flags: ViewRecord.Flags = []
    if view.frameAt != nil { flags.insert(.started) }
    if isFirst { flags.insert(.cold) }
    if isCut && view.leftAt == nil { flags.insert(.cut) }
    if view.isReady { flags.insert(.ready) }
    let told = view.toldAt ?? end
    var record = ViewRecord(
      session: session, item: view.item, title: item.title.id.index,
      network: UInt8(traits.network), device: UInt8(traits.device), flags: flags,
      firstRung: item.loading.rungs.first ?? .max, settledAt: view.startedAt,
      ttff: end - view.startedAt, ttffPlay: end > told ? end - told : .zero,
      played: view.played, stalled: view.stalled, stalls: view.stalls,
      parts: (view.times ?? item.times).parts(from: view.startedAt, to: end))
    item.waits.note(from: view.startedAt, to: end, in: &record)
    return record
  }

  // MARK: Time

  /// Counts the time up to now for the view that is open now, or for none; what follows may belong
  /// to another. Of several cards that play, time counts for the view of its own card alone.
  mutating func settleTime(_ index: Int, _ context: inout SurfaceContext) {
    let (played, stalled) = items[index].playback.settle(at: context.now)
    if view.isOf(index) { view.add(played: played, stalled: stalled) }
    context.measures.surface.playTime += played.nanoseconds
    context.measures.surface.stallTime += stalled.nanoseconds
  }

  /// A card that runs waits for media, or for a player.
  mutating func stall(_ index: Int, at now: Instant) {
    items[index].playback.stall(at: now)
    if view.isOf(index) { view.countStall() }
  }

  // MARK: Watching

  /// The viewer waits for a frame, or has one and watches.
  func watch(_ context: inout SurfaceContext) {
    let number = habit.rests
    let (u0, u1) = streams.uniformPair(.surfaceRest, entity: entity(number), pair: 2)
    if view.frameAt == nil {
      let patience = audience.pointee.patience.quantile(u0)
      planRestEnd(after: audience.pointee.patienceFloor + TimeSpan(seconds: patience), &context)
      return
    }
    let title = items[Int(view.item)].title
    let persona = audience.pointee.personas[traits.persona]
    let bucket = persona.place(of: title.duration)
    let u2 = streams.uniform(.surfaceRest, entity: entity(number), draw: 6)
    var time = TimeSpan(seconds: persona.dwell[bucket].watchTime.quantile(u1))
    let turn = surface.pointee.visibility.sequence.length(
      of: title.duration, in: items[Int(view.item)].kind)
    if u2 < persona.dwell[bucket].completion || time > turn { time = turn }
    planRestEnd(after: time, &context)
  }

  /// The first frame of what the viewer wants to see: from now on he watches, unless he only
  /// glances.
  mutating func noteFrame(_ index: Int, _ context: inout SurfaceContext) {
    if !view.awaitsFrame(of: index) { return }
    view.show(items[index].times, at: context.now)
    let u = streams.uniform(.surfaceRest, entity: entity(habit.rests - 1), draw: 2)
    if isLowEnd || u >= surface.pointee.habits.glances { watch(&context) }
  }

  /// The viewer moves on after this time, and no sooner.
  func planRestEnd(after time: TimeSpan, _ context: inout SurfaceContext) {
    context.cancel(.timer(.rest))
    context.plan(
      .restEnded(slot: slot), at: context.now.advanced(saturatingBy: time), as: .timer(.rest))
  }
}
