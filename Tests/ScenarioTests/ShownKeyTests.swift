import Foundation
import Testing

@testable import Scenario

/// Keys that say what is shown of a run, and are no part of what is run.
@Suite struct ShownKeyTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private static func scenario(_ text: String) throws -> StudyScenario {
    try StudyScenario.parse("version: 1\nname: shown\n" + text, file: "x.yaml")
  }

  /// As the baselines have them that were written before there was such a key.
  @Test(arguments: [
    ("wifi-budget-gate", "8842102a"), ("cdn-ttl-flash-crowd", "f2ff2f96"),
    ("network-matrix", "43bdb31e"), ("pool-and-gating", "efde92b5"),
  ]) func `a digest is what it was, with and without it`(name: String, digest: String) throws {
    let path = "\(Self.root)/scenarios/\(name).yaml"
    #expect(try StudyScenario.load(path).digest == digest)
    let given = try StudyScenario.load(
      path, overrides: [Override(set: "whatIf=[policy.abr.fraction, policy.pool.size]")])
    #expect(given.digest == digest)
    #expect(given.whatIf == ["policy.abr.fraction", "policy.pool.size"])
  }

  @Test func `what is written has it where it was given, and is read again`() throws {
    let plain = try Self.scenario("")
    let given = try Self.scenario("whatIf: [policy.abr.fraction, network.http]\n")
    #expect(plain.writtenText == plain.resolvedText)
    #expect(given.resolvedText == plain.resolvedText && given.digest == plain.digest)
    #expect(
      given.writtenText
        == plain.resolvedText + "whatIf:\n  - \"policy.abr.fraction\"\n  - \"network.http\"\n")
    let again = try StudyScenario.parse(given.writtenText, file: "x.yaml")
    #expect(again.file.tree == given.file.tree && again.whatIf == given.whatIf)
    #expect(again.digest == given.digest)
    #expect(plain.file.explanation.contains("whatIf"))
    #expect(ScenarioTable.schema.keys().contains { $0.path == "whatIf" })
  }

  @Test func `it is no change, and whoever has it is described as before`() throws {
    let plain = try Self.scenario("description: a feed\n")
    let given = try StudyScenario.rebuilt(
      plain, overrides: [Override(set: "whatIf=[network.http]")])
    #expect(ConfigurationChange.between(plain.file.tree, given.file.tree).isEmpty)
    #expect(given.description == "a feed")
    let member = try ScenarioFamily(given).member([Override(set: "policy.pool.size=2")])
    let other = try StudyScenario.rebuilt(plain, overrides: [Override(set: "policy.pool.size=2")])
    #expect(member.resolvedText == other.resolvedText)
    #expect(member.digest == other.digest && member.whatIf == ["network.http"])
  }

  @Test(arguments: [
    (
      "policy.pol.size",
      "whatIf[0]: expected a key of policy, got \"policy.pol.size\" (did you mean policy.pool?)"
    ),
    (
      "policy.pool.sizes",
      "whatIf[0]: expected a key of policy.pool, got \"policy.pool.sizes\" "
        + "(did you mean policy.pool.size?)"
    ),
    ("policy..size", "whatIf[0]: expected a key path such as policy.prefetch.itemsAhead"),
    ("devices.weight", "whatIf[0]: expected no key below devices"),
    ("policy[0]", "whatIf[0]: expected a list at policy"),
    ("policy.prefetch", "whatIf[0]: expected a key without others below it"),
    ("policy.pool.size.x", "whatIf[0]: expected no key below policy.pool.size"),
  ]) func `what is no key is refused at its place`(key: String, words: String) throws {
    let error = #expect(throws: ScenarioRejected.self) {
      try Self.scenario("whatIf: [\"\(key)\"]\n")
    }
    #expect(error?.description.contains("x.yaml:3:10: \(words)") == true, "\(error as Any)")
  }

  /// The kind may be another one in the run.
  @Test(arguments: [
    "policy.prefetch.kind", "policy.prefetch.headLength", "devices[0].weight",
    "cdn.ttl.segments.maxAge", "audience.patience.mean",
  ]) func `a key of any kind will do`(key: String) throws {
    #expect(try Self.scenario("whatIf: [\"\(key)\"]\n").whatIf == [key])
  }

  @Test func `a kind without the key leaves it be`() throws {
    let scenario = try Self.scenario("whatIf: [policy.prefetch.headLength]\n")
    let family = ScenarioFamily(scenario)
    let kinds = ScenarioTable.prefetchFamilies.kinds.filter { kind in
      kind.object.fields.allSatisfy { $0.preset != .required }
    }
    #expect(kinds.contains { $0.object.field("headLength") == nil })
    for kind in kinds {
      #expect(throws: Never.self) {
        try family.member([Override(set: "policy.prefetch.kind=\(kind.word)")])
      }
    }
  }
}
