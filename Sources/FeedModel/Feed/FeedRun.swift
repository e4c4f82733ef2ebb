import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What a replication of a scenario begins with: measured before it, by a pilot run of its own.
public struct FeedPlan: Sendable {
  /// Mean views of a session, as the pilot measured them.
  public var viewsPerSession: Double
  public var demand: StationaryDemand?
  public var untouched = TierContents()
  /// The same of each provider but the first.
  public var furtherUntouched: [TierContents] = []
  /// What is counted for ``StationaryDemand``, in pilots alone.
  var counting = Counting.nothing

  enum Counting {
    case nothing, requests
    /// And how much later than a session's first request for an item its others come.
    case requestsAndDelays
  }

  public init(viewsPerSession: Double, demand: StationaryDemand? = nil) {
    self.viewsPerSession = viewsPerSession
    self.demand = demand
  }

  /// Fills the tiers of each provider but the first.
  public mutating func fillFurther(
    _ configuration: FeedConfiguration, by contents: (TierFilling) -> TierContents
  ) {
    furtherUntouched = (1..<max(configuration.cdn.providerCount, 1)).map { provider in
      TierFilling(self, configuration, provider: provider).map(contents) ?? TierContents()
    }
  }
}

/// One replication's result.
public struct FeedRunResult: Sendable {
  public var measures: FeedMeasures
  public var summary: RunSummary
  public var fingerprint: Fingerprint
  /// Of the watched session; nil when none was watched.
  public var recording: SessionRecording?
  /// What viewers asked their edges; nil unless it was kept.
  public var edgeRequests: [EdgeRequest]?

  public init(
    measures: FeedMeasures, summary: RunSummary = RunSummary(),
    fingerprint: Fingerprint = Fingerprint(), recording: SessionRecording? = nil
  ) {
    self.measures = measures
    self.summary = summary
    self.fingerprint = fingerprint
    self.recording = recording
  }
}

/// Who is told how a run goes on, from time to time and between events.
public protocol FeedObserver {
  /// The next call comes when all events up to and including this instant, which is later than
  /// `now`, have been handled.
  func nextPass(after now: Instant) -> Instant

  /// The next pass, or a later one, by which nothing must have happened that is later than it: what
  /// happens to a viewer that nobody else sees may be done, and counted, before it is its time.
  func nextBarrier(after now: Instant) -> Instant

  /// Takes note of how far the run is.
  ///
  /// - Returns: whether to go on.
  mutating func pass(_ world: inout FeedWorld, at now: Instant, events: UInt64) -> Bool
}

extension FeedObserver {
  public func nextBarrier(after now: Instant) -> Instant { nextPass(after: now) }
}

/// Nobody.
private struct Unobserved: FeedObserver {
  func nextPass(after now: Instant) -> Instant { .distantFuture }
  mutating func pass(_ world: inout FeedWorld, at now: Instant, events: UInt64) -> Bool { true }
}

/// Runs feed worlds.
public enum FeedRun {
  /// Replications of a run; the numbers above are their pilots'.
  public static let mostReplications: UInt16 = 1 << 15

  /// The replication number under which a replication's pilot draws.
  ///
  /// - Precondition: `replication` is below ``mostReplications``.
  public static func pilotReplication(of replication: UInt16) -> UInt16 {
    precondition(replication < mostReplications, "a replication, not a pilot")
    return UInt16.max - replication
  }
  /// Events that the queue of a replication may have.
  public static let eventLimit: UInt64 = 20_000_000_000

  /// Runs the pilot of a replication and prepares its stationary start.
  ///
  /// A host that knows what the pilot counts, or with what the tiers are filled, does the steps by
  /// itself: ``FeedPilot``, ``FeedPlan/init(_:seed:replication:counted:)``, ``TierFilling``.
  ///
  /// - Throws: ``SimulationError`` when the pilot runs into a limit.
  public static func plan(
    _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16 = 0
  ) throws(SimulationError) -> FeedPlan {
    guard let pilot = FeedPilot(configuration, seed: seed, replication: replication) else {
      return FeedPlan(withoutPilot: configuration)
    }
    var plan = FeedPlan(
      configuration, seed: seed, replication: replication, counted: try pilot.count())
    if let filling = TierFilling(plan, configuration) { plan.untouched = filling.contents() }
    plan.fillFurther(configuration) { $0.contents() }
    return plan
  }

  /// Runs one replication from its first arrival to the end of the drain.
  ///
  /// - Parameters:
  ///   - session: a session to write down; the rest of the result is the same without.
  ///   - keepsRequests: whether what viewers ask their edges is kept, at 32 bytes a request.
  /// - Throws: ``SimulationError`` at the event limit or the same-instant limit.
  public static func run(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64? = nil, watching session: UInt32? = nil, keepsRequests: Bool = false
  ) throws(SimulationError) -> FeedRunResult {
    var nobody = Unobserved()
    guard
      let result = try run(
        configuration, plan: plan, seed: seed, replication: replication, shuffleTies: shuffleTies,
        watching: session, keepsRequests: keepsRequests, observer: &nobody)
    else { preconditionFailure("nobody stopped the run") }
    return result
  }

  /// One replication of a feed of full-screen items; the mixed feed is not part of a program that
  /// calls nothing else.
  ///
  /// - Parameter watching: a session that is written down in the result's recording.
  /// - Precondition: the configuration has no surface.
  /// - Throws: ``SimulationError`` at the event limit or the same-instant limit.
  public static func runFullScreen(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    watching session: UInt32? = nil
  ) throws(SimulationError) -> FeedRunResult {
    var nobody = Unobserved()
    guard
      let result = try runFullScreen(
        configuration, plan: plan, seed: seed, replication: replication, shuffleTies: nil,
        watching: session, keepsRequests: false, observer: &nobody)
    else { preconditionFailure("nobody stopped the run") }
    return result
  }

  /// The same, observed; nil when the observer stopped it. A mixed feed is not observed.
  public static func run<Observer: FeedObserver>(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64? = nil, watching session: UInt32? = nil, keepsRequests: Bool = false,
    observer: inout Observer
  ) throws(SimulationError) -> FeedRunResult? {
    if let surface = configuration.surface {
      return try run(
        configuration, surface, seed: seed, replication: replication, shuffleTies: shuffleTies)
    }
    return try runFullScreen(
      configuration, plan: plan, seed: seed, replication: replication, shuffleTies: shuffleTies,
      watching: session, keepsRequests: keepsRequests, observer: &observer)
  }

  private static func runFullScreen<Observer: FeedObserver>(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64?, watching session: UInt32?, keepsRequests: Bool,
    observer: inout Observer
  ) throws(SimulationError) -> FeedRunResult? {
    precondition(configuration.surface == nil, "a feed of full-screen items")
    var world = FeedWorld(
      configuration, streams: RandomStreams(seed: seed, replication: replication),
      plan: plan, watching: session)
    if keepsRequests { world.edgeRequests = [] }
    world.viewerContext.isCounting = plan.counting != .nothing
    if plan.counting == .requestsAndDelays { world.viewerContext.firstRequests = FirstRequests() }
    var simulation = Simulation(world, shuffleTies: shuffleTies)
    FeedWorld.start(&simulation)
    var extra = ExtraColdStarts(simulation.world)
    let end = configuration.end
    let measured = Instant.zero + configuration.cdn.warmUp
    var summary = RunSummary()
    var time = Instant.zero
    var queued: UInt64 = 0
    repeat {
      let before = time
      time = observer.nextPass(after: before)
      if time > end { time = end }
      let barrier = observer.nextBarrier(after: before)
      simulation.world.runAhead.bound(by: barrier < end ? barrier : end)
      summary = try bring(&simulation, to: time, events: &queued, extra: &extra)
      try simulation.world.checkPolicies(at: time)
      summary.events = queued + simulation.world.happenings
      // What the warm-up wrote is forgotten at its end.
      if time < measured { simulation.world.measures.views.removeAll(keepingCapacity: true) }
      if !observer.pass(&simulation.world, at: time, events: summary.events) {
        return nil
      }
    } while time < end && summary.hasPendingEvents
    let fingerprint = simulation.wholeFingerprint
    summary.lastEvent = max(summary.lastEvent, simulation.world.lastHappening)
    let coldStarts = extra.finish(in: simulation.world, at: end)
    var measures = simulation.world.finish(
      at: summary.hasPendingEvents ? end : summary.lastEvent)
    try simulation.world.checkPolicies(at: end)
    measures.extraColdStarts = coldStarts
    measures.counts.extraColdStarts = Int64(coldStarts.count)
    var result = FeedRunResult(
      measures: measures, summary: summary, fingerprint: fingerprint,
      recording: session == nil ? nil : simulation.world.recording)
    result.edgeRequests = simulation.world.edgeRequests
    return result
  }

  /// Handles the events up to a time, and stops where extra cold starts look at the caches.
  ///
  /// - Parameter queued: events handled so far.
  private static func bring(
    _ simulation: inout Simulation<FeedWorld>, to time: Instant, events queued: inout UInt64,
    extra: inout ExtraColdStarts
  ) throws(SimulationError) -> RunSummary {
    while let stop = extra.next, stop <= time {
      queued += try simulation.run(until: stop, eventLimit: eventLimit - queued).events
      extra.goOn(in: simulation.world, at: stop)
    }
    let summary = try simulation.run(until: time, eventLimit: eventLimit - queued)
    queued += summary.events
    return summary
  }

  /// One replication of a mixed feed; its sessions cannot be watched.
  private static func run(
    _ configuration: FeedConfiguration, _ surface: SurfaceConfiguration, seed: UInt64,
    replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> FeedRunResult {
    let world = SurfaceWorld(
      configuration, surface, streams: RandomStreams(seed: seed, replication: replication))
    var simulation = Simulation(world, shuffleTies: shuffleTies)
    SurfaceWorld.start(&simulation)
    let end = Instant.zero + configuration.audience.window + configuration.audience.drain
    let summary = try simulation.run(until: end, eventLimit: eventLimit)
    let fingerprint = simulation.fingerprint
    let measures = simulation.world.finish(at: summary.hasPendingEvents ? end : simulation.now)
    return FeedRunResult(measures: measures, summary: summary, fingerprint: fingerprint)
  }
}
