import Models
import Scenario
import Studies

extension ReportSection {
  static let links = ReportSection(
    .links, title: "LINKS", lines: { $0.links() }, page: { $0.writeLinks(to: &$1) })

  static let comparisons = ReportSection(
    .comparisons, title: "WHAT OTHER SIMULATORS' NETWORKS WOULD SAY",
    lines: { $0.comparisons() }, page: { $0.writeComparisons(to: &$1) })
}

extension ReportWriter {
  // MARK: Links

  func links() -> [String] {
    var table = TextTable([.left, .left, .left, .right, .right, .right])
    table.heading([
      "network", "transfer model", "idle window", "link time of current items",
      "lost to prefetch", "share",
    ])
    for link in record.links {
      table.add([
        TextCell(link.network), TextCell(link.words), TextCell(link.idleWords),
        TextCell(link.foregroundText), TextCell(link.lostText), TextCell(link.shareText),
      ])
    }
    var text =
      "closed: slow start's stalls summed, then the link's rate; rounds: a step per round trip. "
      + "Transfers of one viewer share the link in proportion to their weights; lost to prefetch: "
      + "time in which a prefetch used the link while the item on the screen was loading."
    if record.has(.surface) {
      text =
        "closed: slow start's stalls summed, then the link's rate; rounds: a step per round trip. "
        + "Transfers of one viewer share the link in proportion to their weights; lost to "
        + "prefetch: time in which a prefetch used the link while a card that plays was loading."
    }
    text += " " + ReportWriter.idleSentence
    if let handOvers = record.handOverSentence { text += " " + handOvers }
    return table.lines(color: color) + note(text)
  }

  static let idleSentence =
    "Idle window: whether the edges' servers let a connection's window decay while nothing is sent "
    + "(cdn.edge.slowStartAfterIdle)."

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

extension HTMLPage {
  // MARK: Links

  func writeLinks(to body: inout Markup) {
    if record.links.isEmpty { return noData("the result holds no link", to: &body) }
    var table = HTMLTable(
      "What prefetches cost the items on the screen",
      [
        .text("Network"), .text("Transfer model"), .text("Idle window"),
        .number("Link time of current items"),
        .number("Lost to prefetch"), .number("Share"),
      ])
    for link in record.links {
      table.add([
        .text(link.network), .text(link.words), .text(link.idleWords), .text(link.foregroundText),
        .text(link.lostText), .text(link.shareText),
      ])
    }
    table.write(to: &body)
    if let handOvers = record.handOverSentence { paragraph(handOvers, to: &body) }
    paragraph(
      "Lost to prefetch: time in which a prefetch used the link while the item on the screen was "
        + "loading. " + ReportWriter.idleSentence, faint: true, to: &body)
  }

  // MARK: Other simulators

  func writeComparisons(to body: inout Markup) {
    if record.networkComparisons.isEmpty {
      return noData("the scenario asks for no comparison (network.compare)", to: &body)
    }
    paragraph(
      "A published simulator's network model in place of ours, everything else the same. "
        + "Differences are paired by replication, ± half of the 95 % interval.", to: &body)
    for comparison in record.networkComparisons {
      body.element("h3", text: "With \(comparison.model)")
      body.line()
      var table = HTMLTable(
        "\(comparison.model) against ours, \(comparison.replications) pairs of replications",
        [.text("Metric"), .number("Ours"), .number(comparison.model), .number("Difference")])
      for row in comparison.metrics {
        let isPercent = row.metric.hasSuffix(".ratio")
        table.add([
          .text(MetricName(row.metric).words),
          .text(HTMLPage.value(row.ours, isPercent, isLowerBound: row.oursIsLowerBound)),
          .text(HTMLPage.value(row.peer, isPercent, isLowerBound: row.peerIsLowerBound)),
          .text(HTMLPage.difference(row.difference, row.interval, isPercent)),
        ])
      }
      table.write(to: &body)
      let model = NetworkModel.allCases.first { $0.word == comparison.model }
      let about = model.map { "Why: \($0.differenceText). " } ?? ""
      paragraph(
        about + HTMLPage.causes(comparison) + comparison.startsSentence, to: &body)
    }
  }

  private static func causes(_ comparison: RunRecord.Comparison) -> String {
    let largest = comparison.largestChanges(4).map {
      "\(StartupPart.words(of: $0.part)) \(Figures.signed($0.milliseconds, decimals: 1)) ms"
    }
    return largest.isEmpty
      ? "" : "The mean start differs most in \(largest.joined(separator: ", ")). "
  }
}
