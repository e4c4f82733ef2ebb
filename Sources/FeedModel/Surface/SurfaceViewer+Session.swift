import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// A session's beginning and its end.
extension SurfaceViewer {
  mutating func begin(_ context: inout SurfaceContext) {
    let length = audience.pointee.sessionLength.quantile(
      streams.uniform(.sessionLength, entity: UInt64(session)))
    context.plan(
      .sessionEnded(slot: slot),
      at: context.now.advanced(saturatingBy: TimeSpan(seconds: length)))
    let changes = setting.pointee.networks[traits.network].handOvers
    for (index, change) in changes.enumerated() {
      context.plan(
        .handOver(slot: slot, index: UInt32(index)),
        at: context.now.advanced(saturatingBy: TimeSpan(nanoseconds: change.from)))
    }
    tellPager(.feedOpened, &context)
  }

  /// The viewer closes the feed.
  mutating func leave(_ context: inout SurfaceContext) {
    for timer in SurfaceTimers.Timer.allCases { context.cancel(.timer(timer)) }
    sumUp(isCut: false, &context)
  }

  /// Sums the session up, which is over or is cut by the end of the run.
  mutating func sumUp(isCut: Bool, _ context: inout SurfaceContext) {
    syncLink(at: context.now)
    for index in 0..<items.count { settleTime(index, &context) }
    closeView(isCut: isCut, &context)
    for index in 0..<items.count { settleBytes(index, isCut: isCut, &context) }
    for place in 0..<requests.count where requests.isUsed(place) { _ = withdraw(place, &context) }
    transport.leaveCell(&context.cells)
    context.measures.surface.plays += Int64(machine.plays)
    context.measures.surface.pauses += Int64(machine.pauses)
    context.measures.surface.mounts += Int64(machine.mounts)
    context.measures.surface.unmounts += Int64(machine.unmounts)
    context.measures.surface.handOvers += Int64(machine.handOvers)
    context.measures.surface.flaps += Int64(machine.flaps)
    context.measures.counts.prefetchStarts += Int64(machine.prefetches)
    context.measures.counts.prefetchCancels += Int64(machine.prefetchCancels)
    context.measures.surface.starvations += Int64(pager.starvations)
    context.measures.counts.feedPages += Int64(pager.requests)
    context.measures.surface.sessionTime += (context.now - traits.arrivedAt).nanoseconds
    context.measures.contention[traits.network].add(transport.contention)
    if isCut { context.measures.counts.sessionsCut += 1 }
    close()
  }

  /// Delivered = rendered + wasted + still buffered, over all that the session loaded of a card.
  private mutating func settleBytes(
    _ index: Int, isCut: Bool, _ context: inout SurfaceContext
  ) {
    var arriving: Int64 = 0
    var media = items[index].held
    if let place = items[index].loading.request {
      let (request, remaining) = withdraw(place, &context)
      if let remaining, request.isMedia {
        arriving = request.arrived(remaining: remaining)
        if request.asset == .segment {
          let length = items[index].nextLength
          media += length.scaled(by: request.share(remaining: remaining))
        }
      }
    }
    let rendered = items[index].playback.rendered
    let share = media > .zero ? rendered.seconds / media.seconds : 0
    let (delivered, shown, early) = items[index].bytes.sums(arriving: arriving, share: share)
    if delivered == 0 { return }
    let cohort = setting.pointee.cohort(network: traits.network, device: traits.device)
    let rest = delivered - shown
    context.measures.balances[cohort].delivered += delivered
    context.measures.balances[cohort].rendered += shown
    if isCut {
      context.measures.balances[cohort].stillBuffered += rest
    } else {
      context.measures.balances[cohort].wasted += rest
    }
    context.measures.balances[cohort].prefetched += early
    if !isCut {
      context.measures.balances[cohort].prefetchedWasted += early < rest ? early : rest
    }
    if rendered > .zero {
      context.measures.shown[cohort].add(items[index].shown(of: catalogue).media)
    }
  }
}
