import MediaUnits
import MessageDelivery
import Scenario
import SimulationKernel
import Testing

@testable import CacheModel
@testable import CallsModel
@testable import FeedModel
@testable import MessagingModel
@testable import ModelBasics
@testable import ServiceModel

struct `Registry of random streams` {
  @Test func `a number stands for one purpose in a world, what several share counts in each`() {
    for world in StreamWorlds.each {
      var names: [UInt16: String] = [:]
      for row in StreamRow.all where row.worlds.contains(world) {
        let earlier = names.updateValue("\(row.name)", forKey: row.stream.rawValue)
        #expect(earlier == nil, "\(row.stream.rawValue) is \(earlier ?? "") and \(row.name)")
      }
    }
  }

  @Test func `a row has a name of its own, worlds of the list and a meaning`() {
    var names: Set<String> = []
    let worlds = StreamWorlds.each.reduce(into: StreamWorlds()) { $0.formUnion($1) }
    for row in StreamRow.all {
      #expect(names.insert("\(row.name)").inserted, "\(row.name)")
      #expect(!row.worlds.isEmpty && worlds.isSuperset(of: row.worlds), "\(row.name)")
      #expect("\(row.meaning)".contains("entity"), "\(row.name)")
    }
    #expect(Set(StreamWorlds.each.map(\.rawValue)).count == StreamWorlds.each.count)
  }

  @Test(arguments: [(90, "titleSample", "callDelay"), (91, "othersView", "callUser")] as [Shared])
  func `a number may stand for one thing in the feed and for another in calls`(_ shared: Shared) {
    let rows = StreamRow.all.filter { $0.stream.rawValue == shared.number }
    #expect(rows.map { "\($0.name)" } == [shared.feed, shared.calls])
    #expect(rows.map(\.worlds) == [.feed, .calls])
  }

  typealias Shared = (number: UInt16, feed: String, calls: String)
}

/// A limit names the event at which it stopped as the event's own world calls it.
struct `Registry of event tags` {
  private func names<Tag: EventTag>(_ world: Tag.Type) -> [String] {
    Tag.allCases.map { "\($0.name)" }
  }

  /// The event at which a run stops, checked to be of this world and no other.
  private func stopped<Tag: EventTag>(
    _ world: Tag.Type, _ body: () throws(SimulationError) -> Void
  ) throws -> String {
    var found: SimulationError?
    do throws(SimulationError) { try body() } catch { found = error }
    let error = try #require(found)
    let event = "\(error.event)"
    #expect(error.code == .eventLimit)
    #expect(event == Tag(rawValue: error.tag).map { "\($0.name)" })
    return event
  }

  @Test func `a kind of event has a name of its own in its world, an unknown one says so`() {
    for list in [
      names(FeedTag.self), names(SurfaceTag.self), names(MessagingTag.self), names(CallsTag.self),
      names(ServicesTag.self), names(StationTag.self), names(PipelineTag.self),
    ] {
      #expect(Set(list).count == list.count, "\(list)")
    }
    #expect("\(FeedTag.name(of: 9))" == "settled")
    #expect("\(CallsTag.name(of: 9))" == "server timer")
    #expect("\(FeedTag.name(of: 1_000))" == "unknown event")
  }

  @Test func `of the feed`() throws {
    let configuration = try scenario(["cdn.start={kind: everything}"]).configuration
    func run(_ limit: UInt64) throws(SimulationError) {
      var simulation = Simulation(
        FeedWorld(
          configuration, streams: RandomStreams(seed: 1, replication: 0),
          plan: FeedPlan(viewsPerSession: 1)))
      FeedWorld.start(&simulation)
      _ = try simulation.run(eventLimit: limit)
    }
    let first = try stopped(FeedTag.self) { () throws(SimulationError) in try run(0) }
    #expect(first == "session arrived")
    for limit in [3, 30] as [UInt64] {
      _ = try stopped(FeedTag.self) { () throws(SimulationError) in try run(limit) }
    }
  }

  @Test func `of a mixed feed`() throws {
    let configuration = try FeedStudy.parse(
      "version: 1\nname: test\nsurface: {}\n", file: "test.yaml"
    ).configuration
    let surface = try #require(configuration.surface)
    let first = try stopped(SurfaceTag.self) { () throws(SimulationError) in
      var simulation = Simulation(
        SurfaceWorld(configuration, surface, streams: RandomStreams(seed: 1, replication: 0)))
      SurfaceWorld.start(&simulation)
      _ = try simulation.run(eventLimit: 0)
    }
    #expect(first == "surface session arrived")
  }

  @Test func `of messages`() throws {
    let schedule = ProtocolSchedule<MessagingAction>(
      seed: 1, actors: 2, duration: .seconds(60), settling: .zero,
      steps: [ScheduledStep(at: .zero + .seconds(1), .send(from: 0, to: 1))])
    var found: [String] = []
    for limit in 0..<4 as Range<UInt64> {
      found.append(
        try stopped(MessagingTag.self) { () throws(SimulationError) in
          _ = try MessagingWorld.measured(
            .recommended, schedule, shuffleTies: nil, eventLimit: limit)
        })
    }
    #expect(found == ["catching up", "message arrived", "message arrived", "message arrived"])
  }

  @Test func `of calls`() throws {
    let first = try stopped(CallsTag.self) { () throws(SimulationError) in
      _ = try CallsWorld.measured(
        CallsConfiguration(), CallsAudience(), RandomStreams(seed: 1, replication: 0),
        shuffleTies: nil, eventLimit: 0)
    }
    #expect(first == "begin")
  }
}
