/// The plan of the world that a scenario is of; all worlds are peers.
///
/// A world has a file beside this one with its keys and metrics, a file in Studies/Worlds that runs
/// one replication, and one case in the `switch` of each layer: here, in `StudiedWorld` and in
/// `ReportedWorld`.
public enum World: Sendable {
  case feed(FeedWorldPlan)
  case mixedFeed(MixedFeedPlan)
  case messages(MessagesPlan)
  case services(ServicesPlan)
  case pipeline(PipelinePlan)
  case calls(CallsPlan)

  /// The worlds that a scenario's key `world` may name; absent: one of the feeds, whose keys stand
  /// at the top of the file.
  public static let kinds: [WorldKind] = [
    MessagesPlan.kind,
    ServicesPlan.kind,
    PipelinePlan.kind,
    CallsPlan.kind,
  ]

  private var own: any WorldPlan {
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

extension World: WorldPlan {
  public var name: String { own.name }
  public var title: String { own.title }
  public var standardMetrics: [MetricReference] { own.standardMetrics }
  public var headline: [MetricReference] { own.headline }
  public func has(_ metric: MetricReference) -> Bool { own.has(metric) }
  public var labels: CohortLabels { own.labels }
  public var load: WorldLoad? { own.load }
  public var replicationText: String { own.replicationText }
}

/// A world as scenario files know it.
public struct WorldKind: Sendable {
  /// The word of the key `world`, and the name of the world's own section.
  public let name: String
  /// What it simulates, one line without a full stop.
  public let summary: String
  /// The keys of its section.
  let table: ObjectShape
  /// What every result of it holds, in the order of a replication's samples.
  public let metrics: [WorldMetric]
  /// Metrics that comparisons and sweeps look at when nobody says otherwise.
  public let headline: [String]
  /// Builds the plan from the checked tree of the world's section; what the table cannot say goes
  /// to the problems.
  let build: @Sendable (ResolvedTree, WorldSize, inout Problems) -> World

  /// A world with at least one metric.
  public init(
    name: String, summary: String, table: ObjectShape, metrics: [WorldMetric], headline: [String],
    build: @escaping @Sendable (ResolvedTree, WorldSize, inout Problems) -> World
  ) {
    self.name = name
    self.summary = summary
    self.table = table
    self.metrics = metrics
    self.headline = headline
    self.build = build
  }

  /// The metrics as references, in order.
  public var references: [MetricReference] { metrics.map(\.reference) }

  /// The headline metrics as references.
  public var headlineReferences: [MetricReference] {
    references.filter { headline.contains($0.description) }
  }

  /// The world of a name.
  public static func named(_ name: String) -> WorldKind? {
    World.kinds.first { $0.name == name }
  }
}

/// How much of a world is run: all of it, or the share that the short form states.
public struct WorldSize: Sendable, Equatable {
  /// From 0, exclusive, to 1.
  public var share: Double

  public init(share: Double) { self.share = share }

  /// A count of the whole cut to the share, at least `least`.
  public func count(_ whole: Int64, least: Int64 = 1) -> Int {
    Int(max(min(least, whole), Int64((Double(whole) * share).rounded())))
  }
}
