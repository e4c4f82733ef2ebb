import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What one replication of a world other than the feed has found.
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
      MetricSample.of(row.reading(plan, measures), stats: row.metrics.map(\.reference.stat))
    }
    self.events = events
    self.end = end
    self.fingerprint = fingerprint
  }
}

extension World {
  /// Runs one replication: a function of its arguments and the plan, whatever thread it is on.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    switch self {
    case .messages(let plan):
      try plan.replication(seed: seed, replication: replication, shuffleTies: shuffleTies)
    case .services(let plan):
      try plan.replication(seed: seed, replication: replication, shuffleTies: shuffleTies)
    case .pipeline(let plan):
      try plan.replication(seed: seed, replication: replication, shuffleTies: shuffleTies)
    case .calls(let plan):
      try plan.replication(seed: seed, replication: replication, shuffleTies: shuffleTies)
    }
  }
}

extension ReplicationDigest {
  /// Of another world: its metrics, and nothing of a feed.
  init(
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
