internal import CGSL

func exponential(_ x: Double) -> Double { exp(x) }

/// What closed forms say of identical servers with one queue, Poisson arrivals and any law of
/// service, first come, first served (M/G/c).
///
/// The wait is that of ``QueueFormula/waitTail(_:servers:rate:mean:variation:)``, which is exact
/// for exponential service alone.
public struct StationFormula: Sendable, Equatable {
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
}
