import Models
import Studies

extension HTMLPage {
  // MARK: Links

  func writeLinks(to body: inout Markup) {
    if record.links.isEmpty { return noData("the result holds no link", to: &body) }
    var table = HTMLTable(
      "What prefetches cost the items on the screen",
      [
        .text("Network"), .text("Transfer model"), .number("Link time of current items"),
        .number("Lost to prefetch"), .number("Share"),
      ])
    for link in record.links {
      table.add([
        .text(link.network), .text(link.words), .text(link.foregroundText), .text(link.lostText),
        .text(link.shareText),
      ])
    }
    table.write(to: &body)
    if let handOvers = record.handOverSentence { paragraph(handOvers, to: &body) }
    paragraph(
      "Lost to prefetch: time in which a prefetch used the link while the item on the screen was "
        + "loading.", faint: true, to: &body)
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

  /// A value without an interval of its own.
  static func value(
    _ value: Double?, _ isPercent: Bool, isLowerBound: Bool = false, suffix: String = " ms"
  ) -> String {
    guard let value else { return "no data" }
    let places = suffix.isEmpty ? 2 : 0
    return (isLowerBound ? "≥ " : "")
      + (isPercent
        ? Figures.percent(value, decimals: 2) : Figures.decimal(value, places) + suffix)
  }

  /// A difference and half of its interval.
  static func difference(
    _ value: Double?, _ interval: [Double]?, _ isPercent: Bool, suffix: String = " ms"
  ) -> String {
    guard let value else { return "–" }
    let scale = isPercent ? 100.0 : 1
    let half = interval.flatMap { $0.count == 2 ? abs($0[1] - $0[0]) / 2 * scale : nil }
    let places = Figures.decimals(value * scale, spread: half, atMost: isPercent ? 3 : 1)
    let spread = half.map { " ±" + Figures.decimal($0, $0 == 0 ? 0 : places) } ?? ""
    return Figures.signed(value * scale, decimals: places) + spread
      + (isPercent ? " points" : suffix)
  }

  // MARK: Against a baseline

  func writeChanges(to body: inout Markup) {
    guard let baseline else {
      return noData("this run was not compared with a baseline", to: &body)
    }
    paragraph("Baseline: \(baseline.name)", to: &body)
    if baseline.changes.isEmpty {
      paragraph("The configurations are equal.", to: &body)
    } else {
      var table = HTMLTable(
        "Keys of the configuration that differ",
        [.text("Key"), .text("Baseline"), .text("This run")])
      for change in baseline.changes {
        table.add([
          .text(change.key), .text(change.before ?? "not there"),
          .text(change.after ?? "not there"),
        ])
      }
      table.write(to: &body)
    }
    if baseline.differences.isEmpty {
      return noData("no metric was compared with the baseline", to: &body)
    }
    var table = HTMLTable(
      (baseline.isPaired ?? true ? "Paired differences" : "Differences of independent seeds")
        + ": this run minus the baseline, ± half of the 95 % interval",
      [
        .text("Metric"), .number("Baseline"), .number("This run"), .number("Difference"),
        .number("Pairs"), .text("Conclusion"),
      ])
    for row in baseline.differences {
      let isPercent = row.unit == "ratio"
      let suffix = row.unit == "number" ? "" : " ms"
      let interval = row.lower.flatMap { lower in row.upper.map { [lower, $0] } }
      table.add([
        .text(MetricName(row.metric).words),
        .text(HTMLPage.value(row.before, isPercent, suffix: suffix)),
        .text(HTMLPage.value(row.after, isPercent, suffix: suffix)),
        .text(HTMLPage.difference(row.difference, interval, isPercent, suffix: suffix)),
        .text("\(row.pairs)"), .text(row.conclusion),
      ])
    }
    table.write(to: &body)
  }
}
