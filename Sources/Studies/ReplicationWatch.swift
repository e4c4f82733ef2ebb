import MediaUnits
import Models
import Synchronization

/// Looks after one replication under way: tells how far it is, and stops it when it is given up.
struct ReplicationWatch: Sendable {
  /// How far a replication is.
  struct State: Sendable {
    /// The part of its expected work that is done, 0...1.
    var share = 0.0
    var simulated = TimeSpan.zero
    var events: UInt64 = 0
    var views: Int64 = 0
  }

  /// Reports of one replication.
  private static let reports = 500.0

  private let load: LoadCurve
  private let stop: StopRequest
  private let report: @Sendable (State) -> Void
  private var reported = 0.0

  init(
    _ load: LoadCurve, stop: StopRequest, report: @escaping @Sendable (State) -> Void
  ) {
    self.load = load
    self.stop = stop
    self.report = report
  }

  /// Takes note of how far the replication is.
  ///
  /// - Returns: whether to go on.
  mutating func pass(
    at now: Instant, events: @autoclosure () -> UInt64, views: @autoclosure () -> Int64
  ) -> Bool {
    let share = load.share(at: now)
    if share >= reported + 1 / ReplicationWatch.reports {
      reported = share
      report(State(share: share, simulated: now - Instant.zero, events: events(), views: views()))
    }
    return !stop.isAbandoned
  }
}

/// Watches a replication that runs in one piece, reads what its CDN carries, and folds its views
/// where their records are not kept.
struct WholeReplication: FeedObserver {
  private static let interval = TimeSpan.seconds(1)

  var watch: ReplicationWatch?
  var sums: ViewSums?
  private(set) var load: LoadMeter
  private var folded: Int64 = 0
  private let fork: (any RunFork)?

  init(
    _ configuration: FeedConfiguration, watch: ReplicationWatch?, sums: ViewSums?,
    fork: (any RunFork)? = nil
  ) {
    self.watch = watch
    self.sums = sums
    self.fork = fork
    load = LoadMeter(
      measuredFrom: Instant.zero + configuration.cdn.warmUp, plan: SeriesPlan(configuration))
  }

  func nextPass(after now: Instant) -> Instant {
    var next = now.advanced(saturatingBy: WholeReplication.interval)
    for mark in [load.mark, fork?.next ?? .distantFuture] {
      let last = mark - TimeSpan(nanoseconds: 1)
      if last > now && last < next { next = last }
    }
    return next
  }

  /// Views may be folded as they come, and what has reached viewers is counted by its own time.
  func nextBarrier(after now: Instant) -> Instant { .distantFuture }

  mutating func pass(_ world: inout FeedWorld, at now: Instant, events: UInt64) -> Bool {
    load.pass(to: now + TimeSpan(nanoseconds: 1)) { world.traffic(before: $0) }
    if let fork {
      while let next = fork.next, next <= now + TimeSpan(nanoseconds: 1) {
        world.goOn(under: fork.pass())
      }
    }
    var views: Int64 = 0
    if sums == nil {
      views = world.withViews { Int64($0.count) }
    } else {
      folded += Int64(take(&world))
      views = folded
    }
    return watch?.pass(at: now, events: events, views: views) ?? true
  }

  private mutating func take(_ world: inout FeedWorld) -> Int {
    world.withViews { views in
      let count = views.count
      sums?.add(views)
      views.removeAll(keepingCapacity: true)
      return count
    }
  }
}
