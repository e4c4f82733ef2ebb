import Foundation
import Testing

@testable import Scenario

/// Keys that were not there from the beginning: a scenario that says nothing of them is what it was
/// before, with its digest (``Field/isSaidAtDefault``).
@Suite struct SilentKeyTests {
  private static func scenario(_ text: String) throws -> StudyScenario {
    try StudyScenario.parse("version: 1\nname: silent\n" + text, file: "x.yaml")
  }

  private static let rules = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/policies/rules.py").path

  /// One that starts: another test may have admitted processes.
  private static let process = "{kind: external, command: [python3, \"\(rules)\"]}"

  @Test func `at its default it is no part of the text, and is explained`() throws {
    let plain = try Self.scenario("")
    let given = try Self.scenario("policy: {pool: {victim: {kind: farthest}}}\n")
    #expect(!plain.resolvedText.contains("victim"))
    #expect(given.resolvedText == plain.resolvedText && given.digest == plain.digest)
    #expect(ConfigurationChange.between(plain.file.tree, given.file.tree).isEmpty)
    #expect(plain.file.explanation.contains("policy.pool.victim.kind"))
    #expect(ScenarioTable.schema.keys().contains { $0.path == "policy.pool.victim" })
  }

  @Test func `with another value it is, and is read again`() throws {
    let plain = try Self.scenario("")
    let given = try Self.scenario("policy: {pool: {victim: \(Self.process)}}\n")
    #expect(given.resolvedText.contains("    victim:\n      kind: external\n"))
    #expect(given.digest != plain.digest)
    let again = try StudyScenario.parse(given.writtenText, file: "x.yaml")
    #expect(again.file.tree == given.file.tree && again.digest == given.digest)
    let changes = ConfigurationChange.between(plain.file.tree, given.file.tree)
    #expect(changes.map(\.key) == ["policy.pool.victim"])
    #expect(changes.first?.before == "{kind: farthest}")
  }

  @Test func `a scenario that is varied has it as one that says so`() throws {
    let plain = try Self.scenario("")
    let override = Override(set: "policy.pool.victim=\(Self.process)")
    let member = try ScenarioFamily(plain).member([override])
    let other = try StudyScenario.rebuilt(plain, overrides: [override])
    #expect(member.resolvedText == other.resolvedText && member.digest == other.digest)
    let back = try StudyScenario.rebuilt(
      other, overrides: [Override(set: "policy.pool.victim={kind: farthest}")])
    #expect(back.resolvedText == plain.resolvedText && back.digest == plain.digest)
  }
}
