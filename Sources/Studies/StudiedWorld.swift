import MediaUnits
import Scenario
import SimulationKernel

/// What studies ask of a world beside what its scenario says.
///
/// This is the only place of the module that looks at the kind of a world: a new one has a case in
/// ``Scenario/World``, and the compiler asks for it here.
protocol StudiedWorld: WorldPlan {
  /// Which of its predictions can be compared.
  var modelVersion: Int { get }
  /// Its table of mutants.
  var audited: AuditWorld { get }
  /// Its replications, with what they have in common: a feed's pilot, for one.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when a pilot runs into a limit.
  func replications(_ request: ReplicationRequest) throws(SimulationError) -> any Replications
  /// What so many replications at a time need, on so many threads in all.
  func memory(replications: Int, threads: Int) -> MemoryEstimate
  /// What the whole audience asks of a CDN; nil where there is none, or where everybody was
  /// simulated.
  func audienceLoad(_ digests: [ReplicationDigest]) -> AudienceLoad?
  /// The feed whose runs can go on under other faults of its CDN (``RunFork``); nil: they cannot.
  var forkedFeed: FeedWorldPlan? { get }
  /// Whether a machine of somebody else's in it commanded what cannot be done, so that what ran
  /// with it says nothing; asked of searches, whose runs do not say so themselves.
  var hasFailed: Bool { get }
  /// Shows a visitor its protocol; nil where there is none to search.
  func shown<Visitor: FuzzVisitor>(to visitor: Visitor) throws -> Visitor.Answer?
}

extension StudiedWorld {
  var modelVersion: Int { ModelVersion.current }
  func audienceLoad(_ digests: [ReplicationDigest]) -> AudienceLoad? { nil }
  var forkedFeed: FeedWorldPlan? { nil }
  var hasFailed: Bool { false }
  func shown<Visitor: FuzzVisitor>(to visitor: Visitor) throws -> Visitor.Answer? { nil }
}

extension World {
  /// The world as studies see it.
  var studied: any StudiedWorld {
    switch self {
    case .feed(let plan): plan
    case .mixedFeed(let plan): plan
    case .messages(let plan): plan
    case .services(let plan): plan
    case .pipeline(let plan): plan
    case .calls(let plan): plan
    }
  }
}

/// What all replications of a scenario are asked for.
struct ReplicationRequest: Sendable {
  var seed: UInt64
  /// What to evaluate, in the order of ``ReplicationDigest/samples``.
  var metrics: [MetricReference]
  /// A start later than this is late.
  var lateLimit: TimeSpan
  /// Permutes simultaneous events; nil: they are not permuted.
  var shuffleTies: UInt64?
  /// Where pilots come from.
  var pilots = Pilots()
  /// Views of a replication whose records are kept; with more that are expected none is.
  var mostRows = ReplicationRunner.mostRows
}

/// The replications of one scenario, each a function of its number, whatever thread it is on.
protocol Replications: Sendable {
  /// Runs one replication; nil when it was given up.
  ///
  /// - Parameters:
  ///   - threads: that work inside it, where it can be cut into parts.
  ///   - spare: where it takes more of them from as they become free.
  ///   - fork: where it becomes another variant's; only of a feed with caches.
  func digest(
    _ replication: UInt16, threads: Int, spare: SpareThreads?, stop: StopRequest,
    fork: (any RunFork)?, report: @escaping @Sendable (ReplicationWatch.State) -> Void
  ) throws(SimulationError) -> ReplicationDigest?
}
