import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What one replication of a world that is sampled has found.
public struct WorldRun: Sendable {
  /// In the order of ``Scenario/WorldKind/metrics``, which are those of the rows; nil values where
  /// there are no data.
  public var samples: [MetricSample]
  public var events: UInt64
  /// Simulated time.
  public var end: Instant
  public var fingerprint: Fingerprint

  /// - Parameter rows: those of the plan's world, which read its metrics from the measures.
  init<Plan, Measures>(
    _ plan: Plan, _ measures: Measures, _ rows: [WorldMetricRow<Plan, Measures>], events: UInt64,
    end: Instant, fingerprint: Fingerprint
  ) {
    samples = rows.flatMap { row in
      MetricSample.of(row.reading(plan, measures), stats: row.metrics.map(\.reference.reads))
    }
    self.events = events
    self.end = end
    self.fingerprint = fingerprint
  }
}

/// A world whose replication is no more than samples of its metrics.
protocol SampledWorld: StudiedWorld, SectionPlan {
  /// Runs one replication: a function of its arguments and the plan, whatever thread it is on.
  func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun
}

extension SampledWorld {
  func replications(_ request: ReplicationRequest) -> any Replications {
    SampledReplications(plan: self, request: request)
  }

  /// Nothing is counted: it is small beside the program.
  func memory(replications: Int, threads: Int) -> MemoryEstimate { .program }
}

/// The replications of a world that is sampled; each has one thread and runs to its end.
private struct SampledReplications<Plan: SampledWorld>: Replications {
  let plan: Plan
  let request: ReplicationRequest

  func digest(
    _ replication: UInt16, threads: Int, spare: SpareThreads?, stop: StopRequest,
    fork: (any RunFork)?, report: @escaping @Sendable (ReplicationWatch.State) -> Void
  ) throws(SimulationError) -> ReplicationDigest? {
    let run = try plan.replication(
      seed: request.seed, replication: replication, shuffleTies: request.shuffleTies)
    return ReplicationDigest(
      run, replication: replication, of: Plan.kind, metrics: request.metrics)
  }
}

extension ReplicationDigest {
  /// Of a world that is sampled: its metrics, and nothing of a feed.
  fileprivate init(
    _ run: WorldRun, replication: UInt16, of kind: WorldKind, metrics: [MetricReference]
  ) {
    self.replication = replication
    fingerprint = run.fingerprint
    events = run.events
    end = run.end
    measures = FeedMeasures(networks: 0, devices: 0)
    cohorts = []
    histograms = []
    let places = kind.references
    samples = metrics.map { metric in
      guard let place = places.firstIndex(of: metric) else {
        preconditionFailure("\(metric) is a metric of \(kind.name)")
      }
      return run.samples[place]
    }
  }
}
