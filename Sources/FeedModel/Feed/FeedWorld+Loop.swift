import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Items that loop (REEL-006): at its end the player seeks to zero and plays on from what it holds.
///
/// Included: the gap of the seek, in which the last frame stays. Nothing is asked for again: the
/// segments of the first pass are in the buffer. Left out: players that throw away what they have
/// played and read it from the disk cache, which takes no bytes from the network either.
extension FeedWorld {
  /// How often a viewer sees an item that he watches to its end: the draw that otherwise counts for
  /// short items alone, because only these go on by themselves there (parameters.md section 6.2;
  /// that it holds for any length is assumed).
  mutating func drawLoops(_ viewer: ViewerPointer, _ place: Int) {
    let duration = viewer.pointee.items[place].title.duration
    if viewer.pointee.view.intended != duration || duration < audience.pointee.loopBelow { return }
    let (loops, _) = streams.uniformPair(.dwell, entity: viewEntity(viewer), pair: 1)
    let rounds = 1 + Int64(loops * Double(audience.pointee.maximumLoops + 1))
    viewer.pointee.view.intended = duration * rounds
  }

  /// Playback goes on: plans the end of the present pass, unless the view ends before or then.
  mutating func schedulePassEnd(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard clientSettings.pointee.end == .loop else { return }
    let duration = viewer.pointee.items[place(viewer.pointee.current)].title.duration
    let head = viewer.pointee.view.playhead.mark
    let end = duration * (head.wholeSteps(of: duration) + 1)
    if end >= viewer.pointee.view.intended { return }
    client(viewer).pointee.passEvent = context.schedule(
      .passEnded(slot: viewer.pointee.slot), at: context.now + (end - head),
      for: viewer.pointee.session)
  }

  mutating func endPass(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    client(viewer).pointee.passEvent = .none
    guard viewer.pointee.view.phase == .playing else { return }
    pausePlayback(viewer, at: context.now, &context)
    viewer.pointee.view.phase = .looping
    note(viewer, .paused, item: viewer.pointee.current, at: context.now)
    let duration = viewer.pointee.items[place(viewer.pointee.current)].title.duration
    let pass = viewer.pointee.view.playhead.mark.wholeSteps(of: duration)
    let u = streams.uniform(
      .loopGap, entity: viewEntity(viewer), draw: UInt32(truncatingIfNeeded: pass))
    let gap = TimeSpan(
      seconds: clientSettings.pointee.loopGap?.quantile(u)
        ?? devices[viewer.pointee.device].firstDecode.quantile(u))
    measures.clientSide.loops += 1
    measures.clientSide.loopGap += gap.nanoseconds
    client(viewer).pointee.passEvent = context.schedule(
      .passBegan(slot: viewer.pointee.slot), at: context.now + gap, for: viewer.pointee.session)
  }

  mutating func beginPass(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    client(viewer).pointee.passEvent = .none
    guard viewer.pointee.view.phase == .looping else { return }
    resumePlayback(viewer, &context)
  }
}
