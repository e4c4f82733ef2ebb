/// What a scenario says of the world that it is of, and all that may be asked of any world.
///
/// A plan answers without running anything. What studies ask beside is `StudiedWorld` in Studies,
/// what reports ask is `ReportedWorld` in Reports; nobody else looks at the kind of a world.
public protocol WorldPlan: Sendable {
  /// As messages name it beside other worlds: `calls`, `the feed`.
  var name: String { get }
  /// As messages name it by itself: `the world calls`, `the feed`.
  var title: String { get }
  /// What every result of it holds, in order; never empty.
  var standardMetrics: [MetricReference] { get }
  /// What comparisons and sweeps look at when nobody says otherwise; never empty.
  var headline: [MetricReference] { get }
  /// Whether a reference names one of its metrics, whatever values the labels have.
  func has(_ metric: MetricReference) -> Bool
  /// Values of its metrics' labels that the scenario names itself.
  var labels: CohortLabels { get }
  /// How much comes to it, as something that can be multiplied; nil where it is no rate of its own.
  var load: WorldLoad? { get }
  /// What its replications are of, in words: a noun phrase, for `up to 64 replications of …`.
  var replicationText: String { get }
}

extension WorldPlan {
  public var labels: CohortLabels { CohortLabels() }
  public var load: WorldLoad? { nil }
}

/// Values of the labels of metrics that a scenario names itself.
public struct CohortLabels: Sendable, Equatable {
  public var networks: [String] = []
  public var devices: [String] = []
  public var windows: [String] = []
  public var providers: [String] = []
}

/// The load of a world: the key that says how much comes, and the world with more or less of it.
public struct WorldLoad: Sendable {
  public let key: String
  /// The same world with its load multiplied, nothing else changed.
  public let scaled: @Sendable (_ factor: Double) -> World

  init(key: String, scaled: @escaping @Sendable (_ factor: Double) -> World) {
    self.key = key
    self.scaled = scaled
  }
}

/// The plan of a world whose keys stand in a section with its name, and whose metrics are those of
/// its ``WorldKind``.
public protocol SectionPlan: WorldPlan {
  /// The world's keys and metrics.
  static var kind: WorldKind { get }
}

extension SectionPlan {
  public var name: String { Self.kind.name }
  public var title: String { "the world \(name)" }
  public var standardMetrics: [MetricReference] { Self.kind.references }
  public var headline: [MetricReference] { Self.kind.headlineReferences }
  public func has(_ metric: MetricReference) -> Bool { Self.kind.references.contains(metric) }
  public var replicationText: String { title }
}
