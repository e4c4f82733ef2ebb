/// The table of budgets in few lines: those that do not pass first, under their verdicts, the
/// tightest first. Those that pass are shown as far as there is room and counted beyond; the others
/// are always named.
struct BriefBudgets {
  private struct Row {
    var budget: RunRecord.Budget
    /// As short as it can be without being taken for another.
    var name: String
    /// Limit, value, interval, samples, margin.
    var figures: [String]
    /// Verdict and level in words.
    var group: String
  }

  private let text: BriefText
  private let open: [Row]
  private let passed: [Row]
  /// Columns of the name and of each figure.
  private let nameWidth: Int
  private let widths: [Int]

  init(_ budgets: [RunRecord.Budget], text: BriefText) {
    let names = BriefName.names(budgets.map(\.metric))
    let rows = zip(budgets, names).map { budget, name in
      let estimate = budget.estimate.text
      let soft = budget.level == "soft" ? " (soft)" : ""
      return Row(
        budget: budget, name: name,
        figures: [
          budget.limit, estimate.valueText, estimate.intervalText,
          BriefText.count(budget.estimate.samples), budget.marginText ?? "–",
        ], group: budget.verdict + soft)
    }
    self.text = text
    // Missed ones first, hard before soft; the tightest first within a verdict.
    let order = ["fail", "invalid", "inconclusive", "not-run", "pass"]
    let places = rows.indices.sorted { a, b in
      func rank(_ row: Row) -> (Int, Int, Double) {
        let verdict = order.firstIndex(of: row.budget.verdict) ?? 0
        return (row.budget.level == "soft" ? 1 : 0, verdict, row.budget.margin ?? -.infinity)
      }
      let (left, right) = (rank(rows[a]), rank(rows[b]))
      return left != right ? left < right : a < b
    }
    let sorted = places.map { rows[$0] }
    open = sorted.filter { $0.budget.verdict != "pass" }
    passed = sorted.filter { $0.budget.verdict == "pass" }
    widths = BriefBudgets.titles.indices.map { column in
      (rows.map { $0.figures[column].count } + [BriefBudgets.titles[column].count]).max() ?? 0
    }
    let room = text.width - 4 - widths.reduce(0) { $0 + $1 + 2 }
    nameWidth = max(8, min(room, rows.map(\.name.count).max() ?? 0))
  }

  private static let titles = ["limit", "value", "95 % interval", "n", "margin"]

  var isEmpty: Bool { open.isEmpty && passed.isEmpty }

  /// Lines that show every budget that does not pass with its figures, and count the others.
  var leastLines: Int { lines(open: open.count, passed: 0).count }

  /// The table in `room` lines; in more only where the names of what does not pass need more.
  func lines(room: Int) -> [String] {
    if leastLines <= room {
      for count in stride(from: passed.count, through: 0, by: -1) {
        let lines = lines(open: open.count, passed: count)
        if lines.count <= room { return lines }
      }
    }
    for count in stride(from: open.count, through: 0, by: -1) {
      let lines = lines(open: count, passed: 0)
      if lines.count <= room { return lines }
    }
    return lines(open: 0, passed: 0)
  }

  private func lines(open shown: Int, passed count: Int) -> [String] {
    var lines = shown + count > 0 ? [heading] : []
    lines += table(open.prefix(shown))
    for (group, rows) in groups(open.dropFirst(shown)) {
      let names = rows.map(\.name).joined(separator: ", ")
      lines += text.wrapped("and \(rows.count) more \(group): \(names)", indent: "  ")
    }
    lines += table(passed.prefix(count))
    let rest = passed.count - count
    if rest > 0 {
      let more = shown + count > 0 ? "and \(rest) more" : "\(rest)"
      lines.append("  \(more) \(rest == 1 ? "passes" : "pass")")
    }
    return lines
  }

  private var heading: String {
    TextStyle.faint.applied(
      to: line("budget", BriefBudgets.titles), color: text.color)
  }

  /// Rows under their verdicts.
  private func table(_ rows: ArraySlice<Row>) -> [String] {
    groups(rows).flatMap { group, members in
      let style = BriefBudgets.style(of: members[0].budget.verdict)
      return ["  " + style.applied(to: group, color: text.color)]
        + members.flatMap { row in
          row.name.count <= nameWidth
            ? [line(row.name, row.figures)]
            : text.wrapped(row.name, indent: "    ") + [line("", row.figures)]
        }
    }
  }

  private func groups(_ rows: ArraySlice<Row>) -> [(group: String, rows: [Row])] {
    var groups: [(group: String, rows: [Row])] = []
    for row in rows {
      if groups.last?.group != row.group { groups.append((row.group, [])) }
      groups[groups.count - 1].rows.append(row)
    }
    return groups
  }

  private func line(_ name: String, _ figures: [String]) -> String {
    var line = "    " + BriefBudgets.padded(name, nameWidth, isLeft: true)
    for (column, figure) in figures.enumerated() {
      line += "  " + BriefBudgets.padded(figure, widths[column], isLeft: [0, 2].contains(column))
    }
    return line
  }

  private static func padded(_ text: String, _ width: Int, isLeft: Bool) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return isLeft ? text + blanks : blanks + text
  }

  static func style(of verdict: String) -> TextStyle {
    switch verdict {
    case "pass": .green
    case "fail": .red
    case "inconclusive": .yellow
    case "invalid": .magenta
    default: .faint
    }
  }
}
