import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

/// What a view of a scenario takes, measured in a few replications of it.
public struct CapacityMeasures: Sendable {
  /// Views of a session, as its replications' pilots have counted them together.
  public var viewsPerSession: Double
  /// Means over all views, with intervals over the replications.
  public var bytesPerView: Estimate
  public var requestsPerView: Estimate
  public var pagesPerView: Estimate
  /// Seconds that a view is on the screen: its start, what is played of it, and its stalls.
  public var secondsPerView: Estimate
  /// Posts of events; nil where the scenario's apps post none.
  public var postsPerView: Estimate?
  /// Edges' answers without waiting, of the classes that budgets count (contract.md section 1).
  public var hitRatio: Estimate
  public var views: Int64
  public var replications: Int
  public var demand: StationaryDemand?

  /// Runs the first replications of a scenario side by side.
  public static func run(
    _ scenario: FeedStudy, replications: Int, threads: Int, pilots: Pilots = Pilots()
  ) async throws -> CapacityMeasures {
    // How often each object is asked for does not depend on how the caches start.
    var stationary = scenario.configuration
    stationary.cdn.start = .stationary
    let asked = try pilots.pooled(
      stationary, seed: scenario.seed, replications: replications)
    let runs = try await SideBySide.map(replications, threads: threads) { number in
      let replication = UInt16(number)
      let own = try pilots.plan(
        scenario.configuration, seed: scenario.seed, replication: replication)
      return try FeedRun.run(
        scenario.configuration, plan: own, seed: scenario.seed, replication: replication
      ).measures
    }
    return try CapacityMeasures(
      runs, viewsPerSession: asked.viewsPerSession,
      hasPosts: scenario.configuration.client.telemetry != nil, asked.demand)
  }

  private init(
    _ runs: [FeedMeasures], viewsPerSession: Double, hasPosts: Bool, _ demand: StationaryDemand?
  ) throws(StatisticsError) {
    let views = runs.map { Double($0.views.count) }
    func perView(_ value: (FeedCounts) -> Int64) throws(StatisticsError) -> Estimate {
      try Estimates.ratio(numerators: runs.map { Double(value($0.counts)) }, denominators: views)
    }
    bytesPerView = try perView { $0.deliveredBytes }
    requestsPerView = try perView { $0.requests + $0.clientRetries }
    pagesPerView = try perView { $0.feedPages }
    let seconds = runs.map { run in
      run.views.reduce(0.0) { $0 + ($1.ttff + $1.played + $1.stalled).seconds }
    }
    secondsPerView = try Estimates.ratio(numerators: seconds, denominators: views)
    postsPerView =
      hasPosts
      ? try Estimates.ratio(
        numerators: runs.map { Double($0.clientSide.telemetry.posts) }, denominators: views) : nil
    var (hits, all): ([Double], [Double]) = ([], [])
    for run in runs {
      var (hit, count): (Int64, Int64) = (0, 0)
      for asset in [AssetClass.segment, .initSegment, .sprite, .vtt, .poster] {
        for outcome in CacheOutcome.allCases where outcome != .error {
          let requests = run.edge.requests(asset, outcome)
          count += requests
          if outcome == .hit || outcome == .staleHit { hit += requests }
        }
      }
      hits.append(Double(hit))
      all.append(Double(count))
    }
    hitRatio = try Estimates.ratio(numerators: hits, denominators: all)
    self.views = Int64(views.reduce(0, +))
    replications = runs.count
    self.viewsPerSession = viewsPerSession
    self.demand = demand
  }
}
