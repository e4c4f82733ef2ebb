import Foundation
import SlowTesting
import Testing

@testable import Scenario

/// What shares its reading with others is what it is by itself.
@Suite struct ScenarioFamilyTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func path(_ name: String) -> String {
    root.appendingPathComponent("scenarios/\(name).yaml").path
  }

  private func text(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  /// A member and the same scenario built by itself: all that is written of them, where everything
  /// came from, and the plan.
  private func expectAlike(
    _ family: ScenarioFamily, _ base: StudyScenario, _ set: [(String, String)]
  ) {
    let overrides = set.map { Override(option: "sweep", keyPath: $0.0, value: $0.1) }
    let alone = Result { () throws(ScenarioRejected) in
      try StudyScenario.rebuilt(base, overrides: overrides)
    }
    let member = Result { () throws(ScenarioRejected) in try family.member(overrides) }
    switch (alone, member) {
    case (.success(let alone), .success(let member)):
      #expect(member.resolvedText == alone.resolvedText, "\(set)")
      #expect(member.file.explanation == alone.file.explanation, "\(set)")
      #expect(member.file.files == alone.file.files)
      #expect(member.overrides == alone.overrides && member.digest == alone.digest)
      #expect(member.description == alone.description && member.seed == alone.seed)
      #expect(member.sweep == alone.sweep && member.inputs == alone.inputs)
      // The plan follows from the tree, and takes half a second to be written out.
      if set.count == 1, set[0].0 == "seed" { #expect(text(member.plan) == text(alone.plan)) }
    case (.failure(let alone), .failure(let member)):
      #expect(member.description == alone.description, "\(set)")
    default: Issue.record("\(set): alone \(alone), as a member \(member)")
    }
  }

  @Test(
    arguments: SlowRun.cases(
      ["mixed-feed-scroll", "two-cdns", "wifi-budget-gate", "prefetch-frontier"], usual: 2))
  func `a feed of a family is the feed by itself`(_ name: String) throws {
    let base = try StudyScenario.load(
      Self.path(name),
      overrides: [
        Override(
          option: "--vary", keyPath: "sweep.vary",
          value: "{policy.pool.size: [1, 2], \"network.access[0].weight\": [1, 2], "
            + "\"policy.prefetch.itemsAhead\": [1, 2]}"),
        Override(option: "--vary", keyPath: "sweep.within", value: "[]"),
      ], short: true)
    let family = ScenarioFamily(base)
    for set in [
      [], [("policy.pool.size", "3")], [("policy.pool.size", "0")], [("policy.pool.sise", "3")],
      [("seed", "77")], [("name", "other")], [("catalogue.titles", "300")],
      [("policy.prefetch.itemsAhead", "2"), ("feed.latency", "40 ms")],
      [("network.access[0].weight", "3")], [("network.access[9].weight", "3")],
      [("network.access", "[{kind: lte}]")], [("network.access[0].kind", "lte")],
      // What stands where a sweep's keys lead to changes, so that its values may mean another
      // thing, or nothing.
      [("policy.prefetch", "{kind: dashlet}")], [("policy.prefetch.kind", "none")],
      [("policy.abr", "{kind: bola}")],
      [("policy.abr", "{kind: bola}"), ("policy.abr.target", "9 s")],
      [("sweep.vary", "{policy.pool.size: [1]}")], [("sweep.vary", "{policy.nothing: [1]}")],
      [("budgets", "[]")], [("budgets", "[{metric: nothing.p95, limit: \"< 1 s\"}]")],
      [("audience.window", "30 s"), ("audience.window", "20 s")], [("extends", "x.yaml")],
      [("world", "messages")], [("cdn", "none")], [("", "3")], [("policy.pool.size", "[")],
    ] as [[(String, String)]] {
      expectAlike(family, base, set)
    }
  }

  @Test(arguments: [
    ("tbm-push-poll", "messages"), ("call-presence-contention", "calls"),
    ("upload-transcode-publish", "pipeline"),
  ])
  func `a member of another world is the scenario by itself`(_ name: String, world: String) throws {
    let base = try StudyScenario.load(Self.path(name))
    let family = ScenarioFamily(base)
    for set in [
      [], [("seed", "4")], [("\(world).nothing", "1")], [("replications", "3")],
      [("short.share", "0.2")], [("world", "calls")], [("world", "nothing")],
    ] as [[(String, String)]] {
      expectAlike(family, base, set)
    }
  }

  @Test func `a family of a file that is gone says so like a scenario by itself`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("s.yaml")
    try Data("version: 1\nname: s\n".utf8).write(to: file)
    let base = try StudyScenario.load(file.path)
    try FileManager.default.removeItem(at: file)
    let family = ScenarioFamily(base)
    #expect(throws: ScenarioRejected.self) { try family.member([]) }
    // One that has read it needs it no more.
    try Data("version: 1\nname: s\n".utf8).write(to: file)
    let other = ScenarioFamily(base)
    try FileManager.default.removeItem(at: file)
    #expect(try other.member([]).resolvedText == base.resolvedText)
  }
}
