import Foundation
import Testing

@testable import Scenario

@Suite struct EngineSchemaTests {
  @Test func `the table of the tests has no faults`() {
    #expect(Fixture.schema.faults() == [])
  }

  @Test func `faults of a table are found`() {
    let schema = Schema(
      title: "t", summary: "s",
      [
        Field("a", .time(), default: "40", "a time"),
        Field("a", .time(), default: "4 s", "a time"),
        Field("b", .integer(1...3), default: "9", "", source: ""),
        Field("extends", .kinds([Kind("x", "x"), Kind("x", "")]), default: "{kind: y}", "kinds"),
      ])
    #expect(
      schema.faults() == [
        "extends: reserved at the top",
        "default (assumed): a: expected a time such as \"40 ms\", got 40", "a: twice in the table",
        "b: no summary", "b: no source",
        "default (): b: expected a whole number from 1 to 3, got 9",
        "default (assumed): extends.kind: expected one of x, x, got y (did you mean x?)",
        "extends: kind x twice", "extends: kind x has no summary",
      ])
  }

  @Test func `all problems of a file come in one pass`() {
    let text = """
      name: 9 lives
      seed: -1
      replications: "8"
      duration: 40
      polcy: {}
      policy:
        itemsAhed: 3
        headLength: 5 MB
        cap: none
        waste: 5
        isEager: yes
        gain: 0
        mode: brust
        itemsAhead: 21
      cache: {kind: seive, capacity: -5 MB}
      network: {mix: {wifi: 1, wifi: 2}, rate: {kind: uniform, min: 2 Mbps, max: 1 Mbps}}
      budgets:
        - {metric: ttff_ms_p95}
        - 3
      sweep: {policy.itemsAhed: [1], seed: [x]}
      """
    #expect(
      Fixture.messages(text) == [
        "x.yaml:1:7: name: expected a name of letters, digits, - and _ that begins with a letter, "
          + "got 9 lives",
        "x.yaml:2:7: seed: expected a whole number of at least 0, got -1",
        "x.yaml:3:15: replications: expected a whole number from 1 to 64, got \"8\"",
        "x.yaml:4:11: duration: expected a time such as \"40 ms\", got 40",
        "x.yaml:5:1: polcy: expected one of the keys name, seed, replications, duration, policy, "
          + "cache, network, note, budgets, sweep, extends, got polcy (did you mean policy?)",
        "x.yaml:7:3: policy.itemsAhed: expected one of the keys itemsAhead, headLength, cap, "
          + "waste, "
          + "isEager, gain, mode, got itemsAhed (did you mean itemsAhead?)",
        "x.yaml:8:15: policy.headLength: expected a time such as \"40 ms\", got 5 MB, "
          + "which is a size",
        "x.yaml:10:10: policy.waste: expected a ratio from 0 to 1 or such as \"5 %\", got 5 "
          + "(did you mean \"5 %\"?)",
        "x.yaml:11:12: policy.isEager: expected true or false, got yes (did you mean true?)",
        "x.yaml:12:9: policy.gain: expected a number above 0 and at most 10, got 0",
        "x.yaml:13:9: policy.mode: expected one of steady, burst, got brust (did you mean burst?)",
        "x.yaml:14:15: policy.itemsAhead: expected a whole number from 0 to 20, got 21",
        "x.yaml:15:15: cache.kind: expected one of lru, sieve, infinite, got seive "
          + "(did you mean sieve?)",
        "x.yaml:15:32: cache.capacity: expected a size of at least 1 B, got -5 MB",
        "x.yaml:16:26: network.mix.wifi: expected this key once, got it again (first at x.yaml:16)",
        "x.yaml:16:32: network.mix.wifi: expected a ratio from 0 to 1 or such as \"5 %\", got 2 "
          + "(did you mean \"2 %\"?)",
        "x.yaml:16:76: network.rate.max: expected a max above min, got 1 Mbps",
        "x.yaml:18:5: budgets[0].limit: expected this key with a number such as 0.5, got nothing",
        "x.yaml:19:5: budgets[1]: expected a mapping with keys (metric, limit, level), got 3",
        "x.yaml:20:9: sweep.\"policy.itemsAhed\": expected a key of policy, got policy.itemsAhed "
          + "(did you mean policy.itemsAhead?)",
        "x.yaml:20:39: sweep.seed[0]: expected a whole number such as 8, got x",
      ])
  }

  @Test(
    arguments: [
      (
        "seed: 1",
        "x.yaml:1:1: name: expected this key with a name of letters, digits, - and _ "
          + "that begins with a letter, got nothing"
      ),
      ("- 1", "x.yaml:1:1: (file): expected a mapping of keys, got a list of 1"),
      (
        "name: a\npolicy:",
        "x.yaml:2:8: policy: expected a mapping with keys (itemsAhead, "
          + "headLength, cap, waste, …), got nothing"
      ),
      (
        "name: a\npolicy: {cap: 5 MB}",
        "x.yaml:2:15: policy.cap: expected a bit rate such as "
          + "\"5 Mbps\", got 5 MB, which is a size"
      ),
      (
        "name: a\npolicy: {cap: }",
        "x.yaml:2:15: policy.cap: expected a bit rate such as "
          + "\"5 Mbps\" or none, got nothing"
      ),
      (
        "name: a\nduration: 2 d",
        "x.yaml:2:11: duration: expected a time from 1 ns to 1 d, "
          + "got 2 d"
      ),
      (
        "name: a\npolicy: {headLength: -1 s}",
        "x.yaml:2:22: policy.headLength: expected a time of "
          + "at least 0 s, got -1 s"
      ),
      (
        "name: a\ncache: lru",
        "x.yaml:2:8: cache: expected a mapping with a kind (one of lru, "
          + "sieve, infinite), got lru (did you mean {kind: lru}?)"
      ),
      (
        "name: a\ncache: {kind: sieve}",
        "x.yaml:2:8: cache.capacity: expected this key with a size "
          + "of at least 1 B, got nothing"
      ),
      (
        "name: a\ncache: {kind: lru, ttl: 1 h}",
        "x.yaml:2:20: cache.ttl: expected one of the keys "
          + "kind, capacity, got ttl"
      ),
      (
        "name: a\nnetwork: {roundTrip: {median: 55 ms}}",
        "x.yaml:2:22: network.roundTrip.kind: "
          + "expected one of constant, uniform, exponential, lognormal, normal, weibull, gamma, "
          + "pareto, beta, triangular, empirical, mixture, got nothing"
      ),
      (
        "name: a\nnetwork: {roundTrip: 55}",
        "x.yaml:2:22: network.roundTrip: expected a time such "
          + "as \"40 ms\", got 55"
      ),
      (
        "name: a\nnetwork: {roundTrip: {kind: lognormal, median: 5 ms}}",
        "x.yaml:2:22: "
          + "network.roundTrip: expected one of the keys sigma, p95, got neither"
      ),
      (
        "name: a\nnetwork: {roundTrip: {kind: lognormal, median: 5 ms, sigma: 1, p95: 9 ms}}",
        "x.yaml:2:69: network.roundTrip.p95: expected one of the keys sigma, p95, got both"
      ),
      (
        "name: a\nnetwork: {roundTrip: {kind: lognormal, median: 5 ms, p95: 4 ms}}",
        "x.yaml:2:59: network.roundTrip.p95: expected a p95 above the median, got 4 ms"
      ),
      ("name: a\nextends: [b]", "x.yaml:2:10: extends: expected a file name, got a list of 1"),
    ])
  func `one problem, one line`(text: String, message: String) {
    #expect(Fixture.messages(text) == [message])
  }

  @Test(
    arguments: [
      ("5 ms", LawSpec.constant(0.005)),
      ("{kind: constant, value: 5 ms}", .constant(0.005)),
      ("{kind: uniform, min: 0, max: 1 s}", .uniform(min: 0, max: 1)),
      ("{kind: exponential, mean: 2 s}", .exponential(mean: 2)),
      ("{kind: lognormal, median: 1 s, sigma: 0.5}", .lognormal(median: 1, sigma: 0.5)),
      ("{kind: normal, mean: 1 s, sd: 100 ms}", .normal(mean: 1, sd: 0.1)),
      ("{kind: weibull, shape: 2, scale: 3 s}", .weibull(shape: 2, scale: 3)),
      ("{kind: gamma, shape: 2, scale: 3 s}", .gamma(shape: 2, scale: 3)),
      ("{kind: pareto, alpha: 1.2, min: 1 s}", .pareto(alpha: 1.2, min: 1, max: .infinity)),
      ("{kind: pareto, alpha: 1.2, min: 1 s, max: 9 s}", .pareto(alpha: 1.2, min: 1, max: 9)),
      ("{kind: beta, a: 2, b: 3, min: 0 s, max: 1 s}", .beta(a: 2, b: 3, min: 0, max: 1)),
      ("{kind: triangular, min: 0, mode: 1 s, max: 2 s}", .triangular(min: 0, mode: 1, max: 2)),
      ("{kind: empirical, values: [1 s, 2 s]}", .empirical([1, 2])),
      ("{kind: empirical, file: rtt.csv}", .empiricalFile("rtt.csv")),
      (
        "{kind: mixture, parts: [{weight: 3, law: 1 s}, {weight: 1, law: {kind: exponential, "
          + "mean: 2 s}}]}",
        .mixture([
          .init(weight: 3, law: .constant(1)), .init(weight: 1, law: .exponential(mean: 2)),
        ])
      ),
      (
        "{kind: exponential, mean: 2 s, clip: {max: 9 s}}",
        .clipped(.exponential(mean: 2), min: nil, max: 9)
      ),
    ])
  func `every law is read and written`(text: String, law: LawSpec) throws {
    let scenario = try Fixture.load("name: a\nnetwork: {roundTrip: \(text)}")
    #expect(scenario.tree.law("network.roundTrip") == law)
    #expect(try Fixture.load(scenario.resolvedText).tree == scenario.tree)
  }

  @Test func `a flood of problems is counted, not kept`() {
    let text = "name: a\n" + (0..<6_000).map { "k\($0): 1\n" }.joined()
    do throws(ScenarioRejected) {
      _ = try ScenarioFile.parse(text, file: "x.yaml", schema: Fixture.schema)
      Issue.record("accepted")
    } catch {
      #expect(error.problems.count == Problems.limit)
      #expect(error.omitted == 1_000)
      #expect(error.description.hasSuffix("\nand 1000 more problems"))
    }
  }

  @Test func `sigma from p95 puts the percentile there`() throws {
    guard
      case .lognormal(let median, let sigma) = try Fixture.load("name: a").tree.law(
        "network.roundTrip")
    else {
      Issue.record("not lognormal")
      return
    }
    // Wikipedia's and every table's 95th percentile, 1.645, to three digits.
    #expect(abs(median * exp(1.645 * sigma) - 0.180) < 0.0002)
  }

  @Test func `the builder gets typed values`() throws {
    let tree = try Fixture.load(
      """
      name: metro
      policy: {cap: 2 Mbps, isEager: true}
      cache: {kind: sieve, capacity: 1 GiB}
      network: {mix: {lte: 25 %, wifi: 0.75}}
      note: "none"
      budgets: [{metric: ttff_ms_p95, limit: 600, level: soft}]
      sweep: {policy.itemsAhead: [0, 1], cache.ttl: [1 h], "network.mix.lte": [5 %]}
      """
    ).tree
    #expect(tree.text("name") == "metro")
    #expect(tree.integer("replications") == 8)
    #expect(tree.time("policy.headLength") == 1_500_000_000)
    #expect(tree.optionalBitRate("policy.cap") == 2_000_000)
    #expect(tree.boolean("policy.isEager"))
    #expect(tree.ratio("policy.waste") == 0.05)
    #expect(tree.real("policy.gain") == 1)
    #expect(tree.word("policy.mode") == "steady")
    #expect(tree.kind("cache") == "sieve")
    #expect(tree.bytes("cache.capacity") == 1 << 30)
    #expect(tree.at("cache").time("ttl") == 86_400_000_000_000)
    #expect(tree.entries("network.mix").map(\.key) == ["lte", "wifi"])
    #expect(tree.entries("network.mix").map { $0.value.ratio() } == [0.25, 0.75])
    #expect(tree.optionalText("note") == "none")
    #expect(tree.count("budgets") == 1)
    #expect(tree.elements("budgets")[0].real("limit") == 600)
    #expect(tree.elements("budgets")[0].path.description == "budgets[0]")
    #expect(
      tree.variations("sweep").map(\.keyPath) == [
        "policy.itemsAhead", "cache.ttl", "network.mix.lte",
      ])
    #expect(tree.variations("sweep").map(\.texts) == [["0", "1"], ["\"1 h\""], ["0.05"]])
    let problem = tree.problem(at: "budgets[0].limit", expected: "a limit above 700")
    #expect(
      problem.description
        == "x.yaml:6:40: budgets[0].limit: expected a limit above 700, got 600")
  }

  @Test func `a wrong accessor stops with the path`() async {
    await #expect(processExitsWith: .failure) {
      _ = try Fixture.load("name: a").tree.time("policy.headLenght")
    }
    await #expect(processExitsWith: .failure) {
      _ = try Fixture.load("name: a").tree.bytes("policy.headLength")
    }
  }

  @Test func `the JSON schema describes every key`() throws {
    let text = Fixture.schema.jsonSchema(isShared: false)
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let schema = try #require(parsed as? [String: Any])
    #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    #expect(schema["additionalProperties"] as? Bool == false)
    let properties = try #require(schema["properties"] as? [String: [String: Any]])
    #expect(Set(properties.keys) == Set(Fixture.schema.root.fields.map(\.name) + ["extends"]))
    #expect(
      properties["replications"]?["description"] as? String
        == "how many; default 8 (contract.md 2)")
    #expect(properties["replications"]?["maximum"] as? Int == 64)
    let choices = try #require(properties["cache"]?["anyOf"] as? [[String: Any]])
    #expect(choices.count == 3)
    let definitions = try #require(schema["$defs"] as? [String: Any])
    #expect(Set(definitions.keys) == ["timeLaw", "bitRateLaw"])
    #expect(text == Fixture.schema.jsonSchema(isShared: false))
    // The pattern of a quantity is a regular expression that takes what the reader takes.
    let duration = try #require(properties["duration"]?["anyOf"] as? [[String: Any]])
    let pattern = try Regex(try #require(duration[0]["pattern"] as? String))
    for good in ["40 ms", "1.5s", "1e3 us", "0"] { #expect(good.contains(pattern)) }
    for bad in ["40", "40 MB", "ms", "", "40 ms x"] { #expect(!bad.contains(pattern)) }
  }
}
