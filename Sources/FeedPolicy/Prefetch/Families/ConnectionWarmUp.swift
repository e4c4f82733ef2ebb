import MediaUnits

/// No bytes of any item: only the connection that the next one will need.
///
/// Source: requirement VF-026.
enum ConnectionWarmUp: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow("connection", "No more than an open connection") { configuration, _ in
      configuration.itemsAhead = 1
      configuration.concurrency = 1
    }
  }

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    plan.gate = .open
    if state.reach >= 1 { plan.add(state.item(1), PrefetchDepth(.connection), .next) }
  }
}
