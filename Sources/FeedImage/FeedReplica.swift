import CacheModel
import FeedModel
import MediaUnits
import SimulationKernel

/// One replication of a feed of full-screen items by itself, on one thread: what a host without
/// threads runs.
///
/// The result has the bytes that a study's replication has: what can be cut into parts is run in
/// parts here, too, so that a message between them is as late as it is there.
public enum FeedReplica {
  /// Runs the pilot, fills the tiers and runs the replication.
  ///
  /// - Precondition: the configuration has no surface.
  /// - Throws: ``SimulationError`` when one of them runs into a limit.
  public static func run(
    _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16
  ) throws(SimulationError) -> FeedRunResult {
    let plan = try FeedRun.plan(configuration, seed: seed, replication: replication)
    let lookahead = FeedPart.lookahead(configuration)
    if lookahead <= .zero {
      return try FeedRun.runFullScreen(
        configuration, plan: plan, seed: seed, replication: replication)
    }
    return try parted(
      configuration, plan, seed: seed, replication: replication, lookahead: lookahead)
  }

  /// All parts window by window, one after the other.
  private static func parted(
    _ configuration: FeedConfiguration, _ plan: FeedPlan, seed: UInt64, replication: UInt16,
    lookahead: TimeSpan
  ) throws(SimulationError) -> FeedRunResult {
    let domains = FeedPart.domains(configuration)
    var parts = PartList()
    for domain in domains {
      parts.add(
        FeedPart(
          configuration, plan: plan, seed: seed, replication: replication, domain: domain))
    }
    let end = configuration.end
    let tick = TimeSpan(nanoseconds: 1)
    // A window does not run over the end of the warm-up: what the warm-up wrote is forgotten there.
    let measured = Instant.zero + configuration.cdn.warmUp
    while let next = parts.nextEventTime, next <= end {
      var until = next + lookahead - tick
      if next < measured && until >= measured { until = measured - tick }
      if until > end { until = end }
      try parts.advance(to: until, barrier: until < measured ? measured - tick : end)
      if until < measured { parts.forgetViews() }
      parts.exchange()
    }
    return parts.finish(at: end)
  }
}

/// The parts of a replication.
///
/// Their memory is their own: a part cannot be copied, and arrays hold what can.
private struct PartList: ~Copyable {
  private var first: UnsafeMutablePointer<FeedPart>?
  private var count = 0
  private var room = 0
  private var messages: [DomainMessage] = []

  init() {}

  mutating func add(_ part: consuming FeedPart) {
    if count == room {
      let more = UnsafeMutablePointer<FeedPart>.allocate(capacity: max(4, 2 * room))
      if let first {
        more.moveInitialize(from: first, count: count)
        first.deallocate()
      }
      first = more
      room = max(4, 2 * room)
    }
    guard let first else { return }
    (first + count).initialize(to: part)
    count += 1
  }

  deinit {
    first?.deinitialize(count: count)
    first?.deallocate()
  }

  var nextEventTime: Instant? {
    var least: Instant?
    guard let first else { return nil }
    for place in 0..<count {
      guard let next = first[place].nextEventTime else { continue }
      if least.map({ next < $0 }) ?? true { least = next }
    }
    return least
  }

  mutating func advance(to time: Instant, barrier: Instant) throws(SimulationError) {
    guard let first else { return }
    for place in 0..<count { try first[place].advance(to: time, barrier: barrier) }
  }

  mutating func forgetViews() {
    guard let first else { return }
    for place in 0..<count { first[place].withViews { $0.removeAll(keepingCapacity: true) } }
  }

  mutating func exchange() {
    guard let first else { return }
    for place in 0..<count { first[place].takeMessages(into: &messages) }
    for message in messages {
      switch message.domain {
      case .edge(let edge): first[Int(edge) + 1].deliver(message)
      case .behind, .whole: first[0].deliver(message)
      }
    }
    messages.removeAll(keepingCapacity: true)
  }

  mutating func finish(at end: Instant) -> FeedRunResult {
    var hasPending = false
    var last = Instant.zero
    var outcomes: [FeedPart.Outcome] = []
    guard let first else { preconditionFailure("a run has parts") }
    for place in 0..<count {
      hasPending = hasPending || first[place].hasPendingEvents
      last = max(last, first[place].now)
    }
    for place in 0..<count {
      outcomes.append(first[place].finish(at: hasPending ? end : last))
    }
    return FeedPart.join(outcomes)
  }
}
