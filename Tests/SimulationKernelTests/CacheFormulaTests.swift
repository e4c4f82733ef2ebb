import CachePolicy
import MediaUnits
import SimulationKernel
import Statistics
import Testing

// Issue 2, "What it must show": TTL-cache hit ratio and LRU against Che, through the kernel.

/// One object with a lifetime that starts at the fetch; requests are a Poisson stream.
private struct ExpiringObject: SimulatedWorld {
  enum Event: UInt32, BitwiseCopyable, Sendable { case requested, expired }

  let streams: RandomStreams
  let interarrival: QuantileTable
  let lifetime: TimeSpan
  var isStored = false
  var requests: UInt32 = 0
  var hits = 0.0

  static func tag(of event: Event) -> UInt32 { event.rawValue }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    switch event {
    case .expired:
      isStored = false
    case .requested:
      let gap = interarrival.quantile(streams.uniform(stream(4), entity: 0, draw: requests))
      requests += 1
      context.schedule(.requested, at: context.now + TimeSpan(seconds: gap), for: 0)
      if isStored {
        hits += 1
        return
      }
      isStored = true
      context.schedule(.expired, at: context.now + lifetime, for: 1)
    }
  }
}

/// Independent requests for objects of one byte by Zipf's law against an LRU cache.
private struct RequestedCache: SimulatedWorld {
  enum Event: BitwiseCopyable, Sendable { case requested }

  let streams: RandomStreams
  let popularity: SimulationKernel.AliasTable
  let warmUp: UInt32
  var cache: ByteLRU
  var requests: UInt32 = 0
  var hits = 0

  static func tag(of event: Event) -> UInt32 { 0 }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    let object = popularity.index(streams.bits(stream(5), entity: 0, draw: requests))
    if cache.touch(object) != nil {
      if requests >= warmUp { hits += 1 }
    } else {
      _ = cache.insert(object, size: ByteCount(1)) { _, _ in }
    }
    requests += 1
    context.schedule(.requested, at: context.now + .microseconds(1), for: 0)
  }
}

/// The hit ratio that H. Che, Y. Tung, Z. Wang, IEEE JSAC 20(7), 2002, doi
/// 10.1109/JSAC.2002.801752, give for an LRU cache of `places` unit objects: an object is resident
/// while requested within the characteristic time t, and t fills the cache.
private func cheHitRatio(_ probabilities: [Double], places: Double) -> Double {
  func resident(_ time: Double) -> Double {
    probabilities.reduce(0) { $0 + 1 - PortableMath.exp(-$1 * time) }
  }
  var (low, high) = (0.0, 1.0)
  while resident(high) < places { high *= 2 }
  for _ in 0..<80 {
    let middle = (low + high) / 2
    if resident(middle) < places { low = middle } else { high = middle }
  }
  return probabilities.reduce(0) { $0 + $1 * (1 - PortableMath.exp(-$1 * low)) }
}

struct `Caches in closed form` {
  @Test(arguments: [0.5, 4, 32.3])
  func `a lifetime answers as many requests as theory gives`(_ product: Double) throws {
    // λT/(1+λT) (caches.md, finding 3); 97 % needs λT = 32.3. 60 replications of 20,000 requests on
    // average; the start with an empty cache adds one miss to each, 5e-5.
    let rate = 2.0
    let interarrival = try table(.exponential(mean: 1 / rate))
    let ratios = try (0..<UInt16(60)).map { replication in
      let world = ExpiringObject(
        streams: RandomStreams(seed: 3, replication: replication), interarrival: interarrival,
        lifetime: TimeSpan(seconds: product / rate))
      var simulation = Simulation(world)
      simulation.schedule(.requested, at: .zero, for: 0, source: 0)
      _ = try simulation.run(until: Instant.zero + .seconds(10_000))
      return simulation.world.hits / Double(simulation.world.requests)
    }
    let expected = product / (1 + product)
    let estimate = try Estimates.mean(of: ratios)
    let error = try #require(estimate.standardError)
    #expect(error < 0.001)
    #expect(
      abs(estimate.value - expected) <= 4 * error,
      "\(estimate.value), expected \(expected), standard error \(error)")
  }

  @Test(arguments: [(0.8, 100), (0.8, 1000), (1.0, 100), (1.0, 1000)])
  func `LRU answers as many requests as Che's approximation gives`(
    _ exponent: Double, _ places: Int64
  ) throws {
    // 10,000 objects, 2,000,000 counted requests after 200,000 to fill the cache. Tolerance 1e-3
    // (caches.md, section 8, item 6); a ratio of independent requests has an error of 3.5e-4.
    let law = try ZipfLaw(count: 10_000, exponent: exponent)
    let world = RequestedCache(
      streams: RandomStreams(seed: 4, replication: 0),
      popularity: try aliasTable(law.probabilities), warmUp: 200_000,
      cache: ByteLRU(capacity: ByteCount(places), reserve: Int(places)))
    var simulation = Simulation(world)
    simulation.schedule(.requested, at: .zero, for: 0, source: 0)
    let summary = try simulation.run(until: Instant(nanoseconds: 2_199_999 * 1000))
    #expect(summary.events == 2_200_000)
    let measured = Double(simulation.world.hits) / 2_000_000
    let expected = cheHitRatio(law.probabilities, places: Double(places))
    #expect(abs(measured - expected) <= 1e-3, "\(measured), expected \(expected)")
  }
}
