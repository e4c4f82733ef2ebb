import Scenario
import Studies

/// The report for people in a hurry: the verdict, the budgets, why, what is not sure, and how to
/// make the run again, in at most forty lines. A pure function of `result.json`.
public enum BriefReport {
  /// Lines at most, unless the names of the budgets that do not hold take more by themselves.
  public static let mostLines = 40
  /// Columns at most; fewer on a narrower terminal, down to sixty.
  public static let mostColumns = 80

  /// The report of a run that was just made, ending in a line feed.
  ///
  /// - Parameters:
  ///   - folder: where the results are.
  ///   - commands: how to make the run again; nil for those of a run from a scenario file.
  ///   - causes: lines about what has made the difference, put under a title of their own after
  ///     the budgets, as they are.
  ///   - trust: lines under the verdict (``TrustLines``).
  ///   - width: columns of the terminal.
  ///   - color: whether to write ANSI escape codes (ECMA-48 SGR).
  /// - Throws: ``HTMLReport/ReadError`` when the result makes no document.
  public static func text(
    _ result: StudyResult, folder: String, commands: RunCommands? = nil, causes: [String] = [],
    trust: [String] = [], width: Int = mostColumns, color: Bool = false
  ) throws(HTMLReport.ReadError) -> String {
    text(
      RunRecord(result), folder: folder, commands: commands ?? RunCommands(result),
      causes: causes, trust: trust, width: width, color: color)
  }

  /// The report of a run folder, from its `result.json`, whose commands start from the resolved
  /// scenario in it.
  ///
  /// - Parameters:
  ///   - path: the folder's.
  ///   - read: the text of a file of the folder; nil when there is none.
  /// - Throws: ``HTMLReport/ReadError`` naming the file.
  public static func text(
    folder path: String, width: Int = mostColumns, color: Bool = false,
    read: (String) -> String?
  ) throws(HTMLReport.ReadError) -> String {
    let record = try HTMLReport.record(folder: read)
    return text(
      record, folder: path, commands: RunCommands(record, folder: path), causes: [], width: width,
      color: color)
  }

  /// The same of a record whose verdict may mean more than the run's.
  ///
  /// - Parameter meaning: of the verdict; nil for the run's own.
  static func text(
    _ record: RunRecord, folder: String, commands: RunCommands, meaning: String? = nil,
    causes: [String], trust: [String] = [], width: Int, color: Bool
  ) -> String {
    let text = BriefText(width: max(60, min(width, mostColumns)), color: color)
    let writer = BriefWriter(
      record: record, folder: folder, commands: commands, meaning: meaning ?? record.verdictMeaning,
      causes: causes, trust: trust, text: text)
    return writer.lines().joined(separator: "\n") + "\n"
  }
}

/// Puts the pieces of the brief report together so that they fit.
struct BriefWriter {
  let record: RunRecord
  let folder: String
  let commands: RunCommands
  let meaning: String
  let causes: [String]
  let trust: [String]
  let text: BriefText

  func lines() -> [String] {
    let (head, foot) = (head, foot)
    let budgets = BriefBudgets(record.budgets, text: text)
    let reasons = BriefWhy(record: record, commands: commands, folder: folder, text: text)
    let doubts = BriefDoubts(record: record, text: text)
    // Of less and less beside the budgets until those that do not hold fit with their figures.
    var fitting: [String] = []
    for (isTight, most) in [(false, 10), (false, 6), (true, 4), (true, 2)] {
      let above = head
      let below =
        section("CAUSES", causes) + section("WHY", reasons.lines(isTight: isTight))
        + section("NOT SURE", doubts.lines(most: most)) + foot
      let room = BriefReport.mostLines - above.count - below.count - 2
      let table = budgets.isEmpty ? [] : section("BUDGETS", budgets.lines(room: room))
      fitting = above + table + below
      if budgets.leastLines <= room && fitting.count <= BriefReport.mostLines { break }
    }
    return fitting
  }

  private func section(_ title: String, _ body: [String]) -> [String] {
    body.isEmpty ? [] : ["", TextStyle.bold.applied(to: title, color: text.color)] + body
  }

  private var head: [String] {
    let word = record.verdict.uppercased()
    let meaning = "\(record.scenario.name): \(meaning)"
    let code = "exit code \(record.exitCode)"
    let isFitting = word.count + meaning.count + code.count + 5 <= text.width
    var lines = BriefText(width: text.width - word.count - 2, color: text.color)
      .wrapped(isFitting ? "\(meaning) (\(code))" : meaning, most: 2)
    let style = BriefBudgets.style(of: record.verdict)
    let shown = TextStyle.bold.applied(
      to: style.applied(to: word, color: text.color), color: text.color)
    lines[0] = "\(shown)  \(lines[0])"
    if record.replications.partial {
      lines.append(
        "PARTIAL  stopped after \(record.replications.run) replications, before the decision")
    }
    for policy in record.scenario.policies ?? [] {
      lines += text.wrapped(
        "\(policy.decides) by \(policy.name) \(policy.version) (\(policy.digest.prefix(12))), "
          + "which is not the program's; prefixes of a study are not shared", most: 2)
    }
    lines += trust
    if record.scenario.description != "no description" {
      lines += text.wrapped(record.scenario.description, style: .faint, most: 2)
    }
    return lines
      + text.wrapped(isFitting ? size : "\(code), \(size)", style: .faint, most: 2)
  }

  /// How much was simulated.
  private var size: String {
    let runs = record.replications
    let count = "\(runs.run) of \(runs.run < runs.cap ? "up to " : "")\(runs.cap) replications"
    let what =
      record.world.map { "world \($0.name)" }
      ?? "\(Figures.count(record.views)) views in \(Figures.count(record.sessions)) sessions"
    return "\(count), \(what), seed \(record.seed)"
      + (record.scenario.short ? ", short form" : "")
  }

  private var foot: [String] {
    ["", "Run it again (all sections: --full):"]
      + ShellText.lines(commands.run, width: text.width, indent: "  ")
      + ["results in \(folder)"]
  }
}
