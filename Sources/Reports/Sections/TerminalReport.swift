import Studies

/// The report on the terminal: a pure function of a run's record and notes, and so of its folder.
public enum TerminalReport {
  /// The report of a run that was just made, as text of several lines, ending in a line feed.
  ///
  /// - Parameters:
  ///   - width: columns of the terminal; bars and long texts keep to it, tables may be wider.
  ///   - color: whether to write ANSI escape codes (ECMA-48 SGR).
  public static func text(_ result: StudyResult, width: Int = 100, color: Bool = false) -> String {
    text(RunRecord(result), RunNotes(result), width: width, color: color)
  }

  /// The same of a run folder, from its `result.json` and `notes.json`: equal to what was shown
  /// when the run was made. Without notes, as of a run of before there were any, the commands start
  /// from the resolved scenario in the folder.
  ///
  /// - Parameters:
  ///   - path: the folder's.
  ///   - read: the text of a file of the folder; nil when there is none.
  /// - Throws: ``HTMLReport/ReadError`` naming the file.
  public static func text(
    folder path: String, width: Int = 100, color: Bool = false, read: (String) -> String?
  ) throws(HTMLReport.ReadError) -> String {
    let record = try HTMLReport.record(folder: read)
    let notes =
      try read(RunNotes.fileName).map { text throws(HTMLReport.ReadError) -> RunNotes in
        try HTMLReport.decode(text, file: RunNotes.fileName)
      } ?? RunNotes(commands: RunCommands(record, folder: path))
    return text(record, notes, width: width, color: color)
  }

  static func text(
    _ record: RunRecord, _ notes: RunNotes, width: Int, color: Bool
  ) -> String {
    let writer = ReportWriter(record, notes, width: max(60, min(width, 160)), color: color)
    return writer.lines().joined(separator: "\n") + "\n"
  }

  /// What names the run: the report's first and last line.
  public static func identityLine(_ result: StudyResult) -> String {
    identityLine(RunRecord(result))
  }

  static func identityLine(_ record: RunRecord) -> String {
    let runs = record.replications
    var parts = [record.scenario.name, "digest \(record.scenario.digest)", "seed \(record.seed)"]
    if record.scenario.short { parts.append("short form") }
    if let ties = record.shuffleTies { parts.append("ties shuffled by \(ties)") }
    parts.append(
      "\(runs.run) of \(runs.run < runs.cap ? "up to " : "")\(runs.cap) replications")
    parts.append("fingerprint \(record.fingerprint)")
    return parts.joined(separator: " · ")
  }
}

extension ReportWriter {
  /// The sections one after the other, between two lines that name the run.
  fileprivate func lines() -> [String] {
    let identity = TextStyle.bold.applied(to: TerminalReport.identityLine(record), color: color)
    var lines = [identity]
    let description = record.scenario.description
    if description != "no description" { lines += wrapped(description, indent: "") }
    lines += [""] + banner()
    for row in ReportSection.all where row.isOnTerminal(record) {
      lines += section(row.title(record), row.lines(self))
    }
    if !record.hasMetricsOnly && record.views == 0 { lines += ["", "No view was simulated."] }
    return lines + ["", identity]
  }
}
