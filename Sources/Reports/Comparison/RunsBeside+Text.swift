import Scenario
import Studies

/// Two finished runs on the terminal and as JSON.
extension RunsBeside {
  /// The report as lines.
  public func lines(width: Int, color: Bool) -> [String] {
    var lines = [
      TextStyle.bold.applied(to: "two finished runs side by side", color: color),
      "  A: \(RunsBeside.facts(baseline))", "  B: \(RunsBeside.facts(candidate))",
    ]
    lines += notes.flatMap { note in
      BriefText(width: width, color: false).wrapped(note, indent: "  ")
    }
    return lines + [""] + report.lines(width: width, color: color)
  }

  private static func facts(_ run: FinishedRun) -> String {
    let record = run.record
    return "\(run.path): \(record.scenario.name), digest \(record.scenario.digest), seed "
      + "\(record.seed), \(record.replications.run) replications, \(record.verdict)"
  }

  /// The same as JSON.
  public var json: JSONText {
    func side(_ run: FinishedRun) -> JSONText {
      let record = run.record
      return [
        "scenario": .string(record.scenario.name), "digest": .string(record.scenario.digest),
        "seed": .integer(Int64(clamping: record.seed)),
        "replications": .integer(Int64(record.replications.run)),
        "fingerprint": .string(record.fingerprint), "verdict": .string(record.verdict),
      ]
    }
    return [
      "schema": 1, "kind": "runs-beside", "baseline": side(baseline),
      "candidate": side(candidate), "notes": .array(notes.map { .string($0) }),
      "comparison": report.json,
      "others": .array(others.rows.map { ComparisonReport.json($0) }),
    ]
  }
}
