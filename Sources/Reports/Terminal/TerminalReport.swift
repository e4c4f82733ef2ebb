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

/// Writes the sections one after the other.
struct ReportWriter {
  let record: RunRecord
  let notes: RunNotes
  let width: Int
  let color: Bool

  init(_ record: RunRecord, _ notes: RunNotes, width: Int, color: Bool) {
    self.record = record
    self.notes = notes
    self.width = width
    self.color = color
  }

  func lines() -> [String] {
    let identity = TextStyle.bold.applied(to: TerminalReport.identityLine(record), color: color)
    var lines = [identity]
    let description = record.scenario.description
    if description != "no description" { lines += wrapped(description, indent: "") }
    lines += [""] + banner() + section("BUDGETS", budgets())
    lines += section("LIVE", live())
    if record.world != nil {
      lines += section("TIMES, ms (± half of the 95 % interval)", worldTimes())
      return lines + section("TRUTH AND COST", worldNumbers()) + ["", identity]
    }
    if record.views == 0 {
      return lines + ["", "No view was simulated.", "", identity]
    }
    lines += section("TIME TO FIRST FRAME, ms (± half of the 95 % interval)", percentiles())
    lines += section(
      "HOW SOON VIEWS START (all networks, from the settle or app open)", histogram())
    lines += section("WHERE THE STARTUP TIME GOES", breakdown())
    lines += section(lateTitle, late())
    lines += section("PLAYBACK", playback())
    lines += section("SWIPES, EVENTS, PAGES", client())
    lines += section("LINKS", links())
    lines += section("WHAT OTHER SIMULATORS' NETWORKS WOULD SAY", comparisons())
    lines += section("CACHES (requests of every class by outcome)", caches())
    lines += section("PEAK LOAD", peakLoad())
    lines += section("LOAD OF THE WHOLE AUDIENCE", load())
    lines += section("WHAT A MONTH COSTS", cost())
    lines += section("MEDIA BYTES", bytes())
    lines += section("PLAYERS, PREFETCH, SCRUB", counters())
    lines += section("SURFACE", surface())
    lines += section("BY NETWORK", byLabel("network", \.network))
    lines += section("BY DEVICE", byLabel("device", \.device))
    lines += section("BY WINDOW", byWindow())
    lines += section("NEW VERSIONS", newVersions())
    return lines + ["", identity]
  }

  private func section(_ title: String, _ body: [String]) -> [String] {
    body.isEmpty ? [] : ["", TextStyle.bold.applied(to: title, color: color)] + body
  }

  func faint(_ text: String) -> String { TextStyle.faint.applied(to: text, color: color) }

  /// The text in lines no longer than the terminal is wide.
  func wrapped(_ text: String, indent: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: { $0 == " " || $0.isNewline }) {
      if !line.isEmpty && indent.count + line.count + 1 + word.count > width {
        lines.append(indent + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [indent + line]
  }

  func note(_ text: String) -> [String] { wrapped(text, indent: "  ").map { faint($0) } }

  // MARK: Verdict

  private func banner() -> [String] {
    let hard = record.budgets.filter { $0.level == "hard" }
    func count(_ verdict: String) -> Int { hard.count { $0.verdict == verdict } }
    let all = hard.count == 1 ? "the hard budget" : "all \(hard.count) hard budgets"
    let meaning =
      switch record.verdict {
      case "pass": hard.count == 1 ? "\(all) holds" : "\(all) hold"
      case "fail": "\(count("fail")) of \(hard.count) hard budgets missed"
      case "inconclusive": "\(count("inconclusive")) of \(hard.count) hard budgets undecided"
      case "invalid": "\(count("invalid")) of \(hard.count) hard budgets cannot be judged"
      case _ where hard.isEmpty: "the scenario has no hard budget"
      default: "nothing was judged"
      }
    let word = TextStyle.bold.applied(
      to: BriefBudgets.style(of: record.verdict).applied(
        to: record.verdict.uppercased(), color: color), color: color)
    var lines = ["\(word)  \(meaning) (exit code \(record.exitCode))"]
    if record.replications.partial {
      lines.append(
        "PARTIAL  stopped after \(record.replications.run) replications, before the decision")
    }
    lines.append(
      faint(
        (record.world.map { "world \($0.name), " }
          ?? "\(Figures.count(record.views)) views in "
          + "\(Figures.count(record.sessions)) sessions, ")
          + "\(Figures.count(record.events)) events, "
          + "\(Figures.duration(record.simulatedSeconds)) of simulated time"
          + (record.quantileError.map { "; quantiles of times within \($0 * 100) %" } ?? "")))
    return lines
  }

  private func budgets() -> [String] {
    if record.budgets.isEmpty { return [] }
    var table = TextTable([.left, .left, .right, .left, .left, .right, .right, .right, .left])
    table.heading(
      [
        "", "metric", "value", "limit", "95 % interval", "margin", "samples", "reps",
        "decided",
      ])
    for row in record.budgets {
      let estimate = row.estimate
      table.add([
        TextCell(
          row.verdict + (row.level == "soft" ? " (soft)" : ""),
          BriefBudgets.style(of: row.verdict)),
        TextCell(MetricName(row.metric).shortText), TextCell(estimate.text.valueText),
        TextCell(row.limit), TextCell(estimate.text.intervalText),
        TextCell(row.margin.map { margin($0) } ?? "–"),
        TextCell(Figures.count(estimate.samples)), "\(estimate.replications)",
        TextCell(row.decidedAt.map { "\($0) of \(record.replications.cap)" } ?? "–"),
      ])
    }
    var lines = table.lines(color: color)
    for row in record.budgets where !row.reason.isEmpty {
      lines += wrapped(
        "\(row.verdict): \(MetricName(row.metric).shortText): \(row.reason) (\(row.place))",
        indent: "  ")
    }
    return lines + untouched()
      + note(
        "margin: distance to the limit as a share of it; samples: "
          + record.budgets.map(\.sampleNoun).alternatives
          + " behind the value; reps: replications; decided: after so many of at most so many "
          + "replications")
  }

  /// Budgets that nothing has come near, by name.
  private func untouched() -> [String] {
    let names = record.budgets.filter(\.isUntouched).map { MetricName($0.metric).shortText }
    if names.isEmpty { return [] }
    return wrapped(
      "cannot fail here, 0 in every replication: \(names.joined(separator: ", "))", indent: "  ")
  }

  private func margin(_ value: Double) -> String {
    let percent = value * 100
    let text = Figures.decimal(percent, Figures.decimals(percent, spread: nil, atMost: 1))
    return (value > 0 ? "+" : "") + text + " %"
  }

  // MARK: Time to first frame

  private func percentiles() -> [String] {
    let stats = ["p50", "p75", "p90", "p95", "p99", "mean", "p95_started"]
    var table = TextTable(
      [.left, .right] + [TextTable.Alignment](repeating: .right, count: stats.count))
    table.heading(
      ["clock", "views", "p50", "p75", "p90", "p95", "p99", "mean", "p95 naive"])
    let clocks = [
      ("all", "ttff_ms"), ("cold", "ttff_cold_ms"), ("swipe", "ttff_swipe_ms"),
      ("play", "ttff_play_ms"),
    ]
    for (name, metric) in clocks {
      let found = stats.map { record.metric("\(metric).\($0)")?.estimate }
      let samples = found[0]?.samples ?? 0
      table.add(
        [TextCell(name), TextCell(Figures.count(samples))]
          + found.map { TextCell($0?.text.shortText ?? "–") })
    }
    var lines = table.lines(color: color)
    if let estimate = record.metric("not_started_ratio.ratio")?.estimate {
      lines.append(
        "  not started: \(estimate.text.shortTextWithUnit) of \(Figures.count(estimate.samples)) "
          + "views were left before the first frame")
    }
    return lines
      + note(
        "cold: from app open; swipe: from the settle; all: both; play: from play(). p50 to p99 "
          + "count views left before the first frame as censored (Kaplan-Meier); "
          + "mean and p95 naive leave them out. Percentiles are those of all times of all "
          + "\(record.replications.run) replications together, mean is that of the replications'."
      )
  }

  private func histogram() -> [String] {
    let all = TimeBuckets(record.histograms.filter { $0.metric == "ttff_ms" })
    var table = TextTable([.right, .right, .right, .left])
    table.heading(["first frame", "views", "share", ""])
    for (label, count) in all.rows {
      table.add([
        TextCell(label), TextCell(Figures.count(count)),
        TextCell(Figures.share(count, of: all.total)),
        TextCell(Figures.bar(Double(count) / Double(max(1, all.total)), width: width - 42)),
      ])
    }
    return table.lines(color: color)
  }
}
