import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What a replication depends on beside its number: with it any machine can run it again, to the
/// bit.
public struct ShardSubject: Sendable {
  /// What is kept of a replication.
  public enum Kind: String, Sendable, Codable {
    /// All that a report is made of.
    case digest
    /// The metrics of one of many configurations.
    case record
  }

  public let scenario: StudyScenario
  public let seed: UInt64
  public let metrics: [MetricReference]
  public let kind: Kind
  public let shuffleTies: UInt64?
  /// A published simulator's network in place of ours.
  public let network: NetworkModel?
  /// SHA-256 over all of it and the model's version, 64 hexadecimal digits. The build that runs it
  /// is no part: builds of one model version find the same.
  public let key: String

  init(
    _ scenario: StudyScenario, seed: UInt64, metrics: [MetricReference], kind: Kind,
    shuffleTies: UInt64? = nil, network: NetworkModel? = nil
  ) {
    self.scenario = scenario
    self.seed = seed
    self.metrics = metrics
    self.kind = kind
    self.shuffleTies = shuffleTies
    self.network = network
    let head = [
      "firstframe shard 1", "model \(ModelVersion.of(scenario))", "keeps \(kind.rawValue)",
      "seed \(seed)", "short \(scenario.isShort)",
      "late \(Study.lateLimit(scenario.budgets).nanoseconds)",
      "ties \(shuffleTies.map { "\($0)" } ?? "as they come")",
      "network \(network.map { "\($0)" } ?? "ours")",
      "metrics \(metrics.map(\.description).joined(separator: " "))",
    ]
    let text = (head + scenario.inputs + [scenario.resolvedText]).joined(separator: "\n")
    key = SHA256.text(of: text.utf8)
  }

  /// Its replications, run.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when a pilot runs into a limit.
  func runner(_ pilots: Pilots) throws(SimulationError) -> ReplicationRunner {
    let peer = network.flatMap { model in
      scenario.comparedNetworks.first { $0.model == model }?.plan
    }
    return try ReplicationRunner(
      peer ?? scenario.plan,
      ReplicationRequest(
        seed: seed, metrics: metrics, lateLimit: Study.lateLimit(scenario.budgets),
        shuffleTies: shuffleTies, pilots: pilots))
  }
}
