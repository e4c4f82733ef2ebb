import CachePolicy
import Foundation
import MediaUnits
import Models
import NIOPosix
import Scenario
import Studies
import Testing

@testable import LoadHarness
@testable import Telemetry

/// Players and servers of ours tell each other, from beginning to end over loopback: what is sent
/// stands in the edge's log as our own reader has it, and what the servers say is in the facts.
@Suite(.serialized) struct MediaDataLiveTests {
  private func form() throws -> FeedStudy {
    let plain = try LiveFixture.scenario()
    let form = LiveForm(
      window: .seconds(4), warmUp: .seconds(1), drain: .milliseconds(500), views: 60,
      edge: .firstframe)
    return try LiveFixture.scenario(form.keys(for: plain))
  }

  /// A run against stand-in and edge, and the lines of the edge's log.
  private func measure(
    _ scenario: FeedStudy, _ clientData: ClientDataOptions, tells: Bool,
    _ body: (LiveOutcome, EdgeCounters, String) throws -> Void
  ) async throws {
    var options = StandinOptions()
    options.tellsServerData = tells
    options.waitsAsService = false
    let origin = try await StandinOrigin.start(scenario, options: options, port: 0)
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = EdgeConfiguration(
      origin: OriginAddress(host: "127.0.0.1", port: origin.port))
    configuration.keepsQuery = false
    configuration.tellsServerData = tells
    configuration.suggestedBitrate = tells ? .kilobits(1) : nil
    let log = try EdgeLog(path: path)
    configuration.log = log
    let edge = try await EdgeServer.start(configuration, port: 0)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var settings = LiveOptions(
      edge: try LiveTarget(url: "http://127.0.0.1:\(edge.port)"),
      service: try LiveTarget(url: "http://127.0.0.1:\(origin.port)"), servers: .real,
      seed: scenario.seed)
    settings.contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    settings.clientData = clientData
    let runner = try LiveRunner(
      scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
      options: settings, group: group)
    let outcome = try await runner.run(stop: StopRequest()) { _ in }
    await runner.shutDown()
    try await group.shutdownGracefully()
    let counters = try await edge.counters()
    await edge.stop()
    await origin.stop()
    try log.close()
    try body(outcome, counters, path)
  }

  private struct Line: Decodable {
    var request: String
    var status: Int
    var http_cmcd_object: String?
    var http_cmcd_request: String?
    var http_cmcd_session: String?
  }

  /// What a line tells of the player.
  private func values(_ texts: [String?]) -> (CMCDValues, CMCDReader.Report) {
    var reader = CMCDReader(IdentitySalt(1, 2))
    var values = CMCDValues()
    reader.begin()
    for text in texts.compactMap({ $0 }) {
      Array(text.utf8).withUnsafeBufferPointer {
        reader.read(TextSpan($0.baseAddress!, $0.count), into: &values)
      }
    }
    reader.end(&values)
    return (values, reader.report)
  }

  @Test(arguments: [
    ClientDataOptions(way: .headers, version: 1), ClientDataOptions(way: .query, version: 2),
  ])
  func `what players tell is in the log, and servers are heard`(
    _ clientData: ClientDataOptions
  ) async throws {
    let scenario = try form()
    let catalogue = scenario.configuration.catalogue
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    try await measure(scenario, clientData, tells: true) { outcome, counters, path in
      #expect(outcome.counts.failures.isEmpty, "\(outcome.counts.failures)")
      #expect(outcome.counts.checked > 20, "a query moves no body")
      let sent = try #require(outcome.clientData)
      #expect(sent.version == clientData.version && sent.way == clientData.way.rawValue)
      #expect(sent.requests > 100)
      #expect(counters.hits > 0, "no query is in the key")

      let file = FieldTelemetryReader(files: [path], mapping: BuiltInMapping.jsonLog.mapping)
      let telemetry = try file.read()
      #expect(telemetry.keysOfCMCD.bad == 0 && telemetry.keysOfCMCD.unknown == 0)
      // What was under way at the end may have come after the counters were read.
      #expect(telemetry.tally.requests.count >= Int(counters.requests))
      #expect(telemetry.tally.requests.withCMCD == telemetry.tally.requests.count)
      #expect(Int64(telemetry.tally.requests.withCMCD) <= sent.requests)

      var segments = 0
      for text in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
        let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
        let target = URIReference(String(line.request.split(separator: " ")[1]))
        let query = target.query.map { $0.dropFirst("CMCD=".count) }
        let (told, report) = values([
          query?.removingPercentEncoding, line.http_cmcd_object, line.http_cmcd_request,
          line.http_cmcd_session,
        ])
        #expect(report.keys > 4 && report.bad == 0, "\(text)")
        #expect(told.version == UInt8(clientData.version))
        guard
          case .item(.segment(.video(let rung), let index), let title, _)? =
            MediaLayout.resource(at: target.path)
        else { continue }
        segments += 1
        let rate = catalogue.ladder[RungIndex(UInt32(rung))].bitsPerSecond
        #expect(abs(told.bitrate - Double(rate)) <= 500)
        let length = contents.length(of: index, title: title).seconds
        #expect(abs(told.objectDuration - length) <= 0.000_6, "\(text)")
        #expect(told.buffer >= 0 && (told.buffer * 10).rounded() / 10 == told.buffer)
      }
      #expect(segments > 20)

      let heard = try #require(outcome.serverData)
      #expect(heard.malformed == 0 && heard.unknown == 0 && heard.custom == 0, "\(heard.examples)")
      #expect(heard.otherBitrates == 0 && heard.objects > 100 && heard.dynamics > 100)
      #expect(heard.hops.map(\.name) == ["firstframe"])
      #expect(heard.hops[0].roundTripMilliseconds.count == 3)
      #expect(heard.hops[0].suggestedKbps == 1)
      // Every rung is above a kilobit; a session's first segment comes after its manifest.
      #expect(heard.suggested > 20 && heard.exceeded == heard.suggested)
      #expect(heard.compared > 0 && heard.estimatedByMeasured.count == 3)
    }
  }

  @Test func `without being asked nobody tells anything`() async throws {
    try await measure(try form(), ClientDataOptions(), tells: false) { outcome, counters, path in
      #expect(outcome.clientData == nil && outcome.serverData == nil)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.lowercased().contains("cmcd"))
      #expect(text.split(separator: "\n").count >= counters.requests)
    }
  }
}
