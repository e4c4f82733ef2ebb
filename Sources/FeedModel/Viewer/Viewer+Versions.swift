import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Titles that are new, and titles that are published again.
extension Viewer {
  /// Which version a manifest names that an edge answers now: the one that was current when the
  /// answer was made, which is its age ago.
  func readVersion(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    if !numbers.hasVersions { return }
    let request = requests.at(index)
    let title = items[place(request.pointee.item)].title.id
    let named = numbers.number(
      of: title, at: now.advanced(saturatingBy: -request.pointee.answer.age))
    // A copy of another version is not confirmed but replaced.
    if named != request.pointee.number { request.pointee.isConditional = false }
    request.pointee.number = named
    noteManifest(index, at: now, &context)
  }

  /// Counts a manifest that was answered after its title was published again.
  func noteManifest(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    if !numbers.hasVersions { return }
    let request = requests[index]
    let title = items[place(request.item)].title.id
    if numbers.number(of: title, at: now) == title.index { return }
    context.measures.republish.manifests += 1
    guard let replaced = numbers.replaced(title, number: request.number, by: now) else { return }
    let staleness = (now - replaced).nanoseconds
    context.measures.republish.staleManifests += 1
    context.measures.republish.note(staleness: staleness)
    if staleness > context.measures.republish.largestStaleness {
      context.measures.republish.largestStaleness = staleness
    }
  }

  /// Counts a view that began after its title was published again.
  func noteVersion(
    _ state: UnsafeMutablePointer<ItemState>, at settled: Instant, _ context: inout ViewerContext
  ) {
    guard numbers.hasVersions, state.pointee.known.contains(.manifest) else { return }
    let title = state.pointee.title.id
    if numbers.number(of: title, at: settled) == title.index { return }
    context.measures.republish.views += 1
    if numbers.replaced(title, number: state.pointee.number, by: settled) != nil {
      context.measures.republish.oldViews += 1
    }
  }
}
