import Scenario
import Studies

extension RunRecord {
  /// A metric's value with what it rests on.
  struct Estimate: RecordedObject {
    var value: Double?
    var unit = ""
    /// Lower and upper end.
    var interval: [Double]?
    var standardError: Double?
    var replications = 0
    var samples: Int64 = 0
    var isLowerBound = false
    var numerator = 0.0
    var denominator = 0.0
    /// Of each replication; nil: no data.
    var values: [Double?] = []

    var text: EstimateText {
      let ends = interval.flatMap { $0.count == 2 ? min($0[0], $0[1])...max($0[0], $0[1]) : nil }
      return EstimateText(
        value: value, interval: ends, unit: MetricReference.Unit(word: unit),
        isLowerBound: isLowerBound)
    }

    static let form = ResultForm<Estimate>([
      .optionalNumber(
        "value",
        "ratio of sums, percentile of the views of all replications, or mean of the replications; "
          + "null: no data", \.value),
      .word("unit", "of the value", ["ms", "ratio", "number"], \.unit),
      .interval(
        "interval", "95 %, two-sided; null with fewer than two replications", \.interval),
      .optionalNumber("standardError", "of the value", \.standardError),
      .count("replications", "replications that have data", \.replications),
      .count("samples", "views or requests behind the value", \.samples),
      .boolean(
        "isLowerBound", "so many views never started that the percentile lies above the value",
        \.isLowerBound),
      .number("numerator", "of ratios and means, summed", \.numerator).later,
      .number("denominator", "of ratios and means, summed", \.denominator).later,
      ResultMember(
        "values", "of each replication in order; null: no data", .list(.optional(.number)), \.values
      ) { .array($0.map { $0.map { .number($0) } ?? .null }) }.later,
    ])
  }

  struct Metric: RecordedObject {
    var name = MetricName("")
    var estimate = Estimate()

    static let form = ResultForm<Metric>(
      [
        ResultMember("metric", "metric{label=value}.stat", .text(pattern: nil), \.name) {
          .string($0.text)
        }
      ] + Estimate.form.within(\.estimate))
  }

  struct Budget: RecordedObject {
    var metric = ""
    var limit = ""
    var level = ""
    var verdict = ""
    var reason = ""
    var margin: Double?
    var decidedAt: Int?
    var place = ""
    var estimate = Estimate()

    static let form = ResultForm<Budget>(
      [
        .text("metric", "metric{label=value}.stat", \.metric),
        .text("limit", "as the scenario writes it", \.limit),
        .word(
          "level", "a missed soft budget is reported and fails nothing", ["hard", "soft"], \.level),
        .word("verdict", "what can be said of the budget", verdicts, \.verdict),
        .text("reason", "why, when the verdict is neither pass nor fail", \.reason),
        .optionalNumber(
          "margin", "distance to the limit as a share of the limit, positive on the good side",
          \.margin),
        .optionalCount(
          "decidedAt", "replications after which the boundary was crossed", \.decidedAt),
        .text("place", "file and line of the budget", \.place),
      ] + Estimate.form.within(\.estimate))
  }

  /// What a changed key did to a metric.
  struct Cause: RecordedObject {
    var key = ""
    var share = 0.0
    var lower, upper: Double?
    var alone = 0.0
    var undone = 0.0

    static let form = ResultForm<Cause>([
      .text("key", "the changed key", \.key),
      .number("share", "its part of the change (Shapley value); the parts add up to 1", \.share),
      .optionalNumber("lower", "95 % interval of the share", \.lower),
      .optionalNumber("upper", "95 % interval of the share", \.upper),
      .number("alone", "the change with this key alone, in the metric's unit", \.alone),
      .number("undone", "what setting it alone back takes away, in the metric's unit", \.undone),
    ])
  }

  /// The causes of one metric.
  struct Causes: RecordedObject {
    var metric = ""
    var change = 0.0
    var replications = 0
    var together: Double?
    var keys: [Cause] = []

    static let form = ResultForm<Causes>([
      .text("metric", "the metric", \.metric),
      .number("change", "now minus the baseline, in the metric's unit", \.change),
      .count(
        "replications", "replications of each combination of old and new values", \.replications),
      .optionalNumber(
        "together",
        "share of the change that only several keys at once bring; null: not told from 0",
        \.together),
      .list("keys", "the changed keys, the greatest share first", \.keys),
    ])
  }
}

// MARK: From a result

extension RunRecord.Estimate {
  init(_ metric: MetricResult) {
    self.init(
      value: metric.value, unit: metric.reference.unit.word,
      interval: metric.interval.map { [$0.lower, $0.upper] }, standardError: metric.standardError,
      replications: metric.replications, samples: metric.samples,
      isLowerBound: metric.isLowerBound, numerator: metric.numerator,
      denominator: metric.denominator, values: metric.values)
  }
}

extension RunRecord.Metric {
  init(_ metric: MetricResult) {
    self.init(name: MetricName(metric.reference.description), estimate: RunRecord.Estimate(metric))
  }
}

extension RunRecord.Budget {
  init(_ row: BudgetResult) {
    self.init(
      metric: row.budget.metric.description, limit: row.budget.limitText,
      level: row.budget.level.rawValue, verdict: row.verdict.rawValue, reason: row.reason,
      margin: row.margin, decidedAt: row.decidedAt,
      place: ResultDocument.place(row.budget.place), estimate: RunRecord.Estimate(row.metric))
  }
}

extension RunRecord.Causes {
  init(_ causes: MetricCauses) {
    self.init(
      metric: causes.metric.description, change: causes.change,
      replications: causes.replications, together: causes.together,
      keys: causes.causes.map {
        RunRecord.Cause(
          key: $0.change.key, share: $0.share, lower: $0.interval?.lower,
          upper: $0.interval?.upper, alone: $0.alone, undone: $0.undone)
      })
  }
}
