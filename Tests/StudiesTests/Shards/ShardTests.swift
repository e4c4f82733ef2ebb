import Foundation
import Models
import Scenario
import SimulationKernel
import SlowTesting
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
  @Test(
    arguments: SlowRun.cases(
      [
        ("", []), ("tbm-push-poll", []), ("two-cdns", ["audience.window=20 s"]),
        ("mixed-feed-scroll", ["audience.window=20 s"]),
      ], usual: 2))
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
      try Data(plan.text().utf8).write(to: URL(fileURLWithPath: path))
      #expect(try ShardPlan.load(path) == plan.signedForTests())
      let edited = plan.text().replacing("\"count\" : 2", with: "\"count\" : 3")
      try Data(edited.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: DocumentRejected.self) { try ShardPlan.load(path) }
    }
  }

  @Test func `a plan's text is what Foundation writes of it`() async throws {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 3)
      let options = StudyOptions(shards: store(folder, .nobody, isClosed: true))
      var wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      let set = try StudyScenario.load(
        scenario.file.path,
        overrides: [
          Override(option: "--set", keyPath: "description", value: "\"a\\ \tb/ö\u{2028}👩‍💻\r\n\"")
        ])
      for subject in [
        ShardSubject(
          set, seed: 3, metrics: [], kind: .record, shuffleTies: 7, network: .sabre,
          isPlanned: true),
        ShardSubject(search: "calls/grace", nil, seeds: 5..<2_006),
      ] {
        wanted.append(WantedReplication(subject: subject, replication: 1))
      }
      for (place, seconds) in [1.0, 0.082_345, 1e-7, 3e20].enumerated() {
        var plan = ShardPlan(command: place == 0 ? [] : ["run", "x \"y\"", "/z"])
        plan.add(place == 0 ? [] : wanted, target: 10, most: 64) {
          $0.kind == .seeds ? nil : seconds
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        var writer = PlanWriter()
        writer.add(plan)
        #expect(
          String(decoding: writer.bytes, as: UTF8.self)
            == String(
              decoding: try encoder.encode(plan), as: UTF8.self))
        let path = folder + "/plan.json"
        try Data(plan.text().utf8).write(to: URL(fileURLWithPath: path))
        #expect(try ShardPlan.load(path).text() == plan.text())
      }
    }
  }

  @Test func `a sweep of many points asks for the same as one of few`() async throws {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 2)
      let sizes = (0..<3).map { "\($0 + 1)" }
      let lengths = (0..<90).map { "\($0 + 1) s" }
      func sweep(_ store: ShardStore?) throws -> Sweep {
        let varied = try StudyScenario.load(
          scenario.file.path,
          overrides: [
            Override(
              option: "--vary", keyPath: "sweep.vary",
              value: "{policy.pool.size: [\(sizes.joined(separator: ", "))], "
                + "policy.prefetch.headLength: [\(lengths.joined(separator: ", "))]}"),
            Override(option: "--replications", keyPath: "sweep.replications", value: "2"),
          ])
        return try Sweep(varied, plan: varied.sweep, threads: 1, store: store)
      }
      let closed = store(folder, .nobody, isClosed: true)
      let many = try sweep(closed)
      #expect(many.study.variants.count == 270 && Sweep.mostHeld < 270)
      let wanted = try await missing { _ = try await many.run() }
      #expect(wanted.count == 540)
      for point in [0, 100, 269] {
        let variant = many.study.variants[point]
        let overrides = variant.settings.map {
          Override(option: "sweep", keyPath: $0.key, value: $0.value)
        }
        let alone = try StudyScenario.rebuilt(many.scenario, overrides: overrides)
        let subject = ShardSubject(
          alone, seed: alone.seed, metrics: many.metrics, kind: .record, isPlanned: true)
        #expect(wanted[2 * point + 1].subject.key == subject.key)
        #expect(wanted[2 * point + 1].subject.memoryBytes == subject.memoryBytes)
        #expect(variant.scenario.resolvedText == alone.resolvedText)
      }
      // What is asked for again has its estimate, too.
      let again = try await missing {
        _ = try await sweep(store(folder, isClosed: true)).run()
      }
      #expect(again.map(\.subject.key) == wanted.map(\.subject.key))
      #expect(again.map(\.subject.memoryBytes) == wanted.map(\.subject.memoryBytes))
      var plan = many.plan
      plan.metrics = [try MetricReference.parse("ttff_ms{network=mars}.p95").get()]
      let faulty = try Sweep(many.scenario, plan: plan, threads: 1, store: closed)
      await #expect(throws: SweepDesign.Rejected.self) { _ = try await faulty.run() }
    }
  }

  @Test func `a search's blocks fold to the search, and its words are its own`() async throws {
    try await inFolder { folder in
      let seeds: Range<UInt64> = 7..<2_500
      let alone = FuzzSearch(seeds: seeds, shrinks: false, commit: "none") { false }
      let name = "messaging/literal"
      let whole = try #require(try FuzzCatalogue.visit(name, alone))
      let closed = store(folder, .nobody, isClosed: true)
      func kept(_ store: ShardStore) -> FuzzSearch {
        FuzzSearch(
          seeds: seeds, shrinks: false, commit: "none",
          kept: FuzzShards(store, search: name, nil, seeds: seeds)
        ) { true }
      }
      let wanted = try await missing { _ = try FuzzCatalogue.visit(name, kept(closed)) }
      #expect(wanted.map(\.replication) == [0, 1, 2])
      #expect(
        wanted.map { $0.subject.block($0.replication) } == [
          7..<1_007, 1_007..<2_007, 2_007..<2_500,
        ])
      var plan = ShardPlan(command: ["fuzz", name])
      plan.add(wanted, target: 1, most: 64) { _ in 4 }
      let work = ShardWork(plan, path: "plan.json", store: store(folder))
      for shard in plan.shards.reversed() {
        #expect(try work.run(shard, threads: 1, pilots: Pilots(), stop: StopRequest()) == 1)
        #expect(try work.audit(shard, threads: 1, pilots: Pilots(), stop: StopRequest()).isEmpty)
      }
      let merged = try #require(
        try FuzzCatalogue.visit(name, kept(store(folder, isClosed: true))))
      #expect(text(merged) == text(whole))
      let target = MessagingFuzz(.literal)
      let words = Fuzzer(target).search(0..<300).words
      let back = try #require(FuzzReport<MessagingFuzz>(words, of: target))
      #expect(back.words == words && !back.shortest.isEmpty)
      for length in [0, 1, 132, words.count - 1] {
        #expect(FuzzReport<MessagingFuzz>(Array(words.prefix(length)), of: target) == nil)
      }
      #expect(FuzzReport<MessagingFuzz>(words + [0], of: target) == nil)
    }
  }

  @Test func `what ran into a limit is kept and ends the study as it would have`() async throws {
    try await inFolder { folder in
      let scenario = try small(folder, replications: 2)
      let options = StudyOptions(shards: store(folder, isClosed: true))
      let wanted = try await missing { _ = try await Study.run(scenario, options: options) }
      let stop = try #require(KeptStop(Array("stopped\neventLimit\nat most 3 events".utf8)))
      #expect(stop.code == "eventLimit" && stop.message == "at most 3 events")
      #expect(KeptStop(stop.content) == stop)
      #expect(KeptStop(Array("stopped\n".utf8)) == nil && KeptStop([1, 2]) == nil)
      let series = store(folder).series(wanted[0].subject)
      try series.keep(stop.content, of: 1)
      let rest = try await missing { _ = try await Study.run(scenario, options: options) }
      #expect(rest.map(\.replication).contains(0), "all are asked for before one ends it")
      try series.keep(stop.content, of: 0)
      let merged = StudyOptions(shards: store(folder, isClosed: true))
      await #expect(throws: stop) { _ = try await Study.run(scenario, options: merged) }
    }
  }

  @Test func `a prediction's replication comes back from its words`() async throws {
    try await inFolder { folder in
      let study = try #require(try small(folder, replications: 1).feed)
      let found = try BacktestPrediction.replication(1, of: study, Pilots())
      #expect(found.views.count > 100 && !found.sums.isEmpty && !found.traffic.isEmpty)
      let back = try #require(PredictedReplication(words: found.words))
      #expect(text(back) == text(found))
      for length in [0, 1, found.words.count - 1] {
        #expect(PredictedReplication(words: Array(found.words.prefix(length))) == nil)
      }
      let alone = try await BacktestPrediction.views(study, replications: 2)
      let closed = store(folder, isClosed: true)
      let wanted = try await missing {
        _ = try await BacktestPrediction.views(study, replications: 2, shards: closed)
      }
      for one in wanted {
        _ = try ShardWork.measure(one, store(folder), Pilots())
      }
      let merged = try await BacktestPrediction.views(
        study, replications: 2, shards: store(folder, isClosed: true))
      #expect(text(merged) == text(alone))
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
      guard case .file(var file) = store(folder).found(name) else {
        Issue.record("the shard is there")
        return
      }
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
    try JSONDecoder().decode(ShardPlan.self, from: Data(text().utf8))
  }
}
