import Scenario

/// What `result.json` says of a world other than the feed.
extension ResultForms {
  static let world = ResultForm<WorldKind>([
    .text("name", "the scenario's key `world`") { $0.name },
    .text("summary", "what it simulates") { $0.summary },
    .list("metrics", "what each of `metrics` means, in the same order", worldMetric) { $0.metrics },
  ])

  private static let worldMetric = ResultForm<WorldMetric>([
    .text("metric", "metric{label=value}.stat") { $0.reference.description },
    .text("meaning", "one line") { $0.summary },
  ])
}
