import Scenario

@testable import Studies

extension ObservedViews {
  /// A prediction as a reader of telemetry has it, a day for each replication.
  var asRead: ObservedViews {
    var views = self
    // Nobody says whose bytes they were.
    views.totals = []
    // Requests are counted by hours: these are days later by one each.
    for place in views.traffic.indices { views.traffic[place].block *= 24 }
    return views
  }
}
