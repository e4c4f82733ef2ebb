import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics

extension Viewer {
  /// Counts the rungs of what was rendered of an item that leaves the window.
  func countShown(_ place: Int, cell: Int, _ context: inout ViewerContext) {
    let state = items.at(place)
    if !state.pointee.known.contains(.rendered) { return }
    let step = state.pointee.title.step
    var shown = ShownItem()
    for index in 0..<state.pointee.segments {
      let seen = state.pointee.renderedTo - step * Int64(index)
      // The first frame alone has no length.
      if seen <= .zero && index > 0 { break }
      let length = state.pointee.title.length(of: index, step: step)
      shown.show(
        RungIndex(UInt32(state.pointee.heldSegments[index] >> 32)),
        for: seen < length ? seen : length, of: catalogue.pointee.ladder)
    }
    context.measures.shown[cell].add(shown.media)
  }
}
