import MediaUnits

/// Players of the pool buffer their own items: `headLength` of the nearest, `furtherLength` of
/// those farther away, `previousLength` of the one behind.
///
/// Nothing waits for the current item's buffer, because players know nothing of each other
/// (REEL-016); the number of fetches is that of the players. Leaves out: that a player's buffer is
/// lost when the player gets another item.
///
/// Source: requirements REEL-015 to REEL-017, REEL-022.
enum PlayerKnob: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "player-knob", "The players of the pool buffer their items, each by its distance",
      [
        .init(.near, "4 s", "REEL-017: 2 to 6 s"), .init(.far, "1 s", "REEL-017: 0 to 1 s"),
        .init(.behind, "2 s", "REEL-017: 2 to 6 s"),
        .init(.neighbourRung, "none", "REEL-017: peak bit rates by status"),
      ]
    ) { configuration, pool in
      if pool.behind <= 0 { configuration.previousLength = .zero }
      configuration.itemsAhead = pool.ahead
      configuration.concurrency = pool.size
    }
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    plan.gate = .open
    let configuration = state.configuration
    for offset in stride(from: 1, through: state.reach, by: 1) {
      let length = offset == 1 ? configuration.headLength : configuration.furtherLength
      plan.add(state.item(offset), .media(length), offset == 1 ? .next : .further)
    }
    if let previous = state.previous {
      plan.add(previous, .media(configuration.previousLength), .previous)
    }
  }
}
