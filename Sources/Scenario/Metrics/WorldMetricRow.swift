/// A row of the metrics of a world other than the feed: what results hold of it, and how it is read
/// from what a replication has measured.
///
/// A metric is added by adding a row to the list of its world, `Worlds/…Metrics.swift`; the page
/// `docs/reference/metrics.md` names it, too.
public struct WorldMetricRow<Plan: Sendable, Measures: Sendable>: Sendable {
  /// One, or a time by its stats.
  public let metrics: [WorldMetric]
  public let reading: @Sendable (Plan, Measures) -> MetricReading

  /// Times with all of ``WorldMetric/timeStats``, in nanoseconds; `name` is written without a stat.
  static func times(
    _ name: String, _ summary: String, samples: String = "times",
    _ times: @escaping @Sendable (Measures) -> [Int64]
  ) -> WorldMetricRow {
    cutTimes(name, summary, samples: samples) { .times(times($0)) }
  }

  /// The same with times that the end of the run has cut.
  static func cutTimes(
    _ name: String, _ summary: String, samples: String = "times",
    _ reading: @escaping @Sendable (Measures) -> MetricReading
  ) -> WorldMetricRow {
    WorldMetricRow(metrics: WorldMetric.times(name, summary, samples: samples)) { _, measures in
      reading(measures)
    }
  }

  /// A share of things counted.
  static func share(
    _ name: String, _ summary: String, samples: String = "samples", isWorseWhenHigher: Bool = true,
    _ part: @escaping @Sendable (Measures) -> Int, of whole: @escaping @Sendable (Measures) -> Int
  ) -> WorldMetricRow {
    row(name, .share, summary, samples, isWorseWhenHigher) { _, measures in
      .share(part(measures), of: whole(measures))
    }
  }

  /// A number over things counted.
  static func quotient(
    _ name: String, _ summary: String, samples: String = "samples", isWorseWhenHigher: Bool = true,
    _ part: @escaping @Sendable (Measures) -> Double,
    over whole: @escaping @Sendable (Measures) -> Int
  ) -> WorldMetricRow {
    row(name, .quotient, summary, samples, isWorseWhenHigher) { _, measures in
      .quotient(
        part(measures), over: Double(whole(measures)), samples: Int64(whole(measures)))
    }
  }

  /// A quotient of whatever the plan and the measures hold.
  static func rate(
    _ name: String, _ summary: String, samples: String = "samples", isWorseWhenHigher: Bool = true,
    _ reading: @escaping @Sendable (Plan, Measures) -> MetricReading
  ) -> WorldMetricRow {
    row(name, .quotient, summary, samples, isWorseWhenHigher, reading)
  }

  /// A number found in `whole` things.
  static func number(
    _ name: String, _ summary: String, samples: String = "samples",
    _ number: @escaping @Sendable (Measures) -> Double,
    of whole: @escaping @Sendable (Measures) -> Int
  ) -> WorldMetricRow {
    row(name, .number, summary, samples, true) { _, measures in
      .number(number(measures), samples: Int64(whole(measures)))
    }
  }

  /// A number of whatever the plan and the measures hold.
  static func planned(
    _ name: String, _ summary: String, samples: String = "samples",
    _ reading: @escaping @Sendable (Plan, Measures) -> MetricReading
  ) -> WorldMetricRow {
    row(name, .number, summary, samples, true, reading)
  }

  private static func row(
    _ name: String, _ kind: WorldMetric.Kind, _ summary: String, _ samples: String,
    _ isWorseWhenHigher: Bool, _ reading: @escaping @Sendable (Plan, Measures) -> MetricReading
  ) -> WorldMetricRow {
    WorldMetricRow(
      metrics: [
        WorldMetric(
          name, kind, summary, samples: samples, isWorseWhenHigher: isWorseWhenHigher)
      ], reading: reading)
  }
}
