import CacheModel
import FeedPolicy
import MediaUnits
import NetworkModels
import Scenario
import SimulationKernel
import Testing

@testable import FeedModel

/// A viewer without a world: no simulation, no caches, no other viewers. The edge is a line of the
/// test's.
@Suite struct ViewerTests {
  /// One viewer and what he has around him.
  private struct Alone: ~Copyable {
    let setting: UnsafeMutablePointer<FeedSetting>
    let viewer: ViewerPointer
    var context: ViewerContext

    init(_ configuration: FeedConfiguration) {
      setting = .allocate(capacity: 1)
      setting.initialize(
        to: FeedSetting(
          configuration, streams: RandomStreams(seed: 1, replication: 0), servers: .modelled))
      context = ViewerContext(
        measures: FeedMeasures(
          networks: configuration.networks.count, devices: configuration.devices.count),
        cells: [], recording: SessionRecording(session: SessionRecording.nobody),
        measuredFrom: Instant.zero + configuration.cdn.warmUp)
      viewer = .allocate(capacity: 1)
      viewer.initialize(
        to: Viewer(UnsafePointer(setting), slot: 0, session: 1024, at: .zero))
    }

    deinit {
      Viewer.free(viewer)
      setting.deinitialize(count: 1)
      setting.deallocate()
    }

    /// Runs a session to its end: `edge` says what becomes of a request.
    mutating func run(_ session: UInt32, _ edge: (EdgeRequest) -> EdgeReply) {
      context.begin(at: .zero, source: 0)
      viewer.pointee.begin(session, &context)
      viewer.pointee.endTurn(&context)
      while viewer.pointee.isActive, let next = viewer.pointee.agenda.next {
        guard viewer.pointee.asksEdge(next.happening) else {
          viewer.pointee.act(&context)
          continue
        }
        viewer.pointee.arriveAtEdge()
        context.begin(at: next.time, source: 1)
        var asking: [Int] = []
        switch next.happening {
        case .requestAtEdge(let request, _): asking = [Int(request)]
        case .pairAtEdge(let pair): asking = [Int(pair.first), Int(pair.second)]
        default: break
        }
        for index in asking where viewer.pointee.requests[index].isActive {
          let reply = edge(viewer.pointee.edgeRequest(index, at: next.time))
          viewer.pointee.receive(reply, index, after: .milliseconds(4), &context)
        }
        viewer.pointee.endTurn(&context)
      }
    }
  }

  private static let fresh = EdgeReply.fresh(age: .zero, stated: .hours(24))

  @Test(arguments: 1024..<1030 as Range<UInt32>)
  func `a session ends, its starts add up and no byte is lost`(_ session: UInt32) throws {
    var alone = Alone(try scenario([]).configuration)
    var asked: [EdgeRequest] = []
    alone.run(session) {
      asked.append($0)
      return ViewerTests.fresh
    }
    let measures = alone.context.measures
    #expect(!alone.viewer.pointee.isActive && measures.views.count > 0 && asked.count > 4)
    for view in measures.views {
      #expect(StartupPart.allCases.reduce(0) { $0 + view.parts[$1] } == view.ttff.nanoseconds)
      #expect(!view.flags.contains(.edgeMiss) && !view.flags.contains(.cut))
    }
    for balance in measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted)
      #expect(balance.stillBuffered == 0)
    }
    // He asks in the order of time, of his own edge.
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.at <= $1.at })
    #expect(asked.allSatisfy { $0.edge == alone.viewer.pointee.edge && $0.bytes > 0 })
  }

  @Test func `the same session twice is the same, whatever the memory was used for before`() throws
  {
    let configuration = try scenario([]).configuration
    var first = Alone(configuration)
    first.run(1030) { _ in ViewerTests.fresh }
    var second = Alone(configuration)
    second.run(1031) { _ in ViewerTests.fresh }
    second.context.measures = FeedMeasures(
      networks: configuration.networks.count, devices: configuration.devices.count)
    let before = second.context.happened
    second.run(1030) { _ in ViewerTests.fresh }
    #expect(second.context.measures.counts.requests == first.context.measures.counts.requests)
    #expect(
      second.context.measures.balances.map(\.delivered)
        == first.context.measures.balances.map(\.delivered))
    #expect(
      second.context.measures.views.map(\.ttff) == first.context.measures.views.map(\.ttff))
    #expect(second.context.happened.count - before.count == first.context.happened.count)
    #expect(
      second.context.happened.hash.value &- before.hash.value
        == first.context.happened.hash.value)
  }

  @Test func `who tells a policy something does not do what it commands`() throws {
    var alone = Alone(try scenario([]).configuration)
    alone.context.begin(at: .zero, source: 0)
    alone.viewer.pointee.begin(1024, &alone.context)
    alone.viewer.pointee.endTurn(&alone.context)
    let requests = alone.context.measures.counts.requests
    let last = ItemID(9)
    alone.viewer.pointee.tellPrefetch(
      .feedMoved(current: ItemID(0), last: last), &alone.context)
    alone.viewer.pointee.tellPool(.currentChanged(ItemID(0), last: last), &alone.context)
    #expect(!alone.context.commands.isEmpty)
    let assigned = alone.viewer.pointee.players.index(of: 0)
    #expect(assigned == nil && alone.context.measures.counts.requests == requests)
    // The end of the turn does it at the latest.
    alone.viewer.pointee.endTurn(&alone.context)
    let player = alone.viewer.pointee.players.index(of: 0)
    #expect(player != nil && alone.context.commands.isEmpty)
  }

  @Test func `what was commanded for a session that is over is not done`() throws {
    var alone = Alone(try scenario([]).configuration)
    alone.context.begin(at: .zero, source: 0)
    alone.viewer.pointee.begin(1024, &alone.context)
    alone.viewer.pointee.endTurn(&alone.context)
    alone.viewer.pointee.tellPool(
      .currentChanged(ItemID(0), last: ItemID(9)), &alone.context)
    #expect(!alone.context.commands.isEmpty)
    alone.viewer.pointee.endSession(&alone.context)
    alone.viewer.pointee.endTurn(&alone.context)
    // Nothing is left for the next viewer either.
    let player = alone.viewer.pointee.players.index(of: 0)
    #expect(player == nil && alone.context.commands.isEmpty)
  }

  @Test func `a slower edge starts no view sooner, and an old copy is counted`() throws {
    let configuration = try scenario(constantWorld).configuration
    func ttff(_ age: TimeSpan) -> (first: TimeSpan, stale: Int64) {
      var alone = Alone(configuration)
      alone.run(1024) { _ in .fresh(age: age, stated: .seconds(10)) }
      return (
        alone.context.measures.views[0].ttff, alone.context.measures.staleness.answers
      )
    }
    let fresh = ttff(.zero)
    let stale = ttff(.seconds(20))
    #expect(fresh.first == stale.first && fresh.stale == 0 && stale.stale > 0)
  }

  @Test func `who waits at the edge is counted until he is answered or gives up`() throws {
    var alone = Alone(try scenario([]).configuration)
    var number: UInt32 = 0
    // Nothing is ever answered: he loses patience and leaves the requests behind.
    alone.run(1024) { _ in
      number += 1
      return .waits(number: number, reason: .cold)
    }
    let measures = alone.context.measures
    #expect(number > 0 && alone.viewer.pointee.requests.atEdge == 0)
    #expect(alone.context.givenUp.count == Int(number))
    #expect(Set(alone.context.givenUp.map(\.number)) == Set(1...number))
    #expect(measures.counts.cancelledRequests == Int64(number))
    #expect(measures.views.allSatisfy { !$0.hasStarted })
  }
}

/// Viewers who go ahead of the simulation against those who never do.
@Suite struct RunAheadEqualityTests {
  private func measured(
    _ study: FeedStudy, isOff: Bool
  ) throws -> (hash: UInt64, events: UInt64, ahead: UInt64, measures: FeedMeasures) {
    let configuration = study.configuration
    let plan = try FeedRun.plan(configuration, seed: study.seed)
    var world = FeedWorld(
      configuration, streams: RandomStreams(seed: study.seed, replication: 0),
      plan: plan)
    if isOff { world.runAhead = RunAhead(configuration, isOff: true) }
    var simulation = Simulation(world)
    FeedWorld.start(&simulation)
    let end = configuration.end
    simulation.world.runAhead.bound(by: end)
    let summary = try simulation.run(until: end)
    let hash = simulation.wholeFingerprint.value
    let ahead = simulation.world.runAhead.aheadCount
    return (
      hash, summary.events + simulation.world.happenings, ahead,
      simulation.world.finish(at: end)
    )
  }

  @Test(
    arguments: [
      [], ["audience.warmUp=20 s", "cdn.start={kind: cold}"],
      ["cdn.edges=2", "cdn.edge={kind: lru, capacity: 1 GB}"],
      ["windows=[{name: a, from: 20 s, to: 40 s}]"],
      ["network.access=[{kind: lte, cell: {rate: 60 Mbps}}]"],
      ["network.http=1.1"], ["audience.personas=[{kind: scrubber}]"],
      [
        "cdn.start={kind: cold}", "client.gate={kind: gate}",
        "client.telemetry={failureShare: 0.1}", "client.crashShare=0.005",
        "client.pauses=[{kind: background, share: 0.05, killShare: 0.2}]",
      ],
    ] as [[String]])
  func `what is measured and the fingerprint are the same`(_ changes: [String]) throws {
    let study = try scenario(changes)
    let ahead = try measured(study, isOff: false)
    let never = try measured(study, isOff: true)
    #expect(ahead.hash == never.hash && ahead.events == never.events)
    // In a cell everything waits for its time.
    #expect(never.ahead == 0 && (ahead.ahead > 1000) != changes.contains { $0.contains("cell") })
    #expect(ahead.measures.counts == never.measures.counts)
    #expect(ahead.measures.balances == never.measures.balances)
    #expect(ahead.measures.peakSessions == never.measures.peakSessions)
    func sorted(_ measures: FeedMeasures) -> [[Int64]] {
      measures.views.map {
        [
          Int64($0.session), Int64($0.item), $0.settledAt.nanoseconds, $0.ttff.nanoseconds,
          $0.played.nanoseconds, $0.stalled.nanoseconds,
        ]
      }.sorted { $0.lexicographicallyPrecedes($1) }
    }
    #expect(sorted(ahead.measures) == sorted(never.measures))
  }
}
