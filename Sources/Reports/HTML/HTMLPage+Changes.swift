extension HTMLPage {
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
