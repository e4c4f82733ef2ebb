import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Statistics
@testable import Studies

@Suite struct GateHistoryTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path + "/history.jsonl")
  }

  private func entry(_ commit: String?, _ value: Double? = nil) throws -> GateHistory.Entry {
    var entry = GateHistory.entry(
      GateResult(study: try Fixture.result(), baseline: nil), commit: commit, at: 86_400)
    if let value { entry.metrics[0].value = value }
    return entry
  }

  @Test func `an entry has what was judged, with intervals and samples`() throws {
    let entry = GateHistory.entry(
      try PullRequestCommentTests.gate(.worse, by: 46), commit: "abc", at: 86_400)
    #expect(entry.time == "1970-01-02T00:00:00.000Z")
    #expect(entry.commit == "abc" && entry.scenario == "hand-made" && entry.verdict == "fail")
    let budget = entry.metrics[0]
    #expect(budget.metric == "ttff_ms.p75" && budget.value == 412.25 && budget.n == 1200)
    #expect(budget.lower == 405.75 && budget.upper == 418.75)
    #expect(budget.limit == "< 500 ms" && budget.bound == 500 && budget.verdict == "pass")
    // The compared metric is in no list of the hand-made result, so it has no line of its own.
    #expect(entry.metrics.count == 1)
  }

  @Test func `lines are added behind those that are there, and read again`() throws {
    try inFolder { path in
      #expect(try GateHistory.read(path) == GateHistory())
      let entries = try ["a", "b", "c"].map { try entry($0) }
      for entry in entries { try RunFolder.appendLines([entry.line], to: path) }
      #expect(try GateHistory.read(path) == GateHistory(entries: entries))
      #expect(entries.allSatisfy { !$0.line.contains("\n") })
    }
  }

  @Test func `a damaged line is named by its number, and nothing is lost`() throws {
    try inFolder { path in
      let (first, last) = (try entry("a"), try entry("b"))
      // Half a line, as a full disk leaves it.
      let half = first.line.prefix(40)
      try "\(first.line)\n\(half)".write(toFile: path, atomically: true, encoding: .utf8)
      try RunFolder.appendLines([last.line], to: path)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text == "\(first.line)\n\(half)\n\(last.line)\n")
      let history = try GateHistory.read(path)
      #expect(history.entries == [first, last])
      #expect(
        history.problems == [
          "\(path):2:1: expected a line of firstframe.gate-history 1, got something else"
        ])
      var newer = last
      newer.schema = 2
      try RunFolder.appendLines([newer.line], to: path)
      let problems = try GateHistory.read(path).problems
      #expect(problems.last?.hasSuffix("got firstframe.gate-history 2") == true, "\(problems)")
    }
  }

  @Test func `another file is refused`() throws {
    try inFolder { path in
      try "version: 1\nname: x\n".write(toFile: path, atomically: true, encoding: .utf8)
      #expect(throws: DocumentRejected.self) { try GateHistory.read(path) }
    }
  }

  @Test func `writers at the same time leave whole lines`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/history.jsonl"
    let line = String(repeating: "x", count: 50_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask { try RunFolder.appendLines(["\(number) \(line)"], to: path) }
      }
      try await group.waitForAll()
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 16)
    #expect(lines.allSatisfy { $0.hasSuffix(" \(line)") })
  }

  @Test func `a change over commits is found, and commits that come again count once`() throws {
    var past: [GateHistory.Entry] = []
    for index in 0..<20 {
      let noise = Double(index * 7 % 5)
      past.append(try entry("c\(index)", (index >= 14 ? 460 : 400) + noise))
    }
    past.insert(try entry("c3", 900), at: 3)
    var foreign = try entry("other", 1)
    foreign.scenario = "another"
    past.append(foreign)
    let shown = ReportHistory(past, try entry("now", 462))
    #expect(shown.runs.count == 21)
    #expect(shown.runs.last?.commit == "now")
    let series = shown.series[0]
    #expect(series.metric == "ttff_ms.p75" && series.bound == 500)
    let most = series.values.compactMap { $0 }.max() ?? 0
    #expect(most < 900)
    let changes: [ReportHistory.Change] = try #require(series.changes)
    #expect(changes.map { $0.run } == [14])
    #expect(changes[0].before > 399 && changes[0].before < 405)
    #expect(changes[0].after > 459 && changes[0].after < 466)
    // All three budgets share the page's error rate.
    #expect(abs(shown.level - 0.05 / 3) < 1e-12)
  }

  @Test func `the page shows the metrics over commits, and says when there are too few`() throws {
    func page(_ count: Int) throws -> String {
      let past = try (0..<count).map { try entry("c\($0)", 400 + Double($0 % 3)) }
      let history = ReportHistory(past, try entry("now", 401))
      let files = ["result.json": ResultDocument.text(try Fixture.result())]
        .merging([ReportHistory.fileName: history.text()]) { $1 }
      return try HTMLReport.text(folder: { files[$0] })
    }
    let few = try page(3)
    #expect(few.contains("Over commits") && few.contains("Too few to look for change points"))
    _ = try MarkupCheck(few)
    let many = try page(14)
    #expect(many.contains("No change point in any budgeted metric."))
    #expect(many.contains("15 runs of the gate") && many.contains("E-divisive"))
    _ = try MarkupCheck(many)
    // A run without a history says nothing of commits.
    #expect(!(try HTMLReport.text(Fixture.result()).contains("Over commits")))
  }
}
