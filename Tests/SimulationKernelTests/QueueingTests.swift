import MediaUnits
import SimulationKernel
import SlowTesting
import Statistics
import Testing

// Issue 2, "What it must show": closed forms within stated standard errors, through the kernel.
// Closed forms: queues and caches.

/// Independent replications of a measured number.
private func replications(_ count: UInt16, _ body: (UInt16) throws -> Double) throws -> [Double] {
  try (0..<count).map(body)
}

/// The mean of replications lies within four standard errors of `expected`, and one of them is at
/// most `precision` of it, so that the check says something.
private func expectMean(
  _ values: [Double], _ expected: Double, precision: Double, _ what: String,
  at location: SourceLocation = #_sourceLocation
) throws {
  let estimate = try Estimates.mean(of: values)
  let error = try #require(estimate.standardError)
  let distance = (estimate.value - expected) / error
  #expect(
    abs(distance) <= 4,
    "\(what): \(estimate.value), expected \(expected), \(distance) standard errors",
    sourceLocation: location)
  #expect(
    error <= precision * expected, "\(what): a standard error of \(error)",
    sourceLocation: location)
}

/// One server, first come first served, endless queue; counted after a warm-up.
private struct SingleServer: SimulatedWorld {
  enum Event: UInt32, BitwiseCopyable, Sendable { case arrived, departed }

  let streams: RandomStreams
  let interarrival: QuantileTable
  let service: QuantileTable
  let warmUp: Instant
  var arrivals: [Instant] = []
  var head = 0
  var arrived: UInt32 = 0
  var served: UInt32 = 0
  var last = Instant.zero
  /// Customers times seconds, seconds in the system and departures, after the warm-up.
  var area = 0.0
  var sojourn = 0.0
  var departures = 0.0

  init(_ streams: RandomStreams, load: Double, warmUp: Instant) throws {
    self.streams = streams
    interarrival = try table(.exponential(mean: 1 / load))
    service = try table(.exponential(mean: 1))
    self.warmUp = warmUp
  }

  static func tag(of event: Event) -> UInt32 { event.rawValue }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    advance(to: context.now)
    switch event {
    case .arrived:
      let wait = interarrival.quantile(streams.uniform(stream(1), entity: 0, draw: arrived))
      arrived += 1
      context.schedule(.arrived, at: context.now + TimeSpan(seconds: wait), for: 0)
      arrivals.append(context.now)
      if arrivals.count - head == 1 { serve(&context) }
    case .departed:
      if context.now >= warmUp {
        sojourn += (context.now - arrivals[head]).seconds
        departures += 1
      }
      head += 1
      if head < arrivals.count { serve(&context) }
    }
  }

  private mutating func serve(_ context: inout Context<Event>) {
    let length = service.quantile(streams.uniform(stream(2), entity: 0, draw: served))
    served += 1
    context.schedule(.departed, at: context.now + TimeSpan(seconds: length), for: 1)
  }

  mutating func advance(to now: Instant) {
    let from = last > warmUp ? last : warmUp
    if now > from { area += Double(arrivals.count - head) * (now - from).seconds }
    last = now
  }
}

/// A link that its transfers share equally; transfers arrive as a Poisson stream.
private struct SharedLink: SimulatedWorld {
  enum Event: UInt32, BitwiseCopyable, Sendable { case arrived, finished }

  struct Transfer {
    var arrivedAt: Instant
    /// The work of one sharer at which this one is done.
    var finish: Double
    var kind: Int
  }

  let streams: RandomStreams
  let interarrival: QuantileTable
  /// Size and probability of the second size; equal sizes make it fixed.
  let sizes: [Double]
  let secondShare: Double
  let capacity: Double
  let warmUp: Instant
  var transfers: [Transfer] = []
  var arrived: UInt32 = 0
  /// Work done for each transfer that was there all the time.
  var work = 0.0
  var last = Instant.zero
  var next = EventHandle.none
  var sums = [0.0, 0.0]
  var counts = [0.0, 0.0]

  static func tag(of event: Event) -> UInt32 { event.rawValue }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    if !transfers.isEmpty {
      work += (context.now - last).seconds * capacity / Double(transfers.count)
    }
    last = context.now
    switch event {
    case .arrived: begin(&context)
    case .finished: end(context.now)
    }
    // Everyone's rate has changed, so the end that was foreseen has as well.
    context.cancel(next)
    next = .none
    guard let first = transfers.map(\.finish).min() else { return }
    let left = max(0, first - work) * Double(transfers.count) / capacity
    next = context.schedule(.finished, at: context.now + TimeSpan(seconds: left), for: 1)
  }

  private mutating func begin(_ context: inout Context<Event>) {
    let (gap, choice) = streams.uniformPair(stream(3), entity: 0, pair: arrived)
    arrived += 1
    context.schedule(
      .arrived, at: context.now + TimeSpan(seconds: interarrival.quantile(gap)), for: 0)
    let kind = choice < secondShare ? 1 : 0
    transfers.append(
      Transfer(arrivedAt: context.now, finish: work + sizes[kind], kind: kind))
  }

  private mutating func end(_ now: Instant) {
    guard let index = transfers.indices.min(by: { transfers[$0].finish < transfers[$1].finish })
    else { return }
    let done = transfers.remove(at: index)
    work = max(work, done.finish)
    if done.arrivedAt < warmUp { return }
    sums[done.kind] += (now - done.arrivedAt).seconds
    counts[done.kind] += 1
  }
}

struct `Queues in closed form` {
  @Test(arguments: [0.5, 0.8])
  func `M M 1 has the sojourn, the number and the balance that theory gives`(
    _ load: Double
  ) throws {
    // Service mean 1: sojourn 1/(1-ρ), number ρ/(1-ρ) (Kleinrock 1975, section 3.2). 60
    // replications of 20,000 s after 2,000 s; the relaxation time at 0.8 is 90 s.
    let warmUp = Instant.zero + .seconds(2000)
    let end = Instant.zero + .seconds(22_000)
    var numbers: [Double] = []
    var differences: [Double] = []
    let sojourns = try replications(60) { replication in
      let world = try SingleServer(
        RandomStreams(seed: 1, replication: replication), load: load, warmUp: warmUp)
      var simulation = Simulation(world)
      simulation.schedule(.arrived, at: .zero, for: 0, source: 0)
      _ = try simulation.run(until: end)
      simulation.world.advance(to: end)
      let seconds = (end - warmUp).seconds
      let number = simulation.world.area / seconds
      numbers.append(number)
      // Little: number = throughput x sojourn, but for those present at the two ends.
      differences.append(number - simulation.world.sojourn / seconds)
      return simulation.world.sojourn / simulation.world.departures
    }
    try expectMean(sojourns, 1 / (1 - load), precision: 0.01, "sojourn")
    try expectMean(numbers, load / (1 - load), precision: 0.012, "number in system")
    let balance = try Estimates.mean(of: differences)
    let error = try #require(balance.standardError)
    #expect(abs(balance.value) <= 4 * error, "Little: \(balance.value) of \(error)")
    #expect(error < 1e-3 * load / (1 - load))
  }

  @Test(arguments: SlowRun.cases([0.75, 0.5], usual: 1))
  func `a shared link serves a transfer in its size over the capacity left, whatever the sizes`(
    _ load: Double
  ) throws {
    // M/G/1-PS: x/(C(1-ρ)) for a transfer of size x, for every law of sizes (Kleinrock 1976,
    // section 4.4). Sizes: 4 always; 1 or 16 with mean 4. 60 replications of 8,000 s.
    let capacity = 8.0
    for sizes in [[4.0, 4.0], [1.0, 16.0]] {
      let share = 0.2
      let interarrival = try table(.exponential(mean: 4 / (load * capacity)))
      var means: [[Double]] = [[], []]
      for replication in 0..<UInt16(60) {
        let world = SharedLink(
          streams: RandomStreams(seed: 2, replication: replication), interarrival: interarrival,
          sizes: sizes, secondShare: share, capacity: capacity,
          warmUp: Instant.zero + .seconds(500))
        var simulation = Simulation(world)
        simulation.schedule(.arrived, at: .zero, for: 0, source: 0)
        _ = try simulation.run(until: Instant.zero + .seconds(8500))
        for kind in 0...1 {
          means[kind].append(simulation.world.sums[kind] / simulation.world.counts[kind])
        }
      }
      for kind in 0...1 {
        try expectMean(
          means[kind], sizes[kind] / (capacity * (1 - load)), precision: 0.012,
          "size \(sizes[kind]) of \(sizes)")
      }
    }
  }
}
