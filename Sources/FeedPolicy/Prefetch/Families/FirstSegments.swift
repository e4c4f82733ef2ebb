import MediaUnits

/// The same length of each of the next few items, the nearest first: with one segment's length the
/// first segment of `itemsAhead` items.
///
/// Source: requirement VF-013; Douyin and Kuaishou prefetch the first chunk of the next few videos
/// (`parameters.md` section 6.5).
enum FirstSegments: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "first-segments", "The first segments of the next few items, all alike",
      [
        .init(.segments, "1", "VF-013"),
        .init(.itemsAhead, "5", "parameters.md section 6.5: the next few"),
        .init(.concurrency, "2", "VF-023; value assumed"),
      ] + PrefetchSetting.common)
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    for offset in stride(from: 1, through: state.reach, by: 1) {
      plan.add(
        state.item(offset), .media(state.configuration.furtherLength),
        offset == 1 ? .next : .further)
    }
  }
}
