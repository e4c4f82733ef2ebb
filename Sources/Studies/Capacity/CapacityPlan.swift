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

  /// The relay of calls.
  public struct Relay: Sendable {
    /// Calls at a time at the peak, in the mean.
    public var calls: Double
    /// So many that few enough calls find none.
    public var ports: Int
    public var instances: Int
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
    /// Of several providers those of one edge of each together.
    public var edgeBytes: Double?
    public var pools: [Pool]
    /// Nil where nothing is relayed.
    public var relay: Relay?
    public var costs: [Cost]
    public var monthlyCost: Double { costs.reduce(0) { $0 + $1.amount } }
  }

  /// Where something gives way, as a multiple of the audience.
  public struct Break: Sendable {
    public var name: String
    public var what: String
    /// Whether this plan has sized it for the audience, so that it holds it by construction; else
    /// it is as large as it is, whoever comes.
    public var isSized: Bool
    /// Nil: never, however large the audience.
    public var multiple: Double?
    /// 95 %, where it was found by simulation.
    public var interval: Interval?
    /// By closed form, where there is one beside.
    public var closedForm: Double?

    /// Whether it does not hold the audience. What was sized by the closed form for exactly this
    /// audience does, though the simulated search may say 0.99.
    public var isOver: Bool {
      (isSized ? closedForm ?? multiple : multiple).map { $0 < 1 } ?? false
    }
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
  /// Of all providers, each with its part of the audience.
  var providers: [ProviderCaches]
  /// Of the first provider.
  public var cache: ClosedFormCaches
  /// The closed form's hit ratio where the simulation measured one.
  public var closedHitRatio: Double
  public var edgeBytes: Double
  public var curve: [(bytes: Double, miss: Double, byteMiss: Double)]
  /// What the files say that the audience took; nil without any.
  public var observation: CapacityObservation?

  /// The level that was asked for.
  public var level: Level { levels[1] }

  /// Sessions of the audience, a day.
  public var sessionsPerDay: Double { audience * assumptions.sessionsPerUserDay }

  /// Views that a user sees in a day.
  public var viewsPerUserDay: Double {
    assumptions.sessionsPerUserDay * measures.viewsPerSession
  }

  /// Of what is not sized for the audience that which gives way first.
  public var firstBreak: Break? { breaks.first { !$0.isSized && $0.multiple != nil } }

  /// What does not hold the audience that was asked for: limits that it is beyond, and servers
  /// that no number makes fast enough.
  public var overToday: [Break] { breaks.filter(\.isOver) }

  /// Requests per second that one distribution of the CDN takes (caches.md section 4.2).
  static let quota = 250_000.0

  /// - Parameters:
  ///   - audience: users a day; nil: as many as the scenario has.
  ///   - seed: of the search for knees.
  /// - Returns: nil for a scenario without caches, such as a mixed feed.
  public init?(
    _ scenario: FeedStudy, measures: CapacityMeasures, assumptions: CapacityAssumptions,
    audience: Double?, prices: (PriceList, PriceList.Region)?, seed: UInt64,
    observation: CapacityObservation? = nil
  ) throws {
    guard let demand = measures.demand else { return nil }
    let configuration = scenario.configuration
    let cdn = configuration.cdn
    let edges = Double(cdn.edgesBehindShield)
    let sessionsPerDay =
      configuration.audience.sessionsPerSecondPerEdge * 86_400 * edges
    self.scenario = scenario
    self.measures = measures
    self.observation = observation
    self.assumptions = assumptions
    self.prices = prices?.0
    region = prices?.1
    self.audience = audience ?? sessionsPerDay / assumptions.sessionsPerUserDay
    load = self.audience * assumptions.sessionsPerUserDay / sessionsPerDay
    providers = ProviderCaches.each(demand, cdn)
    cache = providers[0].caches
    edgeBytes = providers[0].edgeBytes
    closedHitRatio =
      ClosedFormCaches.Flow(
        providers.map { own in
          (
            own.share,
            own.caches.flow(load: own.share, edgeBytes: own.edgeBytes, shieldBytes: nil)
          )
        }
      ).hitRatio
    curve = cache.curve(load: load * providers[0].share)
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
    var level = Level(
      factor: factor, audience: users, viewsPerDay: viewsPerDay, peakViews: peak,
      edgeRate: edgeRate, fillRate: edgeRate * fill.bytes, originRate: edgeRate * origin.bytes,
      edgeRequests: edgeRequests, fillRequests: edgeRequests * fill.requests,
      originRequests: edgeRequests * origin.requests, hitRatio: flow.hitRatio,
      edgeBytes: targetBytes(load: load * factor * peakFactor),
      pools: assumptions.pools.map { pool($0, users: users, views: peak, peakFactor) },
      relay: relay(users: users, peakFactor), costs: [])
    level.costs = costs(level)
    return level
  }

  /// The caches at a multiple of the audience's mean load.
  func flow(_ factor: Double) -> ClosedFormCaches.Flow {
    ClosedFormCaches.Flow(providers.map { ($0.share, $0.flow(load * factor)) })
  }

  /// Bytes of one edge of each provider with which the target's share of requests hits; nil where
  /// no size does.
  private func targetBytes(load: Double) -> Double? {
    var sum = 0.0
    for own in providers where own.share > 0 {
      guard
        let bytes = own.caches.edgeBytes(
          hitRatio: assumptions.targetHitRatio, load: load * own.share)
      else { return nil }
      sum += bytes
    }
    return sum
  }

  private func relay(users: Double, _ peakFactor: Double) -> Relay? {
    if !assumptions.hasRelay { return nil }
    let relayed =
      assumptions.relayedCallsPerDay(users: users) / 86_400 * peakFactor * assumptions.callLength
    let ports = QueueFormula.servers(offered: relayed, blocking: assumptions.callBlocking)
    return Relay(
      calls: relayed, ports: ports,
      instances: CapacityPlan.instances(ports, assumptions.callsPerInstance))
  }

  /// Requests of a pool for each view; nil where they do not come with views.
  public func requestsPerView(_ demand: CapacityAssumptions.Demand) -> Double? {
    switch demand {
    case .pages: measures.pagesPerView.value
    case .perView(let count): count
    case .posts(let perMinute):
      measures.postsPerView?.value ?? perMinute / 60 * measures.secondsPerView.value
    case .perUserDay: nil
    }
  }

  private func rate(
    _ pool: CapacityAssumptions.Pool, users: Double, views: Double, _ peakFactor: Double
  ) -> Double {
    if case .perUserDay(let count) = pool.demand { return users * count / 86_400 * peakFactor }
    return views * (requestsPerView(pool.demand) ?? 0)
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
    // What the edges of providers with a shield miss.
    let crossing = ClosedFormCaches.Flow(
      providers.map { own in
        let none = ClosedFormCaches.Flow()
        return (own.share, own.shieldBytes == nil ? none : own.flow(load * level.factor))
      })
    var traffic = CDNBill.Traffic(
      bytes: bytes, requests: requests,
      shieldRequests: requests * crossing.missedRequests / mean.requests,
      originRequests: requests * mean.originRequests / (edges * mean.requests),
      originBytes: bytes * mean.originBytes / (edges * mean.bytes),
      storedBytes: scenario.cost.map { Double($0.storedBytes) } ?? cache.workingSet)
    if providers.count > 1 {
      traffic.parts = providers.map {
        CDNBill.Traffic.Part(share: $0.share, transferPerGB: $0.transferPerGB)
      }
    }
    let charges = prices.prices(in: region)
    let bill = CDNBill(traffic, prices: charges)
    var costs = transfers(traffic, bill, charges)
    costs += [
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
    return costs + besideTheFeed(level, prices.services)
  }

  /// The line of the bytes to viewers, or one for each provider.
  private func transfers(
    _ traffic: CDNBill.Traffic, _ bill: CDNBill, _ prices: CDNPrices
  ) -> [Cost] {
    func quantity(_ bytes: Double) -> String { CapacityPlan.words(bytes / 1e12, "TB") }
    if traffic.parts.isEmpty {
      return [
        Cost(
          name: "transfer to viewers", quantity: quantity(traffic.bytes), amount: bill.transfer)
      ]
    }
    return zip(scenario.providers, traffic.parts).map { name, part in
      Cost(
        name: "transfer to viewers, \(name)", quantity: quantity(traffic.bytes * part.share),
        amount: CDNBill.transfer(of: part, bytes: traffic.bytes, prices: prices))
    }
  }

  /// The lines of uploads and calls, where there are any.
  private func besideTheFeed(_ level: Level, _ services: PriceList.Services) -> [Cost] {
    var costs: [Cost] = []
    let uploads = level.audience * assumptions.uploadsPerUserDay * 30
    if uploads > 0 {
      costs.append(
        Cost(
          name: "transcoding",
          quantity: CapacityPlan.words(
            uploads * assumptions.uploadLength / 60e3, "thousand minutes"),
          amount: uploads * assumptions.uploadLength / 60 * services.transcodeMinute))
    }
    guard let relay = level.relay else { return costs }
    let relayed =
      assumptions.relayedCallsPerDay(users: level.audience) * 30
      * assumptions.callLength * assumptions.callRate / 8
    costs.append(
      Cost(
        name: "relay", quantity: "\(relay.instances) instances",
        amount: Double(relay.instances) * 720 * (services.instanceHours["relay"] ?? 0)))
    costs.append(
      Cost(
        name: "transfer of relayed calls", quantity: CapacityPlan.words(relayed / 1e12, "TB"),
        amount: relayed / 1e9 * services.relayTransferPerGB))
    return costs
  }

  private static func words(_ value: Double, _ unit: String) -> String {
    String(format: value >= 100 ? "%.0f" : value >= 1 ? "%.1f" : "%.3f", value) + " \(unit)"
  }
}
