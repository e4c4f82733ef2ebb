import Foundation
import Scenario

/// What is on the page alone.
extension ReportSection {
  static let changes = ReportSection(.changes, of: .any, page: { $0.writeChanges(to: &$1) })
  static let history = ReportSection(.history, of: .any, page: { $0.writeHistory(to: &$1) })
  static let metrics = ReportSection(.metrics, page: { $0.writeMetrics(to: &$1) })
  static let provenance = ReportSection(
    .provenance, of: .any, page: { $0.writeProvenance(to: &$1) })
}

extension HTMLPage {
  // MARK: All metrics

  func writeMetrics(to body: inout Markup) {
    if record.metrics.isEmpty { return noData("the result holds no metric", to: &body) }
    body.element("details") { body in
      body.element("summary", text: "\(record.metrics.count) metrics with their intervals")
      var table = HTMLTable(
        "As result.json names them",
        [
          .text("Metric"), .number("Value"), .number("95 % interval"), .number("n"),
          .number("Replications"),
        ])
      for metric in record.metrics {
        let text = metric.estimate.text
        table.add([
          .text(metric.name.text), .text(text.valueText),
          .text(text.interval == nil ? "–" : text.intervalText + text.suffix),
          .text(HTMLPage.count(metric.estimate.samples)),
          .text("\(metric.estimate.replications)"),
        ])
      }
      table.write(to: &body)
    }
    body.line()
  }

  // MARK: Provenance

  func writeProvenance(to body: inout Markup) {
    let runs = record.replications
    var rows = [
      ("scenario", record.scenario.name + (record.scenario.short ? " (short form)" : "")),
      ("digest", record.scenario.digest), ("seed", "\(record.seed)"),
      (
        "replications",
        "\(runs.run) of at most \(runs.cap); judged after "
          + runs.looks.map { "\($0)" }.joined(separator: ", ")
      ),
      ("fingerprint", record.fingerprint), ("exit code", "\(record.exitCode)"),
    ]
    if let ties = record.shuffleTies { rows.append(("ties shuffled by", "\(ties)")) }
    rows.append(("toolchain", toolchain ?? "not known"))
    rows.append(("commit", commit ?? "not known"))
    body.element("dl") { body in
      for (name, value) in rows {
        body.element("dt", text: name)
        body.element("dd") { $0.element("code", text: value) }
      }
    }
    body.line()
    paragraph(
      "The same scenario, seed and program give the same bytes on every run. This page is made of "
        + "result.json, provenance.json and, of a gate, baseline.json and history.json beside it; "
        + "when and how long the run took stands in provenance.json only. scenario.resolved.yaml "
        + "holds every value of the configuration.", faint: true, to: &body)
  }
}
