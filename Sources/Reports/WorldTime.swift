import Scenario

extension RunRecord {
  /// Of a world other than the feed: what a metric means, when the result says it.
  func meaning(of metric: Metric) -> String? {
    world?.metrics.first { $0.metric == metric.name.text }?.meaning
  }

  /// Metrics of a world that are no time.
  var worldNumbers: [Metric] { metrics.filter { $0.estimate.text.unit != .milliseconds } }

  /// Times of a world by metric and labels, in the order of their first stat.
  var worldTimes: [WorldTime] {
    var rows: [WorldTime] = []
    for metric in metrics where metric.estimate.text.unit == .milliseconds {
      guard let place = WorldMetric.timeStats.firstIndex(of: metric.name.stat) else { continue }
      let name = String(metric.name.text.dropLast(metric.name.stat.count + 1))
      if rows.last?.name != name {
        rows.append(
          WorldTime(
            name: name, meaning: meaning(of: metric), samples: metric.estimate.samples,
            stats: [Metric?](repeating: nil, count: WorldMetric.timeStats.count)))
      }
      rows[rows.count - 1].stats[place] = metric
    }
    return rows
  }
}

/// A time of a world with a place for each of ``WorldMetric/timeStats``.
struct WorldTime {
  let name: String
  let meaning: String?
  let samples: Int64
  fileprivate(set) var stats: [RunRecord.Metric?]

  /// What the stats are over replications.
  static let note =
    "Percentiles are those of all replications' times together and count times that the end of the "
    + "run cut as censored (Kaplan-Meier); mean and max are means of the replications'."
}
