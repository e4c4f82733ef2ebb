import MediaUnits

/// The playlists of the next few items, and no media.
///
/// Source: requirement REEL-023 (a warm-up asset that loads metadata only).
enum PlaylistWarmUp: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "playlists", "No more than the playlists of the next few items",
      [
        .init(.itemsAhead, "3", "VF-013; value assumed"),
        .init(.concurrency, "2", "VF-023; value assumed"),
      ] + PrefetchSetting.common)
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    for offset in stride(from: 1, through: state.reach, by: 1) {
      plan.add(state.item(offset), PrefetchDepth(.playlists), offset == 1 ? .next : .further)
    }
  }
}
