import CachePolicy
import Foundation
import MediaUnits
import Models
import NIOPosix
import Scenario
import Studies
import Telemetry
import Testing

@testable import LoadHarness

/// Virtual players against the stand-in over loopback, by the real clock.
@Suite(.serialized) struct LiveRunnerTests {
  private func form(_ more: [String] = [], edge: LiveEdge = .none) throws -> FeedStudy {
    let plain = try LiveFixture.scenario()
    let form = LiveForm(
      window: .seconds(4), warmUp: .seconds(1), drain: .milliseconds(500), views: 60, edge: edge)
    return try LiveFixture.scenario(form.keys(for: plain) + more)
  }

  @Test func `responses that take turns have a form over real links`() throws {
    let turns = ["network.sharing=turns"]
    var form = LiveForm(window: .seconds(4), warmUp: .seconds(1), edge: .none)
    form.hasRealLinks = true
    let keys = form.keys(for: try LiveFixture.scenario(turns))
    let live = try LiveFixture.scenario(turns + keys)
    #expect(live.configuration.transport.sharing == .queue)
  }

  @Test func `what is asked of a run goes before the scenario's cut`() throws {
    let cut = ["short.window=60 s", "short.share=0.1"]
    var form = LiveForm(window: .seconds(4), warmUp: .seconds(1), edge: .none)
    func live(short: Bool) throws -> FeedConfiguration {
      let scenario = try LiveFixture.scenario(cut, short: short)
      return try LiveFixture.scenario(cut + form.keys(for: scenario), short: short).configuration
    }
    #expect(try live(short: true).audience.window == .seconds(4))
    let whole = try live(short: false).audience.viewsPerDayPerEdge
    #expect(try live(short: true).audience.viewsPerDayPerEdge == whole * 0.1)
    form.views = 60
    let asked = try live(short: false).audience.viewsPerDayPerEdge
    #expect(try live(short: true).audience.viewsPerDayPerEdge == asked)
  }

  private func measure(
    _ scenario: FeedStudy, servers: FeedServers = .realBehindModelledLinks,
    options: StandinOptions = StandinOptions(), cache: Bool = false,
    keepsRequests: Bool = false
  ) async throws -> (LiveOutcome, StandinStats) {
    let origin = try await StandinOrigin.start(scenario, options: options, port: 0)
    var edge: EdgeServer?
    var url = "http://127.0.0.1:\(origin.port)"
    if cache {
      let address = try #require(OriginAddress(url: url))
      let server = try await EdgeServer.start(
        EdgeConfiguration(origin: address), host: "127.0.0.1", port: 0, certificate: nil)
      edge = server
      url = "http://127.0.0.1:\(server.port)"
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var settings = LiveOptions(
      edge: try LiveTarget(url: url),
      service: try LiveTarget(url: "http://127.0.0.1:\(origin.port)"), servers: servers,
      seed: scenario.seed)
    settings.contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    settings.media = options.media
    settings.keepsRequests = keepsRequests
    let runner = try LiveRunner(
      scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
      options: settings, group: group)
    let outcome = try await runner.run(stop: StopRequest()) { _ in }
    await runner.shutDown()
    try await group.shutdownGracefully()
    if let edge { await edge.stop() }
    await origin.stop()
    return (outcome, origin.stats)
  }

  @Test(arguments: [FeedServers.realBehindModelledLinks, .real])
  func `players fetch the whole chain from real playlists`(_ servers: FeedServers) async throws {
    let (outcome, stats) = try await measure(try form(), servers: servers)
    let measures = outcome.measures
    #expect(measures.views.count { $0.hasStarted } > 20)
    #expect(outcome.counts.malformed == 0, "\(outcome.counts.examples)")
    #expect(outcome.counts.unnamed == 0)
    #expect(outcome.counts.failures.isEmpty, "\(outcome.counts.failures)")
    #expect(outcome.counts.requests > 200)
    #expect(outcome.parts.count == 8)
    #expect(outcome.latencies[.segment]?.count ?? 0 > 20)
    #expect(outcome.counts.checked > 20, "media bodies are what the stand-in has")
    #expect(!stats.text.isEmpty)
  }

  @Test(.enabled(if: MediaFixture.isPossible))
  func `players fetch real media, whole and of the simulator's sizes`() async throws {
    var options = StandinOptions()
    options.media = try MediaFixture.library.get()
    var scenario = try form(MediaFixture.keys)
    try options.media?.give(to: &scenario)
    let (outcome, stats) = try await measure(scenario, options: options)
    #expect(outcome.measures.views.count { $0.hasStarted } > 20)
    #expect(outcome.counts.failures.isEmpty, "\(outcome.counts.failures)")
    #expect(outcome.counts.malformed == 0, "\(outcome.counts.examples)")
    #expect(outcome.counts.checked > 20)
    #expect(stats[.segment].requests > 20)
  }

  @Test func `behind our own edge the second viewer of a title hits`() async throws {
    let (outcome, _) = try await measure(
      try form(["catalogue.titles=3"], edge: .firstframe), cache: true)
    let edge = outcome.measures.edge
    let hits = edge.requests(.segment, .hit) + edge.requests(.segment, .collapsed)
    let all = CacheOutcome.allCases.reduce(0) { $0 + edge.requests(.segment, $1) }
    #expect(all > 50)
    #expect(Double(hits) > 0.5 * Double(all))
    #expect(outcome.counts.silent == 0)
  }

  @Test func `views and requests are tables that telemetry's reader reads`() async throws {
    let scenario = try form(edge: .firstframe)
    let (outcome, _) = try await measure(scenario, cache: true, keepsRequests: true)
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: parent) }
    let folder = parent.appendingPathComponent("t").path
    let views = outcome.measures.views
    let tables = LiveTelemetry(scenario, seed: scenario.seed, epoch: outcome.epoch)
    try tables.write(views: views, requests: outcome.requests, to: folder)
    // What holds something is left as it is.
    #expect(throws: HarnessFailure.self) {
      try tables.write(views: [], requests: [], to: folder)
    }

    func read(_ name: String) throws -> FieldTelemetry {
      let mapping = try MappingFile.read("\(folder)/\(name).map.yaml")
      var reader = FieldTelemetryReader(files: ["\(folder)/\(name).csv"], mapping: mapping)
      reader.keepsViews = true
      return try reader.read()
    }
    let told = try #require(try read("views").observed)
    let whole = views.filter { !$0.flags.contains(.cut) }
    #expect(whole.count > 20)
    #expect(told.views.count == whole.count)
    let started = whole.count(where: \.hasStarted)
    #expect(told.views.count(where: \.hasStarted) == started)
    let cold = whole.count { $0.flags.contains(.cold) }
    #expect(told.views.count(where: \.isCold) == cold)
    let waits = whole.filter(\.hasStarted).map(\.ttff.milliseconds)
    let toldWaits = told.views.filter(\.hasStarted).map(\.wait)
    let difference: Double = toldWaits.reduce(0, +) - waits.reduce(0, +)
    #expect(abs(difference) < 0.01 * Double(waits.count))
    // Paths have commas, and a browser's clock may run backwards.
    let known = try #require(views.first)
    let odd = MediaRequest(
      session: known.session, asset: .segment, path: "/a,500,800/s\".ts", status: 404,
      sentAt: .zero, firstByte: .milliseconds(-1), duration: .milliseconds(12), bytes: 5)
    func line(_ views: [ViewRecord]) throws -> Substring {
      try #require(tables.requests([odd], of: views).split(separator: "\n").last)
    }
    let fields = ",\(known.session),\"/a,500,800/s\"\".ts\",404,5,,12.000,,,"
    #expect(try line([]).hasSuffix(fields))
    // Its session's views say the network.
    #expect(try line(views).hasSuffix(fields + scenario.networks[Int(known.network)]))
    let asked = try read("requests")
    let traffic = try #require(asked.observed).traffic
    #expect(outcome.requests.count > 100)
    // What was told of the cache.
    let cached = outcome.requests.filter { $0.outcome != nil && $0.outcome != .error }
    let toldRequests: Double = traffic.map(\.requests).reduce(0, +)
    #expect(toldRequests == Double(cached.count))
    let hits: [CacheOutcome?] = [.hit, .staleHit, .collapsed]
    let toldHits: Double = traffic.map(\.hits).reduce(0, +)
    let answered: Int = cached.count { hits.contains($0.outcome) }
    #expect(toldHits == Double(answered))
    #expect(outcome.requests.contains { $0.handshake != nil })
    #expect(outcome.requests.allSatisfy { $0.firstByte <= $0.duration && $0.duration > .zero })
  }

  /// Covers: SIG-048, SIG-050, SIG-052.
  @Test func `batches carry their events, and a server tells repetitions`() async throws {
    var options = StandinOptions()
    options.waitsAsService = false
    let (outcome, stats) = try await measure(
      try form(["client.telemetry={delivery: retry-with-numbers}"]), servers: .real,
      options: options)
    let events = stats.events
    #expect(events.posts > 5 && events.refused == 0 && events.invalid == 0)
    #expect(events.duplicates == 0 && events.repeatedBatches == 0)
    #expect(events.byName["view_start"] ?? 0 > 10)
    #expect(events.byName["time_to_first_frame"] ?? 0 > 10 && events.byName["other"] == nil)
    // What a batch carries is what the world counts as delivered; the last may be under way.
    let delivered = outcome.measures.clientSide.telemetry.delivered
    #expect(events.accepted >= delivered * 9 / 10 && delivered > 0)
  }

  @Test func `an origin with malformed playlists is survived and counted`() async throws {
    var options = StandinOptions()
    options.faults = [try StandinFault(parsing: "malformed:media_playlist:0.5")]
    let (outcome, _) = try await measure(try form(), options: options)
    #expect(outcome.counts.malformed > 0)
    #expect(outcome.measures.counts.clientErrors > 0)
    #expect(outcome.measures.views.count { $0.hasStarted } > 0)
  }

  @Test func `a target that refuses is told by kind`() async throws {
    let scenario = try form()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let runner = try LiveRunner(
      scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
      options: LiveOptions(
        edge: try LiveTarget(url: "http://127.0.0.1:9"), servers: .real, seed: scenario.seed),
      group: group)
    let outcome = try await runner.run(stop: StopRequest()) { _ in }
    await runner.shutDown()
    try await group.shutdownGracefully()
    #expect(outcome.counts.answered == 0)
    #expect(outcome.counts.failures.map(\.name) == ["unreachable"])
    #expect(outcome.measures.views.allSatisfy { !$0.hasStarted })
  }
}
