internal import CGSL

func exponential(_ x: Double) -> Double { exp(x) }

/// Identical servers with one queue, Poisson arrivals and any law of service, first come, first
/// served (M/G/c).
public struct QueueStation: Sendable, Equatable {
  public let law: Law
  /// The service at the midpoints of equal cells of probability, ascending: seconds.
  private let services: [Double]
  public let mean: Double
  /// The squared coefficient of variation, of the cells.
  public let variation: Double

  /// - Throws: `statistics.parameter` for a law that reaches below 0.
  public init(_ law: Law) throws(StatisticsError) {
    if law.lowest < 0 { throw .parameter("a law of times, not negative", got: law.lowest) }
    let cells = 2_000
    var services: [Double] = []
    var sum = CompensatedSum()
    var squares = CompensatedSum()
    for cell in 0..<cells {
      let value = try law.quantile((Double(cell) + 0.5) / Double(cells))
      services.append(value)
      sum.add(value)
      squares.add(value * value)
    }
    self.law = law
    self.services = services
    mean = sum.value / Double(cells)
    let second = squares.value / Double(cells)
    variation = mean > 0 ? max(0, second / (mean * mean) - 1) : 0
  }

  /// P(wait + service > `limit`), by the closed form for the wait.
  public func lateShare(_ limit: Double, servers: Int, rate: Double) -> Double {
    if rate * mean >= Double(servers) { return 1 }
    var late = 0.0
    for service in services {
      late +=
        service > limit
        ? 1
        : QueueFormula.waitTail(
          limit - service, servers: servers, rate: rate, mean: mean, variation: variation)
    }
    return late / Double(services.count)
  }

  /// The fewest servers with at most this share later than the limit; nil where the service alone
  /// is late too often.
  public func servers(rate: Double, limit: Double, lateShare share: Double) -> Int? {
    let alone = Double(services.count { $0 > limit }) / Double(services.count)
    if alone > share { return nil }
    let offered = rate * mean
    var low = max(1, Int(offered.rounded(.down)))
    var high = low + 1
    while lateShare(limit, servers: high, rate: rate) > share {
      low = high
      high = high * 2
      if high > 1 << 30 { return nil }
    }
    while low < high {
      let middle = (low + high) / 2
      if lateShare(limit, servers: middle, rate: rate) > share {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return high
  }

  /// The arrivals a second at which too many become late, by the closed form.
  public func capacity(servers: Int, limit: Double, lateShare share: Double) -> Double {
    var low = 0.0
    var high = Double(servers) / mean
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if lateShare(limit, servers: servers, rate: middle) > share {
        high = middle
      } else {
        low = middle
      }
    }
    return low
  }

  /// The same found by simulation, with its interval over independent replications.
  ///
  /// Every replication has its own draws and keeps them while the rate is searched, so that its
  /// share is a smooth function of the rate; the wait of each arrival follows from the earliest
  /// free server (J. Kiefer and J. Wolfowitz 1955, DOI 10.1090/S0002-9947-1955-0066587-7).
  public func simulatedCapacity(
    servers: Int, limit: Double, lateShare share: Double, arrivals: Int = 40_000,
    replications: Int = 8, seed: UInt64
  ) throws(StatisticsError) -> Estimate {
    var found: [Double] = []
    for replication in 0..<max(2, replications) {
      var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(replication))
      var gaps: [Double] = []
      var draws: [Double] = []
      for _ in 0..<max(1_000, arrivals) {
        gaps.append(-log(random.nextUniform()))
        draws.append(try service(random.nextUniform()))
      }
      var low = 0.2 * Double(servers) / mean
      var high = 1.02 * Double(servers) / mean
      for _ in 0..<14 {
        let middle = (low + high) / 2
        if late(gaps, draws, servers, middle, limit) > share { high = middle } else { low = middle }
      }
      found.append((low + high) / 2)
    }
    return try Estimates.mean(of: found)
  }

  /// The share of simulated arrivals that are late, after the first tenth.
  public func simulatedLateShare(
    _ limit: Double, servers: Int, rate: Double, arrivals: Int, seed: UInt64
  ) throws(StatisticsError) -> Double {
    var random = SplitMix64(seed: seed)
    var gaps: [Double] = []
    var draws: [Double] = []
    for _ in 0..<arrivals {
      gaps.append(-log(random.nextUniform()))
      draws.append(try service(random.nextUniform()))
    }
    return late(gaps, draws, servers, rate, limit)
  }

  /// Linear between the cells, and the law itself in its ends, where it is steep.
  private func service(_ u: Double) throws(StatisticsError) -> Double {
    let place = u * Double(services.count) - 0.5
    if place < 2 || place > Double(services.count - 20) { return try law.quantile(u) }
    let index = Int(place)
    let share = place - Double(index)
    return services[index] * (1 - share) + services[index + 1] * share
  }

  private func late(
    _ gaps: [Double], _ draws: [Double], _ servers: Int, _ rate: Double, _ limit: Double
  ) -> Double {
    // When each server is free, as a heap with the earliest first.
    var free = [Double](repeating: 0, count: servers)
    var now = 0.0
    var (late, counted) = (0, 0)
    let first = gaps.count / 10
    for index in gaps.indices {
      now += gaps[index] / rate
      let start = max(now, free[0])
      let end = start + draws[index]
      QueueStation.replaceFirst(&free, end)
      if index < first { continue }
      counted += 1
      if end - now > limit { late += 1 }
    }
    return Double(late) / Double(max(1, counted))
  }

  private static func replaceFirst(_ heap: inout [Double], _ value: Double) {
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= heap.count { break }
      if child + 1 < heap.count && heap[child + 1] < heap[child] { child += 1 }
      if heap[child] >= value { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = value
  }
}
