import Foundation
import Scenario
import Testing

@testable import Reports

@Suite struct SampleNounTests {
  @Test(arguments: [
    ("ttff_ms.p95", "views"), ("hit_ratio{tier=edge,by=bytes}", "requests"),
    ("origin_offload", "requests"), ("manifest_staleness_ms.max", "manifests"),
    ("flaps_per_minute", "plays"), ("swipe_wait_ms.p95", "swipes"),
    ("events_lost_ratio", "events"), ("top_rung_ratio", "items"), ("push_bytes", "pushes"),
    ("relay_blocked_ratio", "connections"), ("refused_ratio{cohort=viewer}", "requests"),
    ("starved_ratio", "swipes"), ("lockout_ms.p95", "times"),
    ("visible_lag_ms{state=viewed}.p95", "times"),
  ])
  func `samples are called what they are`(_ metric: String, _ noun: String) throws {
    #expect(try MetricReference.parse(metric).get().sampleNoun == noun)
  }

  @Test func `reports name the samples of the metrics they have, and only those`() throws {
    #expect(["views", "requests", "views"].alternatives == "views or requests")
    #expect(["a", "b", "c"].alternatives == "a, b or c")
    #expect([String]().alternatives == "samples")
    #expect(TerminalReport.text(try Fixture.result()).contains("samples: views behind the value"))
  }

  @Test func `a description names the keys that were changed after it`() throws {
    let text = "version: 1\nname: a\ndescription: On Wi-Fi\ncatalogue: {titles: 5}\n"
    func described(_ sets: [String]) throws -> String {
      try StudyScenario.parse(text, file: "a.yaml", overrides: sets.map { Override(set: $0) })
        .description
    }
    #expect(try described([]) == "On Wi-Fi")
    #expect(try described(["seed=4"]) == "On Wi-Fi")
    #expect(
      try described(["network.access=[{kind: lte}]"]) == "On Wi-Fi (changed: network.access)")
    #expect(
      try described(["network.access[0].kind=lte", "policy.pool.size=3"])
        == "On Wi-Fi (changed: network.access, policy.pool.size)")
    #expect(try described(["policy.pool.size=3", "description=Mine"]) == "Mine")
  }

  @Test func `a variant without a description of its own says what it changed of the base's`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "brief-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws -> String {
      let path = folder.appending(path: name)
      try Data(text.utf8).write(to: path)
      return path.path
    }
    _ = try write("a.yaml", "version: 1\nname: a\ndescription: On Wi-Fi\ncatalogue: {titles: 5}\n")
    let silent = try write(
      "b.yaml", "extends: a.yaml\nname: b\nnetwork: {access: [{kind: lte}]}\n")
    #expect(try StudyScenario.load(silent).description == "On Wi-Fi (changed: network.access)")
    let own = try write(
      "c.yaml", "extends: a.yaml\ndescription: On LTE\nnetwork: {access: [{kind: lte}]}\n")
    #expect(try StudyScenario.load(own).description == "On LTE")
  }
}
