import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// The run that tells how often viewers ask for what: sessions against full caches.
///
/// It counts the views of a session and, per view, the requests for each object of a title; both
/// follow from the policies, so they are measured and not asked for.
///
/// Each replication has a pilot of its own. What one pilot counts has its chance, and that reaches
/// the caches: were it shared, the spread of replications would not show it (docs/decisions/0037).
///
/// A value has all that the count depends on. What it does not depend on has been taken out of the
/// configuration that is run, so that pilots of equal values count the same, whatever else differs
/// between the scenarios they come from (docs/decisions/0028).
public struct FeedPilot: Sendable {
  /// Sessions, one per second of simulated time (docs/decisions/0037).
  static let sessions: Int64 = 64

  let configuration: FeedConfiguration
  let seed: UInt64
  let replication: UInt16
  let counting: FeedPlan.Counting

  /// - Returns: nil for a mixed feed, which has no caches to fill: nothing has to be counted.
  public init?(_ scenario: FeedConfiguration, seed: UInt64, replication: UInt16) {
    if scenario.surface != nil { return nil }
    var pilot = scenario
    pilot.cdn = FeedPilot.fullCaches(scenario)
    // The pilot's own crowd says nothing of how full the scenario's cells are.
    for index in 0..<pilot.networks.count { pilot.networks[index].cell = nil }
    // Nor does it know of several providers, none of which could fail or be full.
    pilot.transport.detours = []
    pilot.audience.viewsPerDayPerEdge = 86_400
    pilot.audience.viewsPerSession = 1
    pilot.audience.extraColdStarts = 0
    // Every session is seen to its end.
    pilot.audience.drain = .hours(24)
    pilot.audience.window = .seconds(FeedPilot.sessions)
    pilot.withoutDisturbances()
    // Titles are drawn by their popularity; these numbers are for the stationary start.
    pilot.catalogue.probabilities = []
    configuration = pilot
    self.seed = seed
    self.replication = FeedRun.pilotReplication(of: replication)
    counting = scenario.scale.isWhole ? .requests : .requestsAndDelays
  }

  /// One edge that has everything: no request goes on from it, whatever stands behind it, for how
  /// long it may keep what and how much room it has.
  private static func fullCaches(_ scenario: FeedConfiguration) -> CDNConfiguration {
    // What is never asked for takes no time.
    let never = scenario.normal
    return CDNConfiguration(
      edges: 1, edgesBehindShield: 1,
      edge: CacheTierConfiguration(
        capacity: .unlimited, serviceTime: scenario.cdn.edge.serviceTime,
        upstream: UpstreamConfiguration(roundTrip: never, floor: .zero)),
      shield: nil, origin: OriginConfiguration(firstByte: never), start: .everything,
      warmUp: .zero, assetTTL: scenario.cdn.assetTTL,
      assetRules: scenario.cdn.assetRules.map { AssetRule(isCacheable: $0.isCacheable) },
      cacheKey: scenario.cdn.cacheKey)
  }

  /// Runs it.
  ///
  /// - Throws: ``SimulationError`` when it runs into a limit.
  public func count() throws(SimulationError) -> OffsetCounts {
    var plan = FeedPlan(viewsPerSession: 1)
    plan.counting = counting
    return try FeedRun.runFullScreen(
      configuration, plan: plan, seed: seed, replication: replication
    ).measures.offsets
  }
}

extension FeedPlan {
  /// The plan of a mixed feed.
  public init(withoutPilot configuration: FeedConfiguration) {
    self.init(viewsPerSession: configuration.audience.viewsPerSession)
  }

  /// All of a plan but what the tiers are filled with (``TierFilling``).
  ///
  /// - Parameter counted: by the ``FeedPilot`` of the same configuration, seed and replication.
  public init(
    _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16, counted: OffsetCounts
  ) {
    // Views per second of session times the law's mean length: a session's length varies far more
    // than what is watched in a minute.
    var perSession = 1.0
    if counted.views > 0 && counted.sessionSeconds > 0 {
      let mean = configuration.audience.sessionLength.mean
      let length =
        mean.isFinite ? mean : counted.sessionSeconds / Double(counted.sessions)
      perSession = Double(counted.views) / counted.sessionSeconds * length
    }
    self.init(viewsPerSession: perSession)
    let scale = configuration.scale
    if configuration.cdn.start != .stationary && scale.isWhole { return }
    var demand = StationaryDemand(
      probabilities: configuration.catalogue.probabilities,
      viewsPerSecond: configuration.audience.sessionsPerSecondPerEdge * scale.factor * perSession,
      viewsPerSession: perSession,
      lengths: FeedPlan.titleLengths(
        configuration.catalogue,
        RandomStreams(seed: seed, replication: FeedRun.pilotReplication(of: replication))),
      pilot: counted)
    if let exploration = configuration.client.exploration {
      let size = Int(configuration.policy.pageSize)
      var items = 0
      for page in 0..<64 as Range<UInt32> {
        items += exploration.count(pageSize: size, page: page).items
      }
      demand.explore(
        share: Double(items) / Double(64 * size),
        from: configuration.client.explorationFrom)
    }
    if !scale.isWhole { demand.clock = DemandClock(configuration) }
    self.demand = demand
  }

  /// Titles by their number of segments, less one: of some thousand of all ranks. Every replication
  /// has titles of its own.
  private static func titleLengths(
    _ catalogue: CatalogueConfiguration, _ streams: RandomStreams
  ) -> [Int64] {
    var counts = [Int64](repeating: 0, count: ObjectLayout.maximumSegments)
    let titles = Int(catalogue.titles)
    let sample = min(titles, 4096)
    var catalogue = catalogue
    withUnsafeMutablePointer(to: &catalogue) { catalogue in
      for place in 0..<sample {
        let title = TitleID(UInt32(place * titles / sample))
        let segments = Title.segmentCount(of: title, catalogue: catalogue, streams: streams)
        counts[segments - 1] += 1
      }
    }
    return counts
  }
}
