import Scenario
import Statistics

/// A budget that would have noticed mutants which survived.
public struct AuditSuggestion: Sendable, Equatable {
  public let metric: MetricReference
  public let limit: BudgetLimit
  /// The limit as a scenario writes it.
  public let limitText: String
  /// The base's value.
  public let base: Double
  /// The mutants that it would notice, in the order of the table.
  public private(set) var mutants: [String]
  /// The probability that the mean of ``gateReplications`` new replications of the base lies beyond
  /// the limit: Student's predictive distribution from ``replications`` of them.
  public let falseAlarm: Double
  public let replications: Int
  /// Replications of the gate's first look, when an estimate is least sure.
  public let gateReplications: Int
  /// When the default would ask for more samples than the gate's first look has.
  public let minimumSamples: Int?

  /// No limit is suggested that the base would cross more often.
  static let mostFalseAlarms = 0.005
  /// What `minimumSamples` of a budget is when nobody says otherwise.
  private static let usualSamples = 1000

  /// The fewest limits, one for each survivor in turn that no earlier one notices: on the headline
  /// metric that got worse by the most standard errors and has room for a limit.
  static func all(base: StudyResult, survivors: [AuditRow]) -> [AuditSuggestion] {
    var found: [AuditSuggestion] = []
    for row in survivors {
      if found.contains(where: { $0.mutants.contains(row.name) }) { continue }
      let worse = row.differences.filter { $0.outcome == .worse }.enumerated().sorted { a, b in
        let (left, right) = (a.element.standardErrors, b.element.standardErrors)
        return left != right ? left > right : a.offset < b.offset
      }
      for (_, difference) in worse {
        guard var made = AuditSuggestion(difference.metric, base: base, row: row) else { continue }
        made.mutants = survivors.filter { made.notices($0) }.map(\.name)
        found.append(made)
        break
      }
    }
    return needed(found)
  }

  /// Without those whose mutants the others notice, too.
  private static func needed(_ all: [AuditSuggestion]) -> [AuditSuggestion] {
    var kept = all
    for suggestion in all {
      let others = kept.filter { $0 != suggestion }
      let noticed = Set(others.flatMap(\.mutants))
      if suggestion.mutants.allSatisfy({ noticed.contains($0) }) { kept = others }
    }
    return kept
  }

  /// A round limit that the base keeps and the mutant misses, both surely; nil without room.
  private init?(_ metric: MetricReference, base study: StudyResult, row: AuditRow) {
    guard let base = study.metric(metric.description), let value = base.value, !base.isLowerBound,
      let error = base.standardError, base.replications >= 2,
      let mutant = row.run?.metric(metric.description), let other = mutant.value,
      let otherError = mutant.standardError,
      let critical = AuditSuggestion.critical(base.replications)
    else { return nil }
    let isUpper = metric.isWorseWhenHigher
    let sign = isUpper ? 1.0 : -1
    let ahead = Study.lookNumbers(cap: study.scenario.replications, isFixed: false)[0]
    let spread = AuditSuggestion.spread(error, replications: base.replications, ahead: ahead)
    guard
      let kept = AuditSuggestion.critical(
        base.replications, upperTail: AuditSuggestion.mostFalseAlarms)
    else { return nil }
    let near = value + sign * max(critical * error, kept * spread)
    let far = other - sign * critical * otherError
    guard sign * (far - near) > 0 else { return nil }
    let scale = metric.unit == .ratio ? 100.0 : 1
    guard let round = RoundLimit(between: near * scale, and: far * scale) else { return nil }
    let text = round.text(metric.unit)
    let written = (isUpper ? "< " : "> ") + text
    guard case .success(let limit) = BudgetLimit.parse(written, unit: metric.unit) else {
      return nil
    }
    self.metric = metric
    self.limit = limit
    limitText = written
    self.base = value
    mutants = [row.name]
    replications = base.replications
    gateReplications = ahead
    falseAlarm = AuditSuggestion.risk(
      distance: abs(limit.value - value), spread: spread, replications: base.replications)
    let samples = Int(base.samples) * gateReplications / max(1, study.replications)
    minimumSamples =
      samples < AuditSuggestion.usualSamples ? RoundLimit.floor(samples / 2) : nil
  }

  /// Whether a mutant's run would fail it.
  private func notices(_ row: AuditRow) -> Bool {
    guard let found = row.run?.metric(metric.description), let value = found.value,
      let error = found.standardError, let critical = AuditSuggestion.critical(found.replications)
    else { return false }
    return !limit.holds(value) && abs(value - limit.value) > critical * error
  }

  /// What a two-sided test of 5 % asks for, as the gate's rule does at a fixed number of
  /// replications.
  private static func critical(_ replications: Int, upperTail: Double = 0.025) -> Double? {
    guard replications >= 2 else { return nil }
    return try? StudentT.quantile(
      upperTail: upperTail, degreesOfFreedom: Double(replications - 1))
  }

  /// The standard error of the difference between the mean that was seen, with its `error`, and
  /// that of replications to come.
  private static func spread(_ error: Double, replications: Int, ahead: Int) -> Double {
    error * (1 + Double(replications) / Double(ahead)).squareRoot()
  }

  private static func risk(distance: Double, spread: Double, replications: Int) -> Double {
    guard spread > 0 else { return 0 }
    return
      (try? StudentT.upperTail(distance / spread, degreesOfFreedom: Double(replications - 1))) ?? 1
  }
}
