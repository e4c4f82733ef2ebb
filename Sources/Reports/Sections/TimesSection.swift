extension ReportSection {
  static let times = ReportSection(
    .ttff, title: "TIME TO FIRST FRAME, ms (± half of the 95 % interval)",
    lines: { $0.percentiles() }, page: { $0.writeTimes(to: &$1) })

  /// On the page a chart of the section above.
  static let histogram = ReportSection(
    title: "HOW SOON VIEWS START (all networks, from the settle or the session's start)",
    lines: { $0.histogram() })
}

extension ReportWriter {
  // MARK: Time to first frame

  fileprivate func percentiles() -> [String] {
    let stats = ["p50", "p75", "p90", "p95", "p99", "mean", "p95_started"]
    var table = TextTable(
      [.left, .right] + [TextTable.Alignment](repeating: .right, count: stats.count))
    table.heading(
      ["clock", "views", "p50", "p75", "p90", "p95", "p99", "mean", "p95 naive"])
    let clocks = [
      ("all", "ttff_ms"), ("cold", "ttff_cold_ms"), ("swipe", "ttff_swipe_ms"),
      ("play", "ttff_play_ms"),
    ]
    for (name, metric) in clocks {
      let found = stats.map { record.metric("\(metric).\($0)")?.estimate }
      let samples = found[0]?.samples ?? 0
      table.add(
        [TextCell(name), TextCell(Figures.count(samples))]
          + found.map { TextCell($0?.text.shortText ?? "–") })
    }
    var lines = table.lines(color: color)
    if let estimate = record.metric("not_started_ratio.ratio")?.estimate {
      lines.append(
        "  not started: \(estimate.text.shortTextWithUnit) of \(Figures.count(estimate.samples)) "
          + "views were left before the first frame")
    }
    return lines
      + note(
        "cold: first views, \(coldClock); swipe: from the settle; all: both; play: from play(). "
          + "p50 to p99 count views left before the first frame as censored (Kaplan-Meier); "
          + "mean and p95 naive leave them out. Percentiles are those of all times of all "
          + "\(record.replications.run) replications together, mean is that of the replications'."
      )
  }

  /// When the clock of a session's first view starts.
  private var coldClock: String {
    let band = BandFigures(record.startupBreakdown.waited)
    return band.nanoseconds(.launch) > 0 ? "from app open" : "from the feed's first request"
  }

  fileprivate func histogram() -> [String] {
    let all = TimeBuckets(record.histograms.filter { $0.metric == "ttff_ms" })
    var table = TextTable([.right, .right, .right, .left])
    table.heading(["first frame", "views", "share", ""])
    for (label, count) in all.rows {
      table.add([
        TextCell(label), TextCell(Figures.count(count)),
        TextCell(Figures.share(count, of: all.total)),
        TextCell(Figures.bar(Double(count) / Double(max(1, all.total)), width: width - 42)),
      ])
    }
    return table.lines(color: color)
  }
}
