import Foundation
import MediaUnits
import Testing

@testable import Scenario

private func problems(_ body: String, _ set: [String] = []) -> [String] {
  do {
    _ = try FeedStudy.parse(
      "version: 1\nname: test\n" + body, file: "s.yaml",
      overrides: set.map { Override(set: $0) })
    return []
  } catch {
    return error.problems.map(\.description)
  }
}

@Suite struct TableTests {
  @Test func `the table has no faults of its own`() {
    #expect(ScenarioTable.schema.faults() == [])
    for kind in World.kinds { #expect(WorldTable.schema(of: kind).faults() == []) }
  }

  @Test func `a budget for each cohort is one for every value, on the same line`() throws {
    func budgets(_ text: String) throws -> [Budget] {
      try FeedStudy.parse(
        """
        version: 1
        name: x
        network: {access: [{kind: wifi-good}, {kind: 3g, name: slow}]}
        windows: [{name: early, from: 1 s, to: 5 s}]
        budgets:
          - {metric: rebuffer_ratio, limit: "< 1 %"}
          - \(text)
        """, file: "s.yaml"
      ).budgets
    }
    let networks = try budgets(
      "{metric: ttff_ms.p95, limit: \"< 1 s\", level: soft, each: network}")
    #expect(
      networks.map(\.metric.description) == [
        "rebuffer_ratio.ratio", "ttff_ms{network=wifi-good}.p95", "ttff_ms{network=slow}.p95",
      ])
    #expect(
      networks.dropFirst().allSatisfy { $0.place.hasPrefix("s.yaml:7:") && $0.level == .soft })
    #expect(
      try budgets("{metric: \"wasted_ratio{network=slow}\", limit: \"< 1 %\", each: device}")
        .dropFirst().map(\.metric.description)
        == ["high", "mid", "low-end"].map {
          "wasted_ratio{network=slow,device=\($0)}.ratio"
        })
    #expect(
      try budgets("{metric: ttff_ms.p95, limit: \"< 1 s\", each: window}").last?.metric.description
        == "ttff_ms{window=early}.p95")
    let classes = try budgets("{metric: \"hit_ratio{tier=edge}\", limit: \"> 1 %\", each: class}")
    #expect(classes.count == 1 + MetricReference.keptClasses.count)
    #expect(classes.last?.metric.label("class") == "sprite")
  }

  @Test func `chances of look-ups add up to one at most, and a mixed feed has none`() {
    let link = "network: {access: [{kind: lte, nameFailure: {unanswered: 0.6, refused: "
    #expect(problems(link + "0.4}}]}\n").isEmpty)
    let found = problems(link + "0.5}}]}\n")
    #expect(found.count == 1)
    #expect(
      found.first?.contains(
        "network.access[0].nameFailure.refused: expected at most 1 together with unanswered")
        == true
    )
    let mixed = problems(
      "surface: {}\nnetwork: {access: [{kind: lte, roundTrip: 40 ms, nameFailure: {}}]}\n"
        + "devices: [{kind: mid, appLaunch: 1 s}]\n")
    #expect(mixed.count == 2)
    #expect(mixed.contains { $0.contains("network.access[0].nameFailure: expected the default") })
    #expect(mixed.contains { $0.contains("devices[0].appLaunch: expected the default") })
  }

  /// Covers: VF-001.
  @Test(arguments: [
    "client.gate={kind: gate}", "client.segmentErrorShare=0.1", "client.telemetry={}",
    "cdn.edges=3", "cdn.ttl.segments.maxAge=1 d", "cdn.shield=none", "cdn.start={kind: cold}",
    "policy.feed.pageSize=5",
    "policy.prefetch={kind: staged}", "policy.prefetch.itemsAhead=1",
    "policy.player={kind: media3}", "windows=[{name: a, from: 0 s, to: 1 s}]",
    "network.compare=[sabre]", "network.model=pensieve",
    "feed.ranker={}", "feed.exploration={}", "audience.backSwipe=0.5",
    "audience.crowds=[{name: a, from: 0 s, length: 9 s, factor: 2}]", "audience.warmUp=1 min",
    "catalogue.audio=96 kbps", "catalogue.packaging=dash", "catalogue.posterBytes=1 kB",
  ])
  func `a mixed feed refuses a key that it would not follow`(set: String) {
    let found = problems("surface: {}\n", [set])
    let key = String(set.prefix { $0 != "=" && $0 != "[" })
    #expect(found.count == 1, "\(found)")
    #expect(found.allSatisfy { $0.contains(key) && $0.contains("surface") && $0.contains("got") })
  }

  @Test func `a mixed feed takes what it follows, and every key at its default`() throws {
    let made = try FeedStudy.parse(
      """
      version: 1
      name: x
      surface: {}
      network:
        access: [{kind: lte, rateFactor: 2, loss: 0.2, events: [{kind: tunnel, at: 5 s}]}]
        http: 3
        congestion: bbr
      devices: [{kind: mid, decoderLimit: 3}]
      audience: {personas: [{kind: watcher}], patienceFloor: 2 s}
      policy:
        pool: {size: 4, ahead: 2}
        prefetch: {kind: head, headLength: 3 s}
        startupCap: {release: {kind: first-frame}}
        abr: {kind: fixed}
      cdn: {edge: {kind: lru, serviceTime: 4 ms}}
      client: {gate: {kind: none}}
      windows: []
      """, file: "s.yaml")
    #expect(made.configuration.surface != nil)
    let again = try FeedStudy.parse(made.resolvedText, file: "resolved.yaml")
    #expect(again.resolvedText == made.resolvedText)
  }

  /// Largest and smallest numbers of every key: whatever the table takes, a run can count with.
  @Test func `no time, size or bit rate is without a bound`() {
    var unbounded: [String] = []
    func check(_ shape: Shape, _ path: String) {
      switch shape {
      case .time(let range), .bytes(let range), .bitRate(let range):
        if range.upperBound == .max { unbounded.append(path) }
      case .integer(let range):
        let isCount = path.hasSuffix(".seed") || path.hasSuffix(".minimumSamples")
        if range.upperBound == .max && !isCount { unbounded.append(path) }
      case .optional(let inner), .list(let inner, _), .map(_, let inner, _): check(inner, path)
      case .object(let object): for field in object.fields { check(field, path) }
      case .kinds(let kinds):
        for kind in kinds {
          for field in kind.object.fields { check(field, path + "." + kind.word) }
        }
      default: break
      }
    }
    func check(_ field: Field, _ path: String) { check(field.shape, path + "." + field.name) }
    for field in ScenarioTable.schema.root.fields { check(field, "") }
    #expect(unbounded == [])
  }

  @Test(arguments: [
    "policy.prefetch.headLength", "policy.player.forwardBuffer", "audience.patienceFloor",
    "surface.visibility.bridgeDelay", "cdn.backhaulFloor", "client.retry.first",
    "catalogue.maximumDuration", "network.idleClose", "surface.visibility.thresholds.dwell",
  ])
  func `a time beyond ten years is refused`(key: String) {
    let found = problems(
      "surface: {}\nclient: {retry: {kind: backoff}}\n", ["\(key)=9223372036854775807 ns"])
    #expect(found.contains { $0.contains("\(key): expected a time") }, "\(found)")
  }

  @Test func `what becomes of an idle window is the edge's servers' to say`() throws {
    let usual = try FeedStudy.parse("version: 1\nname: x\n", file: "s.yaml")
    #expect(usual.configuration.transport.slowStartAfterIdle)
    let kept = try FeedStudy.parse(
      "version: 1\nname: x\ncdn: {edge: {kind: lru, slowStartAfterIdle: false}}\n", file: "s.yaml")
    #expect(!kept.configuration.transport.slowStartAfterIdle)
    let mixed = try FeedStudy.parse(
      "version: 1\nname: x\nsurface: {}\ncdn: {edge: {kind: lru, slowStartAfterIdle: false}}\n",
      file: "s.yaml")
    #expect(!mixed.configuration.transport.slowStartAfterIdle)
    #expect(
      problems("", ["network.slowStartAfterIdle=false"]).contains {
        $0.contains("network.slowStartAfterIdle")
      })
  }

  @Test func `defaults alone make a scenario`() throws {
    let made = try FeedStudy.parse("version: 1\nname: x\n", file: "s.yaml")
    #expect(made.networks == ["wifi-good"])
    #expect(made.devices == ["high", "mid", "low-end"])
    #expect(made.configuration.policy.prefetch.headLength == .seconds(6))
    #expect(made.configuration.policy.startupCap.rate == .kilobits(600))
    // Laws with kinks are interpolated to 1 % at worst; the result names the figure.
    #expect(made.feed.tableError < 0.01)
  }

  @Test(arguments: [
    ("polcy: {}", "s.yaml:3:1: polcy: expected a known key", "did you mean policy?"),
    ("cdn: {edge: {kind: lru, capacity: 5}}", "cdn.edge.capacity: expected a size", "got 5"),
    ("cdn: {edge: {kind: lur}}", "cdn.edge.kind: expected", "did you mean lru?"),
    ("catalogue: {posterBytes: -3 kB}", "catalogue.posterBytes: expected", "-3 kB"),
    (
      "budgets:\n  - {metric: ttff_ms.p101, limit: \"< 1 s\"}",
      "budgets[0].metric: expected a stat of ttff_ms", "ttff_ms.p101"
    ),
    (
      "budgets:\n  - {metric: rebuffer_ratio, limit: \"< 1 %\", each: class}",
      "budgets[0].each: expected a metric that has the label class", "rebuffer_ratio has not"
    ),
    (
      "budgets:\n  - {metric: \"ttff_ms{network=wifi-good}.p95\", limit: \"< 1 s\", each: network}",
      "budgets[0].each: expected a label that the metric does not name", "network"
    ),
    (
      "budgets:\n  - {metric: ttff_ms.p95, limit: \"< 1 s\", each: window}",
      "budgets[0].each: expected a scenario with a window", "window"
    ),
    (
      "budgets:\n  - {metric: ttff_ms.p95, limit: \"< 1 s\", each: netwrk}",
      "budgets[0].each: expected", "did you mean network?"
    ),
    (
      "budgets:\n  - {metric: startup_ms.mean, limit: \"< 1 s\"}",
      "budgets[0].metric: expected the label part", "first_decode"
    ),
    (
      "budgets:\n  - {metric: tff_ms.p95, limit: \"< 1 s\"}",
      "budgets[0].metric: expected a metric", "did you mean ttff_ms?"
    ),
    (
      "budgets:\n  - {metric: ttff_ms.p95, limit: \"< 1\"}", "budgets[0].limit: expected",
      "40 ms"
    ),
    (
      "budgets:\n  - {metric: \"ttff_ms{network=lte}.p95\", limit: \"< 1 s\"}",
      "expected a network of the scenario: wifi-good", "got lte"
    ),
    ("catalogue: {ladder: [600 kbps, 300 kbps]}", "catalogue.ladder[1]: expected", "above"),
    ("policy: {abr: {kind: fixed, rung: 7}}", "policy.abr.rung: expected a rung below 4", "7"),
    ("name: again", "s.yaml:3:1: name", "expected"),
    (
      "audience: {settle: {kind: normal, mean: 300 ms, sd: 200 ms}}",
      "audience.settle: expected values of at least 0", "a case for clip"
    ),
    (
      "network: {access: [{kind: lte, sessionRate: {kind: normal, mean: 5 Mbps, sd: 3 Mbps}}]}",
      "network.access[0].sessionRate: expected values above 0", "a case for clip"
    ),
    ("audience: {window: 200 d}", "audience.window: expected", "200 d"),
    (
      "budgets:\n  - {metric: \"ttff_ms{cohort=a}.p95\", limit: \"< 1 s\"}",
      "budgets[0].metric: expected a label of ttff_ms: one of network, device", "cohort"
    ),
  ])
  func `a wrong value gets one clear message`(_ body: String, _ start: String, _ part: String) {
    let found = problems(body)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(start) == true, "\(found)")
    #expect(found.first?.contains(part) == true, "\(found)")
  }

  @Test func `all problems come in one pass`() {
    let found = problems(
      "polcy: {}\ncatalogue: {titles: -1, segmentDuration: 2}\n"
        + "budgets:\n  - {metric: ttff_ms.p101, limit: \"< 1 s\"}\n"
        + "  - {metric: ttff_ms.p95, limit: \"1 s\"}\n", ["cdn.edges=none"])
    #expect(found.count == 6, "\(found)")
  }

  @Test func `--set reaches every key and says where a value came from`() throws {
    let made = try FeedStudy.parse(
      "version: 1\nname: x\n", file: "s.yaml",
      overrides: ["policy.prefetch.headLength=0 s", "policy.startupCap.rate=none"].map {
        Override(set: $0)
      })
    #expect(made.configuration.policy.prefetch.headLength == .zero)
    #expect(made.configuration.policy.startupCap.rate == nil)
    #expect(made.file.explanation.contains("--set"))
    #expect(made.file.explanation.contains("SIG-022"))
  }

  @Test(arguments: [
    ("ttff_ms_p95", "ttff_ms.p95"), ("rebuffer_ratio", "rebuffer_ratio.ratio"),
    ("hit_ratio{tier=edge, class=segment}", "hit_ratio{tier=edge,class=segment}.ratio"),
    ("ttff_ms_p95_started", "ttff_ms.p95_started"), ("upload_ms_p95", "upload_ms.p95"),
    ("feed_404_ratio", "feed_404_ratio.ratio"),
  ])
  func `a metric is read in its forms, and the schema takes them`(
    _ text: String, _ canonical: String
  ) throws {
    #expect(try MetricReference.parse(text).get().description == canonical)
    let pattern = try Regex(try #require(MetricReference.rule.pattern))
    #expect(text.contains(pattern) && canonical.contains(pattern))
  }

  @Test func `the schema takes every metric of every world, and no text without a metric`() throws {
    let pattern = try Regex(try #require(MetricReference.rule.pattern))
    for name in WorldMetric.all.keys { #expect(name.contains(pattern), "\(name)") }
    for name in FeedMetrics.names {
      #expect(name.contains(pattern), "\(name)")
    }
    for bad in ["", ".p95", "ttff_ms{.p95", "TTFF.p95", "ttff_ms.p95 "] {
      #expect(!bad.contains(pattern), "\(bad)")
    }
  }

  @Test(arguments: [
    "ttff_ms", "ttff_ms.p", "ttff_ms{network}.p95", "ttff_ms{network=a,network=b}.p95",
    "hit_ratio{network=a}", "hit_ratio{class=video}", "rebuffer_ratio.p95", "ttff_ms{.p95", "",
  ])
  func `a metric that does not exist is refused`(_ text: String) {
    #expect(throws: MetricReference.Fault.self) { try MetricReference.parse(text).get() }
  }
}
