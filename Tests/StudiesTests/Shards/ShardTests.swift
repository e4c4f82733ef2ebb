import Foundation
import Models
import Scenario
import SimulationKernel
import Testing

@testable import Studies

/// Replications that are kept, and studies that are put together from them.
@Suite struct ShardTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  private func scenario(_ name: String, _ set: [String] = []) throws -> StudyScenario {
    try StudyScenario.load(
      ShardTests.root.appendingPathComponent("scenarios/\(name).yaml").path,
      overrides: set.map { Override(set: $0) }, short: true)
  }

  /// A feed of some hundred views, in a file, since a plan names one.
  private func small(_ folder: String, replications: Int) throws -> StudyScenario {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = folder + "/small.yaml"
    try Data(
      """
      version: 1
      name: small
      replications: \(replications)
      network: {compare: [sabre]}
      audience:
        viewsPerDayPerEdge: 700000
        window: 30 s
        crowds: [{name: burst, from: 5 s, length: 10 s, factor: 4}]
      catalogue: {titles: 500}
      cdn: {edges: 3}
      budgets:
        - {metric: "ttff_ms{window=burst}.p95", limit: "< 9 s", minimumSamples: 10}

      """.utf8
    ).write(to: URL(fileURLWithPath: file))
    return try StudyScenario.load(file)
  }

  private func store(
    _ folder: String, build: String = "a", _ builds: ShardStore.Builds = .any,
    isClosed: Bool = false
  ) -> ShardStore {
    ShardStore(
      folder: folder, origin: ShardOrigin(build: build, machine: "here"), builds: builds,
      isClosed: isClosed)
  }

  private func text(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  /// Every field, private ones included: `dump` shows all of them.
  @Test(arguments: [
    ("", []), ("two-cdns", ["audience.window=20 s"]),
    ("mixed-feed-scroll", ["audience.window=20 s"]), ("tbm-push-poll", []),
  ])
  func `a replication's digest comes back from its words`(
    _ name: String, _ set: [String]
  ) async throws {
    try await inFolder { folder in
      let scenario = try name.isEmpty ? small(folder, replications: 2) : scenario(name, set)
      let metrics = scenario.budgets.map(\.metric) + Study.standardMetrics(scenario)
      for mostRows in name.isEmpty ? [ReplicationRunner.mostRows, 0] : [0] {
        var request = ReplicationRequest(seed: 5, metrics: metrics, lateLimit: .milliseconds(200))
        request.mostRows = mostRows
        let digest = try #require(try ReplicationRunner(scenario.plan, request).digest(1))
        #expect(
          name != ""
            || (digest.isFolded == (mostRows == 0) && digest.peakLoad != nil
              && digest.series != nil)
        )
        let words = digest.words
        let back = try #require(ReplicationDigest(words: words))
        #expect(text(back) == text(digest))
        #expect(back.words == words)
        for length in [0, 1, words.count / 2, words.count - 1] {
          #expect(ReplicationDigest(words: Array(words.prefix(length))) == nil)
        }
        #expect(ReplicationDigest(words: words + [0]) == nil)
      }
    }
  }

  @Test func `a run of kept replications is the run, and one of none says what it asks for`()
    async throws
  {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 3)
      let whole = try await Study.run(scenario, options: StudyOptions(threads: 2))
      var options = StudyOptions(threads: 1, shards: store(folder, isClosed: true))
      let wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      #expect(wanted.map(\.replication) == [0, 1, 2], "those of the peer's network come next")
      options.shards = store(folder, build: "b")
      let kept = try await Study.run(scenario, options: options)
      options.shards = store(folder, isClosed: true)
      let merged = try await Study.run(scenario, options: options)
      for result in [kept, merged] {
        #expect(result.fingerprint == whole.fingerprint)
        #expect(result.metrics == whole.metrics && result.budgets == whole.budgets)
        #expect(result.late == whole.late && result.histograms == whole.histograms)
        #expect(result.records == whole.records)
        #expect(result.comparisons.count == 1)
      }
      options.shards = store(folder, .own, isClosed: true)
      let others = try await missing { _ = try await Study.run(scenario, options: options) }
      #expect(others.count == 3, "another build's replications are not taken")
    }
  }

  private func missing(_ body: () async throws -> Void) async throws -> [WantedReplication] {
    do {
      try await body()
      Issue.record("expected that something is missing")
      return []
    } catch let error as ReplicationsMissing {
      return error.wanted
    }
  }

  @Test func `a plan has each replication once, in shards of the time that was asked for`()
    async throws
  {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 7)
      let options = StudyOptions(shards: store(folder, .nobody, isClosed: true))
      let wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      var plan = ShardPlan(command: ["run", "x.yaml"])
      plan.add(wanted, target: 10, most: 64) { _ in 4 }
      #expect(plan.shards.map(\.replications) == [0..<2, 2..<4, 4..<6, 6..<7])
      #expect(plan.shards.map(\.wave) == [1, 1, 1, 1])
      #expect(plan.cpuSeconds(plan.shards[0]) == 8)
      #expect(plan.add(wanted, target: 10, most: 64) { _ in 4 }.isEmpty)
      let all = plan.shards.flatMap(\.replications)
      #expect(all == Array(0..<7))
      let path = folder + "/plan.json"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data(try plan.text().utf8).write(to: URL(fileURLWithPath: path))
      #expect(try ShardPlan.load(path) == plan.signedForTests())
      let edited = try plan.text().replacing("\"count\" : 2", with: "\"count\" : 3")
      try Data(edited.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: DocumentRejected.self) { try ShardPlan.load(path) }
    }
  }

  @Test func `shards are done, done once, done again when damaged, and audited`() async throws {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 2)
      let options = StudyOptions(shards: store(folder, .nobody, isClosed: true))
      let wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      var plan = ShardPlan(command: ["run", scenario.file.path])
      plan.add(wanted, target: 1, most: 64) { _ in 4 }
      let work = ShardWork(plan, path: "plan.json", store: store(folder))
      let (pilots, stop) = (Pilots(), StopRequest())
      #expect(work.state(plan.shards[0]) == .open)
      for shard in plan.shards {
        #expect(try work.run(shard, threads: 1, pilots: pilots, stop: stop) == 1)
        #expect(try work.run(shard, threads: 1, pilots: pilots, stop: stop) == 0)
        #expect(work.state(shard) == .finished)
        #expect(try work.audit(shard, threads: 2, pilots: pilots, stop: stop).isEmpty)
      }
      let first = plan.shards[0]
      let name = "\(plan.key(first))-0"
      let path = "\(folder)/\(name.prefix(2))/\(name).shard"
      var data = try Data(contentsOf: URL(fileURLWithPath: path))
      data[data.count - 40] ^= 4
      try data.write(to: URL(fileURLWithPath: path))
      #expect(work.state(first) == .damaged)
      #expect(try work.run(first, threads: 1, pilots: pilots, stop: stop) == 1)
      #expect(work.state(first) == .finished)
      // What a patched model would have left: whole, and not what is found here.
      guard case .file(var file) = store(folder).found(name) else { return }
      let words = try #require(PackedWords.words(of: file.content))
      file.content = PackedWords.bytes(of: words.dropLast() + [words[words.count - 1] + 1])
      file.origin.machine = "elsewhere"
      try file.data(name: name).write(to: URL(fileURLWithPath: path))
      let found = try work.audit(first, threads: 1, pilots: pilots, stop: stop)
      #expect(found.map(\.origin.machine) == ["elsewhere"] && found.map(\.replication) == [0])
      stop.stop()
      #expect(throws: StudyStopped.self) {
        try work.audit(first, threads: 1, pilots: pilots, stop: stop)
      }
    }
  }

  @Test func `a scenario that was changed after the plan is refused`() async throws {
    try await inFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let file = folder + "/s.yaml"
      func write(_ titles: Int) throws {
        try Data(
          "version: 1\nname: s\naudience: {window: 20 s}\ncatalogue: {titles: \(titles)}\n".utf8
        ).write(to: URL(fileURLWithPath: file))
      }
      try write(500)
      let scenario = try StudyScenario.load(file)
      let options = StudyOptions(
        fixedReplications: 1, shards: store(folder, .nobody, isClosed: true))
      let wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      var plan = ShardPlan(command: ["run", file])
      plan.add(wanted, target: 1, most: 64) { _ in nil }
      #expect(try plan.subject(plan.shards[0], path: "p").key == wanted[0].subject.key)
      try write(501)
      #expect(throws: DocumentRejected.self) {
        try plan.subject(plan.shards[0], path: "p")
      }
    }
  }

  @Test func `a seed, a metric, a key or ties more make another subject`() throws {
    let scenario = try SmallScenario.make()
    let metrics = MetricReference.headline
    func key(
      _ scenario: StudyScenario, seed: UInt64 = 1, _ metrics: [MetricReference],
      _ kind: ShardSubject.Kind = .record, ties: UInt64? = nil, network: NetworkModel? = nil
    ) -> String {
      ShardSubject(
        scenario, seed: seed, metrics: metrics, kind: kind, shuffleTies: ties, network: network
      ).key
    }
    let keys = [
      key(scenario, metrics), key(scenario, seed: 2, metrics),
      key(scenario, Array(metrics.dropLast())), key(scenario, metrics, .digest),
      key(scenario, metrics, ties: 1), key(scenario, metrics, network: .sabre),
      key(try SmallScenario.make(["policy.pool.size=1"]), metrics),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(key(try SmallScenario.make(), metrics) == keys[0])
    #expect(keys[0].count == 64)
  }
}

extension ShardPlan {
  /// As it is read back.
  fileprivate func signedForTests() throws -> ShardPlan {
    try JSONDecoder().decode(ShardPlan.self, from: Data(try text().utf8))
  }
}
