import Foundation
import Scenario
import SlowTesting
import Testing

@testable import Reports
@testable import Studies

/// What a run folder says is what the run itself said.
@Suite struct FolderReportTests {
  private static let scenarios = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios")

  /// The files of the folder of a result, by name.
  private func folder(_ result: StudyResult) throws -> (path: String, read: (String) -> String?) {
    let parent = FileManager.default.temporaryDirectory.path + "/folder-\(UUID().uuidString)"
    let path = try RunFolder.write(
      result,
      provenance: Provenance(
        toolchain: "a compiler", build: "debug", commit: nil, arguments: [], threads: 1,
        processors: 1, start: 0, end: 1), parent: parent)
    defer { try? FileManager.default.removeItem(atPath: parent) }
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "hist" {
      files[name] = try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
    return (path, { [files] in files[$0] })
  }

  private func check(_ result: StudyResult) throws {
    let (path, read) = try folder(result)
    for (width, color) in [(100, false), (72, true)] {
      #expect(
        try TerminalReport.text(folder: path, width: width, color: color, read: read)
          == TerminalReport.text(result, width: width, color: color))
    }
    // One table writes and reads: what was read is written as it was.
    let text = try #require(read("result.json"))
    let record = try JSONDecoder().decode(RunRecord.self, from: Data(text.utf8))
    #expect(JSONLayout.text(record.json) == text)
    let notes = try #require(read(RunNotes.fileName))
    let readNotes = try JSONDecoder().decode(RunNotes.self, from: Data(notes.utf8))
    #expect(JSONLayout.text(readNotes.json) == notes)
  }

  // A feed, every other world, and feeds with what has sections of its own.
  @Test(
    arguments: SlowRun.cases(
      [
        "wifi-budget-gate", "two-cdns", "tbm-push-poll", "call-nat-timeouts", "feed-ranker-events",
        "upload-transcode-publish", "mixed-feed-scroll", "network-matrix", "pool-and-gating",
        "cdn-ttl-flash-crowd", "cdn-faults", "internet-scale",
      ], usual: 6))
  func `the report of a folder is the report of its run`(_ name: String) async throws {
    let file = Self.scenarios.appendingPathComponent("\(name).yaml").path
    let scenario = try StudyScenario.load(file, overrides: [], short: true)
    try check(
      try await Study.run(scenario, options: StudyOptions(threads: 2, fixedReplications: 2)))
  }

  @Test func `so it is of a live run and of one made by hand`() throws {
    var result = try Fixture.result()
    result.waitedBand = result.p95Band
    try check(result)
    var live = LiveFacts(target: "somewhere", edge: "a stand-in", link: "loopback")
    live.health = [.init(name: "lag", value: 2.5, unit: "ms", limit: 10, isGood: true)]
    live.latencies = [.init(name: "segment", count: 7, sent: [1, 2, 3, 4], due: [1, 2, 3.5, 4])]
    live.failures = [.init("timeout", 3)]
    live.notes = ["something to know"]
    live.reasons = ["too late"]
    live.requests = 10
    live.checked = 4
    live.lateAnswers = 2
    live.lateBytes = 5000
    result.live = live
    try check(result)
    #expect(!ResultDocument.text(result).contains("serverData"))
    live.clientData = .init(way: "query", version: 2)
    live.serverData = .init()
    result.live = live
    try check(result)
    #expect(TerminalReport.text(result).contains("no server said anything of CMSD"))
    var hop = LiveFacts.ServerData.Hop(name: "edge <1>")
    hop.answers = 9
    hop.throughputKbps = [1, 2500, 3]
    hop.suggestedKbps = 800
    live.serverData?.answers = 9
    live.serverData?.hops = [hop]
    live.serverData?.compared = 4
    live.serverData?.estimatedKbps = [1, 2, 3]
    live.serverData?.measuredKbps = [2, 4, 6]
    live.serverData?.estimatedByMeasured = [0.25, 0.5, 0.75]
    live.serverData?.suggested = 3
    live.serverData?.exceeded = 2
    live.serverData?.malformed = 1
    live.serverData?.examples = ["CMSD-Static br: expected a whole number, got x"]
    result.live = live
    try check(result)
    let told = TerminalReport.text(result)
    #expect(told.contains("CMCD version 2 in queries of 0 requests"))
    #expect(told.contains("2 of 3 segments were asked for above the bit rate"))
    #expect(told.contains("0.25, 0.50, 0.75") && told.contains("edge <1>"))
    #expect(told.contains("2500") || told.contains("2,500"))
    #expect(TerminalReport.text(result).contains("2 pieces of answers came when nobody waited"))
  }

  @Test func `every heading of the page has a section, and every section has a place`() {
    for heading in PageHeading.allCases {
      #expect(ReportSection.all.contains { $0.heading == heading }, "\(heading)")
    }
    let record = RunRecord()
    for (index, section) in ReportSection.all.enumerated() {
      #expect(section.heading != nil || !section.title(record).isEmpty, "section \(index)")
    }
  }

  @Test func `a folder of before there were notes has commands of its own`() throws {
    var result = try Fixture.result()
    result.waitedBand = result.p95Band
    let (_, read) = try folder(result)
    let text = try TerminalReport.text(folder: "there") { $0 == RunNotes.fileName ? nil : read($0) }
    #expect(text.contains("firstframe trace there/scenario.resolved.yaml"))
    #expect(!text.contains("some/folder/hand.yaml"))
    let first = text.split(separator: "\n").first.map(String.init)
    #expect(first == TerminalReport.identityLine(result))
  }

  @Test func `results from before a member was there read as its default`() throws {
    let text = ResultDocument.text(try Fixture.result())
    func read(_ change: (inout [String: Any]) -> Void) throws -> RunRecord {
      var members = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      change(&members)
      return try JSONDecoder().decode(
        RunRecord.self, from: JSONSerialization.data(withJSONObject: members))
    }
    let later = ["fetches", "origin", "windows", "load", "republish", "surface", "cost", "live"]
    let record = try read { members in for name in later { members[name] = nil } }
    #expect(record.load.isEmpty && record.origin["errors"] == 0 && record.cost == nil)
    for name in ["tiers", "counters", "views"] {
      #expect(throws: DecodingError.self) { try read { $0[name] = nil } }
    }
    // A later version's counters keep their names.
    let more = try read { members in
      var counters = members["counters"] as? [String: Any] ?? [:]
      counters["brandNew"] = 7
      members["counters"] = counters
    }
    #expect(more.counters["brandNew"] == 7)
  }
}
