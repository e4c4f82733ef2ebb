import Models
import Scenario
import SimulationKernel

extension FeedWorldPlan: StudiedWorld {
  var modelVersion: Int { ModelVersion.feed }
  var audited: AuditWorld { .feed }

  func replications(_ request: ReplicationRequest) throws(SimulationError) -> any Replications {
    try FeedReplications(self, .fullScreen, request)
  }

  func memory(replications: Int, threads: Int) -> MemoryEstimate {
    MemoryEstimate(self, .fullScreen, replications: replications, threads: threads)
  }

  func audienceLoad(_ digests: [ReplicationDigest]) -> AudienceLoad? {
    AudienceLoad(digests, feed: self)
  }

  /// Extra cold starts look at the caches between events, and may have looked ahead; a policy that
  /// is a process cannot become two with us.
  var forkedFeed: FeedWorldPlan? {
    let isForeign =
      configuration.policy.prefetchDeciders != nil || !configuration.foreignRules.isEmpty
    return configuration.audience.extraColdStarts == 0 && !isForeign ? self : nil
  }
}

extension MixedFeedPlan: StudiedWorld {
  var modelVersion: Int { ModelVersion.feed }
  var audited: AuditWorld { .mixedFeed }

  func replications(_ request: ReplicationRequest) throws(SimulationError) -> any Replications {
    try FeedReplications(feed, .mixed, request)
  }

  func memory(replications: Int, threads: Int) -> MemoryEstimate {
    MemoryEstimate(feed, .mixed, replications: replications, threads: threads)
  }

  func audienceLoad(_ digests: [ReplicationDigest]) -> AudienceLoad? {
    feed.audienceLoad(digests)
  }
}

extension FeedKind {
  /// Whether views may be folded into sums as they end, where there are too many to keep.
  var foldsViews: Bool {
    switch self {
    case .fullScreen: true
    case .mixed: false
    }
  }

  /// Whether the caches behind the edges are simulated, object by object.
  var hasCaches: Bool {
    switch self {
    case .fullScreen: true
    case .mixed: false
    }
  }
}

/// The replications of a feed, full-screen or mixed.
struct FeedReplications: Replications {
  private let feed: FeedWorldPlan
  private let kind: FeedKind
  private let request: ReplicationRequest
  /// What the first one begins with.
  private let first: FeedPlan
  private let load: LoadCurve
  private let foldsViews: Bool

  init(
    _ feed: FeedWorldPlan, _ kind: FeedKind, _ request: ReplicationRequest
  ) throws(SimulationError) {
    self.feed = feed
    self.kind = kind
    self.request = request
    first = try request.pilots.plan(feed.configuration, seed: request.seed)
    load = LoadCurve(feed.configuration)
    foldsViews = kind.foldsViews && load.views(first) > Double(request.mostRows)
  }

  func digest(
    _ replication: UInt16, threads: Int, spare: SpareThreads?, stop: StopRequest,
    fork: (any RunFork)?, report: @escaping @Sendable (ReplicationWatch.State) -> Void
  ) throws(SimulationError) -> ReplicationDigest? {
    let configuration = feed.configuration
    let plan =
      replication == 0
      ? first
      : try request.pilots.plan(configuration, seed: request.seed, replication: replication)
    let sums =
      foldsViews
      ? ViewSums(
        feed: feed, metrics: request.metrics, lateLimit: request.lateLimit,
        replication: replication) : nil
    let watch = ReplicationWatch(load, stop: stop, report: report)
    // In its parts also on one thread: the result is the same bytes whatever the number of threads.
    let parts = PartedReplication(
      configuration, plan: plan, seed: request.seed, replication: replication,
      shuffleTies: request.shuffleTies, threads: threads, spare: spare, sums: sums,
      watch: watch, fork: fork)
    var result: FeedRunResult
    var folded: ViewSums?
    let load: LoadMeter
    if let parts {
      guard let found = try parts.runFolding() else { return nil }
      (result, folded) = found
      load = parts.load
    } else {
      var whole = WholeReplication(configuration, watch: watch, sums: sums, fork: fork)
      guard
        let found = try FeedRun.run(
          configuration, plan: plan, seed: request.seed, replication: replication,
          shuffleTies: request.shuffleTies, observer: &whole)
      else { return nil }
      result = found
      folded = whole.sums
      load = whole.load
      // Those that the end of the run cut.
      folded?.add(result.measures.views)
      folded?.add(extraColdStarts: result.measures.extraColdStarts)
      if folded != nil { result.measures.views = [] }
    }
    let series = series(of: result.measures.views, folded, load)
    var digest = ReplicationDigest(
      result, replication: replication, feed: feed, metrics: request.metrics,
      lateLimit: request.lateLimit, sums: folded)
    // Of a CDN: one or two edges are taken for what they show of caches.
    if kind.hasCaches && configuration.cdn.edges > 2 { digest.peakLoad = load.peak }
    digest.series = series
    return digest
  }

  /// The replication over time; nil where there is none.
  private func series(
    of views: [ViewRecord], _ folded: ViewSums?, _ load: LoadMeter
  ) -> SeriesDigest? {
    guard kind.hasCaches, let plan = SeriesPlan(feed.configuration) else { return nil }
    if let folded = folded?.series {
      return SeriesDigest(plan, traffic: load.parts, views: folded)
    }
    var sums = SeriesViews(plan)
    for view in views { sums.add(view) }
    return SeriesDigest(plan, traffic: load.parts, views: sums)
  }
}
