import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

/// Judges a scenario's budgets and compares the run with a baseline.
public enum Gate {
  /// Changed keys that are set back one by one to find the cause of a regression.
  static let attributed = 8
  /// Least replications of each such run, and the standard errors that the regression shall have
  /// in it: enough to tell a key that undoes all from one that undoes nothing.
  static let attributionReplications = 8
  static let attributionErrors = 4.0

  /// Runs a scenario and judges it.
  ///
  /// - Parameters:
  ///   - baseline: what to compare with, and where it lies.
  ///   - threshold: the practical threshold, as a share of the baseline's value.
  /// - Throws: ``Baseline/Rejected`` before anything is run when the baseline does not fit;
  ///   ``SimulationError``.
  public static func run(
    _ scenario: FeedScenario, options: StudyOptions, baseline: (Baseline, path: String)?,
    threshold: Double, stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (StudyProgress) -> Void = { _ in }
  ) async throws -> GateResult {
    var changes: [ConfigurationChange] = []
    if let (file, path) = baseline {
      changes = try file.changes(to: scenario, path: path)
      if (options.fixedReplications ?? scenario.replications) < 2 {
        throw Baseline.Rejected(
          path: path, expected: "at least 2 replications to compare with it", got: "1")
      }
    }
    let study = try await Study.run(scenario, options: options, stop: stop, progress: progress)
    guard let (file, path) = baseline, study.replications >= 2, !study.isPartial else {
      return GateResult(study: study, baseline: nil)
    }
    var found = compare(study, file, path: path, changes: changes, threshold: threshold)
    if let worst = found.comparison.worstRegression, !stop.isRequested {
      do {
        found.attributions = try await attribute(
          worst, changes, scenario, study, file, options: options, stop: stop)
      } catch is StudyStopped {
        // The verdict is known; only its cause is not.
      }
    }
    return GateResult(study: study, baseline: found)
  }

  /// Compares a run with a baseline.
  static func compare(
    _ study: StudyResult, _ file: Baseline, path: String, changes: [ConfigurationChange],
    threshold: Double
  ) -> BaselineComparison {
    let isPaired = file.seed == study.seed
    let count = isPaired ? min(file.records.count, study.records.count) : Int.max
    let budgets = study.budgets.map(\.budget.metric)
    let known = Set(file.metrics)
    let judged = unique(MetricReference.headline(of: study.scenario) + budgets).filter {
      known.contains($0.description) && study.recordMetrics.contains($0)
    }
    let cohorts = study.recordMetrics.filter { metric in
      known.contains(metric.description)
        && metric.labels.contains { ["network", "device", "window"].contains($0.name) }
    }
    func compared(_ metrics: [MetricReference]) -> Comparison {
      Comparison(
        metrics,
        baseline: file.records.prefix(count).map { $0.selecting(metrics, from: file.metrics) },
        candidate: study.records.prefix(count).map {
          $0.selecting(metrics, from: study.recordMetrics.map(\.description))
        }, isPaired: isPaired, threshold: threshold)
    }
    let parts = study.scenario.world == nil ? MetricReference.startupParts : []
    var comparison = compared(judged + parts)
    // A part that did not move is no news; what moved where is told by `parts`.
    comparison.rows.removeAll {
      $0.metric.isStartupPart && ![.regression, .improvement].contains($0.outcome)
    }
    return BaselineComparison(
      path: path, digest: file.digest, seed: file.seed, comparison: comparison,
      cohorts: compared(cohorts), changes: changes,
      parts: PartChange.between(
        Array(file.records.prefix(count)), Array(study.records.prefix(count))))
  }

  private static func unique(_ metrics: [MetricReference]) -> [MetricReference] {
    var seen: Set<MetricReference> = []
    return metrics.filter { seen.insert($0).inserted }
  }

  /// Sets the changed keys back one by one and sees how much of the regression goes away.
  private static func attribute(
    _ row: ComparisonRow, _ changes: [ConfigurationChange], _ scenario: FeedScenario,
    _ study: StudyResult, _ file: Baseline, options: StudyOptions, stop: StopRequest
  ) async throws -> [Attribution] {
    if changes.isEmpty { return [] }
    let variants = changes.prefix(attributed).map { change -> Variant? in
      guard let before = change.before, change.after != nil else { return nil }
      let reverted = Override(option: "baseline", keyPath: change.key, value: before)
      guard var built = try? FeedScenario.rebuilt(scenario, overrides: [reverted]) else {
        return nil
      }
      built.seed = study.seed
      return Variant(
        label: change.key, settings: [.init(key: change.key, value: before)], scenario: built)
    }
    let count = attributionReplications(row, of: study)
    let runs = try await VariantStudy(
      variants.compactMap(\.self), metrics: [row.metric], threads: options.threads
    ).run(0..<count, stop: stop)
    let ours = study.records.prefix(count).map {
      $0.selecting([row.metric], from: study.recordMetrics.map(\.description))
    }
    func change(from records: [ReplicationRecord]) -> Double? {
      Comparison(
        [row.metric], baseline: records, candidate: ours, isPaired: true, threshold: 0
      ).rows[0].difference?.value
    }
    // With the baseline's own random numbers the same replications say what there is to undo.
    let whole =
      file.seed == study.seed
      ? change(
        from: file.records.prefix(count).map { $0.selecting([row.metric], from: file.metrics) })
      : row.difference?.value
    var next = 0
    var found: [Attribution] = []
    for (index, variant) in variants.enumerated() {
      var attribution = Attribution(change: changes[index], share: nil)
      if variant != nil {
        if let undone = change(from: runs[next]), let whole, whole != 0 {
          attribution.share = undone / whole
        }
        next += 1
      }
      found.append(attribution)
    }
    return found.enumerated().sorted { a, b in
      let (left, right) = (a.element.share ?? -.infinity, b.element.share ?? -.infinity)
      return left != right ? left > right : a.offset < b.offset
    }.map(\.element)
  }

  /// As many replications as leave the regression some standard errors large.
  private static func attributionReplications(
    _ row: ComparisonRow, of study: StudyResult
  ) -> Int {
    let enough = attributionErrors / max(row.standardErrors, 0.1)
    let share = min(1, enough * enough)
    return min(
      study.replications,
      max(attributionReplications, Int((share * Double(study.replications)).rounded(.up))))
  }
}

extension Comparison {
  /// The surest regression: the one that is most standard errors large.
  public var worstRegression: ComparisonRow? {
    regressions.max { $0.standardErrors < $1.standardErrors }
  }
}

extension ReplicationRecord {
  /// The means of ``MetricReference/startupParts``.
  var partSamples: [MetricSample] {
    parts.map { part in
      var sample = MetricSample()
      sample.samples = started
      sample.numerator = Double(part) / 1e6
      sample.denominator = Double(started)
      sample.value = started > 0 ? sample.numerator / sample.denominator : nil
      return sample
    }
  }

  /// The record with the samples of some metrics only, in their order; parts of the startup need no
  /// sample of their own.
  ///
  /// - Precondition: all others are among `names`.
  func selecting(_ wanted: [MetricReference], from names: [String]) -> ReplicationRecord {
    var places: [String: Int] = [:]
    for (index, name) in names.enumerated() where places[name] == nil { places[name] = index }
    var record = self
    record.samples = wanted.map { metric in
      if let place = places[metric.description] { return samples[place] }
      guard metric.isStartupPart, let part = MetricReference.startupParts.firstIndex(of: metric)
      else { preconditionFailure("\(metric) was not evaluated") }
      return partSamples[part]
    }
    return record
  }
}

extension PartChange {
  /// Every part's mean over started views, before and after.
  public static func between(
    _ before: [ReplicationRecord], _ after: [ReplicationRecord]
  ) -> [PartChange] {
    func means(_ records: [ReplicationRecord]) -> [Double] {
      let started = records.reduce(0) { $0 + $1.started }
      return StartupPart.allCases.map { part in
        let sum = records.reduce(0) { $0 + $1.parts[part.rawValue] }
        return started > 0 ? Double(sum) / Double(started) : 0
      }
    }
    let (left, right) = (means(before), means(after))
    return StartupPart.allCases.map {
      PartChange(part: $0, before: left[$0.rawValue], after: right[$0.rawValue])
    }
  }
}
