import Scenario
import Statistics
import Studies

/// A tuning on the terminal and as JSON.
public enum TuningReport {
  /// The report as text ending in a line feed.
  public static func text(_ tuning: TuningResult, color: Bool) -> String {
    var lines = table(tuning, color: color)
    lines.append("")
    guard let winner = tuning.race.winner else {
      lines.append("  no candidate keeps every limit; nothing is recommended")
      if let nearest = tuning.nearestMiss {
        lines.append("  nearest: \(tuning.candidates[nearest.candidate].label)")
        let told = NearestMissText.misses(nearest, tuning) + NearestMissText.keys(nearest, tuning)
        lines += told.map { "    \($0)" }
      }
      return lines.joined(separator: "\n") + "\n"
    }
    let best = tuning.candidates[winner]
    if winner == 0 {
      lines.append("RECOMMENDED  the scenario as it is: no candidate is better")
    } else {
      lines.append("RECOMMENDED")
      for change in tuning.changes {
        lines.append("  \(change.key): \(change.before ?? "absent") -> \(change.after ?? "absent")")
      }
      let settings = best.settings.map { "--set '\($0.key)=\($0.value)'" }
      lines.append("  try it: \(ProgramName.own) run … " + settings.joined(separator: " "))
    }
    if let gain = tuning.race.overToday, winner != 0 {
      lines.append(
        "  predicted change of \(tuning.objective.shortName) against today: "
          + text(gain, tuning))
    }
    if !tuning.race.isWinnerSurelyFeasible && !tuning.constraints.isEmpty {
      lines.append("  the limits hold by the estimates, not surely: run more replications")
    }
    if let second = tuning.race.runnerUp {
      let margin = tuning.race.overRunnerUp.map { text($0, tuning) } ?? "–"
      lines.append(
        "  runner-up: \(tuning.candidates[second].label); the winner's difference to it: \(margin)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func text(_ gain: PairedComparison, _ tuning: TuningResult) -> String {
    Figures.difference(
      gain.difference.value, half: gain.difference.interval.halfWidth,
      unit: tuning.objective.unit) + " (\(ComparisonReport.word(tuning.outcome(of: gain))))"
  }

  private static func table(_ tuning: TuningResult, color: Bool) -> [String] {
    let metrics = [tuning.objective] + tuning.constraints.map(\.metric)
    var table = TextTable(
      [.left] + metrics.flatMap { _ in [TextTable.Alignment.right, .left] } + [.left])
    table.heading(["candidate"] + metrics.flatMap { [$0.shortName, "beside today"] } + [""])
    for (index, candidate) in tuning.candidates.enumerated() {
      let isWinner = tuning.race.winner == index
      table.add(
        [TextCell(candidate.label, isWinner ? .bold : .plain)]
          + zip(tuning.values[index], tuning.comparisons[index].rows).flatMap { value, change in
            [
              TextCell(value.shortTextWithUnit),
              index == 0
                ? TextCell("")
                : TextCell(
                  ComparisonReport.word(change.outcome), ComparisonReport.style(change.outcome)),
            ]
          }
          + [TextCell(state(tuning, index))])
    }
    return table.lines(color: color)
  }

  static func state(_ tuning: TuningResult, _ candidate: Int) -> String {
    if tuning.race.winner == candidate { return "winner" }
    guard let drop = tuning.drops[candidate], let rung = tuning.dropRungs[candidate] else {
      return tuning.race.runnerUp == candidate ? "runner-up" : "stayed"
    }
    let after = "out after \(tuning.rungs[rung]) replications: "
    switch drop.reason {
    case .infeasible(let constraint): return after + "not " + tuning.constraints[constraint].text
    case .worse: return after + "surely worse"
    case .notKept: return after + "not among the best half"
    }
  }

  /// The same as JSON.
  public static func json(_ tuning: TuningResult) -> JSONText {
    func estimate(_ gain: PairedComparison?) -> JSONText {
      guard let gain else { return .null }
      return [
        "value": .number(gain.difference.value), "lower": .number(gain.difference.interval.lower),
        "upper": .number(gain.difference.interval.upper),
        "outcome": .string(tuning.outcome(of: gain).rawValue),
      ]
    }
    return .object([
      .init("schema", 1), .init("kind", "tuning"),
      .init("objective", .string(tuning.objective.description)),
      .init("constraints", .array(tuning.constraints.map { .string($0.text) })),
      .init("rungs", .array(tuning.rungs.map { .integer(Int64($0)) })),
      .init(
        "candidates",
        .array(
          tuning.candidates.enumerated().map { index, candidate in
            [
              "settings": .array(
                candidate.settings.map {
                  ["key": .string($0.key), "value": .string($0.value)]
                }),
              "metrics": .array(tuning.values[index].map { SweepReport.json($0) }),
              "changes": .array(
                tuning.comparisons[index].rows.map { ComparisonReport.json($0) }),
              "state": .string(state(tuning, index)),
            ]
          })),
      .init("winner", tuning.race.winner.map { .integer(Int64($0)) } ?? .null),
      .init("runnerUp", tuning.race.runnerUp.map { .integer(Int64($0)) } ?? .null),
      .init("changes", .array(tuning.changes.map { ComparisonReport.json($0) })),
      .init("gainOverToday", estimate(tuning.race.overToday)),
      .init("gainOverRunnerUp", estimate(tuning.race.overRunnerUp)),
      .init("nearestMiss", NearestMissText.json(tuning.nearestMiss)),
    ])
  }
}
