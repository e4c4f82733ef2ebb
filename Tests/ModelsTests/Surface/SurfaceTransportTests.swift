import MediaUnits
import ModelBasics
import Scenario
import SimulationKernel
import Testing

@testable import FeedModel
@testable import NetworkModels

/// Viewers of a mixed feed and their transport: what of it is in use at any time.
@Suite struct SurfaceTransportTests {
  /// One viewer's requests at one time.
  private struct Sight {
    /// Places of the edge's connections that requests are under way on, one for each request.
    var connections: [Int] = []
    var waiting = 0
    /// Requests to the edge by session and number.
    var line: [(name: UInt64, waits: Bool, isTold: Bool)] = []
    var answers: [(name: UInt64, isKept: Bool, hasBegun: Bool)] = []
    var pages = 0
    /// Requests whose answers have begun, and transfers on the link.
    var begun = 0
    var transfers = 0
    var hasFree = false
    /// Weights of transfers for cards that play, for cards that never did, and for pages.
    var told: [Double] = []
    var ahead: [Double] = []
    var paged: [Double] = []
    /// Transfers that are in a cell.
    var inCell = 0
    var isInCell = false
  }

  private func study(_ changes: [String]) throws -> FeedStudy {
    let base = [
      "surface={}", "audience.viewsPerDayPerEdge=3456000", "audience.viewsPerSession=40",
      "audience.sessionLength={kind: lognormal, median: 20 s, sigma: 0.3}", "policy.pool.size=5",
      "audience.window=20 s",
    ]
    return try FeedStudy.parse(
      "version: 1\nname: test\n", file: "scenarios/test.yaml",
      overrides: (base + changes).map { Override(set: $0) })
  }

  private static func sight(_ viewer: SurfacePointer) -> Sight {
    var sight = Sight()
    let requests = viewer.pointee.requests
    var told: Set<Int> = []
    var ahead: Set<Int> = []
    var paged: Set<Int> = []
    for place in 0..<requests.count where requests.isUsed(place) {
      let request = requests[place]
      if request.wireBytes > 0 { sight.begun += 1 }
      switch request.purpose {
      case .page:
        sight.pages += 1
        paged.insert(place)
      case .card(let index):
        if request.isWaiting {
          sight.waiting += 1
        } else {
          sight.connections.append(request.connection)
        }
        let isTold = viewer.pointee.items[index].isTold
        sight.line.append(
          (viewer.pointee.entity(request.serial), request.isWaiting, isTold))
        sight.answers.append(
          (
            viewer.pointee.entity(request.serial), request.asset != .mediaManifest,
            request.wireBytes > 0
          ))
        if isTold { told.insert(place) }
        if !viewer.pointee.items[index].bytes.isWanted { ahead.insert(place) }
      }
    }
    sight.hasFree = viewer.pointee.transport.hasFreeConnection
    sight.transfers = viewer.pointee.transport.count
    sight.isInCell = viewer.pointee.transport.cell >= 0
    for index in 0..<viewer.pointee.transport.link.flows.count {
      let flow = viewer.pointee.transport.link.flows[index]
      if told.contains(flow.request) { sight.told.append(flow.weight) }
      if ahead.contains(flow.request) { sight.ahead.append(flow.weight) }
      if paged.contains(flow.request) {
        sight.paged.append(flow.weight)
        #expect(flow.connection == Connection.perHost)
      }
      if flow.cellFlow >= 0 { sight.inCell += 1 }
    }
    return sight
  }

  /// Looks at all viewers every 20 ms.
  ///
  /// - Returns: what was measured.
  @discardableResult
  private func run(
    _ changes: [String], _ look: ([Sight], borrowing SurfaceWorld) -> Void = { _, _ in }
  ) throws -> FeedMeasures {
    let made = try study(changes)
    let surface = try #require(made.configuration.surface)
    var simulation = Simulation(
      SurfaceWorld(
        made.configuration, surface, streams: RandomStreams(seed: made.seed, replication: 0)))
    SurfaceWorld.start(&simulation)
    for step in 1...1500 {
      _ = try simulation.run(until: .zero + .milliseconds(20 * Int64(step)))
      let sights = simulation.world.viewers.filter { $0.pointee.isActive }.map(Self.sight)
      look(sights, simulation.world)
    }
    return simulation.world.finish(at: simulation.now)
  }

  /// Covers: SIG-007.
  @Test(arguments: [("none", 6), ("2", 2)])
  func `of HTTP/1.1 as many requests are under way as connections, the others wait`(
    _ stated: String, _ limit: Int
  ) throws {
    var most = 0
    var waited = 0
    let measures = try run([
      "network.http=1.1", "network.connectionsPerHost=\(stated)", "network.access=[{kind: 3g}]",
      "surface.layout.carouselEvery=1", "policy.prefetch.concurrency=8",
    ]) { sights, _ in
      for sight in sights {
        let used = sight.connections.count
        #expect(used <= limit && Set(sight.connections).count == used)
        // Also what was given up has given its connection back, and no request waits for one that
        // is free.
        #expect(sight.hasFree == (used < limit))
        #expect(sight.waiting == 0 || !sight.hasFree)
        most = max(most, used)
        waited += sight.waiting
      }
    }
    #expect(most == limit && waited > 0)
    #expect(measures.counts.cancelledRequests > 0)
    // A request that is given up takes its connection with it.
    #expect(measures.counts.connectionsOpened > measures.counts.sessions * Int64(limit))
  }

  @Test(arguments: ["2", "3"])
  func `HTTP/2 and 3 carry all requests on one connection`(_ version: String) throws {
    var most = 0
    let measures = try run([
      "network.http=\(version)", "network.access=[{kind: 3g}]",
    ]) { sights, _ in
      for sight in sights {
        #expect(sight.waiting == 0 && sight.connections.allSatisfy { $0 == 0 })
        most = max(most, sight.connections.count)
      }
    }
    #expect(most > 2)
    // One to the edge, one to the feed's host, and what was idle for a minute.
    #expect(measures.counts.connectionsOpened >= measures.counts.sessions * 2)
    #expect(measures.counts.connectionsOpened < measures.counts.sessions * 3)
  }

  @Test func `of requests that wait for a connection those of cards that play go first`() throws {
    var before: [UInt64: Bool] = [:]
    var overtaken = 0
    var first = 0
    try run([
      "network.http=1.1", "network.connectionsPerHost=1", "network.access=[{kind: 3g}]",
      "policy.prefetch.concurrency=8",
    ]) { sights, _ in
      var line: [UInt64: Bool] = [:]
      for sight in sights {
        let (waits, sent) = (sight.line.filter(\.waits), sight.line.filter { !$0.waits })
        for request in waits { line[request.name] = request.isTold }
        let left = sent.filter { before[$0.name] != nil }
        // Whoever is told to play since has not been in line for it.
        let stays = waits.contains { before[$0.name] == true && $0.isTold }
        overtaken += stays ? left.count { before[$0.name] == false && !$0.isTold } : 0
        if left.contains(where: { $0.isTold }) && waits.contains(where: { !$0.isTold }) {
          first += 1
        }
      }
      before = line
    }
    #expect(overtaken == 0 && first > 10)
  }

  /// Covers: SIG-022.
  @Test func `a request has no transfer before its edge answers, and one when it has`() throws {
    var travelling = 0
    var pages = 0
    try run(["surface.edgeHits=0.5", "network.access=[{kind: 3g}]"]) { sights, _ in
      for sight in sights {
        #expect(sight.begun == sight.transfers)
        travelling += sight.connections.count + sight.pages - sight.begun
        pages += sight.paged.count
        #expect(sight.paged.allSatisfy { $0 == 1 })
      }
    }
    #expect(travelling > 100 && pages > 10)
  }

  /// Covers: SIG-005.
  @Test func `a request is half a round trip on its way, and the edge waits for what it lacks`()
    throws
  {
    var time = 0
    var seen: [UInt64: Int] = [:]
    var (kept, fetched) = ([Int](), [Int]())
    try run([
      "network.access=[{kind: lte, roundTrip: 400 ms}]", "surface.edgeHits=1",
      "cdn.originFirstByte=2 s",
    ]) { sights, _ in
      time += 20
      for answer in sights.flatMap(\.answers) {
        let first = seen[answer.name] ?? time
        if seen.updateValue(answer.hasBegun ? -1 : first, forKey: answer.name) == -1 { continue }
        if !answer.hasBegun { continue }
        if answer.isKept { kept.append(time - first) } else { fetched.append(time - first) }
      }
    }
    #expect(kept.count > 100 && fetched.count > 20)
    // Looked at every 20 ms.
    #expect(kept.allSatisfy { $0 >= 180 } && fetched.allSatisfy { $0 >= 2180 })
    #expect(kept.contains { $0 < 300 } && fetched.contains { $0 < 2500 })
  }

  @Test func `transfers share the link by weight, and a card that plays has the full one`() throws {
    var weights = (told: 0, ahead: 0)
    func lost(_ weight: String) throws -> Double {
      let sums = try run([
        "network.prefetchWeight=\(weight)", "network.access=[{kind: 3g}]",
      ]) { sights, _ in
        for sight in sights {
          #expect(sight.told.allSatisfy { $0 == 1 })
          #expect(sight.ahead.allSatisfy { $0 == Double(weight) })
          weights.told += sight.told.count
          weights.ahead += sight.ahead.count
        }
      }.contention
      return Double(sums.reduce(0) { $0 + $1.lost }) / Double(sums.reduce(0) { $0 + $1.foreground })
    }
    let (equal, light) = (try lost("1"), try lost("0.1"))
    #expect(weights.told > 100 && weights.ahead > 100)
    #expect(equal > 0.1 && light > 0 && light < equal / 3)
  }

  @Test func `in a cell no more comes than its capacity, and a wide one is as none`() throws {
    func seen(_ cell: String) throws -> FeedMeasures {
      // A cell hands over at once what a missing packet holds back on a link.
      try run(["network.access=[{kind: lte, loss: 0\(cell)}]"]) { sights, world in
        let inCell = sights.reduce(0) { $0 + $1.inCell }
        #expect(sights.allSatisfy { $0.isInCell == !cell.isEmpty && $0.begun == $0.transfers })
        // Who has left takes his transfers along.
        #expect(inCell == world.viewerContext.cells.reduce(0) { $0 + $1.link.count })
      }
    }
    func start(_ measures: FeedMeasures) -> Double {
      measures.views.reduce(0) { $0 + $1.ttff.seconds } / Double(measures.views.count)
    }
    func cold(_ measures: FeedMeasures) -> [UInt32: TimeSpan] {
      let first = measures.views.filter { $0.flags.contains(.cold) }
      return [UInt32: TimeSpan](uniqueKeysWithValues: first.map { ($0.session, $0.ttff) })
    }
    let (none, wide) = (try seen(""), try seen(", cell: {rate: 100 Gbps}"))
    let (alone, beside) = (cold(none), cold(wide))
    #expect(alone.count > 10 && beside.count == alone.count)
    // Ends are rounded to another nanosecond, and what viewers do may part there.
    let near = alone.count { session, time in
      let other = beside[session] ?? .zero
      return other - time < .milliseconds(1) && time - other < .milliseconds(1)
    }
    #expect(near * 10 >= alone.count * 9)
    let narrow = try seen(", cell: {rate: 4 Mbps, count: 2}")
    let bytes = narrow.balances.reduce(Int64(0)) { $0 + $1.delivered }
    #expect(Double(bytes) * 8 <= 2 * 4e6 * 30 && Double(bytes) * 8 > 2 * 4e6 * 15)
    #expect(start(narrow) > 1.5 * start(none))
  }

  @Test func `a hand-over costs TCP its requests, and QUIC none`() throws {
    func access(_ keys: String = "") -> String {
      "network.access=[{kind: lte, events: [{kind: hand-over, at: 3 s, outage: 1 s\(keys)}]}]"
    }
    let tcp = try run([access()]) { sights, _ in
      #expect(sights.allSatisfy { $0.begun == $0.transfers })
    }
    #expect(tcp.counts.handOvers > 10 && tcp.counts.repeatedRequests > 10)
    #expect(tcp.counts.connectionsOpened > 2 * tcp.counts.sessions + tcp.counts.handOvers / 2)
    let quic = try run([access(), "network.http=3"])
    #expect(quic.counts.handOvers == tcp.counts.handOvers && quic.counts.repeatedRequests == 0)
    let kept = try run([access(", keepsConnections: true")])
    #expect(kept.counts.handOvers > 0 && kept.counts.repeatedRequests == 0)
    for measures in [tcp, quic, kept] {
      for balance in measures.balances {
        #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
        #expect(balance.rendered >= 0 && balance.wasted >= 0)
      }
      #expect(measures.views.contains { $0.settledAt > .zero + .seconds(10) && $0.hasStarted })
    }
  }

  @Test func `who comes after another finds nothing of him`() throws {
    // Sessions one after the other: places are taken anew.
    let short = "audience.sessionLength={kind: lognormal, median: 3 s, sigma: 0.1}"
    var places = 0
    let measures = try run([short, "network.access=[{kind: lte}]"]) { sights, world in
      places = world.viewers.count
      #expect(sights.allSatisfy { $0.begun == $0.transfers })
    }
    #expect(measures.counts.sessions > places)
    #expect(measures.counts.connectionsOpened >= 2 * measures.counts.sessions)
  }
}
