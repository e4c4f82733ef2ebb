import Scenario
import Studies
import Testing

@testable import Reports

/// A run's metrics under the names of dashboards.
@Suite struct IndustryReportTests {
  private func record(_ metrics: [MetricResult]) throws -> RunRecord {
    var result = try Fixture.result()
    result.metrics = metrics
    return RunRecord(result)
  }

  @Test func `values stand under their names, in their units, with what is ours`() throws {
    let record = try record([
      try Fixture.metric("not_started_ratio", value: 0.01, half: 0.002, samples: 1200),
      try Fixture.metric("ttff_ms.mean", value: 840, half: 20, samples: 1200),
    ])
    let text = IndustryReport.text(record, .conviva, color: false)
    func line(_ name: String) -> String {
      text.split(separator: "\n").first { $0.contains(name) }.map { String($0) } ?? ""
    }
    #expect(line("VST").contains("0.84 ±0.02 s") && line("VST").hasSuffix("ttff_ms.mean"))
    #expect(line("EBVS").contains("1.00 ±0.20 %"), "\(text)")
    #expect(line("Plays").contains("99") && line("Plays").hasSuffix("1 - not_started_ratio"))
    #expect(line("VSF").contains("nothing like it here"))
    #expect(line("CIRR").contains("not in this result"))
    #expect(text.contains("Where they differ:") && text.hasSuffix("\n"))
  }

  @Test func `another world has no such names`() throws {
    var record = try record([])
    record.world = RunRecord.World()
    let text = IndustryReport.text(record, .mux, color: false)
    #expect(text.contains("no words for the world"))
  }
}
