import MediaUnits
import Models
import Scenario

/// What a replication depends on beside its number: with it any machine can run it again, to the
/// bit.
///
/// It names its scenario and does not hold it, so that there may be tens of thousands.
public struct ShardSubject: Sendable {
  /// What is kept of a replication.
  public enum Kind: String, Sendable, Codable {
    /// All that a report is made of.
    case digest
    /// The metrics of one of many configurations.
    case record
    /// Its views and requests, as observed ones are counted.
    case views
    /// What a thousand schedules of a protocol came to.
    case seeds
  }

  /// Where the scenario is read from again.
  public struct Source: Sendable {
    public var name: String
    /// The file; empty for a protocol that is known by its name.
    public var file: String
    public var overrides: [Override]
    public var isShort: Bool

    init(_ scenario: StudyScenario) {
      name = scenario.name
      file = scenario.file.path
      overrides = scenario.overrides
      isShort = scenario.isShort
    }

    init(name: String, file: String, overrides: [Override], isShort: Bool) {
      self.name = name
      self.file = file
      self.overrides = overrides
      self.isShort = isShort
    }
  }

  public let source: Source
  public let modelVersion: Int
  /// Of a search the first one.
  public let seed: UInt64
  public let metrics: [MetricReference]
  public let kind: Kind
  public let shuffleTies: UInt64?
  /// A published simulator's network in place of ours.
  public let network: NetworkModel?
  /// Of a search how many there are.
  public let seeds: UInt64?
  /// Bytes that a replication is expected to need; nil where nothing is planned.
  public let memoryBytes: Int64?
  /// SHA-256 over all of it and the model's version, 64 hexadecimal digits. The build that runs it
  /// is no part: builds of one model version find the same.
  public let key: String

  /// Replications of a scenario.
  ///
  /// - Parameter isPlanned: whether a plan wants to know what one needs.
  init(
    _ scenario: StudyScenario, seed: UInt64, metrics: [MetricReference], kind: Kind,
    shuffleTies: UInt64? = nil, network: NetworkModel? = nil, isPlanned: Bool = false
  ) {
    precondition(kind != .seeds, "a search has seeds")
    source = Source(scenario)
    modelVersion = ModelVersion.of(scenario)
    self.seed = seed
    self.metrics = metrics
    self.kind = kind
    self.shuffleTies = shuffleTies
    self.network = network
    seeds = nil
    memoryBytes =
      isPlanned ? MemoryEstimate(scenario, replications: 1, threads: 1).total : nil
    let head = [
      "firstframe shard 1", "model \(modelVersion)", "keeps \(kind.rawValue)",
      "seed \(seed)", "short \(scenario.isShort)",
      "late \(Study.lateLimit(scenario.budgets).nanoseconds)",
      "ties \(shuffleTies.map { "\($0)" } ?? "as they come")",
      "network \(network.map { "\($0)" } ?? "ours")",
      "metrics \(metrics.map(\.description).joined(separator: " "))",
    ]
    let text = (head + scenario.sources + [scenario.resolvedText])
      .joined(separator: "\n")
    key = SHA256.text(of: text.utf8)
  }

  /// The schedules of a protocol: of a scenario, or of the protocol that is known as `name`.
  ///
  /// - Precondition: there is a seed.
  public init(search name: String, _ scenario: StudyScenario?, seeds: Range<UInt64>) {
    precondition(!seeds.isEmpty, "a search has seeds")
    source =
      scenario.map { Source($0) }
      ?? Source(name: name, file: "", overrides: [], isShort: false)
    modelVersion = scenario.map { ModelVersion.of($0) } ?? ModelVersion.current
    seed = seeds.lowerBound
    metrics = []
    kind = .seeds
    shuffleTies = nil
    network = nil
    self.seeds = seeds.upperBound - seeds.lowerBound
    memoryBytes = MemoryEstimate.program.total
    let head = [
      "firstframe shard 1", "model \(modelVersion)", "keeps \(kind.rawValue)",
      "seeds \(seeds.lowerBound) to \(seeds.upperBound - 1)",
    ]
    let text = (head + [scenario?.resolvedText ?? name]).joined(separator: "\n")
    key = SHA256.text(of: text.utf8)
  }

  /// The seeds of a search that are done together as one replication.
  public func block(_ replication: Int) -> Range<UInt64> {
    guard let seeds else { preconditionFailure("a search has seeds") }
    let first = UInt64(replication) * FuzzSearch.blockSize
    return seed + first..<seed + min(seeds, first + FuzzSearch.blockSize)
  }

  /// How many blocks of so many seeds there are.
  static func blocks(_ seeds: UInt64) -> Int {
    Int(seeds / FuzzSearch.blockSize) + (seeds % FuzzSearch.blockSize > 0 ? 1 : 0)
  }
}
