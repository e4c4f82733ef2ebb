import MediaUnits
import Models
import Scenario
import Statistics
import Studies

/// How a network was simulated, and what prefetches cost on it.
struct LinkUse: Sendable {
  var network: String
  var model: NetworkModel
  var tier: TransferTier
  var contention: ContentionSum

  static func all(_ result: StudyResult) -> [LinkUse] {
    result.world.transfers.enumerated().map { index, transfer in
      LinkUse(
        network: transfer.network, model: transfer.model, tier: transfer.tier,
        contention: result.measures.contention[index])
    }
  }

  /// `firstframe, rounds`; the peers' models have no tiers.
  var text: String {
    model == .firstFrame ? "\(model.word), \(tier.word)" : model.word
  }
}

extension ReportWriter {
  // MARK: Links

  func links() -> [String] {
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading([
      "network", "transfer model", "link time of current items", "lost to prefetch", "share",
    ])
    for link in LinkUse.all(result) {
      let busy = Double(link.contention.foreground) / 1e9
      table.add([
        TextCell(link.network), TextCell(link.text), TextCell(Figures.duration(busy)),
        TextCell(Figures.duration(Double(link.contention.lost) / 1e9)),
        TextCell(Figures.share(link.contention.lost, of: link.contention.foreground)),
      ])
    }
    var text =
      "closed: slow start's stalls summed, then the link's rate; rounds: a step per round trip. "
      + "Transfers of one viewer share the link in proportion to their weights; lost to prefetch: "
      + "time in which a prefetch used the link while the item on the screen was loading."
    if result.world.hasSurface {
      text =
        "closed: slow start's stalls summed, then the link's rate, without losses. Transfers of "
        + "one viewer share the link in proportion to their weights; lost to prefetch: time in "
        + "which a prefetch used the link while a card that plays was loading."
    }
    if result.measures.counts.handOvers > 0 {
      text +=
        " \(Figures.count(result.measures.counts.handOvers)) hand-overs made viewers repeat "
        + "\(Figures.count(result.measures.counts.repeatedRequests)) requests."
    }
    return table.lines(color: color) + note(text)
  }

  // MARK: Peers

  func comparisons() -> [String] {
    var lines: [String] = []
    for comparison in result.comparisons {
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

  private func table(_ comparison: NetworkComparison) -> TextTable {
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading([
      comparison.model.word, "metric", "ours", comparison.model.word, "difference",
    ])
    for row in comparison.differences {
      let isRatio = row.metric.unit == .ratio
      let scale = isRatio ? 100.0 : 1
      let unit = isRatio ? " %" : " ms"
      let places = isRatio ? 2 : 0
      func text(_ value: Double?, isBound: Bool) -> String {
        guard let value else { return "no data" }
        return (isBound ? "≥ " : "") + Figures.decimal(value * scale, places) + unit
      }
      var difference = "–"
      if let estimate = row.difference {
        let sign = estimate.value > 0 ? "+" : ""
        difference =
          sign + Figures.decimal(estimate.value * scale, places) + " ±"
          + Figures.decimal(estimate.interval.halfWidth * scale, places) + unit
      }
      table.add([
        TextCell(row.network),
        TextCell("\(row.metric.metric).\(row.metric.stat)".replacing(".ratio", with: "")),
        TextCell(text(row.ours, isBound: row.isOursLowerBound)),
        TextCell(text(row.peer, isBound: row.isPeerLowerBound)), TextCell(difference),
      ])
    }
    return table
  }

  /// What a peer's network has and lacks beside ours.
  static func difference(_ model: NetworkModel) -> String {
    let lacks =
      "no name look-up, handshake, radio promotion, slow start, loss or queue in front of the link"
    switch model {
    case .firstFrame: return "the same model"
    case .pensieve, .mm22:
      return
        "\(model.word) has one round trip of 80 ms on every link and 95 % of its rate; \(lacks)"
    case .sabre: return "sabre has the link's round trip and all of its rate; \(lacks)"
    }
  }

  /// Which parts of the startup make the difference.
  private func reasons(_ comparison: NetworkComparison) -> String {
    let about = "why: \(ReportWriter.difference(comparison.model))."
    if comparison.ourStarts == 0 || comparison.peerStarts == 0 {
      return about + " No view started, so there is nothing to compare."
    }
    let changes = StartupPart.allCases.map { part in
      (part, comparison.peerParts[part.rawValue] - comparison.ourParts[part.rawValue])
    }
    let total = changes.reduce(0) { $0 + $1.1 }
    let largest = changes.filter { abs($0.1) >= 5e4 }.sorted { a, b in
      abs(a.1) != abs(b.1) ? abs(a.1) > abs(b.1) : a.0.rawValue < b.0.rawValue
    }.prefix(5)
    func text(_ nanoseconds: Double) -> String {
      (nanoseconds > 0 ? "+" : "") + Figures.decimal(nanoseconds / 1e6, 1) + " ms"
    }
    let causes = largest.map { "\(ReportWriter.label($0.0)) \(text($0.1))" }
    let why = causes.isEmpty ? "no part differs by 0.05 ms" : causes.joined(separator: ", ")
    return
      about + " A started view takes \(text(total)) on average, views that were ready included; "
      + "\(why). \(Figures.percent(comparison.peerStarts, decimals: 2)) of the views start, "
      + "\(Figures.percent(comparison.ourStarts, decimals: 2)) of ours."
  }
}
