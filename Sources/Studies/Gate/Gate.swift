import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

/// Judges a scenario's budgets and compares the run with a baseline.
public enum Gate {
  /// Standard errors that a regression shall have in the runs that tell its causes apart.
  static let causeErrors = 4.0

  /// Runs a scenario and judges it.
  ///
  /// With a baseline it goes on, look by look, until every hard budget and every headline or
  /// budgeted metric's change is decided, or the scenario's cap is reached.
  ///
  /// - Parameters:
  ///   - baseline: what to compare with, and where it lies.
  ///   - threshold: the practical threshold of metrics without one of their own, as a share of the
  ///     baseline's value; nil for 2 %.
  /// - Throws: ``Baseline/Rejected`` before anything is run when the baseline does not fit;
  ///   ``SimulationError``.
  public static func run(
    _ scenario: StudyScenario, options: StudyOptions, baseline: (Baseline, path: String)?,
    threshold: Double? = nil, stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (StudyProgress) -> Void = { _ in }
  ) async throws -> GateResult {
    guard let (file, path) = baseline else {
      let study = try await Study.run(scenario, options: options, stop: stop, progress: progress)
      return GateResult(study: study, baseline: nil)
    }
    let changes = try file.changes(to: scenario, path: path)
    let cap = options.fixedReplications ?? scenario.replications
    if cap < 2 {
      throw Baseline.Rejected(
        path: path, expected: "at least 2 replications to compare with it", got: "1")
    }
    var judge: ChangeJudge? = try changeJudge(
      scenario, options, file, thresholds: ChangeThresholds(scenario, relative: threshold))
    let study = try await Study.run(
      scenario, options: options, changes: &judge, stop: stop, progress: progress)
    guard let judge, let comparison = judge.comparison, !study.isPartial else {
      return GateResult(study: study, baseline: nil)
    }
    var found = summary(study, file, path: path, changes: changes, judge, comparison)
    found.rules = try file.rules(against: scenario, path: path)
    let told = toldRows(comparison, study)
    if !told.isEmpty, !changes.isEmpty, !stop.isRequested {
      let causes = CauseStudy(
        told.map(\.metric), changes: changes, scenario: scenario, seed: study.seed,
        threads: options.threads, pilots: options.pilots, shards: options.shards)
      found.untold = causes.untold
      if !causes.isEmpty {
        do {
          found.causes = try await causes.run(
            causeReplications(told, of: study), stop: stop)
        } catch is StudyStopped {
          // The verdict is known; only its cause is not.
        }
      }
    }
    return GateResult(study: study, baseline: found)
  }

  /// What needs a cause: what is worse, and what a hard budget fails by, be it for the better
  /// elsewhere.
  private static func toldRows(_ comparison: Comparison, _ study: StudyResult) -> [ComparisonRow] {
    let failing = study.budgets.filter { $0.verdict == .fail && $0.budget.level == .hard }
      .map(\.budget.metric)
    return comparison.rows.filter { row in
      row.outcome == .worse || (row.outcome == .better && failing.contains(row.metric))
    }
  }

  private static func changeJudge(
    _ scenario: StudyScenario, _ options: StudyOptions, _ file: Baseline,
    thresholds: ChangeThresholds
  ) throws -> ChangeJudge {
    let plan = try Study.plan(scenario, options)
    return ChangeJudge(
      file, scenario: scenario, seed: options.seed ?? scenario.seed,
      evaluated: scenario.budgets.map(\.metric) + Study.standardMetrics(scenario),
      thresholds: thresholds, boundaries: plan.boundaries, looks: plan.looks)
  }

  /// Compares a run with a baseline, once.
  static func compare(
    _ study: StudyResult, _ file: Baseline, path: String, changes: [ConfigurationChange],
    threshold: Double? = nil
  ) throws -> BaselineComparison {
    var judge = ChangeJudge(
      file, scenario: study.scenario, seed: study.seed, evaluated: study.recordMetrics,
      thresholds: ChangeThresholds(study.scenario, relative: threshold),
      boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: [2])
    judge.look(0, study.records)
    guard let comparison = judge.comparison else { preconditionFailure("a look compares") }
    return summary(study, file, path: path, changes: changes, judge, comparison)
  }

  private static func summary(
    _ study: StudyResult, _ file: Baseline, path: String, changes: [ConfigurationChange],
    _ judge: ChangeJudge, _ comparison: Comparison
  ) -> BaselineComparison {
    let known = Set(file.metrics)
    let count = comparison.isPaired ? min(file.records.count, study.records.count) : Int.max
    let cohorts = study.recordMetrics.filter { metric in
      known.contains(metric.description)
        && metric.labels.contains { ["network", "device", "window"].contains($0.name) }
    }
    let (before, after) = (
      Array(file.records.prefix(count)), Array(study.records.prefix(count))
    )
    let names = study.recordMetrics.map(\.description)
    return BaselineComparison(
      path: path, digest: file.digest, seed: file.seed, comparison: comparison,
      optional: judge.metrics.filter { judge.mayStayOpen($0) },
      cohorts: Comparison(
        cohorts, baseline: before.map { $0.selecting(cohorts, from: file.metrics) },
        candidate: after.map { $0.selecting(cohorts, from: names) },
        isPaired: comparison.isPaired, thresholds: comparison.thresholds),
      changes: changes, parts: PartChange.between(before, after))
  }

  /// As many replications as leave every regression some standard errors large.
  private static func causeReplications(_ rows: [ComparisonRow], of study: StudyResult) -> Int {
    let least = rows.map(\.standardErrors).min() ?? .infinity
    let enough = causeErrors / max(least, 0.1)
    let share = min(1, enough * enough)
    return min(
      study.replications,
      max(CauseStudy.leastReplications, Int((share * Double(study.replications)).rounded(.up))))
  }
}

extension Comparison {
  /// The surest regression: the one that is most standard errors large.
  public var worstRegression: ComparisonRow? {
    regressions.max { $0.standardErrors < $1.standardErrors }
  }
}

extension ReplicationRecord {
  /// The record with the samples of some metrics only, in their order.
  ///
  /// - Precondition: all of them are among `names`.
  func selecting(_ wanted: [MetricReference], from names: [String]) -> ReplicationRecord {
    var places: [String: Int] = [:]
    for (index, name) in names.enumerated() where places[name] == nil { places[name] = index }
    var record = self
    record.samples = wanted.map { metric in
      guard let place = places[metric.description] else {
        preconditionFailure("\(metric) was not evaluated")
      }
      return samples[place]
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
