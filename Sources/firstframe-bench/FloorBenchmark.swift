import CachePolicy
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// How far the whole feed world is from the least that its viewing takes: ``FloorWorld``, by turns
/// with a replication, in one piece, of an evening with some ten thousand viewers at one time.
///
/// The world is brought forward by a step of simulated time, then the floor by the same step, with
/// as many viewers as the world has. A pair is a step of both in the measured time; the CPU time of
/// each is divided by all the views that it simulated there, and the steps of the warm-up make no
/// pair. Viewers run ahead of the clock, but not over the edges of reported windows, so that a few
/// pairs count views that others have paid for: the median does not see them. The floor is only
/// worth its name while it asks, looks up, transfers and prefetches as much as the world does: how
/// far it is from that has limits, too.
enum FloorBenchmark {
  private static let scenario = "scenarios/million-viewers.yaml"
  private static let overrides = ["audience.viewsPerDayPerEdge=4000000", "replications=1"]
  private static let step = TimeSpan.seconds(20)

  /// One step of both.
  private struct Pair {
    var worldSeconds: Double
    var worldViews: Int
    var floorSeconds: Double
    var floorViews: Int64

    /// Microseconds a view.
    var world: Double { worldSeconds / Double(worldViews) * 1e6 }
    var floor: Double { floorSeconds / Double(floorViews) * 1e6 }
  }

  /// Stops the world's clock, lets the floor follow, and starts the world's clock again.
  private struct Follower: FeedObserver {
    let floor: Floor
    let measuredFrom: Instant
    var pairs: [Pair] = []
    /// Seconds of the steps that made no pair.
    var warmUpSeconds = (world: 0.0, floor: 0.0)
    /// Viewers at the ends of the steps that made pairs, summed.
    var viewers = (world: 0, floor: 0)
    /// What the floor had done when the measured time began.
    var before = (counts: FloorCounts(), answered: TierCounters())
    private var last = Instant.zero
    private var startedAt: Double

    init(_ floor: Floor, measuredFrom: Instant) {
      self.floor = floor
      self.measuredFrom = measuredFrom
      startedAt = Stopwatch.now
    }

    func nextPass(after now: Instant) -> Instant { now + FloorBenchmark.step }

    func nextBarrier(after now: Instant) -> Instant { .distantFuture }

    mutating func pass(_ world: inout FeedWorld, at now: Instant, events: UInt64) -> Bool {
      let worldSeconds = Stopwatch.now - startedAt
      let worldViews = world.withViews { views in
        defer { views.removeAll(keepingCapacity: true) }
        return views.count
      }
      let viewsBefore = floor.counts.views
      let floorSeconds = Stopwatch.seconds {
        floor.advance(to: now, from: last, viewers: world.activeViewers)
      }
      if now > measuredFrom {
        pairs.append(
          Pair(
            worldSeconds: worldSeconds, worldViews: worldViews, floorSeconds: floorSeconds,
            floorViews: floor.counts.views - viewsBefore))
        viewers.world += world.activeViewers
        viewers.floor += floor.active
      } else {
        warmUpSeconds.world += worldSeconds
        warmUpSeconds.floor += floorSeconds
        before = (floor.counts, floor.answered)
      }
      last = now
      startedAt = Stopwatch.now
      return true
    }
  }

  static func facts() throws -> [BenchmarkFact] {
    let scenario = try FeedStudy.load(scenario, overrides: overrides.map { Override(set: $0) })
    let configuration = scenario.configuration
    let plan = try FeedRun.plan(configuration, seed: scenario.seed)
    let floor = Floor(configuration, plan: plan, seed: scenario.seed)
    var follower = Follower(floor, measuredFrom: Instant.zero + configuration.cdn.warmUp)
    let result = try FeedRun.run(
      configuration, plan: plan, seed: scenario.seed, replication: 0, observer: &follower)
    guard let result else { preconditionFailure("the follower does not stop the world") }
    floor.finish()
    return times(follower) + work(follower, world: result.measures)
  }

  private static func times(_ follower: Follower) -> [BenchmarkFact] {
    let pairs = follower.pairs
    precondition(
      !pairs.isEmpty && pairs.allSatisfy { $0.worldViews > 0 && $0.floorViews > 0 },
      "views end in every step")
    let ratios = pairs.map { $0.world / $0.floor }
    let world = pairs.reduce(follower.warmUpSeconds.world) { $0 + $1.worldSeconds }
    let floor = pairs.reduce(follower.warmUpSeconds.floor) { $0 + $1.floorSeconds }
    let worldViews = pairs.reduce(0) { $0 + $1.worldViews }
    let floorViews = pairs.reduce(0) { $0 + $1.floorViews }
    func viewers(_ sum: Int) -> Double { Double(sum) / Double(pairs.count) }
    return [
      fact("pairs", "steps of 20 s, by turns", Double(pairs.count)),
      fact("viewers", "viewers at one time, mean", viewers(follower.viewers.floor)),
      fact("world-viewers", "viewers at one time, mean", viewers(follower.viewers.world)),
      fact(
        "microseconds-per-view", "microseconds a simulated view, median",
        Stopwatch.median(pairs.map { $0.floor })),
      fact(
        "world-microseconds-per-view", "microseconds a simulated view, median",
        Stopwatch.median(pairs.map { $0.world })),
      fact(
        "microseconds-per-measured-view", "microseconds, the warm-up's in them",
        floor / Double(floorViews) * 1e6),
      fact(
        "world-microseconds-per-measured-view", "microseconds, the warm-up's in them",
        world / Double(worldViews) * 1e6),
      fact("world-over-floor", "times, median of the pairs", Stopwatch.median(ratios)),
      fact("world-over-floor-least", "times", ratios.min() ?? 0),
      fact("world-over-floor-most", "times", ratios.max() ?? 0),
    ]
  }

  /// What both did for a view, and how far the floor is from the world in it.
  private static func work(_ follower: Follower, world: FeedMeasures) -> [BenchmarkFact] {
    let (now, before) = (follower.floor.counts, follower.before.counts)
    let worldViews = Double(follower.pairs.reduce(0) { $0 + $1.worldViews })
    let floorViews = Double(now.views - before.views)
    var facts: [BenchmarkFact] = []
    func compare(_ name: String, _ unit: String, _ ours: Int64, world theirs: Int64) {
      precondition(theirs > 0, "the world has \(name)")
      let (own, whole) = (Double(ours) / floorViews, Double(theirs) / worldViews)
      facts.append(fact("\(name)-per-view", unit, own))
      facts.append(fact("world-\(name)-per-view", unit, whole))
      facts.append(fact("\(name)-apart", "of the world's", abs(own / whole - 1)))
    }
    compare("requests", "requests", now.requests - before.requests, world: world.counts.requests)
    compare(
      "look-ups", "look-ups at an edge", now.lookUps - before.lookUps,
      world: world.edge.totalRequests)
    compare(
      "transfers", "transfers by rounds", now.transfers - before.transfers,
      world: world.edge.totalRequests + world.counts.feedPages)
    compare("bytes", "bytes", now.bytes - before.bytes, world: world.edge.totalBytes)
    // Both count what the machines of a session commanded in all of it when it ends.
    compare(
      "prefetches", "fetches started", now.prefetchStarts - before.prefetchStarts,
      world: world.counts.prefetchStarts)
    compare(
      "players", "players prepared", now.preparedPlayers - before.preparedPlayers,
      world: world.counts.playerCreates + world.counts.playerRetargets)
    facts.append(
      fact(
        "tells-per-view", "events told to policies",
        Double(
          now.poolTells + now.prefetchTells - before.poolTells - before.prefetchTells)
          / floorViews))
    let misses = missRatio(follower.floor.answered, after: follower.before.answered)
    let worldMisses = missRatio(world.edge, after: TierCounters())
    facts.append(fact("misses", "of the look-ups", misses))
    facts.append(fact("world-misses", "of the look-ups", worldMisses))
    return facts
  }

  /// The share of requests that an edge had no fresh copy for.
  private static func missRatio(_ all: TierCounters, after before: TierCounters) -> Double {
    var hits: Int64 = 0
    for asset in AssetClass.allCases {
      hits += all.requests(asset, .hit) - before.requests(asset, .hit)
    }
    return 1 - Double(hits) / Double(all.totalRequests - before.totalRequests)
  }

  private static func fact(_ name: String, _ unit: String, _ value: Double) -> BenchmarkFact {
    BenchmarkFact(name: "floor/\(name)", unit: unit, value: value)
  }
}
