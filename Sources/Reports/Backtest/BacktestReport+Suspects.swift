import Statistics
import Studies

/// Which law would explain the errors, in words.
extension BacktestReport {
  static func lines(_ suspects: Suspects, replications: Int, color: Bool) -> [String] {
    var table = TextTable([.left, .right, .right, .left])
    table.heading(["a law by itself", "it would be", "share of the errors", ""])
    for law in suspects.laws { table.add(cells(law, suspects).map { TextCell($0) }) }
    let sentence = TextStyle.bold.applied(to: self.sentence(suspects), color: color)
    return ["  \(sentence)"] + (suspects.laws.isEmpty ? [] : table.lines(color: color))
      + notes(suspects, replications: replications).map { "  \($0)" }
  }

  /// What can be said in one sentence.
  static func sentence(_ suspects: Suspects) -> String {
    let first = suspects.candidates.first
    switch suspects.outcome {
    case .named:
      guard let first else { preconditionFailure("a law that is named is the first") }
      return "Suspect: \(first.name), \(factor(first)) what the scenario has: explains "
        + "\(Figures.percent(first.explained, decimals: 0)) of the errors."
    case .notToldApart:
      return "Suspects that these data do not tell apart: "
        + suspects.candidates.map(\.name).joined(separator: ", ") + "."
    case .none:
      return "No suspect: no law explains more of the errors than noise does."
    }
  }

  /// Name, the law over what the scenario has, share of the errors, and whether it is suspected.
  static func cells(_ law: SuspectedLaw, _ suspects: Suspects) -> [String] {
    let isSuspect = suspects.candidates.contains(law)
    return [
      law.name, factor(law), Figures.percent(law.explained, decimals: 0),
      isSuspect ? "suspect" : "",
    ]
  }

  static func factor(_ law: SuspectedLaw) -> String {
    func text(_ value: Double) -> String { Figures.decimal(value, 2) }
    // The search goes by steps, of a quarter of that.
    let slack = 1.01
    let (reach, range) = (Suspects.reach, law.interval)
    let lower = range.lower <= reach.lowerBound * slack ? "less" : text(range.lower)
    let upper = range.upper >= reach.upperBound / slack ? "more" : text(range.upper)
    return "\(text(law.factor)) (\(lower) to \(upper)) times"
  }

  /// What it was found with.
  static func notes(_ suspects: Suspects, replications: Int) -> [String] {
    var notes = [
      "\(suspects.runs) predictions of \(replications) replications, each law scaled by a quarter "
        + "down and up; errors of \(suspects.metrics.joined(separator: ", "))"
    ]
    if !suspects.notScaled.isEmpty {
      notes.append("Not scaled: \(suspects.notScaled.joined(separator: "; "))")
    }
    return notes
  }
}
