import MediaUnits
import ServicePolicy
import SimulationKernel
import Statistics
import Testing

@testable import ServiceModel

/// One station against closed forms. Tolerances are multiples of the standard error over
/// replications.
@Suite struct StationTests {
  static let replications = 16

  /// Waits of the jobs of one priority, by replication.
  private static func waits(
    _ configuration: StationConfiguration, priority: Int = 0,
    _ value: (StationMeasures) -> Double
  ) throws -> Replicated {
    var result = Replicated()
    for replication in 0..<UInt16(replications) {
      result.values.append(
        value(try StationWorld.run(configuration, seed: 11, replication: replication)[priority]))
    }
    return result
  }

  private static func mean(_ values: [Int64]) -> Double {
    Double(values.reduce(0, +)) / Double(values.count) / 1e9
  }

  private static func configuration(
    _ rate: Double, _ service: QuantileTable, servers: Int, jobs: Double = 40_000,
    priorities: [Double] = [1], shedder: LoadShedder = LoadShedder()
  ) -> StationConfiguration {
    let length = jobs / rate
    return StationConfiguration(
      arrivals: steady(rate, length * 1.2), service: service, servers: servers,
      priorities: priorities, shedder: shedder, warmUp: TimeSpan(seconds: length * 0.2))
  }

  /// The probability to wait (Erlang 1917): offered load `a` on `c` servers.
  static func erlangC(_ c: Int, _ a: Double) -> Double {
    var blocking = 1.0
    for servers in 1...c { blocking = a * blocking / (Double(servers) + a * blocking) }
    return Double(c) * blocking / (Double(c) - a * (1 - blocking))
  }

  static func erlangB(_ c: Int, _ a: Double) -> Double {
    var blocking = 1.0
    for servers in 1...c { blocking = a * blocking / (Double(servers) + a * blocking) }
    return blocking
  }

  @Test(arguments: [(1, 0.5), (1, 0.8), (4, 0.7), (16, 0.85)])
  func `M-M-c: the share that waits is Erlang C and waits are exponential`(
    servers: Int, load: Double
  ) throws {
    let rate = load * Double(servers)
    let configuration = Self.configuration(
      rate, try table(.exponential(mean: 1)), servers: servers)
    let probability = Self.erlangC(servers, rate)
    let spare = Double(servers) - rate
    let waiting = try Self.waits(configuration) { run in
      Double(run.waits.count { $0 > 0 }) / Double(run.waits.count)
    }
    #expect(waiting.distance(from: probability) < 4, "\(waiting.mean) \(probability)")
    let wait = try Self.waits(configuration) { Self.mean($0.waits) }
    #expect(wait.distance(from: probability / spare) < 4, "\(wait.mean)")
    let tail = try Self.waits(configuration) { run in
      Double(run.waits.count { Double($0) > 1e9 / spare }) / Double(run.waits.count)
    }
    let beyond = probability * PortableMath.exp(-1)
    #expect(tail.distance(from: beyond) < 4, "\(tail.mean) \(beyond)")
  }

  @Test(arguments: [0.3, 0.6, 0.8])
  func `M-G-1: the mean wait is that of Pollaczek and Khinchine`(load: Double) throws {
    let constant = Self.configuration(load, QuantileTable(constant: 1), servers: 1)
    let wait = try Self.waits(constant) { Self.mean($0.waits) }
    #expect(wait.distance(from: load / (2 * (1 - load))) < 4, "\(wait.mean)")
    // A lognormal of mean 1 whose square has the mean e^(σ²).
    let sigma = 0.8
    let spread = Self.configuration(
      load, try table(.lognormal(median: PortableMath.exp(-sigma * sigma / 2), sigma: sigma)),
      servers: 1)
    let square = PortableMath.exp(sigma * sigma)
    let long = try Self.waits(spread) { Self.mean($0.waits) }
    #expect(long.distance(from: load * square / (2 * (1 - load))) < 4, "\(long.mean)")
  }

  @Test(arguments: [(4, 3.0), (10, 8.0)])
  func `without room to wait the share that is refused is Erlang B`(
    servers: Int, offered: Double
  ) throws {
    // Any law of service has the same share; a constant one here.
    let configuration = Self.configuration(
      offered, QuantileTable(constant: 1), servers: servers, shedder: LoadShedder(limits: [0]))
    let lost = try Self.waits(configuration) { Double($0.shed) / Double($0.arrived) }
    let expected = Self.erlangB(servers, offered)
    #expect(lost.distance(from: expected) < 4, "\(lost.mean) \(expected)")
  }

  @Test func `M-G-1 with priorities waits as Cobham says`() throws {
    let (rate, first) = (0.8, 0.4)
    let configuration = Self.configuration(
      rate, try table(.exponential(mean: 1)), servers: 1, jobs: 60_000,
      priorities: [first, 1 - first])
    let load = [rate * first, rate]
    let residual = rate
    let urgent = try Self.waits(configuration) { Self.mean($0.waits) }
    let other = try Self.waits(configuration, priority: 1) { Self.mean($0.waits) }
    #expect(urgent.distance(from: residual / (1 - load[0])) < 4, "\(urgent.mean)")
    #expect(
      other.distance(from: residual / ((1 - load[0]) * (1 - load[1]))) < 4, "\(other.mean)")
  }

  ///
  @Test func `arrivals do not wait: as many come to a slow station as to a fast one`()
    throws
  {
    func arrivals(_ service: Double) throws -> Int {
      try StationWorld.run(
        StationConfiguration(
          arrivals: steady(50, 100), service: QuantileTable(constant: service), servers: 1),
        seed: 3)[0].arrived
    }
    let fast = try arrivals(0.001)
    #expect(try arrivals(1) == fast)
    #expect(abs(Double(fast) - 5_000) < 4 * 5_000.0.squareRoot())
  }

  @Test func `jobs that lose patience leave, and nobody is lost`() throws {
    var configuration = Self.configuration(4, try table(.exponential(mean: 1)), servers: 3)
    configuration.patience = .seconds(2)
    configuration.warmUp = .zero
    let run = try StationWorld.run(configuration, seed: 5)[0]
    #expect(run.left > 0 && run.left + run.times.count == run.arrived)
    #expect(run.waits.allSatisfy { $0 <= 2_000_000_000 })
  }

  /// M/M/1: the 99th percentile of the time is ln 100 / (μ - λ).
  @Test func `the load at which a quantile breaks is found within 5 percent`() throws {
    let service = try table(.exponential(mean: 0.005))
    let knee = try #require(
      try StationKnee.search(
        servers: 1, service: service, quantile: 0.99, limit: 0.050, precision: 0.02, seed: 9))
    let exact = 200 - PortableMath.log(100) / 0.050
    #expect(abs(knee.rate / exact - 1) < 0.05, "\(knee.rate) \(exact)")
    #expect(knee.upper <= knee.lower * 1.02)
    #expect(knee.lowerTime <= 0.050 && knee.upperTime > 0.050)
    #expect(
      try StationKnee.search(
        servers: 1, service: service, quantile: 0.99, limit: 0.010, seed: 9) == nil)
  }

  @Test(arguments: [(1, 0.6), (8, 0.8), (50, 0.9)])
  func `M-M-c: late jobs are as the closed form says`(servers: Int, load: Double) throws {
    let law = try Law.exponential(mean: 0.01)
    let formula = try StationFormula(law)
    let rate = load * Double(servers) / formula.mean
    let configuration = Self.configuration(rate, try table(law), servers: servers, jobs: 60_000)
    let late = try Self.waits(configuration) { run in
      Double(run.times.count { $0 > 30_000_000 }) / Double(run.times.count)
    }
    let closed = formula.lateShare(0.03, servers: servers, rate: rate)
    #expect(late.distance(from: closed) < 4, "\(late.mean) \(closed)")
  }

  /// The closed form of M/G/c is an approximation.
  @Test(arguments: [4, 32])
  func `M-G-c: the capacity by the closed form is near that by simulation`(_ servers: Int) throws {
    let law = try Law.lognormal(median: 0.009, sigma: 0.35)
    let formula = try StationFormula(law)
    let closed = formula.capacity(servers: servers, limit: 0.03, lateShare: 0.01)
    var found = Replicated()
    for replication in 0..<8 as Range<UInt16> {
      let knee = try StationKnee.search(
        servers: servers, service: try table(law), quantile: 0.99, limit: 0.03, near: closed,
        jobs: 40_000, precision: 0.002, seed: 5, replication: replication)
      found.values.append(try #require(knee).rate)
    }
    #expect(abs(closed / found.mean - 1) < 0.05, "\(closed) \(found.mean)")
    #expect(4 * found.error < 0.05 * found.mean)
  }

  /// The ranker of parameters section 13 on four servers, which no closed form has: its knee and
  /// the share of late calls over a row of loads, with more calls and other random numbers.
  /// Covers: SIG-008.
  @Test func `the ranker's knee is where a dense simulation has it`() throws {
    let law = try Law.mixture([
      (0.997, .lognormal(median: 0.009, sigma: 0.35)),
      (0.003, .lognormal(median: 0.072, sigma: 0.35)),
    ])
    let service = try table(law)
    var found = Replicated()
    for replication in 0..<4 as Range<UInt16> {
      let knee = try StationKnee.search(
        servers: 4, service: service, quantile: 0.99, limit: 0.030, jobs: 60_000, seed: 21,
        replication: replication)
      found.values.append(try #require(knee).rate)
    }
    let late = try (0...6).map { step in
      let rate = found.mean * (0.94 + 0.02 * Double(step))
      let run = try StationWorld.run(
        Self.configuration(rate, service, servers: 4, jobs: 400_000), seed: 22)[0]
      return (rate, Double(run.times.count { $0 > 30_000_000 }) / Double(run.times.count))
    }
    #expect(late[0].1 < 0.01 && late[6].1 > 0.01, "\(late)")
    let above = try #require(late.firstIndex { $0.1 > 0.01 })
    let (a, b) = (late[above - 1], late[above])
    let dense = a.0 + (b.0 - a.0) * (0.01 - a.1) / (b.1 - a.1)
    #expect(abs(found.mean / dense - 1) < 0.05, "\(found.mean) \(dense)")
  }
}
