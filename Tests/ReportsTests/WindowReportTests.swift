import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Studies

@Suite struct WindowReportTests {
  private func result() async throws -> StudyResult {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: windows
      audience:
        window: 40 s
        crowds: [{name: burst, from: 20 s, length: 10 s, factor: 3}]
      catalogue: {titles: 100, republish: [{at: 10 s}]}
      windows: [{name: calm, from: 0 s, to: 20 s}]
      """, file: "scenarios/windows.yaml")
    return try await Study.run(scenario, options: StudyOptions(threads: 2, fixedReplications: 2))
  }

  @Test func `windows and new versions stand in the report and in the result`() async throws {
    let result = try await result()
    let text = TerminalReport.text(result, width: 100)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let title = try #require(lines.firstIndex { $0 == ["BY", "WINDOW"] })
    #expect(lines[title + 2].prefix(5) == ["calm", "0", "s", "–", "20.0"])
    #expect(lines[title + 3].first == "burst")
    #expect(text.contains("NEW VERSIONS"))
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(ResultDocument.text(result).utf8))
        as? [String: Any])
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(ResultDocument.jsonSchema().utf8))
        as? [String: Any])
    #expect(SchemaCheck(document, schema).faults == [])
    let windows = try #require(document["windows"] as? [[String: Any]])
    #expect(windows.map { $0["name"] as? String } == ["calm", "burst"])
    #expect(windows[1]["toSeconds"] as? Double == 30)
    let metrics = try #require(document["metrics"] as? [[String: Any]]).map {
      $0["metric"] as? String
    }
    for name in ["calm", "burst"] {
      for metric in Study.windowMetrics(name) { #expect(metrics.contains(metric)) }
    }
    #expect(metrics.contains("manifest_staleness_ms.max"))
  }

  @Test func `a scenario without windows has none in its report`() throws {
    let text = TerminalReport.text(try Fixture.result())
    #expect(!text.contains("BY WINDOW") && !text.contains("NEW VERSIONS"))
  }

  @Test func `the page shows the run over time with what the scenario does, and its numbers`()
    async throws
  {
    let result = try await result()
    let page = try HTMLReport.text(result)
    let check = try MarkupCheck(page)
    #expect(Set(check.ids).count == check.ids.count)
    for id in ["series-p95-title", "series-p95-narrow-title", "series-hits-title"] {
      #expect(check.ids.contains(id), "\(id)")
    }
    #expect(page.contains("The scenario has: new versions at 10.0 s; crowd burst at 20.0 s for"))
    #expect(page.contains("By part of the measured time, ± half of the 95 % interval"))
    let record = try HTMLReport.readRecord(ResultDocument.text(result))
    let series = try #require(record.series)
    #expect(series.partSeconds == 10)
    #expect(series.rows.allSatisfy { $0.values.count == 4 && $0.lower.count == 4 })
    #expect(series.happenings.map(\.kind) == ["new version", "crowd"])
    // The same from the folder's document alone.
    #expect(try HTMLReport.text(resultDocument: ResultDocument.text(result)) == page)
  }
}
