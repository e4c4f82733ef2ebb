import Scenario
import Studies

extension ReportSection {
  static let client = ReportSection(
    .playback, title: "SWIPES, EVENTS, PAGES", lines: { $0.client() },
    page: { page, body in
      if page.record.views > 0 { page.writeClient(to: &body) }
    })
}

extension ReportWriter {
  // MARK: The app

  /// What the app did beyond loading and playing; nothing where none of that is set.
  func client() -> [String] {
    var table = TextTable([.left, .left, .left])
    let rows = record.clientRows
    for (words, metric) in rows {
      table.add([
        TextCell(words), TextCell(metric.estimate.text.shortTextWithUnit),
        TextCell(
          "n = \(Figures.count(metric.estimate.samples)) \(metric.name.sampleNoun)", .faint),
      ])
    }
    return rows.isEmpty ? [] : table.lines(color: color) + clientCounts()
  }

  private func clientCounts() -> [String] {
    let sums = notes.client
    let sessions = sums["poolSessions"]
    var parts = RunNotes.clientCounts.rows.filter {
      !$0.name.hasPrefix("pool") && sums[$0.name] > 0
    }.map { "\(Figures.count(sums[$0.name])) \($0.summary)" }
    if sessions > 0 {
      let mean = Double(sums["poolMemory"]) / Double(sessions)
      parts.append("players' memory \(Figures.bytes(Int64(mean))) at the most, mean of sessions")
    }
    return parts.isEmpty ? [] : wrapped(parts.joined(separator: ", "), indent: "  ")
  }
}

extension HTMLPage {
  // MARK: The app

  /// What the app did beyond loading and playing; nothing where none of that is set.
  func writeClient(to body: inout Markup) {
    let rows = record.clientRows
    if rows.isEmpty { return }
    var table = HTMLTable(
      "Swipes, events and pages",
      [.text("What"), .number("Mean ± half of the 95 % interval"), .number("n")])
    for (words, metric) in rows {
      table.add([
        .text(words), .text(metric.estimate.text.shortTextWithUnit),
        .text(HTMLPage.count(metric.estimate.samples)),
      ])
    }
    table.write(to: &body)
  }
}
