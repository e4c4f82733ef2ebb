extension HTMLPage {
  /// What the whole audience asks of each tier; nothing where all of it was simulated.
  func writeLoad(to body: inout Markup) {
    guard let rows = record.load, !rows.isEmpty else { return }
    var table = HTMLTable(
      "Load of the whole audience on each tier",
      [
        .text("Window"), .text("Answered by"), .number("Requests/s"), .number("Gbit/s"),
        .number("n"),
      ])
    for row in rows {
      table.add([
        .text(row.window), .text(row.tier),
        .text(
          LoadText.rate(
            row.requestsPerSecond, row.requestsPerSecondLower, row.requestsPerSecondUpper)),
        .text(
          LoadText.rate(
            row.bitsPerSecond, row.bitsPerSecondLower, row.bitsPerSecondUpper, unit: 1e9)),
        .text(HTMLPage.count(row.samples)),
      ])
    }
    table.write(to: &body)
    paragraph(
      "Simulated requests stand for those of the whole audience. n: simulated requests; all: mean "
        + "over the measured time and the drain.", faint: true, to: &body)
  }
}

extension LoadText {
  static func rate(
    _ value: Double, _ lower: Double?, _ upper: Double?, unit: Double = 1
  ) -> String {
    let half = lower.flatMap { low in upper.map { ($0 - low) / 2 / unit } }
    return rate(value / unit, half: half)
  }
}
