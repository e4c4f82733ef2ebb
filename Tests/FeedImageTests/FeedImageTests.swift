import FeedImage
import Foundation
import Models
import Scenario
import SimulationKernel
import SlowTesting
import Studies
import Testing

@Suite struct FeedImageTests {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All scenarios of a feed that are shipped.
  static let shipped: [String] = {
    let folder = root.appendingPathComponent("scenarios").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().filter {
      (try? FeedStudy.load("\(folder)/\($0)")) != nil
    }
  }()

  static func scenario(_ changes: [String], _ text: String = "") throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: image\n" + text, file: "image.yaml",
      overrides: changes.map { Override(set: $0) })
  }

  @Test func thereAreScenarios() { #expect(Self.shipped.count > 20) }

  /// Equality is that of a generic walk over all fields, so that one which is added to a type and
  /// forgotten here shows.
  @Test(arguments: shipped) func everyFieldIsRead(name: String) throws {
    let configuration = try FeedStudy.load("\(Self.root.path)/scenarios/\(name)").configuration
    let bytes = try #require(FeedImage.bytes(of: configuration))
    let read = try #require(FeedImage.read(bytes))
    let key = try #require(ValueWalk.key(of: configuration))
    #expect(ValueWalk.key(of: read) == key)
    #expect(FeedImage.bytes(of: read) == bytes)
  }

  /// Kinds that few shipped scenarios have, or none.
  @Test(arguments: [
    "policy.abr={kind: bola}", "policy.prefetch={kind: hazard}", "cdn.edge={kind: sieve}",
    "cdn.edge={kind: s3-fifo}", "cdn.edge.admission={kind: probability, share: 50 %}",
    "network.congestion=bbr", "client.retry={kind: backoff}",
    "cdn.cacheKey={kind: query, values: 4}", "cdn.start={kind: warmed, period: 30 s}",
  ]) func everyFieldOfOtherKindsIsRead(change: String) throws {
    let configuration = try Self.scenario([change]).configuration
    let bytes = try #require(FeedImage.bytes(of: configuration))
    let read = try #require(FeedImage.read(bytes))
    let key = try #require(ValueWalk.key(of: configuration))
    #expect(ValueWalk.key(of: read) == key)
    #expect(key != ValueWalk.key(of: try Self.scenario([]).configuration))
  }

  @Test func bytesThatWereChangedAreRefused() throws {
    let bytes = try #require(FeedImage.bytes(of: Self.scenario([]).configuration))
    #expect(FeedImage.read([]) == nil)
    #expect(FeedImage.read(Array(bytes.dropLast())) == nil)
    #expect(FeedImage.read(bytes + [0]) == nil)
    for number in 0..<50 as Range<UInt64> {
      var changed = bytes
      let random = SplitMix.hash(number)
      changed[Int(random % UInt64(bytes.count))] ^= UInt8(1 << (random >> 56 & 7))
      #expect(FeedImage.read(changed) == nil)
    }
  }

  /// One thread, whole or in parts, has what a study's replication has.
  @Test(arguments: [
    [String](), ["cdn.edges=3"], ["cdn.edges=2", "cdn.start={kind: warmed, period: 30 s}"],
    ["audience.extraColdStarts=20"],
  ]) func aReplicaIsAReplication(changes: [String]) async throws {
    let scenario = try Self.scenario(
      changes + ["audience.window=1 min", "audience.viewsPerDayPerEdge=300000", "replications=2"])
    let configuration = scenario.configuration
    let bytes = try #require(FeedImage.bytes(of: configuration))
    let read = try #require(FeedImage.read(bytes))
    let study = try await Study.run(
      scenario.scenario, options: StudyOptions(threads: 2, fixedReplications: 2))
    var fingerprint = Fingerprint()
    var events: UInt64 = 0
    for replication in 0..<2 as Range<UInt16> {
      let result = try FeedReplica.run(read, seed: scenario.seed, replication: replication)
      Self.add(result.fingerprint.value, of: replication, to: &fingerprint)
      events += result.summary.events
    }
    #expect(fingerprint == study.fingerprint)
    #expect(events == study.events)
  }

  /// As a study adds a replication's.
  private static func add(
    _ value: UInt64, of replication: UInt16, to fingerprint: inout Fingerprint
  ) {
    fingerprint.add(
      time: Int64(bitPattern: value), phase: 0, target: UInt32(replication), source: 0, tag: 0)
  }

  // MARK: As WebAssembly

  private static let wasm = root.appendingPathComponent(".build/what-if/whatif.wasm").path

  /// What `tools/what-if/run.js` prints of images.
  private static func inNode(
    _ images: [[UInt8]], seed: UInt64, replications: Int
  ) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("feed-image-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var paths: [String] = []
    for (number, image) in images.enumerated() {
      paths.append(folder.appendingPathComponent("\(number).image").path)
      try Data(image).write(to: URL(fileURLWithPath: paths[number]))
    }
    let node = Process()
    node.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    node.arguments =
      ["node", root.appendingPathComponent("tools/what-if/run.js").path, wasm, "\(seed)"]
      + ["\(replications)"] + paths
    let output = Pipe()
    node.standardOutput = output
    try node.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    node.waitUntilExit()
    #expect(node.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  /// The flagships, in their short forms, and with ten settings of keys, have in Node what they
  /// have here; `.ci/slow.d/62-what-if` makes the module first.
  @Test(
    .enabled(if: SlowRun.isOn && FileManager.default.fileExists(atPath: wasm)),
    arguments: [
      "wifi-budget-gate", "network-matrix", "pool-and-gating", "prefetch-frontier",
      "cdn-ttl-flash-crowd",
    ])
  func aModuleHasTheSameFingerprints(name: String) async throws {
    var changes: [[String]] = [[]]
    if name == "wifi-budget-gate" {
      changes += [
        ["policy.pool.size=1"], ["policy.pool.size=5"], ["policy.prefetch.headLength=0 s"],
        ["policy.prefetch.headLength=2 s", "policy.prefetch.itemsAhead=1"],
        ["policy.startupCap.rate=none"], ["cdn.edge.capacity=1 GB"],
        ["audience.viewsPerDayPerEdge=20000"], ["policy.prefetch={kind: hazard}"],
        ["cdn.edge={kind: sieve}"], ["network.congestion=bbr"],
      ]
    }
    for change in changes {
      let scenario = try FeedStudy.load(
        "\(Self.root.path)/scenarios/\(name).yaml", overrides: change.map { Override(set: $0) },
        short: true)
      let image = try #require(FeedImage.bytes(of: scenario.configuration))
      let study = try await Study.run(
        scenario.scenario, options: StudyOptions(threads: 2, fixedReplications: 2))
      let text = try Self.inNode([image], seed: scenario.seed, replications: 2)
      var fingerprint = Fingerprint()
      var events: UInt64 = 0
      for (replication, line) in text.split(separator: "\n").enumerated() {
        let words = line.split(separator: " ")
        let value = try #require(UInt64(words[0], radix: 16))
        Self.add(value, of: UInt16(replication), to: &fingerprint)
        events += UInt64(words[1]) ?? 0
        print("\(name) \(change): \(line), image \(image.count / 1000) kB")
      }
      #expect(fingerprint == study.fingerprint, "\(change)")
      #expect(events == study.events, "\(change)")
    }
  }
}
