import FeedImage
import Foundation
import Scenario
import Testing

@testable import Studies

@Suite struct WhatIfControlsTests {
  private static func study(_ text: String = "") throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: controls\ncatalogue: {titles: 200}\n" + text, file: "controls.yaml")
  }

  @Test func theUsualKeysAreThere() async throws {
    let found = try await WhatIfControls.find(Self.study(), threads: 2)
    let keys = found.controls.map(\.key)
    for key in [
      "policy.pool.size", "policy.prefetch.kind", "policy.prefetch.headLength",
      "policy.startupCap.rate", "cdn.edge.capacity", "devices[0].weight",
    ] {
      #expect(keys.contains(key), "\(key)")
    }
    // One network has all of the sessions.
    #expect(!keys.contains { $0.hasPrefix("network") })
    for control in found.controls {
      #expect(control.steps.count > 1)
      #expect(control.steps.filter { $0.delta.replacements.isEmpty }.count == 1)
      #expect(control.steps[control.base].delta == .none)
      #expect(!control.words.isEmpty && control.group != "other")
    }
  }

  /// What the scenario lists comes behind the usual ones, once, with what somebody names behind it.
  /// A key that this run does not have is told and left out.
  @Test func theScenarioListsOthers() async throws {
    let study = try Self.study(
      "whatIf: [policy.abr.fraction, policy.pool.size, policy.prefetch.headLength, replications]\n"
        + "policy: {prefetch: {kind: playlists}}\n")
    let plain = try await WhatIfControls.find(
      Self.study("policy: {prefetch: {kind: playlists}}\n"), threads: 2)
    let found = try await WhatIfControls.find(
      study, named: ["policy.abr.fraction", "network.http"], threads: 2)
    #expect(
      found.controls.map(\.key)
        == plain.controls.map(\.key) + ["policy.abr.fraction", "network.http"])
    // The list itself changes nothing that is simulated.
    #expect(
      Array(found.controls.prefix(plain.controls.count)) == plain.controls)
    #expect(found.leftOut.map(\.key) == ["policy.prefetch.headLength", "replications"])
    #expect(plain.leftOut.isEmpty)
  }

  @Test func theCutOfAPricedRunStays() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    let study = try FeedStudy.parse(
      "version: 1\nname: controls\ncatalogue: {titles: 200}\n"
        + "cost: {prices: \(root)/scenarios/prices/cloudfront.yaml}\n", file: "controls.yaml",
      short: true)
    await #expect(throws: WhatIfControls.Rejected.self) {
      _ = try await WhatIfControls.find(study, named: ["short.share"], threads: 2)
    }
  }

  /// A step's delta makes of the base's image that of the scenario with the key set.
  @Test func stepsAreTheScenariosTheyName() async throws {
    let study = try Self.study()
    let image = try #require(FeedImage.bytes(of: study.configuration))
    let found = try await WhatIfControls.find(study, named: ["network.http"], threads: 2)
    for control in found.controls {
      for step in control.steps {
        let other = try StudyScenario.rebuilt(
          study.scenario, overrides: [Override(set: "\(control.key)=\(step.text)")])
        let bytes = try #require(other.feed.flatMap { FeedImage.bytes(of: $0.configuration) })
        let made = step.delta.applied(to: image)
        #expect(
          made[ImageDelta.front...] == bytes[ImageDelta.front...], "\(control.key)=\(step.text)")
      }
    }
  }

  /// Two controls that may both be moved come to what both keys do; and what does not is told.
  @Test func whatIsNotAConflictAddsUp() async throws {
    let study = try Self.study()
    let image = try #require(FeedImage.bytes(of: study.configuration))
    let found = try await WhatIfControls.find(study, threads: 2)
    let pairs = found.controls.indices.flatMap { one in
      found.controls.indices.dropFirst(one + 1).map { (one, $0) }
    }
    for (one, other) in pairs where !found.conflicts.contains(one...other) {
      let (a, b) = (found.controls[one], found.controls[other])
      guard let first = a.steps.last(where: { $0 != a.steps[a.base] }),
        let second = b.steps.first(where: { $0 != b.steps[b.base] }),
        let both = ImageDelta.merged([first.delta, second.delta])
      else { continue }
      let settings = ["\(a.key)=\(first.text)", "\(b.key)=\(second.text)"]
      let scenario = try? StudyScenario.rebuilt(
        study.scenario, overrides: settings.map { Override(set: $0) })
      let bytes = scenario?.feed.flatMap { FeedImage.bytes(of: $0.configuration) }
      #expect(
        both.applied(to: image).dropFirst(ImageDelta.front)
          .elementsEqual(bytes?.dropFirst(ImageDelta.front) ?? []), "\(settings)")
    }
    // Some families have no such key.
    let keys = found.controls.map(\.key)
    let kind = try #require(keys.firstIndex(of: "policy.prefetch.kind"))
    let head = try #require(keys.firstIndex(of: "policy.prefetch.headLength"))
    #expect(found.conflicts.contains(min(kind, head)...max(kind, head)))
  }

  @Test(arguments: [
    ("policy.pol.size", "policy.pool"), ("name", "a name of"), ("replications", "alone"),
    ("policy.prefetch", "a mapping"),
  ]) func aNamedKeyThatIsNoneSaysWhy(key: String, words: String) async throws {
    let study = try Self.study()
    await #expect {
      _ = try await WhatIfControls.find(study, named: [key], threads: 2)
    } throws: { error in
      let rejected = error as? WhatIfControls.Rejected
      return rejected?.key == key && rejected?.description.contains(words) == true
    }
  }
}
