import Foundation
import MediaUnits
import Models
import NIOPosix
import Scenario
import Studies
import Testing

@testable import LoadHarness

/// A run of a few seconds against a server that answers what no server should.
private enum HostileRun {
  /// The outcome, and how long it took.
  static func measure(
    _ manner: HostileServer.Manner
  ) async throws -> (outcome: LiveOutcome, took: Duration) {
    let server = try HostileServer(manner)
    defer { server.stop() }
    let form = LiveForm(
      window: .seconds(2), warmUp: .milliseconds(200), drain: .milliseconds(300), views: 40,
      edge: .none)
    let scenario = try LiveFixture.scenario(form.keys(for: try LiveFixture.scenario()))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let options = LiveOptions(
      edge: try LiveTarget(url: server.url), servers: .realBehindModelledLinks,
      seed: scenario.seed)
    let runner = try LiveRunner(
      scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
      options: options, group: group)
    let begin = ContinuousClock.now
    let outcome = try await runner.run(stop: StopRequest()) { _ in }
    await runner.shutDown()
    try await group.shutdownGracefully()
    return (outcome, ContinuousClock.now - begin)
  }

  static func count(_ name: String, in outcome: LiveOutcome) -> Int64 {
    outcome.counts.failures.first { $0.name == name }?.count ?? 0
  }
}

/// Players against a server that answers what no server should.
@Suite(.serialized) struct `A target that means ill` {
  /// The first ended the process by a trap, the second did not end.
  @Test(arguments: ["1000000000000000000", "100000000000000000", "4194305"])
  func `a body longer than is taken is refused at its head`(_ length: String) async {
    // A trap would end the process of all tests.
    await #expect(processExitsWith: .success) { [length] in
      let text = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nx"
      let (outcome, took) = try await HostileRun.measure(.says(text))
      let refused = HostileRun.count("body-over-bound", in: outcome)
      let views = outcome.measures.views.count(where: \.hasStarted)
      guard refused > 10, views == 0, took < .seconds(12) else {
        fatalError("\(outcome.counts.failures), \(views) views, \(took)")
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `ages and lifetimes beyond belief are counted by kind`() async {
    await #expect(processExitsWith: .success) {
      let text = """
        HTTP/1.1 200 OK\r\nContent-Length: 1\r\nAge: 9223372036854775807\r\n\
        Cache-Control: max-age=9223372036854775808\r\n\r\nx
        """
      let (outcome, took) = try await HostileRun.measure(.says(text))
      let facts = outcome.facts(target: "a server", edge: "none", link: "none")
      let names = ["Age out of bounds", "max-age out of bounds"]
      let counts = names.map { name in facts.failures.first { $0.name == name }?.count ?? 0 }
      guard counts.allSatisfy({ $0 > 10 }), took < .seconds(12) else {
        fatalError("\(facts.failures), \(took)")
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test(arguments: [
    HostileServer.Manner.silent,
    .dribbles("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + "x", every: 1_000),
    .repeats("HTTP/1.1 200 OK\r\n", "X-Field: " + String(repeating: "y", count: 900) + "\r\n"),
    .repeats("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nabcd\r\n"),
    .repeats("", "HTTP/1.1 100 Continue\r\n\r\n"),
    .says("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
  ])
  func `a run is over at its time whatever comes`(_ manner: HostileServer.Manner) async throws {
    let (outcome, took) = try await HostileRun.measure(manner)
    #expect(took < .seconds(12), "\(took)")
    #expect(outcome.measures.views.allSatisfy { !$0.hasStarted }, "nothing was played")
  }

  @Test func `looking at what it has is over in time, too`() async throws {
    let server = try HostileServer(.silent)
    defer { server.stop() }
    let names = (0..<50).map { "/\($0).m3u8" }
    var probe = CatalogueProbe(.playlists(names), targets: [try LiveTarget(url: server.url)])
    probe.patience = .seconds(1)
    let looking = probe
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let begin = ContinuousClock.now
    let failure = await #expect(throws: HarnessFailure.self) {
      try await looking.run(group: group)
    }
    #expect(ContinuousClock.now - begin < .seconds(6))
    #expect(failure?.kind == .unreachable)
    let words = failure?.message ?? ""
    #expect(words.contains("44 × no time left to ask"), "\(words)")
    try await group.shutdownGracefully()
  }
}
