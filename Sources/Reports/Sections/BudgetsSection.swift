extension ReportSection {
  static let budgets = ReportSection(
    .budgets, of: .any, title: "BUDGETS", lines: { $0.budgets() },
    page: { $0.writeBudgets(to: &$1) })
}

extension ReportWriter {
  // MARK: Verdict

  func banner() -> [String] {
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
          + (record.extraColdStarts.map { "; \(Figures.count($0)) extra cold starts" } ?? "")
          + (record.quantileError.map { "; quantiles of times within \($0 * 100) %" } ?? "")))
    return lines
  }

  func budgets() -> [String] {
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
}
