/// What players and servers of a live run told each other, for terminal and page alike.
extension RunRecord.Live {
  /// Lines of text; none where nothing was told and nothing was asked for.
  var mediaDataLines: [String] {
    var lines: [String] = []
    if let told = clientData {
      lines.append(
        "CMCD version \(told.version) in \(told.way == "query" ? "queries" : "headers") of "
          + "\(Figures.count(told.requests)) requests")
    }
    guard let data = serverData else { return lines }
    if data.answers == 0 { return lines + ["no server said anything of CMSD"] }
    lines.append(
      "CMSD in \(Figures.count(data.answers)) answers: \(Figures.count(data.objects)) static, "
        + "\(Figures.count(data.dynamics)) dynamic; \(Figures.count(data.malformed)) malformed, "
        + "\(Figures.count(data.unknown)) unknown keys, \(Figures.count(data.custom)) of "
        + "somebody's own")
    if data.compared > 0 {
      lines.append(
        "estimated by the edge \(RunRecord.Live.middle(data.estimatedKbps)) kbps, measured "
          + "\(RunRecord.Live.middle(data.measuredKbps)) kbps in the median of "
          + "\(Figures.count(data.compared)) segments; estimate by measure "
          + data.estimatedByMeasured.map { Figures.decimal($0, 2) }.joined(separator: ", ")
          + " (P5, P50, P95)")
    }
    if data.suggested > 0 {
      lines.append(
        "\(Figures.count(data.exceeded)) of \(Figures.count(data.suggested)) segments were asked "
          + "for above the bit rate that a server had suggested")
    }
    if data.otherBitrates > 0 {
      lines.append(
        "\(Figures.count(data.otherBitrates)) segments were of another bit rate than was asked for")
    }
    return lines + data.examples.map { "malformed: \($0)" }
  }

  /// A row for each server: name, answers, and the medians of what it said.
  var hopRows: [[String]] {
    (serverData?.hops ?? []).map { hop in
      [
        hop.name, Figures.count(hop.answers), RunRecord.Live.middle(hop.throughputKbps),
        RunRecord.Live.middle(hop.roundTripMilliseconds),
        RunRecord.Live.middle(hop.responseDelayMilliseconds),
        hop.suggestedKbps.map { Figures.decimal($0, 0) } ?? "", Figures.count(hop.duress),
      ]
    }
  }

  static let hopHeadings = [
    "servers by CMSD", "answers", "etp P50, kbps", "rtt P50, ms", "rd P50, ms", "least mb, kbps",
    "duress",
  ]

  /// The median of three quantiles; empty without.
  private static func middle(_ quantiles: [Double]) -> String {
    quantiles.count > 1 ? Figures.decimal(quantiles[1], 0) : ""
  }
}
