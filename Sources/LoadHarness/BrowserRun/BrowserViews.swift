import MediaUnits
import Models

/// Puts the measures of sessions into the parts of a run, by the time at which each session really
/// began.
struct BrowserViews {
  private let measuredFrom: Instant
  private let step: Int64
  private(set) var parts: [FeedMeasures]

  init(
    networks: Int, devices: Int, measuredFrom: Instant, window: TimeSpan, count: Int
  ) {
    self.measuredFrom = measuredFrom
    step = max(1, window.nanoseconds / Int64(count))
    parts = (0..<count).map { _ in FeedMeasures(networks: networks, devices: devices) }
  }

  /// Adds what a session has measured.
  ///
  /// Views count by when their clock started: those before ``measuredFrom`` do not. What is not
  /// told view by view (bytes, requests) counts where the session began, and not where that was
  /// before.
  mutating func add(_ session: FeedMeasures, from begin: Instant) {
    for view in session.views {
      var view = view
      view.settledAt = begin + (view.settledAt - .zero)
      guard let part = part(view.settledAt) else { continue }
      parts[part].views.append(view)
    }
    guard let part = part(begin) else { return }
    var sums = session
    sums.views = []
    parts[part].add(sums)
  }

  /// The parts with their views in order.
  func sorted() -> [FeedMeasures] {
    parts.map { part in
      var part = part
      part.views.sort {
        $0.settledAt != $1.settledAt
          ? $0.settledAt < $1.settledAt : ($0.session, $0.item) < ($1.session, $1.item)
      }
      return part
    }
  }

  private func part(_ time: Instant) -> Int? {
    if time < measuredFrom { return nil }
    return min(parts.count - 1, Int((time - measuredFrom).nanoseconds / step))
  }
}
