import AudienceModel
import CacheModel
import MediaUnits
import SimulationKernel

/// A feed world that somebody else's clock drives and whose requests real servers answer.
///
/// The caller brings it to the present with ``advance(to:)``, takes what it wants of the outside
/// with ``takeCommands()``, and tells it what was heard with ``hear(_:at:)``. Draws are those of
/// the same replication of a simulated run: the same sessions, titles, devices and dwell times.
public struct LiveFeed: ~Copyable {
  private var simulation: Simulation<FeedWorld>
  /// No session begins from here on, and the run is over.
  public let arrivalsEnd, end: Instant
  /// Nothing before this is measured.
  public let measuredFrom: Instant

  /// - Parameters:
  ///   - servers: where requests go; not ``FeedServers/modelled``.
  ///   - configuration: one edge, a cold start and no shield: the real servers are what they are.
  ///   - logsPolicies: whether the viewers' machines write logs, as ``OutsideCommand/told``.
  public init(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16 = 0,
    servers: FeedServers, watching session: UInt32? = nil, logsPolicies: Bool = false
  ) {
    precondition(servers != .modelled, "a live feed has real servers")
    var world = FeedWorld(
      configuration, streams: RandomStreams(seed: seed, replication: replication),
      plan: plan, watching: session, servers: servers)
    if logsPolicies { world.viewerContext.logs = ViewerLogs() }
    measuredFrom = Instant.zero + configuration.cdn.warmUp
    arrivalsEnd = world.arrivalsEnd
    end = world.arrivalsEnd + configuration.audience.drain
    simulation = Simulation(world)
    FeedWorld.start(&simulation)
  }

  /// One session alone, which begins at time zero, with real servers and real players. It makes the
  /// draws of the session of that number in any other run of the seed and replication.
  ///
  /// - Parameter configuration: without a warm-up, a crowd or a day; nobody else comes.
  /// - Precondition: `session` is a viewer's number (``isSession(_:)``).
  public init(
    session: UInt32, _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16 = 0,
    logsPolicies: Bool = false
  ) {
    precondition(LiveFeed.isSession(session), "sessions have numbers of their own")
    var alone = configuration
    alone.audience.window = .nanoseconds(1)
    var world = FeedWorld(
      alone, streams: RandomStreams(seed: seed, replication: replication),
      plan: FeedPlan(viewsPerSession: 1), servers: .real, players: .real)
    if logsPolicies { world.viewerContext.logs = ViewerLogs() }
    measuredFrom = .zero
    arrivalsEnd = world.arrivalsEnd
    end = world.arrivalsEnd + configuration.audience.drain
    simulation = Simulation(world)
    simulation.schedule(
      .sessionArrived(index: session - FeedWorld.firstSession), at: .zero,
      for: FeedWorld.audienceEntity, source: FeedWorld.audienceEntity)
  }

  /// Whether a viewer's session may have this number.
  public static func isSession(_ number: UInt32) -> Bool { number >= FeedWorld.firstSession }

  /// When the next event is due; nil when none is.
  public var nextEvent: Instant? { simulation.nextEventTime }
  /// The time of the last event handled.
  public var now: Instant { simulation.now }
  public var activeSessions: Int { simulation.world.activeSessions }
  public var views: Int { simulation.world.measures.views.count }
  /// Of the watched session.
  public var recording: SessionRecording { simulation.world.recording }

  /// Handles what is due.
  ///
  /// - Returns: events handled.
  /// - Throws: ``SimulationError`` when an instant has no end of events, or a policy of somebody
  ///   else's could not decide any more.
  public mutating func advance(to present: Instant) throws(SimulationError) -> UInt64 {
    let before = simulation.world.happenings
    let events = try simulation.run(until: present < end ? present : end).events
    try simulation.world.checkPolicies(at: present)
    let count = events + simulation.world.happenings - before
    // One may be for a time after the present.
    if simulation.world.answersHeard == simulation.world.outsideAnswers.count {
      simulation.world.outsideAnswers.removeAll(keepingCapacity: true)
      simulation.world.answersHeard = 0
    }
    return count
  }

  /// Something was heard from outside at `time`; it is handled at the next ``advance(to:)``.
  public mutating func hear(_ answer: OutsideAnswer, at time: Instant) {
    let number = UInt32(simulation.world.outsideAnswers.count)
    simulation.world.outsideAnswers.append(answer)
    simulation.schedule(
      .heard(number: number), at: time > now ? time : now, for: FeedWorld.audienceEntity,
      source: FeedWorld.audienceEntity, phase: .arrival)
  }

  /// What the world wants of the outside since the last call, in order.
  public mutating func takeCommands() -> [OutsideCommand] {
    let commands = simulation.world.viewerContext.outsideCommands
    simulation.world.viewerContext.outsideCommands.removeAll(keepingCapacity: true)
    return commands
  }

  /// What was measured since the last call, or since the warm-up: views are in the part in which
  /// they ended. Sessions go on.
  public mutating func takePart() -> FeedMeasures { simulation.world.takeMeasures(at: now) }

  /// Ends the sessions that still run, as cut, and returns what was measured.
  public mutating func finish() -> FeedMeasures { simulation.world.finish(at: now) }
}

extension FeedWorld {
  /// What was measured so far; measuring begins anew while sessions, caches and connections go on.
  mutating func takeMeasures(at now: Instant) -> FeedMeasures {
    syncLinks(at: now)
    takeCounters()
    measures.sortViews()
    let taken = measures
    forgetMeasures()
    // Those under way were counted where they began.
    measures.counts.sessions = 0
    return taken
  }
}

extension FeedWorld {
  /// What has happened to viewers by itself, beside the events.
  var happenings: UInt64 { viewerContext.happened.count }
  /// The time of the latest of it.
  var lastHappening: Instant { viewerContext.happened.last }
}

extension Simulation<FeedWorld> {
  /// The hash of all events and of what has happened to viewers by itself.
  var wholeFingerprint: Fingerprint {
    var hash = fingerprint
    hash.combine(world.viewerContext.happened.hash)
    return hash
  }
}

extension FeedRun {
  /// One simulated replication, cut into parts of its measured time as ``LiveFeed`` cuts a live
  /// run: the last part has the drain.
  ///
  /// - Throws: ``SimulationError`` at the same-instant limit.
  public static func parts(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16 = 0,
    count: Int
  ) throws(SimulationError) -> [FeedRunResult] {
    let world = FeedWorld(
      configuration, streams: RandomStreams(seed: seed, replication: replication),
      plan: plan)
    let begin = Instant.zero + configuration.cdn.warmUp
    let step = configuration.audience.window.nanoseconds / Int64(count)
    var simulation = Simulation(world)
    FeedWorld.start(&simulation)
    var results: [FeedRunResult] = []
    for part in 1...count {
      let isLast = part == count
      let end =
        isLast
        ? begin + configuration.audience.window + configuration.audience.drain
        : begin + TimeSpan(nanoseconds: step * Int64(part))
      simulation.world.runAhead.bound(by: end)
      let before = simulation.world.happenings
      var summary = try simulation.run(until: end, eventLimit: eventLimit)
      try simulation.world.checkPolicies(at: end)
      summary.events += simulation.world.happenings - before
      results.append(
        FeedRunResult(
          measures: isLast
            ? simulation.world.finish(at: end) : simulation.world.takeMeasures(at: end),
          summary: summary, fingerprint: simulation.wholeFingerprint, recording: nil))
    }
    return results
  }
}

extension FeedRun {
  /// The sessions of the audience that begin before the end of the window, warm-up included, and
  /// when each does: those of a run of the seed and replication.
  ///
  /// - Precondition: no crowds, whose sessions have numbers of their own.
  public static func arrivals(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16 = 0
  ) -> [(session: UInt32, at: Instant)] {
    precondition(configuration.audience.crowds.isEmpty, "crowds have sessions of their own")
    var world = FeedWorld(
      configuration, streams: RandomStreams(seed: seed, replication: replication),
      plan: plan)
    var arrivals: [(session: UInt32, at: Instant)] = []
    var next = world.ownArrival(0, at: world.arrival(0, after: .zero))
    while let (index, time) = next {
      arrivals.append((FeedWorld.firstSession + index, time))
      next = world.ownArrival(index + 1, at: world.arrival(index + 1, after: time))
    }
    return arrivals
  }
}
