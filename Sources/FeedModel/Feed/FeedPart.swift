import AudienceModel
import CacheModel
import MediaUnits
import SimulationKernel

/// One part of a replication that is simulated in parts: an edge with its viewers, or what stands
/// behind the edges.
///
/// Parts are brought to the same instants one after the other or side by side, and hand each other
/// messages in between (synchronous windows: R. Fujimoto, "Parallel and Distributed Simulation
/// Systems", 2000, section 3.5). Messages carry the key that their event would have had in one
/// simulation of the whole, so that neither the number of threads nor the order of delivery shows.
public struct FeedPart: ~Copyable {
  private var simulation: Simulation<FeedWorld>
  private var events: UInt64 = 0
  private var hasPending = true

  /// How long parts can go on without hearing of each other: half of the least round trip between
  /// an edge and what is behind it. Zero where a run cannot be cut: one edge, edges that ask the
  /// origin themselves, round trips without a floor, or extra cold starts, which look at caches of
  /// several parts.
  public static func lookahead(_ configuration: FeedConfiguration) -> TimeSpan {
    let cdn = configuration.cdn
    let haveNext = (0..<cdn.providerCount).allSatisfy { provider in
      let own = cdn.only(provider)
      return own.regional != nil || own.shield != nil
    }
    guard configuration.surface == nil, cdn.edges > 1, haveNext,
      configuration.audience.extraColdStarts == 0
    else { return .zero }
    let floor = cdn.edge.upstream.floor / 2
    return floor > .zero ? floor : .zero
  }

  /// The parts of a run, what is behind the edges first.
  public static func domains(_ configuration: FeedConfiguration) -> [FeedDomain] {
    [.behind] + (0..<configuration.cdn.edges).map { .edge(UInt32($0)) }
  }

  public init(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    domain: FeedDomain, shuffleTies: UInt64? = nil
  ) {
    simulation = Simulation(
      FeedWorld(
        configuration, streams: RandomStreams(seed: seed, replication: replication),
        plan: plan, domain: domain), shuffleTies: shuffleTies)
    FeedWorld.start(&simulation)
  }

  /// No event happens before this time; nil when none is pending.
  public var nextEventTime: Instant? { simulation.nextEventTime }

  /// Handles events up to and including `time`; costs nothing when there are none.
  ///
  /// - Parameter barrier: `time` or later: what happens to a viewer that nobody else sees may be
  ///   done, and counted, up to then.
  /// - Throws: ``SimulationError`` as ``Simulation/run(until:eventLimit:sameInstantLimit:)``.
  public mutating func advance(
    to time: Instant, barrier: Instant? = nil
  ) throws(SimulationError) {
    guard let next = simulation.nextEventTime, next <= time else {
      hasPending = simulation.hasPendingEvents
      return
    }
    simulation.world.runAhead.bound(by: barrier ?? time)
    let summary = try simulation.run(until: time, eventLimit: FeedRun.eventLimit - events)
    try simulation.world.checkPolicies(at: time)
    events += summary.events
    hasPending = summary.hasPendingEvents
  }

  /// Moves what has been sent since the last call to the end of `messages`.
  public mutating func takeMessages(into messages: inout [DomainMessage]) {
    if simulation.world.outbox.isEmpty { return }
    messages += simulation.world.outbox
    simulation.world.outbox.removeAll(keepingCapacity: true)
  }

  /// Takes a message in.
  ///
  /// - Precondition: it arrives after the instant that the part was brought to.
  public mutating func deliver(_ message: DomainMessage) {
    simulation.world.caches.accept(message.message)
    simulation.deliver(
      FeedEvent(message.message.event), at: message.message.arrivesAt,
      for: simulation.world.caches.target(of: message.message), source: message.source,
      sequence: message.sequence, phase: .arrival)
  }

  /// As ``FeedWorld/goOn(under:)``, from after the instant that the part was brought to.
  public mutating func goOn(under faults: CDNFaults) { simulation.world.goOn(under: faults) }

  /// Events handled so far, and those of them that every part handles.
  public var eventCount: UInt64 { events + simulation.world.happenings }
  public var sharedEventCount: UInt64 { simulation.world.sharedEventCount }

  /// As ``FeedWorld/withViews(_:)``.
  ///
  /// - Precondition: the part was brought to the measured time.
  public mutating func withViews<Value>(_ body: (inout [ViewRecord]) -> Value) -> Value {
    simulation.world.withViews(body)
  }

  /// As ``FeedWorld/traffic(before:)``.
  public func traffic(before mark: Instant) -> TrafficTotals {
    simulation.world.traffic(before: mark)
  }

  /// What a part has measured.
  public struct Outcome: Sendable {
    public var measures: FeedMeasures
    var summary: RunSummary
    var fingerprint: Fingerprint
    var shared: Fingerprint
    var sharedCount: UInt64
    var sessions: [AttendanceChange]
    /// Sessions under way when measuring began.
    var sessionsBefore: Int64
  }

  /// Whether events were left when it was brought to its last instant.
  public var hasPendingEvents: Bool { hasPending }
  /// The time of its last event.
  public var now: Instant { max(simulation.now, simulation.world.lastHappening) }

  /// Ends the sessions that still run, as cut, and returns what was measured.
  public mutating func finish(at end: Instant) -> Outcome {
    var summary = RunSummary()
    summary.events = eventCount
    summary.lastEvent = now
    summary.hasPendingEvents = hasPending
    let changes = simulation.world.sessionChanges
    let before =
      Int64(simulation.world.activeSessions) - changes.reduce(0) { $0 + $1.change }
    return Outcome(
      measures: simulation.world.finish(at: end, sortsViews: false), summary: summary,
      fingerprint: simulation.wholeFingerprint, shared: simulation.world.sharedEvents,
      sharedCount: simulation.world.sharedEventCount, sessions: changes, sessionsBefore: before)
  }

  /// The whole run's result from those of its parts, in the order of ``domains(_:)``: sums do not
  /// depend on it, views are in it.
  public static func join(_ parts: [Outcome]) -> FeedRunResult {
    precondition(!parts.isEmpty, "a run has parts")
    var measures = parts[0].measures
    var summary = parts[0].summary
    var fingerprint = parts[0].fingerprint
    measures.views.reserveCapacity(parts.reduce(0) { $0 + $1.measures.views.count })
    for part in parts.dropFirst() {
      measures.add(part.measures)
      measures.views += part.measures.views
      summary.events += part.summary.events - part.sharedCount
      if summary.lastEvent < part.summary.lastEvent {
        summary.lastEvent = part.summary.lastEvent
      }
      summary.hasPendingEvents = summary.hasPendingEvents || part.summary.hasPendingEvents
      fingerprint.combine(part.fingerprint)
      fingerprint.remove(part.shared)
    }
    measures.sortViews()
    measures.peakSessions = peak(parts)
    return FeedRunResult(measures: measures, summary: summary, fingerprint: fingerprint)
  }

  /// The largest number of sessions at one time since measuring began.
  private static func peak(_ parts: [Outcome]) -> Int {
    var active = parts.reduce(Int64(0)) { $0 + $1.sessionsBefore }
    var peak = active
    // Of changes at one instant those that end sessions come first.
    var changes: [AttendanceChange] = []
    for part in parts { changes += part.sessions }
    changes.sort { a, b in
      if a.at != b.at { return a.at < b.at }
      return a.change < b.change
    }
    for change in changes {
      active += change.change
      if active > peak { peak = active }
    }
    return Int(peak)
  }
}
