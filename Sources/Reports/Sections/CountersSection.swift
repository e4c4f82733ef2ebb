extension ReportSection {
  static let counters = ReportSection(
    .players, title: "PLAYERS, PREFETCH, SCRUB", lines: { $0.counters() },
    page: { $0.writePlayers(to: &$1) })
}

extension ReportWriter {
  func counters() -> [String] {
    let counts = record.counters
    let sprites = Figures.share(counts["spriteHits"], of: counts["scrubLookups"])
    let groups: [(String, [(String, String)], String)] = [
      (
        "players",
        [
          ("playerCreates", "created"), ("playerRetargets", "given another item"),
          ("staleReadiness", "stale readiness"),
          ("decodersRefused", "decoders refused"),
        ], ""
      ),
      (
        "prefetch",
        [
          ("prefetchStarts", "started"), ("prefetchReached", "complete"),
          ("prefetchCancels", "cancelled"),
        ], ""
      ),
      (
        "scrub",
        [("scrubs", "long presses"), ("scrubLookups", "look-ups")],
        ", \(sprites) from the sprite cache"
      ),
      (
        "network",
        [
          ("requests", "requests"), ("cancelledRequests", "cancelled"),
          ("connectionsOpened", "connections"), ("feedPages", "feed pages"),
        ], ""
      ),
    ]
    return groups.flatMap { name, numbers, remark in
      let texts = numbers.map { "\(Figures.count(counts[$0.0])) \($0.1)" }
      return wrapped("\(name): \(texts.joined(separator: ", "))\(remark)", indent: "  ")
    }
  }
}

extension HTMLPage {
  /// Every counter of the result, the unknown ones under their own names.
  func writePlayers(to body: inout Markup) {
    let counters = record.counters.byName
    if counters.isEmpty { return noData("the result holds no counter", to: &body) }
    let known = RunRecord.counterCounts.rows.map { ($0.name, $0.summary) }
    let unknown = counters.keys.sorted().filter { name in
      !known.contains { $0.0 == name }
    }
    var table = HTMLTable(
      "Sums over the replications", [.text("What"), .number("Number"), .number("per 1,000 views")])
    for (name, summary) in known + unknown.map({ ($0, $0) }) {
      guard let value = counters[name] else { continue }
      let isBytes = name.hasSuffix("Bytes")
      let rate = record.views > 0 ? Double(value) / Double(record.views) * 1000 : nil
      let text = rate.map { rate in
        isBytes
          ? Figures.bytes(Int64(rate.rounded()))
          : Figures.decimal(rate, Figures.decimals(rate, spread: nil, atMost: 2))
      }
      let isPeak = name.hasPrefix("peak")
      table.add([
        .text(summary), .text(isBytes ? Figures.bytes(value) : HTMLPage.count(value)),
        .text(isPeak ? "–" : text ?? "–"),
      ])
    }
    table.write(to: &body)
  }
}
