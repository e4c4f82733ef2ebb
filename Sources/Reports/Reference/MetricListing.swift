import Scenario

/// Metrics of all worlds as a page.
public enum MetricListing {
  /// A table for each world.
  public static func markdown() -> String {
    var lines = [
      "# Metrics", "",
      "Every metric by world, as the program knows it (`firstframe reference metrics`). How a",
      "name is written, which results hold it and why it is defined so is told in",
      "[metrics](../metrics.md).",
      "", "## feed", "",
      "| metric | meaning | unit | stats | labels | better | samples | keys that act on it |",
      "|---|---|---|---|---|---|---|---|",
    ]
    for metric in FeedMetrics.all {
      let labels = metric.labels.map { label in
        label == metric.requiredLabel ? "\(label) (required)" : label
      }
      lines.append(
        row([
          "`\(metric.name)`", metric.words, metric.unit.word, metric.stats.joined(separator: " "),
          labels.joined(separator: " "), better(metric.isWorseWhenHigher), metric.samples,
          metric.hints.map { "`\($0)`" }.joined(separator: " "),
        ]))
    }
    for kind in World.kinds {
      lines += [
        "", "## \(kind.name)", "", "\(kind.summary).", "",
        "| metric | meaning | unit | better | samples |", "|---|---|---|---|---|",
      ]
      for group in groups(kind.metrics) {
        lines.append(
          row([
            "`\(group.name)`", group.first.summary, group.first.reference.unit.word,
            better(group.first.isWorseWhenHigher), group.first.samples,
          ]))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private struct Group {
    var first: WorldMetric
    var stats: [String]

    var name: String {
      let labels = first.reference.labels.map { "\($0.name)=\($0.value)" }
      let cut = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      return first.reference.metric + cut + "." + stats.joined(separator: "|")
    }
  }

  /// Metrics that differ in the stat only, together.
  private static func groups(_ metrics: [WorldMetric]) -> [Group] {
    var groups: [Group] = []
    for metric in metrics {
      if let last = groups.last, last.first.reference.metric == metric.reference.metric,
        last.first.reference.labels == metric.reference.labels,
        last.first.summary == metric.summary
      {
        groups[groups.count - 1].stats.append(metric.reference.stat)
      } else {
        groups.append(Group(first: metric, stats: [metric.reference.stat]))
      }
    }
    return groups
  }

  private static func better(_ isWorseWhenHigher: Bool) -> String {
    isWorseWhenHigher ? "less" : "more"
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}
