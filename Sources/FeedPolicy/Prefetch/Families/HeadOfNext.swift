import MediaUnits

/// Some seconds of the next item, less of the items after it, and the item before the current one
/// last.
///
/// The previous item is considered only when the throughput allows it, and waits until nothing is
/// wanted of the next one. With ``PrefetchPolicy/Configuration/cover`` the head is only as long as
/// the throughput asks for.
///
/// Source: requirements SIG-023 to SIG-025.
enum HeadOfNext: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "head", "Some seconds of the next item, less of a few after it, and of the one before",
      [
        .init(.headLength, "6 s", "SIG-023"), .init(.itemsAhead, "3", "VF-013; value assumed"),
        .init(.furtherLength, "2 s", "VF-013: the first segment"),
        .init(.previousLength, "2 s", "SIG-024"),
        .init(.previousThreshold, "3", "SIG-025 leaves it open"),
        .init(.concurrency, "2", "VF-023; value assumed"),
        .init(.cover, "none", "VF-026; value assumed"),
      ] + PrefetchSetting.common)
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    for offset in stride(from: 1, through: state.reach, by: 1) {
      if offset == 1 {
        plan.add(state.item(1), .media(state.needed(configuration.headLength)), .next)
      } else {
        plan.add(state.item(offset), .media(configuration.furtherLength), .further)
      }
    }
    addPrevious(state, into: &plan)
  }

  /// The item before the current one, once nothing is wanted of the next one.
  static func addPrevious(_ state: PrefetchState, into plan: inout PrefetchPlan) {
    guard let previous = state.previous, state.isPreviousAffordable else { return }
    plan.add(
      previous, .media(state.configuration.previousLength), .previous,
      after: state.reach >= 1 ? state.item(1) : nil)
  }
}

extension PrefetchState {
  /// Media that covers the wait for the next segment on a link that gets `cover` times slower than
  /// estimated: whole segments, at least one and at most `length`; `length` itself when depths do
  /// not depend on the throughput, or when that is unknown.
  func needed(_ length: TimeSpan, cover: Double? = nil) -> TimeSpan {
    guard let cover = cover ?? configuration.cover, let plenty else { return length }
    let segment = configuration.segmentLength
    let wanted = segment.scaled(by: cover / plenty)
    if wanted >= length { return length }
    let steps = wanted <= .zero ? 1 : (wanted - .nanoseconds(1)).wholeSteps(of: segment) + 1
    let whole = segment * steps
    return whole < length ? whole : length
  }
}
