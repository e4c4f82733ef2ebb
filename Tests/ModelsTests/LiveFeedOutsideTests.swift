import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

/// What a live world tells the outside, and what it takes from there beside answers.
@Suite struct LiveFeedOutsideTests {
  private typealias Servers = LiveFeedTests.Servers

  private static let busy = [
    "client.gate={kind: gate}", "client.telemetry={}",
    "client.pauses=[{kind: typing, share: 0.4, sentShare: 0.3}, {kind: background, share: 0.1}]",
    "audience.backSwipe=0.3",
    "audience.personas=[{kind: scrubber, weight: 1}]",
  ]

  @Test func `what every machine was told and answered replays, and changes nothing`() throws {
    let scenario = try LiveFeedTests.ideal(Self.busy)
    var plain = Servers(wait: .milliseconds(40))
    var logged = plain
    let without = try LiveFeedTests.run(scenario, &plain)
    let with = try LiveFeedTests.run(scenario, &logged, logsPolicies: true)
    #expect(plain.logs.isEmpty)
    #expect(with.views.map(\.ttff) == without.views.map(\.ttff))
    #expect(with.counts.deliveredBytes == without.counts.deliveredBytes)
    #expect(logged.logs.count == 9 * logged.begun.count)
    var commands: [String: Int] = [:]
    for (name, bytes) in logged.logs {
      guard case .equal(_, let count) = PolicyLog.replay(bytes) else {
        Issue.record("\(name): \(String(describing: PolicyLog.replay(bytes)))")
        continue
      }
      commands[String(name.split(separator: " ")[1]), default: 0] += count
    }
    #expect(Set(commands.keys) == Set(PolicyLog.machines.map { "\($0)" }))
    #expect(commands.allSatisfy { $0.value > 0 }, "\(commands)")
  }

  /// Covers: SIG-050, SIG-052.
  @Test func `a post carries its events, numbered without a gap`() throws {
    let scenario = try LiveFeedTests.ideal(["client.telemetry={}"])
    var servers = Servers(wait: .milliseconds(40))
    let measures = try LiveFeedTests.run(scenario, &servers, mode: .real)
    var next: [UInt32: UInt64] = [:]
    var count = 0
    for request in servers.requests where request.service == .events {
      #expect(!request.events.isEmpty)
      for event in request.events {
        #expect(event.sequence == next[request.token.session] ?? 0)
        next[request.token.session] = event.sequence + 1
        count += 1
      }
    }
    let delivered = measures.clientSide.telemetry.delivered
    // A closing session's last post is the world's own and no request: one in a hundred at most.
    #expect(
      Int64(count) * 100 >= delivered * 99 && count > 100,
      "\(count) posted, \(delivered) delivered")
    let starts = servers.requests.flatMap(\.events).filter { $0.event.name == .viewStart }
    #expect(starts.allSatisfy { $0.title != nil } && starts.count > 50)
  }

  @Test func `given titles have their own segments, and what they lack is not asked for`() throws {
    var scenario = try LiveFeedTests.ideal(["catalogue.titles=2"])
    var short = GivenTitle(duration: .seconds(9), segmentCount: 3, step: .seconds(4))
    short.lack(.mediaManifest)
    short.lack(.initSegment)
    short.lack(.poster)
    let long = GivenTitle(duration: .seconds(18), segmentCount: 3, step: .seconds(6))
    scenario.configuration.catalogue.given = [short, long]
    for mode in [FeedServers.real, .realBehindModelledLinks] {
      var servers = Servers(wait: .milliseconds(20))
      let measures = try LiveFeedTests.run(scenario, &servers, mode: mode)
      #expect(measures.views.count { $0.hasStarted } > 100)
      let media = servers.requests.filter { $0.service == .media }
      let ofShort = Set(media.filter { $0.title == 0 }.map(\.asset.rawValue))
      #expect(!ofShort.contains(AssetClass.mediaManifest.rawValue))
      #expect(!ofShort.contains(AssetClass.initSegment.rawValue))
      #expect(!ofShort.contains(AssetClass.poster.rawValue))
      #expect(ofShort.contains(AssetClass.segment.rawValue))
      #expect(media.contains { $0.title == 1 && $0.asset == .mediaManifest })
      #expect(media.filter { $0.asset == .segment }.map(\.segment).max() == 2)
    }
  }

  @Test func `titles that a page lists are those that are shown`() throws {
    let scenario = try LiveFeedTests.ideal(["catalogue.titles=50"])
    var servers = Servers(wait: .milliseconds(20))
    servers.listed = [31, 7, 31, 40]
    let measures = try LiveFeedTests.run(scenario, &servers)
    #expect(measures.views.count { $0.hasStarted } > 100)
    let titles = Set(servers.requests.filter { $0.service == .media }.map(\.title))
    #expect(titles == [31, 7, 40])
  }

  @Test func `media that comes for nobody over a real link is wasted`() throws {
    let scenario = try LiveFeedTests.ideal()
    func measure(_ mode: FeedServers, lateBytes: Int64) throws -> FeedMeasures {
      let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
      var world = LiveFeed(
        scenario.configuration, plan: plan, seed: scenario.seed, servers: mode)
      let token = OutsideToken(slot: 0, index: 0, generation: 99, session: 1030)
      _ = try world.advance(to: .zero + .seconds(20))
      for isMedia in [true, false] {
        world.hear(
          OutsideAnswer(token, .failed(bytes: lateBytes), isMedia: isMedia),
          at: .zero + .seconds(20))
      }
      _ = try world.advance(to: .zero + .seconds(21))
      return world.finish()
    }
    let real = try measure(.real, lateBytes: 5_000)
    #expect(real.outside.late == 2 && real.outside.lateBytes == 10_000)
    #expect(real.balances.reduce(0) { $0 + $1.wasted } == 5_000)
    #expect(real.balances.reduce(0) { $0 + $1.delivered } == 5_000)
    let modelled = try measure(.realBehindModelledLinks, lateBytes: 5_000)
    #expect(modelled.outside.lateBytes == 10_000)
    #expect(modelled.balances.reduce(0) { $0 + $1.wasted } == 0)
  }
}
