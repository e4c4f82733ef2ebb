import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Studies

@Suite struct TimelineTests {
  /// An origin that fails while nothing is in a cache: many late starts.
  private static func result(
    replications: Int = 2, change: (inout StudyOptions) -> Void = { _ in }
  ) async throws -> StudyResult {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: late-views
      audience: {viewsPerDayPerEdge: 1500000, sessionLength: 40 s, window: 60 s}
      network: {access: [{kind: 3g}, {kind: lte}]}
      catalogue: {titles: 300}
      cdn: {origin: {outages: [{kind: error, from: 20 s, length: 20 s}]}}
      budgets: [{metric: ttff_ms.p75, limit: "< 700 ms"}]
      """, file: "late.yaml")
    var options = StudyOptions(threads: 2, fixedReplications: replications)
    change(&options)
    return try await Study.run(scenario, options: options)
  }

  private static let made = Task { try await result() }

  @Test func `each view that the report names has a timeline of its own session`() async throws {
    let result = try await TimelineTests.made.value
    let record = try #require(try Timelines.of(result)).record
    let shown = Exemplars(RunRecord(result)).shown
    #expect(shown.count > 3)
    #expect(record.omittedViews == 0)
    for exemplar in shown {
      let view = try #require(record.view(exemplar), "\(exemplar)")
      #expect(view.from <= 0 && view.to > 0)
      #expect(view.rows.first?.name == "screen")
      #expect(view.rows.contains { $0.name.hasPrefix("player ") })
      for row in view.rows {
        for piece in row.pieces {
          #expect(piece.from >= view.from && piece.to <= view.to && piece.to >= piece.from)
        }
      }
      #expect(!view.events.isEmpty && view.events.count <= 150)
      #expect(zip(view.events, view.events.dropFirst()).allSatisfy { $0.at <= $1.at })
      #expect(view.events.allSatisfy { $0.at >= view.from && $0.at <= view.to })
    }
    // The latest start is the one that the result has measured.
    let late = RunRecord(result).lateStarts.views
    let worst = try #require(late.map(\.waitedNanoseconds).max())
    let first = try #require(record.view(shown[0]))
    if let frame = first.firstFrame {
      #expect(frame == Double(worst) / 1e9)
    } else {
      #expect(first.to >= Double(worst) / 1e9 - 1e-9)
    }
    #expect(
      first.start.contains { $0.contains("ate (limit 700 ms)") || $0.contains("ever started") })
  }

  @Test func `the report links to each timeline, and both pages are made again from the folder`()
    async throws
  {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let result = try await TimelineTests.made.value
    let timelines = try #require(try Timelines.of(result))
    let folder = try RunFolder.write(
      result, provenance: RunFolderTests.provenance, parent: scratch, timelines: timelines)
    func read(_ name: String) throws -> String {
      try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }
    let (report, page) = (try read("report.html"), try read("timelines.html"))
    let check = try MarkupCheck(page)
    #expect(Set(check.ids).count == check.ids.count)
    #expect(!page.contains("<script") && !page.contains(" style="))
    let links = try MarkupCheck(report).links.filter { $0.hasPrefix("timelines.html#") }
    #expect(links.count == Exemplars(RunRecord(result)).shown.count)
    for link in links { #expect(check.ids.contains(String(link.dropFirst(15)))) }
    #expect(report.contains("Each has a timeline."))
    #expect(check.links.contains("report.html#why"))
    for name in ["report.html", "timelines.html"] {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
    _ = try RunFolder.rewriteReport(folder)
    #expect(try read("report.html") == report)
    #expect(try read("timelines.html") == page)
    // Without the data there are words and the commands, and no dead link.
    try FileManager.default.removeItem(atPath: folder + "/timelines.json")
    _ = try RunFolder.rewriteReport(folder)
    let plain = try read("report.html")
    #expect(plain.contains("There are no timelines in this folder."))
    #expect(!plain.contains("timelines.html") && plain.contains("firstframe trace"))
    try "{".write(toFile: folder + "/timelines.json", atomically: true, encoding: .utf8)
    #expect(throws: HTMLReport.ReadError.self) { try RunFolder.rewriteReport(folder) }
  }

  @Test func `timelines are the same twice`() async throws {
    let result = try await TimelineTests.made.value
    #expect(try Timelines.of(result)?.text() == Timelines.of(result)?.text())
  }

  @Test func `what cannot be simulated again from the scenario has none`() async throws {
    var result = try await TimelineTests.made.value
    result.shuffleTies = 3
    #expect(try Timelines.of(result)?.text() == nil)
    result.shuffleTies = nil
    result.isPartial = true
    #expect(try Timelines.of(result)?.text() == nil)
    #expect(
      try HTMLReport.text(result).contains("no timelines: the run was stopped before its end"))
  }

  @Test func `at most an eighth of the events is simulated again, or a few seconds of them`() {
    #expect(Timelines.limit(events: 160_000_000, replications: 16) == 1)
    #expect(Timelines.limit(events: 3_400_000, replications: 2) == 1)
    #expect(Timelines.limit(events: 500_000_000, replications: 1) == 0)
    #expect(Timelines.limit(events: 1000, replications: 8) > 6)
    #expect(TimelinePage.omission(1).hasPrefix("1 of the report's views has no timeline"))
  }
}
