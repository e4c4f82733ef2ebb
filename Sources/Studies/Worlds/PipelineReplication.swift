import Models
import Scenario
import SimulationKernel

extension PipelinePlan: SampledWorld {
  var audited: AuditWorld { .pipeline }

  /// One replication.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let run = try PipelineWorld.run(
      configuration, seed: seed, replication: replication, shuffleTies: shuffleTies)
    return WorldRun(
      self, run.measures, PipelinePlan.metrics, events: run.events, end: run.end,
      fingerprint: run.fingerprint)
  }
}
