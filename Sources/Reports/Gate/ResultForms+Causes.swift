import Scenario
import Studies

extension ResultForms {
  /// What a gate adds to its run: why metrics are worse than the baseline's.
  static let against = ResultForm<BaselineComparison>([
    ResultMember(
      name: "causes",
      summary: "what each changed key did to every metric that is worse than the baseline's, or "
        + "moved to where a hard budget fails; absent: the run was not held against one",
      shape: .omissible(.list(causes.shape))
    ) { .array($0.causes.map { causes.json($0) }) }
  ])

  /// The causes of one metric.
  static let causes = ResultForm<MetricCauses>([
    .text("metric", "the metric") { $0.metric.description },
    .number("change", "now minus the baseline, in the metric's unit") { $0.change },
    .count("replications", "replications of each combination of old and new values") {
      Int64($0.replications)
    },
    .optionalNumber(
      "together", "share of the change that only several keys at once bring; null: not told from 0"
    ) { $0.together },
    .list("keys", "the changed keys, the greatest share first", cause) { $0.causes },
  ])

  private static let cause = ResultForm<Cause>([
    .text("key", "the changed key") { $0.change.key },
    .number("share", "its part of the change (Shapley value); the parts add up to 1") { $0.share },
    .optionalNumber("lower", "95 % interval of the share") { $0.interval?.lower },
    .optionalNumber("upper", "95 % interval of the share") { $0.interval?.upper },
    .number("alone", "the change with this key alone, in the metric's unit") { $0.alone },
    .number("undone", "what setting it alone back takes away, in the metric's unit") { $0.undone },
  ])
}
