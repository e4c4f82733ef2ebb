import Foundation
import Models
import Scenario
import Statistics

extension CapacityPlan {
  /// What gives way when the audience grows and everything else stays as it was sized for it.
  func findBreaks(seed: UInt64) throws -> [Break] {
    var found: [Break] = []
    for (index, sized) in level.pools.enumerated() {
      let pool = assumptions.pools[index]
      func fixed(_ what: String, _ multiple: Double?) {
        found.append(
          Break(
            name: sized.name, what: what, isSized: true, multiple: multiple, interval: nil,
            closedForm: nil))
      }
      guard let servers = sized.servers else {
        fixed("\(percent(sized.lateShare)) of the services alone take longer than the limit", 0)
        continue
      }
      if sized.rate <= 0 || pool.formula.mean <= 0 {
        fixed(sized.rate > 0 ? "nothing: it takes no time" : "nothing: nobody asks it", nil)
        continue
      }
      let closed = pool.formula.capacity(
        servers: servers, limit: pool.limit, lateShare: pool.lateShare)
      let simulated = try knee(pool, servers: servers, near: closed, seed: seed &+ UInt64(index))
      found.append(
        Break(
          name: sized.name,
          what: "\(percent(1 - sized.lateShare)) within \(seconds(sized.limit)), with "
            + "\(servers) at a time", isSized: true,
          multiple: simulated.value / sized.rate,
          interval: Interval(
            lower: simulated.interval.lower / sized.rate,
            upper: simulated.interval.upper / sized.rate),
          closedForm: closed / sized.rate))
    }
    if let relay = level.relay { found.append(self.relay(relay)) }
    let requests = level.edgeRequests * largestShare
    found.append(
      Break(
        name: "distribution", what: "\(Int(CapacityPlan.quota)) requests a second, its quota",
        isSized: false, multiple: requests > 0 ? CapacityPlan.quota / requests : nil, interval: nil,
        closedForm: nil))
    found.append(origin())
    return found.sorted {
      ($0.multiple ?? .infinity, $0.name) < ($1.multiple ?? .infinity, $1.name)
    }
  }

  /// Of several providers the part of the one with the largest.
  var largestShare: Double { providers.reduce(0) { max($0, $1.share) } }

  /// The arrivals a second at which too many become late, by the simulated station: the mean of
  /// independent replications, each searched with random numbers of its own.
  private func knee(
    _ pool: CapacityAssumptions.Pool, servers: Int, near: Double, seed: UInt64
  ) throws -> Estimate {
    let jobs = min(100_000, 20_000 + 30 * servers)
    let rates = try (0..<CapacityPlan.kneeReplications).map { replication in
      try StationKnee.search(
        servers: servers, service: pool.service, quantile: 1 - pool.lateShare, limit: pool.limit,
        near: near, jobs: jobs, precision: 0.002, seed: seed, replication: replication)?.rate ?? 0
    }
    return try Estimates.mean(of: rates)
  }

  private static let kneeReplications: UInt16 = 8

  private func relay(_ relay: Relay) -> Break {
    let multiple = CapacityPlan.reach(of: assumptions.callBlocking) {
      QueueFormula.blocking(servers: relay.ports, offered: relay.calls * $0)
    }
    return Break(
      name: "relay",
      what: "\(percent(assumptions.callBlocking)) of the calls find none of "
        + "\(relay.ports) ports", isSized: true, multiple: multiple, interval: nil,
      closedForm: multiple)
  }

  private func origin() -> Break {
    let edges = Double(scenario.configuration.cdn.edgesBehindShield)
    let peak = assumptions.peakToMean * assumptions.burst
    let multiple = CapacityPlan.reach(of: assumptions.originLimit) { factor in
      let flow = flow(factor * peak)
      return level.edgeRequests * factor * flow.originRequests / (edges * flow.requests)
    }
    return Break(
      name: "origin", what: "\(Int(assumptions.originLimit)) requests a second",
      isSized: false, multiple: multiple, interval: nil, closedForm: multiple)
  }

  /// Where a function that rises from zero on first reaches a value, up to a million; nil when it
  /// does not. It may fall again: caches that are asked more often ask their origin less.
  static func reach(of value: Double, _ f: (Double) -> Double) -> Double? {
    var high = 1.0
    while f(high) < value {
      high *= 2
      if high > 1e6 { return nil }
    }
    var low = high > 1 ? high / 2 : 1e-6
    for _ in 0..<50 {
      let middle = (low * high).squareRoot()
      if f(middle) < value { low = middle } else { high = middle }
    }
    return high
  }

  private func percent(_ share: Double) -> String {
    var text = String(format: "%.2f", share * 100)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text + " %"
  }

  private func seconds(_ value: Double) -> String {
    value < 1 ? "\(Int((value * 1000).rounded())) ms" : "\(Int(value.rounded())) s"
  }
}
