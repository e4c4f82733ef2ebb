import Scenario
import Statistics
import Studies

/// The search for a key's value on the terminal and as JSON.
public enum GoalReport {
  /// The report as text ending in a line feed.
  ///
  /// - Parameter command: the words that run the scenario, to which the value found is added.
  public static func text(_ goal: GoalResult, command: [String], color: Bool) -> String {
    var lines = [
      TextStyle.bold.applied(
        to:
          "\(goal.scenario.name) · \(goal.target.text) · \(goal.replications) replications each · "
          + "seed \(goal.scenario.seed)", color: color), "",
    ]
    lines += table(goal, color: color) + [""]
    switch goal.outcome {
    case .reached(let answer): lines += found(goal, answer, command)
    case .outOfReach(let nearest):
      let point = goal.points[nearest]
      lines += [
        "OUT OF REACH  no value from \(bounds(goal)) has it",
        "  nearest: \(goal.key) = \(point.value.shown) with \(estimate(point)), "
          + "\(miss(goal, point)) away",
        "  widen --vary, or change something else with --set",
      ]
    case .notMonotone(let rise, let fall):
      lines += [
        "NOT MONOTONE  it surely rises from \(step(goal, rise)) and surely falls from "
          + "\(step(goal, fall))",
        "  several values may have it: narrow --vary to one side",
      ]
    case .tooNoisy(let reason, let answer):
      lines += ["NOT SURE  \(reason)"] + (answer.map { guess(goal, $0) } ?? [])
      lines.append(
        "  give more replications (--replications, now \(goal.replications)) or a longer window"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How it ended: a word, and what a page says beside it.
  static func headline(_ goal: GoalResult) -> (word: String, sentences: [String]) {
    switch goal.outcome {
    case .reached(let answer):
      return (
        "REACHED",
        [
          "\(goal.key): \(today(goal) ?? "absent") -> \(goal.points[answer.point].value.shown).",
          "\(goal.target.metric.shortName) is \(estimate(goal.points[answer.point])) there; the "
            + "95 % interval of the key is \(range(goal, answer)).",
        ]
      )
    case .outOfReach(let nearest):
      let point = goal.points[nearest]
      return (
        "OUT OF REACH",
        [
          "No value from \(bounds(goal)) has \(goal.target.text).",
          "Nearest comes \(goal.key) = \(point.value.shown) with \(estimate(point)), "
            + "\(miss(goal, point)) away.",
        ]
      )
    case .notMonotone(let rise, let fall):
      return (
        "NOT MONOTONE",
        [
          "It surely rises from \(step(goal, rise)) and surely falls from \(step(goal, fall)): "
            + "several values may have it."
        ]
      )
    case .tooNoisy(let reason, let answer):
      let near = answer.map { answer in
        let point = goal.points[answer.point]
        return "Nearest comes \(goal.key) = \(point.value.shown) with \(estimate(point)); the 95 % "
          + "interval of the key is \(range(goal, answer))."
      }
      return (
        "NOT SURE",
        ["\(reason.prefix(1).uppercased())\(reason.dropFirst())."] + (near.map { [$0] } ?? [])
      )
    }
  }

  private static func table(_ goal: GoalResult, color: Bool) -> [String] {
    var table = TextTable([.right, .right, .left])
    table.heading([goal.key, goal.target.metric.shortName, "95 % interval"])
    for (number, point) in goal.points.enumerated() {
      let style: TextStyle = number == answer(goal)?.point ? .bold : .plain
      table.add([
        TextCell(point.value.shown, style), TextCell(point.metric.valueText, style),
        TextCell(point.metric.intervalText, style),
      ])
    }
    return table.lines(color: color)
  }

  private static func found(
    _ goal: GoalResult, _ answer: GoalAnswer, _ command: [String]
  ) -> [String] {
    let point = goal.points[answer.point]
    return [
      "REACHED", "  \(goal.key): \(today(goal) ?? "absent") -> \(point.value.shown)",
      "  \(goal.target.metric.shortName): \(estimate(point))",
      "  95 % interval of the key: \(range(goal, answer))",
      "  try it: "
        + ShellText.command(command + ["--set", "\(goal.key)=\(point.value.shown)"]),
    ]
  }

  /// As the values that were run are shown: without the quotation marks of YAML.
  private static func today(_ goal: GoalResult) -> String? {
    goal.today.map { $0.hasPrefix("\"") ? String($0.dropFirst().dropLast()) : $0 }
  }

  private static func guess(_ goal: GoalResult, _ answer: GoalAnswer) -> [String] {
    let point = goal.points[answer.point]
    return [
      "  nearest: \(goal.key) = \(point.value.shown) with \(estimate(point))",
      "  95 % interval of the key: \(range(goal, answer))",
    ]
  }

  private static func range(_ goal: GoalResult, _ answer: GoalAnswer) -> String {
    let (least, greatest) = ends(goal)
    return "\(answer.lower?.shown ?? "below \(least)") to "
      + (answer.upper?.shown ?? "above \(greatest)")
  }

  private static func ends(_ goal: GoalResult) -> (String, String) {
    (goal.points[0].value.shown, goal.points[goal.points.count - 1].value.shown)
  }

  private static func bounds(_ goal: GoalResult) -> String {
    "\(ends(goal).0) to \(ends(goal).1)"
  }

  private static func step(_ goal: GoalResult, _ number: Int) -> String {
    "\(goal.points[number].value.shown) to \(goal.points[number + 1].value.shown)"
  }

  private static func estimate(_ point: GoalResult.Point) -> String {
    point.metric.shortTextWithUnit + " \(point.metric.intervalText)"
  }

  private static func miss(_ goal: GoalResult, _ point: GoalResult.Point) -> String {
    let miss = abs((point.metric.value ?? goal.target.value) - goal.target.value)
    switch goal.target.metric.unit {
    case .ratio: return Figures.decimal(miss * 100, 2) + " points"
    case .milliseconds: return Figures.decimal(miss, 1) + " ms"
    case .number: return PlainNumber.text((miss * 1000).rounded() / 1000)
    }
  }

  private static func answer(_ goal: GoalResult) -> GoalAnswer? {
    switch goal.outcome {
    case .reached(let answer): answer
    case .tooNoisy(_, let answer): answer
    case .outOfReach, .notMonotone: nil
    }
  }

  /// The same as JSON.
  public static func json(_ goal: GoalResult) -> JSONText {
    let answer = answer(goal)
    func text(_ value: FactorValue?) -> JSONText { value.map { .string($0.shown) } ?? .null }
    return .object([
      .init("schema", 1), .init("kind", "goal"), .init("scenario", .string(goal.scenario.name)),
      .init("seed", .integer(Int64(bitPattern: goal.scenario.seed))),
      .init("replications", .integer(Int64(goal.replications))),
      .init("target", .string(goal.target.text)),
      .init("metric", .string(goal.target.metric.description)),
      .init("targetValue", .number(goal.target.value)), .init("key", .string(goal.key)),
      .init("today", today(goal).map { .string($0) } ?? .null),
      .init("outcome", .string(word(goal.outcome))),
      .init("value", text(answer.map { goal.points[$0.point].value })),
      .init("lower", text(answer?.lower)), .init("upper", text(answer?.upper)),
      .init(
        "points",
        .array(
          goal.points.map {
            [
              "value": .string($0.value.shown), "round": .integer(Int64($0.round)),
              "metric": SweepReport.json($0.metric),
            ]
          })),
    ])
  }

  private static func word(_ outcome: GoalResult.Outcome) -> String {
    switch outcome {
    case .reached: "reached"
    case .outOfReach: "out-of-reach"
    case .notMonotone: "not-monotone"
    case .tooNoisy: "not-sure"
    }
  }
}
