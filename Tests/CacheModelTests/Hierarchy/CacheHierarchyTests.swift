import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel
import Testing

@testable import CacheModel

/// Caches in tiers by themselves: no viewers, no links, times that can be added up by hand.
///
/// An edge takes 1 ms and is 20 ms from a shield, that takes 2 ms and is 80 ms from an origin of 40
/// ms to the first byte; a new connection costs two round trips.
@Suite struct CacheHierarchyTests {
  private static func law(milliseconds: Double) -> QuantileTable {
    QuantileTable(constant: milliseconds * 1e-3)
  }

  private static func tier(
    service: Double, roundTrip: Double, timeout: TimeSpan = .seconds(30), attempts: Int = 3
  ) -> CacheTierConfiguration {
    CacheTierConfiguration(
      capacity: .unlimited, serviceTime: law(milliseconds: service),
      upstream: UpstreamConfiguration(
        roundTrip: law(milliseconds: roundTrip), floor: .milliseconds(20),
        responseTimeout: timeout, attempts: attempts))
  }

  private func driver(
    edges: Int = 2, outages: [OriginOutage] = [], purges: [CachePurge] = [],
    timeout: TimeSpan = .seconds(30), attempts: Int = 3, domain: FeedDomain = .whole
  ) -> HierarchyDriver {
    HierarchyDriver(
      CacheHierarchy(
        CDNConfiguration(
          edges: edges, edgesBehindShield: edges,
          edge: CacheHierarchyTests.tier(service: 1, roundTrip: 20),
          shield: CacheHierarchyTests.tier(
            service: 2, roundTrip: 80, timeout: timeout, attempts: attempts),
          origin: OriginConfiguration(
            firstByte: CacheHierarchyTests.law(milliseconds: 40), outages: outages),
          start: .cold, warmUp: .zero, assetTTL: AssetTTL(), purges: purges),
        headerBytes: 300, numbers: TitleNumbers(titles: 100),
        streams: RandomStreams(seed: 1, replication: 0), domain: domain))
  }

  private func at(_ milliseconds: Int64) -> Instant { Instant.zero + .milliseconds(milliseconds) }

  @Test func `a miss pays for every tier and its connections, a second object for none`() {
    var world = driver()
    #expect(world.ask(5) == .waits(number: 0, reason: .cold))
    world.run(until: at(1000))
    // 1 + 40 + 10, 2 + 160 + 40, 40, and 40 + 10 back.
    #expect(world.answers.map(\.at) == [at(343)])
    #expect(world.answers[0].answer.answer.tier == .origin)
    #expect(world.answers[0].answer.asker == EdgeAsker(slot: 0, request: 7))
    _ = world.ask(6)
    world.run(until: at(2000))
    #expect(world.answers[1].at == at(1000 + 1 + 10 + 2 + 40 + 40 + 40 + 10))
    #expect(world.origin.total.requests == 2 && world.origin.total.bytes == 2000)
    #expect(world.counts(.edge).answered.requests(.segment, .miss) == 2)
  }

  @Test func `what has come is fresh at its edge and at the shield, with its age`() {
    var world = driver()
    _ = world.ask(5)
    world.run(until: at(1000))
    let week = TimeSpan.days(7)
    #expect(world.ask(5) == .fresh(age: .milliseconds(657), stated: week))
    // The other edge has it from the shield: 1 + 40 + 10 and 2 + 10.
    #expect(world.ask(5, edge: 1) == .waits(number: 0, reason: .cold))
    world.run(until: at(2000))
    #expect(world.answers[1].at == at(1063) && world.answers[1].answer.answer.tier == .shield)
    #expect(world.origin.total.requests == 1)
    #expect(world.counts(.shield).answered.requests(.segment, .hit) == 1)
  }

  @Test func `those who come meanwhile wait for one fetch, and one who gives up is not answered`() {
    var world = driver()
    _ = world.ask(5, viewer: 1)
    _ = world.ask(5, viewer: 2)
    guard case .waits(let number, _) = world.ask(5, viewer: 3) else {
      Issue.record("a request waits")
      return
    }
    world.run(until: at(100))
    world.cancel(number, object: 5)
    world.run(until: at(1000))
    #expect(world.answers.map(\.answer.asker.slot) == [1, 2])
    #expect(world.answers.map(\.at) == [at(343), at(343)])
    #expect(world.origin.total.requests == 1)
    let answered = world.counts(.edge).answered
    #expect(answered.requests(.segment, .miss) == 1)
    #expect(answered.requests(.segment, .collapsed) == 2)
  }

  @Test func `a purge takes copies from every tier`() {
    var world = driver(purges: [CachePurge(at: at(1500), classes: [.segment])])
    _ = world.ask(5)
    _ = world.ask(5, asset: .poster)
    world.run(until: at(2000))
    #expect(world.ask(5) == .waits(number: 1, reason: .purged))
    world.run(until: at(3000))
    #expect(world.origin.total.requests == 2 && world.answers.count == 3)
  }

  @Test func `an origin that never answers is asked as often as it may be, then an error comes`() {
    var world = driver(
      outages: [OriginOutage(begin: .zero, end: at(60_000), kind: .timeout)],
      timeout: .seconds(1), attempts: 2)
    _ = world.ask(5)
    world.run(until: at(10_000))
    // Sent by the shield after 53 ms and again a second later, given up a second after that.
    #expect(world.answers.map(\.at) == [at(2063)])
    #expect(world.answers[0].answer.answer.kind == .failed)
    #expect(world.origin.total.unanswered == 2)
    #expect(world.counts(.edge).answered.requests(.segment, .error) == 1)
    #expect(world.counts(.shield).fetched.total.retries == 1)
  }

  @Test func `an origin out of reach is found out when the connection has not opened in time`() {
    var world = driver(
      outages: [OriginOutage(begin: .zero, end: at(60_000), kind: .unreachable)], attempts: 1)
    _ = world.ask(5)
    world.run(until: at(60_000))
    // Sent after 53 ms; ten seconds later the shield gives up, where it would wait 30 for an
    // answer.
    #expect(world.answers.map(\.at) == [at(10_063)])
    #expect(world.origin.total.unreachable == 1 && world.origin.total.requests == 0)
    // The timer of the lost fetch is gone, and its place serves another.
    _ = world.ask(6)
    world.run(until: at(120_000))
    #expect(world.answers.count == 2 && world.answers[1].answer.answer.kind == .content)
  }

  @Test func `an answer that comes after the fetch was sent again is thrown away`() {
    // The shield waits 250 ms: the first try takes 280, the second, on an open connection or not,
    // is asked meanwhile.
    var world = driver(timeout: .milliseconds(250), attempts: 3)
    _ = world.ask(5)
    world.run(until: at(10_000))
    #expect(world.answers.count == 1 && world.answers[0].answer.answer.kind == .failed)
    #expect(world.counts(.shield).fetched.total.retries == 2)
    #expect(world.origin.total.requests == 3 && world.origin.total.bytes == 3000)
    // Nothing of what came late was kept.
    #expect(world.ask(5) == .waits(number: 0, reason: .cold))
  }

  @Test func `what was counted is forgotten, and what is under way is told of before`() {
    var world = driver()
    _ = world.ask(5)
    world.run(until: at(100))
    world.resetCounters()
    let before = world.counts(.edge).fetched
    #expect(before.total.requests == 0 && before.before.waiting == 1)
    world.run(until: at(1000))
    let after = world.counts(.edge)
    #expect(after.answered.requests(.segment, .miss) == 1 && after.fetched.after.waiting == 0)
    #expect(world.origin.total.requests == 1)
  }

  @Test func `cut in parts, an edge and what is behind it say the same at the same times`() throws {
    var edge = driver(domain: .edge(0))
    var behind = driver(domain: .behind)
    #expect(edge.ask(5) == .waits(number: 0, reason: .cold))
    edge.run()
    let request = try #require(edge.messages.first)
    #expect(edge.messages.count == 1 && request.arrivesAt == at(51) && request.domain == .behind)
    behind.deliver(request)
    behind.run()
    let answer = try #require(behind.messages.first)
    #expect(behind.messages.count == 1 && answer.arrivesAt == at(343))
    #expect(answer.domain == .edge(0))
    edge.deliver(answer)
    edge.run()
    #expect(edge.answers.map(\.at) == [at(343)])
    #expect(behind.origin.total.requests == 1 && edge.origin.total.requests == 0)
  }
}
