import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Items of the feed as a viewer's app holds them.
extension Viewer {
  @inline(__always)
  func place(_ item: UInt32) -> Int { items.place(of: item) }

  /// The place of an item that is held or can be; an older item in that place is retired.
  mutating func item(_ item: UInt32, at now: Instant, _ context: inout ViewerContext) -> Int {
    let place = place(item)
    if items[place].item == item { return place }
    retire(place, isCut: false, &context)
    let (title, drawn) = chooseTitle(item, at: now, &context)
    let isRepeated = titles.contains(title.index)
    if let drawn { titles.add(drawn: drawn) }
    if title.index != drawn && !isRepeated { titles.add(other: title.index) }
    items[place] = ItemState(
      item: item,
      title: Title(title, catalogue: catalogue, streams: streams),
      number: numbers.number(of: title, at: now))
    if catalogue.pointee.packaging == .progressive {
      items[place].beginWithMedia(at: now)
    }
    if catalogue.pointee.audioRate != nil {
      _ = items[place].addExtras(&context.blocks)
    }
    items[place].isRepeated = isRepeated
    return place
  }

  /// A pilot counts for how long an item was wanted that was asked for: until its view ends.
  func noteDropped(_ item: UInt32, at now: Instant, _ context: inout ViewerContext) {
    guard let first = context.firstRequests?.known(item, of: session) else { return }
    context.measures.offsets.items += 1
    context.measures.offsets.itemSeconds += (now - first).seconds
  }

  /// Accounts for an item that leaves the window and empties its place.
  func retire(_ place: Int, isCut: Bool, _ context: inout ViewerContext) {
    if items[place].item == ItemState.nobody { return }
    let state = items.at(place)
    precondition(
      state.pointee.loading < 0 && state.pointee.audio.loading < 0,
      "an item that loads is not retired")
    let cancelled = state.pointee.cancelled
    var delivered = state.pointee.initBytes + cancelled.all
    var prefetched = state.pointee.initPrefetched + cancelled.prefetched
    var rendered = cancelled.rendered
    var prefetchedRendered = cancelled.prefetchedRendered
    if state.pointee.known.contains(.rendered) {
      rendered += state.pointee.initBytes
      prefetchedRendered += state.pointee.initPrefetched
    }
    let step = state.pointee.title.step
    for index in 0..<state.pointee.segments {
      let entry = UInt32(truncatingIfNeeded: state.pointee.heldSegments[index])
      if entry & Viewer.fromDisk != 0 { continue }
      let bytes = Int64(entry & Viewer.sizeMask)
      let length = state.pointee.title.length(of: index, step: step)
      let begin = step * Int64(index)
      let seen = state.pointee.renderedTo - begin
      var shown: Int64 = 0
      if seen >= length {
        shown = bytes
      } else if seen > .zero {
        shown = Int64(Double(bytes) * (seen.seconds / length.seconds))
      }
      delivered += bytes
      rendered += shown
      if entry & Viewer.prefetched != 0 {
        prefetched += bytes
        prefetchedRendered += shown
      }
    }
    let audio = audioBalance(state)
    delivered += audio.delivered
    rendered += audio.rendered
    prefetched += audio.prefetched
    prefetchedRendered += audio.prefetched - audio.prefetchedWasted
    let cell = cohort
    countShown(place, cell: cell, &context)
    context.measures.balances[cell].delivered += delivered
    context.measures.balances[cell].rendered += rendered
    context.measures.balances[cell].prefetched += prefetched
    if isCut {
      // What was cancelled can never be rendered; the rest might have been.
      let lost = cancelled.all - cancelled.rendered
      context.measures.balances[cell].wasted += lost
      context.measures.balances[cell].prefetchedWasted +=
        cancelled.prefetched - cancelled.prefetchedRendered
      context.measures.balances[cell].stillBuffered += delivered - rendered - lost
    } else {
      context.measures.balances[cell].wasted += delivered - rendered
      context.measures.balances[cell].prefetchedWasted += prefetched - prefetchedRendered
    }
    state.pointee.release(&context.blocks)
    items[place].item = ItemState.nobody
  }
}
