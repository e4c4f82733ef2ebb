import Scenario
import Studies

/// The tables of runs: functions of what `result.json` holds. Rows of several runs stand in one
/// table, one run after the other.
enum RunTables {
  static func all(_ records: [RunRecord]) -> [TidyTable] {
    [
      TidyTable("metrics", labels() + metrics, rows(records) { $0.tabledMetrics }),
      TidyTable(
        "replications", labels() + replications,
        rows(records) { record in
          record.tabledMetrics.flatMap { metric in
            metric.estimate.values.enumerated().map { Part(metric, $0.offset, $0.element) }
          }
        }),
      TidyTable("budgets", labels() + budgets, rows(records) { $0.budgets }),
      TidyTable(
        "cohorts", labels() + cohorts,
        rows(records) { zip($0.cohorts, $0.bytes).map { Cohort(sums: $0, bytes: $1) } }),
      TidyTable("windows", labels() + windows, rows(records) { $0.windows }),
    ]
  }

  // MARK: Rows

  /// A row with the run that it is of.
  struct Row<Part> {
    let scenario: RunRecord.Scenario
    let part: Part
  }

  /// A replication's value of a metric.
  private struct Part {
    let metric: RunRecord.Metric
    let replication: Int
    let value: Double?

    init(_ metric: RunRecord.Metric, _ replication: Int, _ value: Double?) {
      self.metric = metric
      self.replication = replication
      self.value = value
    }
  }

  private struct Cohort {
    let sums: RunRecord.Cohort
    let bytes: RunRecord.Bytes
  }

  private static func rows<Part>(
    _ records: [RunRecord], _ parts: (RunRecord) -> [Part]
  ) -> [Row<Part>] {
    records.flatMap { record in
      parts(record).map { Row(scenario: record.scenario, part: $0) }
    }
  }

  // MARK: Columns

  /// Which run a row is of.
  static func labels<Part>() -> [TidyTable.Column<Row<Part>>] {
    [.text("scenario", \.scenario.name), .text("digest", \.scenario.digest)]
  }

  private static var value: [TidyTable.Column<RunRecord.Estimate>] {
    [
      .text("unit", \.unit), .number("value", \.value), .number("lower", \.interval?.first),
      .number("upper", \.interval?.last), .number("standard_error", \.standardError),
      .count("replications", \.replications), .count("samples", \.samples),
      .flag("is_lower_bound", \.isLowerBound),
    ]
  }

  private static var metrics: [TidyTable.Column<Row<RunRecord.Metric>>] {
    [
      .text("metric", \.part.name.text), .text("name", \.part.name.metric),
      .text("labels") {
        $0.part.name.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      },
      .text("stat", \.part.name.stat),
    ] + value.map { $0.within(\.part.estimate) } + [
      .number("numerator", \.part.estimate.numerator),
      .number("denominator", \.part.estimate.denominator),
    ]
  }

  private static var replications: [TidyTable.Column<Row<Part>>] {
    [
      .text("metric", \.part.metric.name.text), .text("unit", \.part.metric.estimate.unit),
      .count("replication", \.part.replication), .number("value", \.part.value),
    ]
  }

  private static var budgets: [TidyTable.Column<Row<RunRecord.Budget>>] {
    [
      .text("metric", \.part.metric), .text("limit", \.part.limit), .text("level", \.part.level),
      .text("verdict", \.part.verdict), .text("reason", \.part.reason),
      .number("margin", \.part.margin), .count("decided_at", \.part.decidedAt),
      .text("place", \.part.place),
    ] + value.map { $0.within(\.part.estimate) }
  }

  private static var cohorts: [TidyTable.Column<Row<Cohort>>] {
    [
      .text("network", \.part.sums.network), .text("device", \.part.sums.device),
      .count("views", \.part.sums.views), .count("started", \.part.sums.started),
      .count("not_started", \.part.sums.notStarted),
      .count("startup_ns", \.part.sums.startupNanoseconds),
      .count("played_ns", \.part.sums.playedNanoseconds),
      .count("stalled_ns", \.part.sums.stalledNanoseconds), .count("stalls", \.part.sums.stalls),
      .count("views_with_stall", \.part.sums.viewsWithStall),
      .count("shown_items", \.part.sums.shownItems),
      .count("switched_items", \.part.sums.switchedItems),
      .count("shown_ns", \.part.sums.shownNanoseconds),
      .count("top_rung_ns", \.part.sums.topRungNanoseconds),
      .count("shown_bits", \.part.sums.shownBits),
    ] + bytes.map { $0.within(\.part.bytes) }
  }

  private static var bytes: [TidyTable.Column<RunRecord.Bytes>] {
    [
      .count("delivered_bytes", \.delivered), .count("rendered_bytes", \.rendered),
      .count("wasted_bytes", \.wasted), .count("still_buffered_bytes", \.stillBuffered),
      .count("prefetched_bytes", \.prefetched),
      .count("prefetched_wasted_bytes", \.prefetchedWasted),
    ]
  }

  private static var windows: [TidyTable.Column<Row<RunRecord.Window>>] {
    [
      .text("window", \.part.name), .number("from_s", \.part.fromSeconds),
      .number("to_s", \.part.toSeconds), .count("requests", \.part.requests),
      .count("delivered_bytes", \.part.deliveredBytes),
      .count("origin_requests", \.part.originRequests),
      .count("origin_bytes", \.part.originBytes),
    ]
  }
}

extension RunRecord {
  /// The metrics that every result holds, then those of budgets that are none of them.
  var tabledMetrics: [Metric] {
    var names = Set(metrics.map(\.name.text))
    return metrics
      + budgets.compactMap { budget in
        names.insert(budget.metric).inserted
          ? Metric(name: MetricName(budget.metric), estimate: budget.estimate) : nil
      }
  }
}
