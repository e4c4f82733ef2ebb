import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics

extension FeedWorld {
  /// Counts the rungs of what was rendered of an item that leaves the window.
  mutating func countShown(_ viewer: ViewerPointer, _ place: Int, cell: Int) {
    let state = viewer.pointee.items + place
    if !state.pointee.known.contains(.rendered) { return }
    let step = state.pointee.title.step
    let top = catalogue.pointee.ladder.top
    var shown = ShownMedia()
    shown.items = 1
    var first: UInt8?
    var last: BitRate?
    for index in 0..<state.pointee.segments {
      let seen = state.pointee.renderedTo - step * Int64(index)
      // The first frame alone has no length.
      if seen <= .zero && index > 0 { break }
      let length = state.pointee.title.length(of: index, step: step)
      let part = seen < length ? seen : length
      let rung = UInt8(state.pointee.heldSegments[index] >> 32)
      if rung != first ?? rung { shown.switchedItems = 1 }
      first = first ?? rung
      shown.media += part.nanoseconds
      if rung == UInt8(top.index) { shown.topMedia += part.nanoseconds }
      let rate = catalogue.pointee.ladder[RungIndex(UInt32(rung))]
      let before = last ?? rate
      shown.changes += abs(rate.bitsPerSecond - before.bitsPerSecond)
      last = rate
      shown.bits += Int64(Double(rate.bitsPerSecond) * part.seconds)
    }
    measures.shown[cell].add(shown)
  }
}
