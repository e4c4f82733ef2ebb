import Scenario

extension ReportSection {
  static let playback = ReportSection(
    .playback, title: "PLAYBACK", lines: { $0.playback() }, page: { $0.writePlayback(to: &$1) })
}

extension ReportWriter {
  func playback() -> [String] {
    var table = TextTable([.left, .left, .left])
    for (name, label) in [
      ("rebuffer_ratio.ratio", "rebuffer ratio"),
      ("stalled_time_ratio.ratio", "stalled time ratio"),
      ("watch_time_ratio.ratio", "watched of titles"),
      ("exit_ratio.ratio", "left after waiting"),
      ("switches_per_minute.rate", "switches a minute"),
      ("smoothness_ratio.ratio", "smoothness"),
      ("viewer_score.mean", "viewer score"),
    ] {
      guard let metric = record.metric(name) else { continue }
      table.add([
        TextCell(label), TextCell(metric.estimate.text.shortTextWithUnit),
        TextCell(
          "n = \(Figures.count(metric.estimate.samples)) \(metric.name.sampleNoun)", .faint),
      ])
    }
    let sums = record.playback
    table.add(["stalls", TextCell(sums.stallsText), TextCell(sums.viewsText, .faint)])
    table.add(["played", TextCell(sums.playedText), TextCell(sums.stalledText, .faint)])
    return table.lines(color: color)
  }
}

extension HTMLPage {
  func writePlayback(to body: inout Markup) {
    if record.views == 0 { return noData("no view was simulated", to: &body) }
    let sums = record.playback
    body.element("dl") { body in
      for metric in record.metrics
      where metric.name.labels.isEmpty && metric.name.stat == "ratio"
        && !["wasted_ratio", "origin_offload"].contains(metric.name.metric)
        && MetricReference.clientWords(metric.name.metric, stat: "ratio") == nil
      {
        let text = metric.estimate.text
        body.element("dt", text: metric.name.words)
        body.element(
          "dd",
          text: text.value == nil
            ? "no data: nothing to divide by"
            : "\(text.shortTextWithUnit), n = \(HTMLPage.count(metric.estimate.samples)) "
              + metric.name.sampleNoun)
      }
      body.element("dt", text: "stalls")
      body.element("dd", text: "\(sums.stallsText) \(sums.viewsText)")
      body.element("dt", text: "played")
      body.element("dd", text: "\(sums.playedText), \(sums.stalledText)")
    }
    body.line()
  }
}
