import MediaUnits
import Models
import Scenario
import Statistics
import Studies

/// The report on the terminal: a pure function of the result.
public enum TerminalReport {
  /// The report as text of several lines, ending in a line feed.
  ///
  /// - Parameters:
  ///   - width: columns of the terminal; bars and long texts keep to it, tables may be wider.
  ///   - color: whether to write ANSI escape codes (ECMA-48 SGR).
  public static func text(_ result: StudyResult, width: Int = 100, color: Bool = false) -> String {
    let writer = ReportWriter(result, width: max(60, min(width, 160)), color: color)
    return writer.lines().joined(separator: "\n") + "\n"
  }

  /// What names the run: the report's first and last line.
  public static func identityLine(_ result: StudyResult) -> String {
    let identity = RunIdentity(result)
    var parts = [identity.name, "digest \(identity.digest)", "seed \(result.seed)"]
    if result.scenario.isShort { parts.append("short form") }
    if let ties = result.shuffleTies { parts.append("ties shuffled by \(ties)") }
    parts.append(
      "\(result.replications) of \(result.replications < result.cap ? "up to " : "")\(result.cap) "
        + "replications")
    parts.append("fingerprint \(ResultDocument.digits(result.fingerprint))")
    return parts.joined(separator: " · ")
  }
}

/// Writes the sections one after the other.
struct ReportWriter {
  let result: StudyResult
  let width: Int
  let color: Bool

  init(_ result: StudyResult, width: Int, color: Bool) {
    self.result = result
    self.width = width
    self.color = color
  }

  func lines() -> [String] {
    let identity = TextStyle.bold.applied(to: TerminalReport.identityLine(result), color: color)
    var lines = [identity]
    let description = result.scenario.description
    if description != "no description" { lines += wrapped(description, indent: "") }
    lines += [""] + banner() + section("BUDGETS", budgets())
    lines += section("LIVE", live())
    if result.world.hasMetricsOnly {
      lines += section("TIMES, ms (± half of the 95 % interval)", worldTimes())
      return lines + section("TRUTH AND COST", worldNumbers()) + ["", identity]
    }
    if result.views == 0 {
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
    lines += section("BY NETWORK", byLabel("network", result.scenario.networks))
    lines += section("BY DEVICE", byLabel("device", result.scenario.devices))
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

  static func style(of verdict: Verdict) -> TextStyle {
    switch verdict {
    case .pass: .green
    case .fail: .red
    case .inconclusive: .yellow
    case .invalid: .magenta
    case .notRun: .faint
    }
  }

  private func banner() -> [String] {
    let hard = result.budgets.filter { $0.budget.level == .hard }
    func count(_ verdict: Verdict) -> Int { hard.filter { $0.verdict == verdict }.count }
    let all = hard.count == 1 ? "the hard budget" : "all \(hard.count) hard budgets"
    let meaning =
      switch result.verdict {
      case .pass: hard.count == 1 ? "\(all) holds" : "\(all) hold"
      case .fail: "\(count(.fail)) of \(hard.count) hard budgets missed"
      case .inconclusive: "\(count(.inconclusive)) of \(hard.count) hard budgets undecided"
      case .invalid: "\(count(.invalid)) of \(hard.count) hard budgets cannot be judged"
      case .notRun where hard.isEmpty: "the scenario has no hard budget"
      case .notRun: "nothing was judged"
      }
    let word = TextStyle.bold.applied(
      to: ReportWriter.style(of: result.verdict).applied(
        to: result.verdict.rawValue.uppercased(), color: color), color: color)
    var lines = ["\(word)  \(meaning) (exit code \(result.exitCode))"]
    if result.isPartial {
      lines.append(
        "PARTIAL  stopped after \(result.replications) replications, before the decision")
    }
    lines.append(
      faint(
        "\(result.world.size(of: result)), "
          + "\(Figures.count(Int64(clamping: result.events))) events, "
          + "\(Figures.duration(result.simulated.seconds)) of simulated time"
          + (result.isFolded
            ? "; quantiles of times within \(StudyResult.quantileError * 100) %" : "")))
    return lines
  }

  private func budgets() -> [String] {
    if result.budgets.isEmpty { return [] }
    var table = TextTable([.left, .left, .right, .left, .left, .right, .right, .right, .left])
    table.heading(
      [
        "", "metric", "value", "limit", "95 % interval", "margin", "samples", "reps",
        "decided",
      ])
    for row in result.budgets {
      let name = row.verdict.rawValue + (row.budget.level == .soft ? " (soft)" : "")
      let limit = row.budget.limitText
      table.add([
        TextCell(name, ReportWriter.style(of: row.verdict)),
        TextCell(row.budget.metric.shortName), TextCell(row.metric.valueText),
        TextCell(limit),
        TextCell(row.metric.intervalText),
        TextCell(row.margin.map { margin($0) } ?? "–"),
        TextCell(Figures.count(row.metric.samples)), "\(row.metric.replications)",
        TextCell(row.decidedAt.map { "\($0) of \(result.cap)" } ?? "–"),
      ])
    }
    var lines = table.lines(color: color)
    for row in result.budgets where !row.reason.isEmpty {
      let place = ResultDocument.place(row.budget.place)
      let name = row.budget.metric.shortName
      lines += wrapped(
        "\(row.verdict.rawValue): \(name): \(row.reason) (\(place))",
        indent: "  ")
    }
    return lines + untouched()
      + note(
        "margin: distance to the limit as a share of it; samples: "
          + result.budgets.map(\.budget.metric.sampleNoun).alternatives
          + " behind the value; reps: replications; decided: after so many of at most so many "
          + "replications")
  }

  /// Budgets that nothing has come near, by name.
  private func untouched() -> [String] {
    let names = result.budgets.filter {
      $0.verdict == .pass
        && BudgetMargin.isUntouched(
          $0.margin, value: $0.metric.value, interval: $0.metric.estimate.interval)
    }.map(\.budget.metric.shortName)
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
      let found = stats.map { result.metric("\(metric).\($0)") }
      let samples = found[0]?.samples ?? 0
      table.add(
        [TextCell(name), TextCell(Figures.count(samples))]
          + found.map { TextCell($0?.shortText ?? "–") })
    }
    var lines = table.lines(color: color)
    if let metric = result.metric("not_started_ratio.ratio") {
      lines.append(
        "  not started: \(metric.shortTextWithUnit) of \(Figures.count(metric.samples)) views were "
          + "left before the first frame")
    }
    return lines
      + note(
        "cold: from app open; swipe: from the settle; all: both; play: from play(). p50 to p99 "
          + "count views left before the first frame as censored (Kaplan-Meier); "
          + "mean and p95 naive leave them out. Percentiles are those of all times of all "
          + "\(result.replications) replications together, mean is that of the replications'."
      )
  }

  private func histogram() -> [String] {
    var counts = ClockHistogram()
    for clocks in result.histograms {
      counts = ReportWriter.sum(counts, clocks[ReplicationDigest.Clock.all.rawValue])
    }
    let notStarted = counts.censored.total
    let total = counts.started.total + notStarted
    let edges = TimeHistogram.coarseEdges
    var rows = edges.indices.map { index -> (String, Int64) in
      let label =
        switch index {
        case 0: "0 ms"
        case 1: "under \(edges[2]) ms"
        case edges.count - 1: "\(edges[index])+ ms"
        default: "\(edges[index])–\(edges[index + 1]) ms"
        }
      return (label, counts.started.coarse[index])
    }
    rows.append(("not started", notStarted))
    var table = TextTable([.right, .right, .right, .left])
    table.heading(["first frame", "views", "share", ""])
    for (label, count) in rows {
      table.add([
        TextCell(label), TextCell(Figures.count(count)),
        TextCell(Figures.share(count, of: total)),
        TextCell(Figures.bar(Double(count) / Double(max(1, total)), width: width - 42)),
      ])
    }
    return table.lines(color: color)
  }

  private static func sum(_ a: ClockHistogram, _ b: ClockHistogram) -> ClockHistogram {
    var sum = a
    sum.started.add(b.started)
    sum.censored.add(b.censored)
    return sum
  }
}
