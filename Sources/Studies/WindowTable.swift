import MediaUnits
import Models
import Scenario

/// Which views lie in a window: those whose clock started in it.
struct WindowTable {
  private let windows: [(name: String, from: Instant, to: Instant)]

  init(_ feed: FeedWorldPlan) {
    let begin = Instant.zero + feed.configuration.cdn.warmUp
    windows = zip(feed.windows, feed.configuration.windows).map { name, window in
      (name, begin + window.from, begin + window.to)
    }
  }

  /// The place of the window that a metric names, or nil for the whole run.
  func place(_ reference: MetricReference) -> Int? {
    guard let name = reference.label("window") else { return nil }
    guard let place = windows.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("the windows of metrics were checked")
    }
    return place
  }

  func contains(_ view: ViewRecord, in window: Int?) -> Bool {
    guard let window else { return true }
    return view.settledAt >= windows[window].from && view.settledAt < windows[window].to
  }
}
