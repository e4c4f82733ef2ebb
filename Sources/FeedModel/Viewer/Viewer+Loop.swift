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
extension Viewer {
  /// How often a viewer sees an item that he watches to its end: the draw that otherwise counts for
  /// short items alone, because only these go on by themselves there (parameters.md section 6.2;
  /// that it holds for any length is assumed).
  mutating func drawLoops(_ place: Int) {
    let duration = items[place].title.duration
    if view.intended != duration || duration < audience.pointee.loopBelow { return }
    let (loops, _) = streams.uniformPair(.dwell, entity: viewEntity(), pair: 1)
    let rounds = 1 + Int64(loops * Double(audience.pointee.maximumLoops + 1))
    view.lengthen(to: duration * rounds)
  }

  mutating func endPass(_ context: inout ViewerContext) {
    guard view.phase == .playing else { return }
    pausePlayback(at: context.now, &context)
    view.loop()
    note(.paused, item: current, at: context.now, &context)
    let duration = items[place(current)].title.duration
    let pass = view.playhead.mark.wholeSteps(of: duration)
    let u = streams.uniform(
      .loopGap, entity: viewEntity(), draw: UInt32(truncatingIfNeeded: pass))
    let gap = TimeSpan(
      seconds: clientSettings.pointee.loopGap?.quantile(u)
        ?? devices[device].firstDecode.quantile(u))
    context.measures.clientSide.loops += 1
    context.measures.clientSide.loopGap += gap.nanoseconds
    plan(.passBegan, at: context.now + gap, context)
  }

  mutating func beginPass(_ context: inout ViewerContext) {
    guard view.phase == .looping else { return }
    resumePlayback(&context)
  }
}
