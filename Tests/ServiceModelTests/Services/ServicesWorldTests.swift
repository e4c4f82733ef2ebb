import FeedPolicy
import MediaUnits
import ServicePolicy
import SimulationKernel
import Statistics
import Testing

@testable import ServiceModel

@Suite struct ServicesWorldTests {
  /// Covers: SIG-009.
  @Test func `without a queue the share of Trending is the ranker's tail, page for page`() throws {
    var configuration = try services(sessions: 60, window: 120)
    configuration.ranker.deadline = .milliseconds(15)
    configuration.ranker.station.servers = 1_000
    configuration.ranker.slowShare = 0.01
    configuration.ranker.slowFactor = 8
    let run = try configuration.run()
    #expect(run.mismatches == 0)
    #expect(run.fallbacks == run.overDeadline)
    #expect(run.rankerTimes.count { $0 > 15_000_000 } == run.fallbacks)
    let law = try Law.lognormal(median: 0.009, sigma: 0.35)
    let tail = try 0.99 * (1 - law.cdf(0.015)) + 0.01 * (1 - law.cdf(0.015 / 8))
    let count = Double(run.answered)
    let error = (tail * (1 - tail) / count).squareRoot()
    #expect(count > 10_000)
    #expect(abs(Double(run.fallbacks) / count - tail) < 4 * error, "\(tail)")
  }

  /// Covers: SIG-008, SIG-009.
  @Test func `a page's time is bounded by the deadline and what follows it`() throws {
    var configuration = try services(sessions: 120)
    configuration.ranker.station.servers = 1
    let run = try configuration.run()
    // The ranker has less than half of what it needs: everything comes from Trending.
    #expect(Double(run.fallbacks) > 0.9 * Double(run.answered))
    #expect(run.mismatches == 0 && run.fallbacks == run.overDeadline)
    // 3 ms at the API, 30 ms of waiting, 1.5 ms for Trending.
    #expect(run.pageTimes.allSatisfy { $0 <= 34_600_000 })
  }

  @Test func `a hedge has the arithmetic of the smaller of two`() throws {
    var configuration = try services(sessions: 60, window: 120)
    configuration.ranker.deadline = .milliseconds(20)
    configuration.ranker.station.servers = 1_000
    configuration.ranker.call.hedgeAfter = .milliseconds(10)
    let run = try configuration.run()
    let law = try Law.lognormal(median: 0.009, sigma: 0.35)
    let hedged = try 1 - law.cdf(0.010)
    let count = Double(run.rankerTimes.count)
    #expect(
      abs(Double(run.hedges) / count - hedged) < 4 * (hedged * (1 - hedged) / count).squareRoot())
    #expect(run.rankerAttempts == run.rankerTimes.count + run.hedges)
    let late = try (1 - law.cdf(0.020)) * (1 - law.cdf(0.010))
    let found = Double(run.rankerTimes.count { $0 > 20_000_000 }) / count
    #expect(abs(found - late) < 4 * (late * (1 - late) / count).squareRoot(), "\(found) \(late)")
    #expect(run.mismatches == 0)
  }

  /// Covers: SIG-046.
  @Test func `a cursor by key repeats and passes over nothing while the list grows and shrinks`()
    throws
  {
    var configuration = try services(sessions: 10)
    configuration.content.publishRate = 2
    configuration.content.ephemeralShare = 0.3
    configuration.content.life = .seconds(5)
    configuration.audience.items = QuantileTable(constant: 60)
    configuration.audience.dwell = QuantileTable(constant: 0.5)
    let good = try configuration.run()
    #expect(good.duplicates == 0 && good.passedOver == 0 && good.listed > 5_000)
    #expect(good.expiredShown == 0)
    configuration.content.cut = .offset
    let bad = try configuration.run()
    #expect(bad.duplicates > 100)
    #expect(bad.passedOver > 0)
  }

  /// Covers: SIG-061.
  @Test func `expired rows are shown until they are deleted, unless the reader filters`() throws {
    var configuration = try services(sessions: 10)
    configuration.content.publishRate = 2
    configuration.content.ephemeralShare = 0.3
    configuration.content.life = .seconds(5)
    configuration.content.filtersExpired = false
    #expect(try configuration.run().expiredShown > 100)
  }

  /// Covers: SIG-071.
  @Test func `a tenth to a fifth of every page explores, and what explores is colder`() throws {
    var configuration = try services(sessions: 30, titles: 20_000)
    configuration.content.coldAfter = .minutes(10)
    for (share, size) in [(0.1, 10), (0.15, 20), (0.2, 10)] {
      configuration.content.exploration = ExplorationMixer.Configuration(share: share)
      configuration.audience.pageSize = size
      let run = try configuration.run()
      #expect(run.unevenPages == 0)
      #expect(abs(Double(run.exploring) / Double(run.items) - share) < 1e-9)
      let cold = [
        Double(run.cold[0]) / Double(run.items - run.exploring),
        Double(run.cold[1]) / Double(run.exploring),
      ]
      #expect(cold[1] > 2 * cold[0], "\(cold)")
    }
  }

  /// Covers: SIG-074.
  @Test func `an emptied cache makes pages slower until it is warm again`() throws {
    var configuration = try services(sessions: 40)
    configuration.ranker.coldExtra = 0.012
    let warm = try configuration.run()
    configuration.store.flushAt = .seconds(10)
    let cold = try configuration.run()
    #expect(warm.missed == [0, 0] && warm.warming.isEmpty)
    #expect(cold.missed[0] > 0)
    let time = try #require(cold.timeToWarm(share: 0.1))
    #expect(time > 1 && time < 50)
    func mean(_ values: [Int64]) -> Double {
      Double(values.reduce(0, +)) / Double(values.count)
    }
    #expect(mean(cold.rankerTimes) > mean(warm.rankerTimes) + 1e6)
  }

  /// Covers: SIG-052.
  @Test func `posts that fail lose events, repeat them, or neither`() throws {
    var configuration = try services(sessions: 20)
    configuration.ingest.failureShare = 0.05
    configuration.ingest.killShare = 0
    func run(_ delivery: TelemetryBatcher.Delivery) throws -> ServicesMeasures {
      configuration.ingest.batcher.delivery = delivery
      let run = try configuration.run()
      #expect(run.eventsArrived + run.eventsLost == run.events)
      return run
    }
    let (drop, again, numbered) = (try run(.drop), try run(.retry), try run(.retryWithNumbers))
    #expect(drop.eventsLost > 0 && drop.eventsRepeated == 0)
    #expect(again.eventsRepeated > 0 && again.eventsLost < drop.eventsLost / 10)
    #expect(numbered.eventsRepeated == 0 && numbered.eventsLost == again.eventsLost)
  }

  /// Covers: SIG-059.
  @Test func `one partition takes its writes a second and sharding takes more`() throws {
    var configuration = try services(sessions: 40)
    configuration.store.writesPerShard = 50
    configuration.store.writeRetries = 0
    let one = try configuration.run()
    let kept = Double(one.writes - one.lostWrites) / 60
    #expect(one.throttled > one.writes / 4)
    #expect(abs(kept / 50 - 1) < 0.05, "\(kept)")
    configuration.store.shards = 16
    let many = try configuration.run()
    #expect(many.throttled < one.throttled / 20)
  }

  /// Covers: SIG-076.
  @Test func `the limiter refuses the abuser and nobody else`() throws {
    var configuration = try services(sessions: 20)
    configuration.access.limiter = RateLimiter.Configuration()
    let calm = try configuration.run()
    configuration.access.abusers = 2
    configuration.access.abuseRate = 500
    let run = try configuration.run()
    #expect(run.refusedPages == 0 && Double(run.abuseRefused) > 0.97 * Double(run.abuse))
    #expect(run.pageTimes.count == calm.pageTimes.count)
    configuration.access.limiter = nil
    configuration.api.servers = 2
    let flooded = try configuration.run()
    #expect(flooded.pageTimes.sorted()[flooded.pageTimes.count / 2] > 100_000_000)
  }

  /// Covers: SIG-077.
  @Test func `tokens that expire together come in one second, spread ones do not`() throws {
    var configuration = try services(sessions: 40)
    configuration.access.tokens = ServiceStation(
      servers: 4, service: QuantileTable(constant: 0.01))
    configuration.access.expiryAt = .seconds(20)
    let storm = try configuration.run()
    configuration.access.spread = .seconds(30)
    let spread = try configuration.run()
    let (most, few) = (storm.tokensPerSecond.max() ?? 0, spread.tokensPerSecond.max() ?? 0)
    #expect(most > 2 * few && few > 0, "\(most) \(few)")
  }

  @Test func `a breaker spares a silent ranker and closes when it is back`() throws {
    var configuration = try services(sessions: 40)
    configuration.ranker.outages = [
      RankerOutage(kind: .silent, from: .seconds(10), length: .seconds(20))
    ]
    let open = try configuration.run()
    configuration.ranker.breaker = CircuitBreaker.Configuration()
    let guarded = try configuration.run()
    #expect(open.mismatches == 0 && guarded.mismatches == 0)
    #expect(guarded.breakerRefusals > guarded.overDeadline / 2)
    #expect(guarded.rankerAttempts < open.rankerAttempts - guarded.breakerRefusals / 2)
    // Both lose the outage; the breaker adds at most its own time to it.
    #expect(abs(guarded.fallbacks - open.fallbacks) < open.fallbacks / 4)
  }

  @Test func `an earlier page stands in for Trending after the first one`() throws {
    var configuration = try services(sessions: 40)
    configuration.ranker.deadline = .milliseconds(9)
    configuration.ranker.fallback = PageFallback(oldest: .minutes(5))
    let run = try configuration.run()
    #expect(run.served[2] > 0 && run.served[1] > 0 && run.mismatches == 0)
  }

  ///
  @Test func `sessions come as they come, whatever the services do`() throws {
    var configuration = try services(sessions: 20)
    let calm = try configuration.run()
    configuration.api = ServiceStation(
      servers: 1, service: QuantileTable(constant: 0.5), shedder: LoadShedder(limits: [20]))
    let full = try configuration.run()
    #expect(full.sessions == calm.sessions && full.shedPages > 0)
  }

  @Test func `a seed is a run, and shuffled ties change no count`() throws {
    let configuration = try services(sessions: 10, window: 20)
    let first = try ServicesWorld.run(configuration, seed: 5, replication: 1)
    let second = try ServicesWorld.run(configuration, seed: 5, replication: 1)
    #expect(first.fingerprint == second.fingerprint && first.measures == second.measures)
    let other = try ServicesWorld.run(configuration, seed: 6, replication: 1)
    #expect(other.fingerprint != first.fingerprint)
    let shuffled = try ServicesWorld.run(configuration, seed: 5, replication: 1, shuffleTies: 9)
    #expect(shuffled.measures.answered == first.measures.answered)
    #expect(shuffled.measures.mismatches == 0)
  }

  /// An emptied cache sends every title's first request to the table.
  /// Covers: SIG-059, SIG-074.
  @Test func `a partition of the table takes its reads a second, and the rest is read again`()
    throws
  {
    var configuration = try services(sessions: 40, titles: 20_000)
    configuration.store.flushAt = .zero
    configuration.store.titleShards = 1
    configuration.store.readsPerShard = 100_000
    let plain = try configuration.run()
    #expect(plain.reads > 5_000 && plain.readsThrottled == 0 && plain.lostReads == 0)
    configuration.store.readsPerShard = 200
    configuration.store.readRetries = 1
    let limited = try configuration.run()
    #expect(limited.readsThrottled > limited.reads / 50)
    #expect(limited.lostReads > 0 && limited.lostReads <= limited.readsThrottled)
    // A burst of a second, and no more than its rate after it.
    #expect(limited.reads - limited.lostReads <= 200 * 61)
    configuration.store.readRetries = 10
    let patient = try configuration.run()
    #expect(patient.lostReads < limited.lostReads)
    #expect((patient.pageTimes.max() ?? 0) > (plain.pageTimes.max() ?? 0) + 50_000_000)
    configuration.store.titleShards = 32
    #expect(try configuration.run().readsThrottled < limited.readsThrottled / 4)
  }
}
