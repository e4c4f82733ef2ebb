import Foundation
import MediaUnits
import Models
import Scenario
import Statistics

/// What an audience takes: bandwidth, requests, cache bytes, servers and money, and what gives way
/// first when it grows.
public struct CapacityPlan: Sendable {
  /// A pool of servers at a load.
  public struct Pool: Sendable {
    public var name: String
    /// Requests per second at the peak.
    public var rate: Double
    /// Requests that are worked on at a time; nil where no number holds the limit.
    public var servers: Int?
    public var instances: Int?
    /// Seconds, and the share that may be later.
    public var limit: Double
    public var lateShare: Double
    public var law: String
  }

  /// A line of the bill.
  public struct Cost: Sendable {
    public var name: String
    /// What is paid for, in words.
    public var quantity: String
    public var amount: Double
  }

  /// Everything at one audience.
  public struct Level: Sendable {
    /// Over the audience that was asked for.
    public var factor: Double
    public var audience: Double
    public var viewsPerDay: Double
    /// Views per second in the busiest minutes.
    public var peakViews: Double
    /// Bits and requests per second at the peak: to viewers, from edges to the next tier, and at
    /// the origin, of all edges together.
    public var edgeRate, fillRate, originRate: Double
    public var edgeRequests, fillRequests, originRequests: Double
    public var hitRatio: Double
    /// Bytes of one edge for the target hit ratio; nil when lifetimes forbid it.
    public var edgeBytes: Double?
    public var pools: [Pool]
    /// Relayed calls at a time at the peak, and ports for them.
    public var relayedCalls: Double
    public var relayPorts: Int
    public var relayInstances: Int
    public var costs: [Cost]
    public var monthlyCost: Double { costs.reduce(0) { $0 + $1.amount } }
  }

  /// Where something gives way, as a multiple of the audience.
  public struct Break: Sendable {
    public var name: String
    public var what: String
    /// Nil: never, however large the audience.
    public var multiple: Double?
    /// 95 %, where it was found by simulation.
    public var interval: Interval?
    /// By closed form, where there is one beside.
    public var closedForm: Double?
  }

  public var scenario: FeedStudy
  public var assumptions: CapacityAssumptions
  public var measures: CapacityMeasures
  public var prices: PriceList?
  public var region: PriceList.Region?
  public var audience: Double
  /// The scenario's load at which the hit ratio was measured, over the mean load of the audience.
  public var load: Double
  /// At the audience, with 10 % less and more, and with twice as many.
  public var levels: [Level]
  /// The first to give way first.
  public var breaks: [Break]
  public var cache: ClosedFormCaches
  /// The closed form's hit ratio where the simulation measured one.
  public var closedHitRatio: Double
  public var edgeBytes: Double
  public var curve: [(bytes: Double, miss: Double, byteMiss: Double)]

  /// The level that was asked for.
  public var level: Level { levels[1] }

  /// Requests per second that one distribution of the CDN takes (caches.md section 4.2).
  static let quota = 250_000.0

  /// - Parameters:
  ///   - audience: users a day; nil: as many as the scenario has.
  ///   - seed: of the search for knees.
  /// - Returns: nil for a scenario without caches, such as a mixed feed.
  public init?(
    _ scenario: FeedStudy, measures: CapacityMeasures, assumptions: CapacityAssumptions,
    audience: Double?, prices: (PriceList, PriceList.Region)?, seed: UInt64
  ) throws {
    guard let demand = measures.demand else { return nil }
    let configuration = scenario.configuration
    let cdn = configuration.cdn
    let edges = Double(cdn.edgesBehindShield)
    let sessionsPerDay =
      configuration.audience.sessionsPerSecondPerEdge * 86_400 * edges
    self.scenario = scenario
    self.measures = measures
    self.assumptions = assumptions
    self.prices = prices?.0
    region = prices?.1
    self.audience = audience ?? sessionsPerDay / assumptions.sessionsPerUserDay
    load = self.audience * assumptions.sessionsPerUserDay / sessionsPerDay
    cache = ClosedFormCaches(demand, cdn)
    edgeBytes = cdn.edge.limit.map { Double($0.bytes) } ?? .infinity
    closedHitRatio = cache.flow(load: 1, edgeBytes: edgeBytes, shieldBytes: nil).hitRatio
    curve = cache.curve(load: load)
    levels = []
    breaks = []
    for factor in [0.9, 1, 1.1, 2] { levels.append(level(factor)) }
    breaks = try findBreaks(seed: seed)
  }

  // MARK: One level

  private func level(_ factor: Double) -> Level {
    let users = audience * factor
    let viewsPerDay = users * assumptions.sessionsPerUserDay * measures.viewsPerSession
    let peakFactor = assumptions.peakToMean * assumptions.burst
    let peak = viewsPerDay / 86_400 * peakFactor
    let flow = flow(factor * peakFactor)
    let edgeRate = peak * measures.bytesPerView.value * 8
    let edgeRequests = peak * measures.requestsPerView.value
    let fill = (
      bytes: flow.missedBytes / flow.bytes, requests: flow.missedRequests / flow.requests
    )
    let edges = Double(scenario.configuration.cdn.edgesBehindShield)
    let origin = (
      bytes: flow.originBytes / (edges * flow.bytes),
      requests: flow.originRequests / (edges * flow.requests)
    )
    let calls = users * assumptions.callsPerUserDay * assumptions.relayShare
    let relayed = calls / 86_400 * peakFactor * assumptions.callLength
    let ports = QueueFormula.servers(offered: relayed, blocking: assumptions.callBlocking)
    var level = Level(
      factor: factor, audience: users, viewsPerDay: viewsPerDay, peakViews: peak,
      edgeRate: edgeRate, fillRate: edgeRate * fill.bytes, originRate: edgeRate * origin.bytes,
      edgeRequests: edgeRequests, fillRequests: edgeRequests * fill.requests,
      originRequests: edgeRequests * origin.requests, hitRatio: flow.hitRatio,
      edgeBytes: cache.edgeBytes(
        hitRatio: assumptions.targetHitRatio, load: load * factor * peakFactor),
      pools: assumptions.pools.map { pool($0, users: users, views: peak, peakFactor) },
      relayedCalls: relayed, relayPorts: ports,
      relayInstances: CapacityPlan.instances(ports, assumptions.callsPerInstance), costs: [])
    level.costs = costs(level)
    return level
  }

  /// The caches at a multiple of the audience's mean load.
  func flow(_ factor: Double) -> ClosedFormCaches.Flow {
    let shield = scenario.configuration.cdn.shield
    return cache.flow(
      load: load * factor, edgeBytes: edgeBytes,
      shieldBytes: shield.map { $0.limit.map { Double($0.bytes) } ?? .infinity })
  }

  private func rate(
    _ pool: CapacityAssumptions.Pool, users: Double, views: Double, _ peakFactor: Double
  ) -> Double {
    if let perUserDay = pool.perUserDay { return users * perUserDay / 86_400 * peakFactor }
    return views * (pool.perView ?? measures.pagesPerView.value)
  }

  private func pool(
    _ pool: CapacityAssumptions.Pool, users: Double, views: Double, _ peakFactor: Double
  ) -> Pool {
    let rate = rate(pool, users: users, views: views, peakFactor)
    let servers = pool.formula.servers(rate: rate, limit: pool.limit, lateShare: pool.lateShare)
    return Pool(
      name: pool.name, rate: rate, servers: servers,
      instances: servers.map { CapacityPlan.instances($0, pool.perInstance) }, limit: pool.limit,
      lateShare: pool.lateShare, law: pool.law)
  }

  private static func instances(_ servers: Int, _ perInstance: Int) -> Int {
    (servers + perInstance - 1) / perInstance
  }

  // MARK: Money

  private func costs(_ level: Level) -> [Cost] {
    guard let prices, let region else { return [] }
    let mean = flow(level.factor)
    let edges = Double(scenario.configuration.cdn.edgesBehindShield)
    let views = level.viewsPerDay * 30
    let requests = views * measures.requestsPerView.value
    let bytes = views * measures.bytesPerView.value
    let hasShield = scenario.configuration.cdn.shield != nil
    let fillRequests = requests * mean.missedRequests / mean.requests
    let traffic = CDNBill.Traffic(
      bytes: bytes, requests: requests, shieldRequests: hasShield ? fillRequests : 0,
      originRequests: requests * mean.originRequests / (edges * mean.requests),
      originBytes: bytes * mean.originBytes / (edges * mean.bytes),
      storedBytes: scenario.cost.map { Double($0.storedBytes) } ?? cache.workingSet)
    let bill = CDNBill(traffic, region: region, prices: prices)
    var costs = [
      Cost(
        name: "transfer to viewers", quantity: CapacityPlan.words(traffic.bytes / 1e12, "TB"),
        amount: bill.transfer),
      Cost(
        name: "requests of viewers", quantity: CapacityPlan.words(requests / 1e6, "million"),
        amount: bill.requests),
      Cost(
        name: "shield crossings",
        quantity: CapacityPlan.words(traffic.shieldRequests / 1e6, "million"),
        amount: bill.shield),
      Cost(
        name: "requests to the origin",
        quantity: CapacityPlan.words(traffic.originRequests / 1e6, "million"),
        amount: bill.originRequests),
      Cost(
        name: "transfer from the origin",
        quantity: CapacityPlan.words(traffic.originBytes / 1e12, "TB"),
        amount: bill.originTransfer),
      Cost(
        name: "storage", quantity: CapacityPlan.words(traffic.storedBytes / 1e12, "TB"),
        amount: bill.storage),
    ]
    for pool in level.pools {
      guard let price = prices.services.instanceHours[pool.name], let count = pool.instances else {
        continue
      }
      costs.append(
        Cost(name: pool.name, quantity: "\(count) instances", amount: Double(count) * 720 * price))
    }
    let uploads =
      level.audience * (assumptions.pools.first { $0.name == "transcoder" }?.perUserDay ?? 0) * 30
    costs.append(
      Cost(
        name: "transcoding",
        quantity: CapacityPlan.words(uploads * assumptions.uploadLength / 60e3, "thousand minutes"),
        amount: uploads * assumptions.uploadLength / 60 * prices.services.transcodeMinute))
    let relayed =
      level.audience * assumptions.callsPerUserDay * assumptions.relayShare * 30
      * assumptions.callLength * assumptions.callRate / 8
    costs.append(
      Cost(
        name: "relay", quantity: "\(level.relayInstances) instances",
        amount: Double(level.relayInstances) * 720
          * (prices.services.instanceHours["relay"] ?? 0)))
    costs.append(
      Cost(
        name: "transfer of relayed calls", quantity: CapacityPlan.words(relayed / 1e12, "TB"),
        amount: relayed / 1e9 * prices.services.relayTransferPerGB))
    return costs
  }

  private static func words(_ value: Double, _ unit: String) -> String {
    String(format: value >= 100 ? "%.0f" : value >= 1 ? "%.1f" : "%.3f", value) + " \(unit)"
  }
}
