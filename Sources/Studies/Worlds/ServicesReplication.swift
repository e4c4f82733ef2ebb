import Models
import Scenario
import SimulationKernel

extension ServicesPlan: SampledWorld {
  var audited: AuditWorld { .services }

  /// One replication.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let run = try ServicesWorld.run(
      configuration, seed: seed, replication: replication, shuffleTies: shuffleTies)
    return WorldRun(
      self, run.measures, ServicesPlan.metrics, events: run.events, end: run.end,
      fingerprint: run.fingerprint)
  }
}
