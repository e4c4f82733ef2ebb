import MediaUnits

/// The chain in stages, the nearest item furthest along: the next item's first segment, the init
/// segment of the one after it, the playlists of those beyond, and then the rest of the next item's
/// head.
///
/// Meant for one fetch at a time. Media3's preload manager works so by distance; its official
/// sample loads 3 s at distance 1, selects tracks at 2 and prepares the source at 3 and 4. Leaves
/// out: its memory budget.
///
/// Source: requirement VF-026; androidx/media `DefaultPreloadManager`, `parameters.md` section 4.1.
enum StagedPreload: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "staged", "By stages and distance, one at a time, as Media3's preload manager",
      [
        .init(.headLength, "6 s", "SIG-023"),
        .init(.itemsAhead, "4", "parameters.md section 4.1: official sample"),
        .init(.concurrency, "1", "parameters.md section 4.1: strictly one at a time"),
        .init(.cover, "none", "VF-026; value assumed"),
      ] + PrefetchSetting.common)
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    for offset in stride(from: 1, through: state.reach, by: 1) {
      switch offset {
      case 1: plan.add(state.item(1), .media(configuration.furtherLength), .next)
      case 2: plan.add(state.item(2), PrefetchDepth(.initSegment), .further)
      default: plan.add(state.item(offset), PrefetchDepth(.playlists), .further)
      }
    }
    if state.reach >= 1 {
      plan.add(state.item(1), .media(state.needed(configuration.headLength)), .deeper)
    }
    if let previous = state.previous {
      plan.add(previous, PrefetchDepth(.initSegment), .previous)
    }
  }
}
