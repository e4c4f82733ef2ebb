import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import Scenario
import Testing

@testable import FeedModel
@testable import SimulationKernel

/// A viewer of a mixed feed without a world: no simulation, no other viewers. The edge is a line of
/// the test's.
@Suite struct SurfaceViewerTests {
  /// One viewer, what he has around him, and what he has planned.
  private struct Alone: ~Copyable {
    struct Planned {
      var event: SurfaceEvent
      var time: Instant
      var isArrival: Bool
      var handle: EventHandle
    }

    let setting: UnsafeMutablePointer<FeedSetting>
    let surface: UnsafeMutablePointer<SurfaceConfiguration>
    let viewer: SurfacePointer
    var context: SurfaceContext
    private(set) var planned: [Planned] = []
    private(set) var cellChanges = 0
    private var plans: UInt32 = 0

    init(_ configuration: FeedConfiguration, session: UInt32 = 1024) {
      let streams = RandomStreams(seed: 1, replication: 0)
      setting = .allocate(capacity: 1)
      setting.initialize(
        to: FeedSetting(configuration, streams: streams, servers: .modelled))
      surface = .allocate(capacity: 1)
      surface.initialize(to: configuration.surface!)
      context = SurfaceContext(
        measures: FeedMeasures(
          networks: configuration.networks.count, devices: configuration.devices.count),
        cells: configuration.cells(streams))
      viewer = .allocate(capacity: 1)
      let traits = SurfaceTraits(
        session, at: .zero, UnsafePointer(setting), UnsafePointer(surface))
      viewer.initialize(
        to: SurfaceViewer(
          UnsafePointer(setting), UnsafePointer(surface), slot: 0, traits, afterGone: nil))
      viewer.pointee.begin(&context)
      endTurn()
    }

    deinit {
      SurfaceViewer.free(viewer)
      setting.deinitialize(count: 1)
      setting.deallocate()
      surface.deinitialize(count: 1)
      surface.deallocate()
    }

    /// Does what a world does with a viewer's commands.
    mutating func endTurn() {
      viewer.pointee.endTurn(&context)
      for command in context.commands {
        switch command {
        case .plan(let event, let time, let phase, let plan):
          plans += 1
          let handle = EventHandle(slot: plans, generation: 0)
          planned.append(
            Planned(event: event, time: time, isArrival: phase == .arrival, handle: handle))
          viewer.pointee.keep(handle, as: plan)
        case .cancel(let plan):
          let handle = viewer.pointee.forget(plan)
          planned.removeAll { $0.handle == handle }
        case .changeCell: cellChanges += 1
        }
      }
      context.forgetCommands()
    }

    /// What is planned under these tags.
    func planned(_ tag: SurfaceTag) -> [Planned] {
      planned.filter { $0.event.tag == tag.rawValue }
    }

    /// Does what happens next; `edge` says how long a request waits for what the edge lacks.
    ///
    /// - Returns: what it was; nil when the session is over.
    @discardableResult
    mutating func act(_ edge: (SurfaceEdgeRequest) -> TimeSpan = { _ in .zero }) -> Planned? {
      guard viewer.pointee.isActive else { return nil }
      var first = 0
      for place in planned.indices.dropFirst() {
        let (next, known) = (planned[place], planned[first])
        let isEarlier = next.time == known.time ? next.isArrival && !known.isArrival : false
        if next.time < known.time || isEarlier { first = place }
      }
      let next = planned.remove(at: first)
      context.begin(at: next.time)
      switch next.event {
      case .requestAtEdge(_, let request, let generation):
        if let asked = viewer.pointee.edgeRequest(request, generation) {
          let wait = edge(asked)
          if wait == .zero {
            viewer.pointee.receive(Int(request), after: .milliseconds(4), &context)
          } else {
            viewer.pointee.wait(atEdge: Int(request), for: wait, &context)
          }
        }
      case .edgeAnswered(_, let request, let generation):
        if viewer.pointee.edgeRequest(request, generation) != nil {
          viewer.pointee.receive(Int(request), after: .milliseconds(4), &context)
        }
      default: viewer.pointee.act(next.event, &context)
      }
      endTurn()
      return next
    }

    /// Goes on until the viewer has a view that has begun.
    mutating func reachView() {
      while !viewer.pointee.view.isOpen, act() != nil {}
    }
  }

  private func configuration(_ changes: [String] = []) throws -> FeedConfiguration {
    let base = [
      "surface={}", "audience.viewsPerDayPerEdge=3456000", "audience.viewsPerSession=40",
      "audience.sessionLength={kind: lognormal, median: 40 s, sigma: 0.1}", "policy.pool.size=5",
    ]
    return try FeedStudy.parse(
      "version: 1\nname: test\n", file: "scenarios/test.yaml",
      overrides: (base + changes).map { Override(set: $0) }
    ).configuration
  }

  @Test(arguments: [[], ["surface.reuse=none"], ["network.access=[{kind: 3g}]"]])
  func `a session ends, its starts add up and no byte is lost`(_ changes: [String]) throws {
    var alone = Alone(try configuration(changes))
    var asked: Int64 = 0
    func edge(_ request: SurfaceEdgeRequest) -> TimeSpan {
      asked += request.bytes
      return request.asset == .mediaManifest ? .milliseconds(80) : .zero
    }
    while alone.act(edge) != nil {}
    let measures = alone.context.measures
    #expect(measures.views.count > 3 && asked > 0)
    for view in measures.views {
      let sum = StartupPart.allCases.reduce(Int64(0)) { $0 + view.part($1).nanoseconds }
      #expect(sum == view.ttff.nanoseconds)
    }
    for balance in measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted)
      #expect(balance.delivered <= asked && balance.rendered >= 0 && balance.wasted >= 0)
    }
    #expect(alone.viewer.pointee.transport.count == 0)
    // What has no timer of its own comes too late and finds nobody.
    #expect(alone.planned(.frame).isEmpty && alone.planned(.restEnded).isEmpty)
    #expect(alone.planned(.linkChanged).isEmpty && alone.planned(.tapped).isEmpty)
  }

  @Test func `a feed that opens asks for its page, and a turn that changes nothing plans nothing`()
    throws
  {
    var alone = Alone(try configuration(["network.access=[{kind: lte}]"]))
    #expect(alone.planned.count == 2 && alone.planned(.sessionEnded).count == 1)
    #expect(alone.planned(.linkChanged).count == 1)
    #expect(alone.context.measures.counts.requests == 1)
    #expect(alone.viewer.pointee.transport.count == 1)
    let before = alone.planned.count
    alone.endTurn()
    #expect(alone.planned.count == before && alone.cellChanges == 0)
  }

  @Test func `what waits at the edge is told when the edge has it, and not before`() throws {
    var alone = Alone(try configuration(["network.access=[{kind: lte}]"]))
    var asked = 0
    func edge(_: SurfaceEdgeRequest) -> TimeSpan {
      asked += 1
      return .seconds(2)
    }
    while asked == 0, alone.act(edge) != nil {}
    let now = alone.context.now
    let answers = alone.planned(.edgeAnswered)
    #expect(answers.map(\.time) == [now + .seconds(2)] && answers.allSatisfy(\.isArrival))
    #expect(alone.viewer.pointee.transport.count == 0)
    guard case .edgeAnswered(_, let place, let generation) = try #require(answers.first).event
    else { return }
    #expect(alone.viewer.pointee.edgeRequest(place, generation)?.asset == .mediaManifest)
    guard case .card(let card) = alone.viewer.pointee.requests[Int(place)].purpose else { return }
    let waits = alone.viewer.pointee.items[card].waits.list
    #expect(waits.map(\.asset) == [.mediaManifest] && waits[0].until == now + .seconds(2))
    // Who gives it up waits no longer, and the answer finds nobody.
    alone.context.begin(at: now + .seconds(1))
    alone.viewer.pointee.cancelLoad(card, &alone.context)
    alone.endTurn()
    #expect(alone.viewer.pointee.edgeRequest(place, generation) == nil)
    #expect(alone.viewer.pointee.items[card].waits.list[0].until == now + .seconds(1))
    #expect(alone.context.measures.counts.cancelledRequests == 1)
  }

  @Test func `in a cell a turn that changes the link has the cell looked at`() throws {
    let access = "network.access=[{kind: lte, loss: 0, cell: {rate: 100 Mbps}}]"
    var alone = Alone(try configuration([access]))
    #expect(alone.cellChanges == 1)
    alone.endTurn()
    #expect(alone.cellChanges == 1)
    while alone.context.cells[0].link.count == 0, alone.act() != nil {}
    #expect(alone.cellChanges > 1 && alone.viewer.pointee.isActive)
    // Who leaves takes his transfer along, and the cell hears of that.
    let before = alone.cellChanges
    alone.viewer.pointee.leave(&alone.context)
    alone.endTurn()
    #expect(alone.cellChanges == before + 1 && alone.context.cells[0].link.count == 0)
    #expect(!alone.viewer.pointee.isActive && alone.planned(.linkChanged).isEmpty)
  }

  @Test func `a hand-over repeats what was under way, and the old requests are nobody's`() throws {
    let access = "network.access=[{kind: lte, events: [{kind: hand-over, at: 1 h, outage: 1 s}]}]"
    var alone = Alone(try configuration([access]))
    alone.reachView()
    while alone.viewer.pointee.requests.count == 0, alone.act() != nil {}
    let requests = alone.viewer.pointee.requests
    let used = (0..<requests.count).filter { requests.isUsed($0) }
    #expect(!used.isEmpty)
    alone.viewer.pointee.handOver(0, &alone.context)
    alone.endTurn()
    #expect(alone.context.measures.counts.repeatedRequests == Int64(used.count))
    for place in used {
      let old = requests.generation(of: place)
      #expect(alone.viewer.pointee.edgeRequest(UInt32(place), old) == nil)
      #expect(alone.viewer.pointee.requests.generation(of: place) == old + 1)
    }
    // A page's host answers what has reached it; the edge has heard of nothing yet.
    let pages = used.count { requests[$0].server == .service }
    #expect(alone.viewer.pointee.transport.count == pages)
  }

  @Test func `a rest has one end, whatever is planned after it`() throws {
    var alone = Alone(try configuration(["network.access=[{kind: lte}]"]))
    alone.reachView()
    let now = alone.context.now
    alone.viewer.pointee.planRestEnd(after: .seconds(9), &alone.context)
    alone.viewer.pointee.planRestEnd(after: .seconds(5), &alone.context)
    alone.endTurn()
    #expect(alone.planned(.restEnded).map(\.time) == [now + .seconds(5)])
  }

  @Test func `a pool's size and the decoders limit players, and a low-end device has one`() throws {
    func limits(_ changes: [String]) throws -> [Int] {
      let made = try configuration(changes)
      let alone = Alone(made)
      var limits: [Int] = []
      for device in made.devices.indices {
        limits.append(
          SurfacePlayers.limit(
            ofDevice: device, UnsafePointer(alone.setting), UnsafePointer(alone.surface)))
      }
      return limits
    }
    let plain = try configuration()
    let decoders = plain.devices.map(\.decoderLimit)
    let isLowEnd = try #require(plain.surface).lowEnd
    #expect(isLowEnd.contains(true) && isLowEnd.contains(false))
    for (index, limit) in try limits(["policy.pool.size=2"]).enumerated() {
      #expect(limit == (isLowEnd[index] ? 1 : min(2, decoders[index])))
    }
    for (index, limit) in try limits(["surface.reuse=none"]).enumerated() {
      #expect(limit == (isLowEnd[index] ? 1 : decoders[index]))
    }
  }
}
