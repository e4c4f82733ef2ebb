import Models
import Scenario
import Studies

/// Why a case did not pass, in lines: where the time goes, the worst cohorts, viewers to look at,
/// and what to turn first.
enum GateExplanation {
  /// For a budget.
  static func lines(_ row: BudgetResult, _ gate: GateResult) -> [String] {
    let study = gate.study
    var lines: [String] = []
    var knobs = Knobs.keys(for: row.budget.metric)
    if row.budget.metric.unit == .milliseconds {
      let band = study.waitedBand
      let parts = StartupPart.allCases.filter { band.parts[$0.rawValue] > 0 }
        .sorted { band.parts[$0.rawValue] > band.parts[$1.rawValue] }
      if band.views > 0, !parts.isEmpty {
        lines.append(
          "views that waited spent most in "
            + parts.prefix(3).map { part in
              part.label + " "
                + Figures.share(band.parts[part.rawValue], of: band.total)
            }.joined(separator: ", "))
        knobs += Knobs.keys(for: parts[0])
      }
    }
    lines += cohorts(row.budget.metric, study)
    if let baseline = gate.baseline { lines += causes(row.budget.metric, baseline) }
    lines += exemplars(study)
    if !knobs.isEmpty { lines.append("turn first: " + unique(knobs).joined(separator: ", ")) }
    return lines + [reproduce(study)]
  }

  /// For a metric that is worse.
  static func lines(
    _ row: ComparisonRow, _ baseline: BaselineComparison, _ gate: GateResult
  ) -> [String] {
    var lines = causes(row.metric, baseline)
    // Where to look is told once, at the surest.
    if row != baseline.comparison.worstRegression { return lines }
    let worst = baseline.cohorts.regressions
      .sorted { abs($0.relativeChange ?? 0) > abs($1.relativeChange ?? 0) }
    if !worst.isEmpty {
      lines.append(
        "worst cohorts: "
          + worst.prefix(3).map { row in
            "\(row.metric.shortName) \(ComparisonReport.difference(row))"
          }.joined(separator: "; "))
    }
    lines += exemplars(gate.study)
    return lines + [reproduce(gate.study)]
  }

  /// What changed the metric, and which part of the startup time moved.
  static func causes(_ metric: MetricReference, _ baseline: BaselineComparison) -> [String] {
    var lines: [String] = []
    if let found = baseline.causes(of: metric) {
      lines += CauseLines.lines(found)
    } else if baseline.changes.isEmpty {
      lines.append("no key of the scenario differs from the baseline's: the code changed")
    }
    if let part = baseline.mostGrown {
      lines.append(
        "the part that grew most is \(part.part.label): "
          + "\(ComparisonReport.ms(part.before)) to \(ComparisonReport.ms(part.after)) a view")
    }
    return lines
  }

  /// The cohorts in which a metric is worst.
  private static func cohorts(_ metric: MetricReference, _ study: StudyResult) -> [String] {
    let others = study.metrics.filter { other in
      other.reference.metric == metric.metric && other.reference.stat == metric.stat
        && other.reference.labels.count > metric.labels.count && other.value != nil
    }
    let sorted = others.sorted { a, b in
      let (left, right) = (a.value ?? 0, b.value ?? 0)
      return metric.isWorseWhenHigher ? left > right : left < right
    }
    if sorted.isEmpty { return [] }
    return [
      "worst cohorts: "
        + sorted.prefix(3).map { "\($0.reference.shortName) \($0.valueText)" }
        .joined(separator: "; ")
    ]
  }

  /// Three viewers and how to see what happened to them.
  private static func exemplars(_ study: StudyResult) -> [String] {
    if study.world.hasSurface {
      // The sessions of a mixed feed cannot be traced.
      return [
        "look at: \(ProgramName.own) why "
          + "results/\(study.scenario.name)-\(study.scenario.digest), the "
          + "folder of the run below"
      ]
    }
    let commands = RunCommands(study)
    let bands = [study.p95Band, study.waitedBand, study.medianBand]
    let lines = bands.compactMap { band in
      band.exemplar.flatMap {
        commands.trace(
          replication: Int64($0.replication), session: Int64($0.session), item: Int64($0.item))
      }.map { "look at: " + ShellText.command($0) }
    }
    return unique(lines)
  }

  private static func reproduce(_ study: StudyResult) -> String {
    "reproduce: " + ShellText.command(RunCommands(study).run)
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
