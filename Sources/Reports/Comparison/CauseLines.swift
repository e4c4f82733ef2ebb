import Scenario
import Statistics
import Studies

/// Which changed key did what to which metric, in words: the same on the terminal, in the page, in
/// JUnit, on GitHub and as JSON.
public enum CauseLines {
  /// Every metric that is worse with its keys, the greatest share first.
  public static func rows(_ baseline: BaselineComparison) -> [ReportBaseline.Cause] {
    baseline.causes.flatMap { found in
      found.causes.map { row(found, $0) }
    }
  }

  private static func row(_ found: MetricCauses, _ cause: Cause) -> ReportBaseline.Cause {
    ReportBaseline.Cause(
      metric: found.metric.shortName, key: cause.change.key,
      values: "\(ComparisonReport.value(cause.change.before)) -> "
        + ComparisonReport.value(cause.change.after),
      share: share(cause.share, cause.interval),
      alone: signed(found.metric, cause.alone), undone: signed(found.metric, -cause.undone))
  }

  /// Of one metric, in lines: the cause first.
  public static func lines(_ found: MetricCauses) -> [String] {
    var lines = found.causes.enumerated().map { index, cause in
      (index == 0 ? "cause: " : "also changed: ")
        + "\(cause.change.key): \(ComparisonReport.value(cause.change.before)) -> "
        + "\(ComparisonReport.value(cause.change.after)) explains "
        + share(cause.share, cause.interval)
        + " of \(signed(found.metric, found.change))"
        + (found.causes.count > 1 ? ", alone \(signed(found.metric, cause.alone))" : "")
    }
    if let together = found.together {
      lines.append(
        "together: " + share(together, found.togetherInterval)
          + " of it comes only from several of these keys at once")
    }
    return lines
  }

  /// Of all metrics that are worse, one line for each.
  public static func summary(_ baseline: BaselineComparison) -> [String] {
    var lines = baseline.causes.compactMap { found -> String? in
      guard let first = found.causes.first else { return nil }
      return "\(found.metric.shortName): \(first.change.key) explains "
        + share(first.share, first.interval)
        + (found.together == nil ? "" : "; keys act together")
    }
    if !baseline.untold.isEmpty, !baseline.comparison.regressions.isEmpty {
      lines.append(
        "not told apart, because it cannot be set back alone: "
          + baseline.untold.map(\.key).joined(separator: ", "))
    }
    return lines
  }

  static func share(_ share: Double, _ interval: Interval?) -> String {
    let text = Figures.percent(share, decimals: 0)
    guard let interval else { return text }
    return text + " (\(percent(interval.lower)) to \(percent(interval.upper)))"
  }

  private static func percent(_ share: Double) -> String {
    Figures.decimal(share * 100, 0)
  }

  private static func signed(_ metric: MetricReference, _ change: Double) -> String {
    (change > 0 ? "+" : "") + metric.text(change)
  }
}
