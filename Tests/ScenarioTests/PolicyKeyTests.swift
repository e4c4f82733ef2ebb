import Testing

@testable import Scenario

/// Which keys are the app's, and their form for others.
@Suite struct PolicyKeyTests {
  private static func study(_ body: String, _ changes: [String] = []) throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: keys\n" + body, file: "keys.yaml",
      overrides: changes.map { Override(set: $0) })
  }

  @Test func `every key of the app's parts of the table is said to be a policy or not`() throws {
    let keys = try #require(WorldKeys.named(WorldKeys.feed)).keys.map(\.path)
    let ours = keys.filter { path in
      PolicyKeys.tops.contains { path.hasPrefix($0 + ".") }
        // What has keys below it is no value of its own.
        && !keys.contains { $0.hasPrefix(path + ".") || $0.hasPrefix(path + "[") }
    }
    #expect(ours.count > 150)
    for path in ours {
      #expect(PolicyKeys.isPolicy(path) != nil, "\(path) is in no part of PolicyKeys")
    }
    #expect(PolicyKeys.isPolicy("policy.another") == nil)
    #expect(PolicyKeys.isPolicy("client.end.kind") == true)
    #expect(PolicyKeys.isPolicy("client.end.gap") == false)
    #expect(PolicyKeys.isPolicy("client.pauses[].share") == false)
  }

  @Test func `keys have their values as numbers with units, and what they mean`() throws {
    let keys = PolicyKeys.of(
      try Self.study("", ["policy.startupCap.rate=none", "policy.player.startThreshold=1500 us"])
        .file.tree)
    func key(_ path: String) throws -> PolicyKey { try #require(keys.first { $0.path == path }) }
    #expect(try key("policy.prefetch.headLength").value == .integer(6000))
    #expect(try key("policy.prefetch.headLength").unit == "ms")
    #expect(try key("policy.player.startThreshold").value == .number(1.5))
    #expect(try key("policy.initialEstimate").value == .integer(4_300_000))
    #expect(try key("policy.initialEstimate").unit == "bps")
    #expect(try key("policy.startupCap.rate").value == .null)
    #expect(try key("policy.prefetch.kind").value == .string("head"))
    #expect(try key("policy.prefetch.suspendOnStall").value == .boolean(false))
    #expect(try key("policy.prefetch.kind").meaning.hasPrefix("Prefetch: Some seconds"))
    #expect(!keys.contains { $0.path.hasPrefix("surface") })
    #expect(Set(keys.map(\.path)).count == keys.count)
  }

  @Test(arguments: [
    "", "policy: {prefetch: {kind: hazard, headLength: 10 s}, abr: {kind: bola}}",
    "policy: {player: {kind: media3, minimumBuffer: 30 s}, startupCap: {rate: none}}",
    """
    client:
      gate: {kind: gate, attempts: none}
      proximity: {near: {buffer: 3 s}, adaptation: {kind: throughput}}
      end: {kind: preview, length: 2500 ms}
      retry: {kind: backoff, retries: 5}
      telemetry: {flush: {kind: window, length: 1 s}, latency: 7 ms}
      offline: {endsAtHole: true, horizon: 5}
      crashShare: 1 %
    """,
  ])
  func `laid over a plain scenario the overlay makes the same policy`(body: String) throws {
    let keys = PolicyKeys.of(try Self.study(body).file.tree)
    guard case .object(let members) = PolicyKeys.overlay(keys) else {
      Issue.record("expected a mapping")
      return
    }
    let text = members.map { "\($0.name): \($0.value.text(indent: 0))\n" }.joined()
    let again = PolicyKeys.of(try Self.study(text).file.tree)
    #expect(again == keys)
    let usual = PolicyKeys.of(try Self.study("").file.tree)
    #expect(body.isEmpty || again != usual)
  }

  @Test func `what the world does to the app stays as it is under an overlay`() throws {
    let text = "client: {telemetry: {latency: 7 ms, queueLimit: 9}, crashShare: 1 %}"
    let tree = try Self.study(text).file.tree
    let keys = PolicyKeys.of(tree)
    #expect(keys.contains { $0.path == "client.telemetry.queueLimit" })
    #expect(!keys.contains { $0.path == "client.crashShare" })
    #expect(!keys.contains { $0.path.hasPrefix("client.telemetry.latency") })
  }
}
