import Models
import Scenario
import SimulationKernel

extension CallsPlan: SampledWorld {
  var audited: AuditWorld { .calls }

  /// Events beyond which a run is taken for endless.
  private static let eventLimit: UInt64 = 400_000_000

  func shown<Visitor: FuzzVisitor>(to visitor: Visitor) throws -> Visitor.Answer? {
    try visitor.visit(CallsFuzz(self))
  }

  /// One replication of the audience.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let outcome = try CallsWorld.measured(
      configuration, audience, RandomStreams(seed: seed, replication: replication),
      shuffleTies: shuffleTies, eventLimit: CallsPlan.eventLimit)
    return WorldRun(
      self, outcome.measures, CallsPlan.metrics, events: outcome.events, end: outcome.end,
      fingerprint: outcome.fingerprint)
  }
}
