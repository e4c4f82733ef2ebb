import Models
import Scenario
import Studies

extension ReportWriter {
  // MARK: Links

  func links() -> [String] {
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading([
      "network", "transfer model", "link time of current items", "lost to prefetch", "share",
    ])
    for link in record.links {
      table.add([
        TextCell(link.network), TextCell(link.words), TextCell(link.foregroundText),
        TextCell(link.lostText), TextCell(link.shareText),
      ])
    }
    var text =
      "closed: slow start's stalls summed, then the link's rate; rounds: a step per round trip. "
      + "Transfers of one viewer share the link in proportion to their weights; lost to prefetch: "
      + "time in which a prefetch used the link while the item on the screen was loading."
    if record.has(.surface) {
      text =
        "closed: slow start's stalls summed, then the link's rate, without losses. Transfers of "
        + "one viewer share the link in proportion to their weights; lost to prefetch: time in "
        + "which a prefetch used the link while a card that plays was loading."
    }
    if let handOvers = record.handOverSentence { text += " " + handOvers }
    return table.lines(color: color) + note(text)
  }

  // MARK: Peers

  func comparisons() -> [String] {
    var lines: [String] = []
    for comparison in record.networkComparisons {
      lines += lines.isEmpty ? [] : [""]
      lines += table(comparison).lines(color: color)
      lines += wrapped(reasons(comparison), indent: "  ")
    }
    if lines.isEmpty { return [] }
    return lines
      + note(
        "The published simulator's network model in place of ours, everything else the same; "
          + "differences are paired by replication, ± half of the 95 % interval.")
  }

  private func table(_ comparison: RunRecord.Comparison) -> TextTable {
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading([
      comparison.model, "metric", "ours", comparison.model, "difference",
    ])
    for row in comparison.metrics {
      let name = MetricName(row.metric)
      let isRatio = name.reference.unit == .ratio
      let scale = isRatio ? 100.0 : 1
      let unit = isRatio ? " %" : " ms"
      let places = isRatio ? 2 : 0
      func text(_ value: Double?, isBound: Bool) -> String {
        guard let value else { return "no data" }
        return (isBound ? "≥ " : "") + Figures.decimal(value * scale, places) + unit
      }
      var difference = "–"
      if let value = row.difference, let ends = row.interval, ends.count == 2 {
        difference =
          Figures.signed(value * scale, decimals: places) + " ±"
          + Figures.decimal((ends[1] - ends[0]) / 2 * scale, places) + unit
      }
      table.add([
        TextCell(name.label("network") ?? ""),
        TextCell("\(name.metric).\(name.stat)".replacing(".ratio", with: "")),
        TextCell(text(row.ours, isBound: row.oursIsLowerBound)),
        TextCell(text(row.peer, isBound: row.peerIsLowerBound)), TextCell(difference),
      ])
    }
    return table
  }

  /// Which parts of the startup make the difference.
  private func reasons(_ comparison: RunRecord.Comparison) -> String {
    let model = NetworkModel.allCases.first { $0.word == comparison.model }
    let about = "why: \(model.map { $0.differenceText } ?? comparison.model)."
    if comparison.oursStarted == 0 || comparison.peerStarted == 0 {
      return about + " No view started, so there is nothing to compare."
    }
    let changes = comparison.changes
    func text(_ milliseconds: Double) -> String {
      Figures.signed(milliseconds, decimals: 1) + " ms"
    }
    let total = changes.reduce(0) { $0 + $1.milliseconds }
    let causes = comparison.largestChanges(5).map {
      "\(StartupPart.words(of: $0.part)) \(text($0.milliseconds))"
    }
    let why = causes.isEmpty ? "no part differs by 0.05 ms" : causes.joined(separator: ", ")
    return
      about + " A started view takes \(text(total)) on average, views that were ready included; "
      + "\(why). " + comparison.startsSentence
  }
}
