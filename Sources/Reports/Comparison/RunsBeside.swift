import Models
import Scenario
import Statistics
import Studies

/// Two finished runs side by side, from their folders alone: nothing is simulated.
public struct RunsBeside: Sendable {
  let baseline: FinishedRun
  let candidate: FinishedRun
  /// What is judged, as a comparison of two configurations has it.
  public let report: ComparisonReport
  /// All other metrics that both have.
  let others: Comparison
  /// What a reader has to know before the numbers.
  public let notes: [String]

  /// - Parameters:
  ///   - metrics: what is judged; empty: the headline metrics and those of the budgets.
  ///   - threshold: changes below this share do not matter; nil: the usual.
  /// - Throws: ``DocumentRejected`` for runs of different worlds, or a metric that one lacks.
  public init(
    _ baseline: FinishedRun, _ candidate: FinishedRun, metrics: [MetricReference] = [],
    threshold: Double? = nil
  ) throws(DocumentRejected) {
    try candidate.result.requireComparable(with: baseline.result, at: baseline.path)
    self.baseline = baseline
    self.candidate = candidate
    let (before, after) = (baseline.record, candidate.record)
    let pairing = RunsBeside.pairing(before, after)
    let isSameRun = pairing == nil && before.fingerprint == after.fingerprint
    let thresholds = ChangeThresholds(
      relative: threshold, own: candidate.scenario?.thresholds ?? [])
    let known = RunsBeside.common(baseline, candidate)
    let judged = try RunsBeside.judged(known, metrics, baseline, candidate)
    func compare(_ rows: [FinishedMetric]) -> Comparison {
      Comparison(
        finished: rows, isPaired: pairing == nil, isSameRun: isSameRun, thresholds: thresholds)
    }
    others = compare(
      known.filter { row in !judged.contains { $0.baseline.reference == row.baseline.reference } })
    var changes: [ConfigurationChange] = []
    var notes =
      pairing.map { ["Not paired: \($0). Intervals are Welch's, of independent runs."] } ?? []
    if let left = baseline.scenario, let right = candidate.scenario {
      changes = Variant.differences(left, right)
    } else {
      notes.append(
        "Which keys differ is not told: a scenario.resolved.yaml cannot be read any more.")
    }
    if before.scenario.short != after.scenario.short {
      notes.append("One of the runs is the short form of its scenario.")
    }
    if let own = before.cost, let other = after.cost, own.currency != other.currency {
      notes.append("Costs are in \(own.currency) and \(other.currency), and not compared.")
    }
    let lost = RunsBeside.onlyOne(before, after)
    if lost > 0 { notes.append("\(lost) metrics stand in one of the results only.") }
    self.notes = notes
    report = ComparisonReport(
      compare(judged), baseline: "A", candidate: "B", changes: changes,
      parts: RunsBeside.parts(before, after))
  }

  // MARK: What is compared

  /// Why the replications are no pairs; nil: they are.
  private static func pairing(_ a: RunRecord, _ b: RunRecord) -> String? {
    if a.live != nil || b.live != nil { return "a live run has no random numbers in common" }
    if a.seed != b.seed { return "the seeds are \(a.seed) and \(b.seed)" }
    if a.replications.run != b.replications.run {
      return "\(a.replications.run) and \(b.replications.run) replications"
    }
    return nil
  }

  /// Metrics that both results hold, in the order of the first; budgets' metrics, too.
  private static func common(_ a: FinishedRun, _ b: FinishedRun) -> [FinishedMetric] {
    func all(_ run: FinishedRun) -> [MetricResult] {
      let budgets = run.record.budgets.map { ($0.metric, $0.estimate) }
      let metrics = run.record.metrics.map { ($0.name.text, $0.estimate) }
      return (budgets + metrics).compactMap { run.metric($0.1, named: $0.0) }
    }
    let right = all(b)
    var seen: Set<MetricReference> = []
    return all(a).compactMap { left in
      guard seen.insert(left.reference).inserted,
        let other = right.first(where: { $0.reference == left.reference })
      else { return nil }
      return FinishedMetric(baseline: left, candidate: other)
    }
  }

  private static func judged(
    _ known: [FinishedMetric], _ asked: [MetricReference], _ a: FinishedRun, _ b: FinishedRun
  ) throws(DocumentRejected) -> [FinishedMetric] {
    for metric in asked where !known.contains(where: { $0.baseline.reference == metric }) {
      let isInFirst = a.record.metric(metric.description) != nil
      throw DocumentRejected(
        path: isInFirst ? b.path : a.path, expected: "a result with \(metric.description)",
        got: "one without")
    }
    let wanted =
      asked.isEmpty
      ? ((b.scenario ?? a.scenario)?.plan.headline ?? [])
        + (a.record.budgets + b.record.budgets).map { MetricName($0.metric).reference }
      : asked
    return known.filter { wanted.contains($0.baseline.reference) }
  }

  private static func onlyOne(_ a: RunRecord, _ b: RunRecord) -> Int {
    let (left, right) = (Set(a.metrics.map(\.name.text)), Set(b.metrics.map(\.name.text)))
    return left.symmetricDifference(right).count
  }

  /// Mean times by part of all started views that waited for more than the display.
  private static func parts(_ a: RunRecord, _ b: RunRecord) -> [PartChange] {
    func means(_ record: RunRecord) -> [Double] {
      let band = BandFigures(record.startupBreakdown.waited)
      return StartupPart.allCases.map { band.milliseconds($0) * 1e6 }
    }
    let (left, right) = (means(a), means(b))
    return StartupPart.allCases.map {
      PartChange(part: $0, before: left[$0.rawValue], after: right[$0.rawValue])
    }
  }
}
