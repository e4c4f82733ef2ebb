import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What one replication of a world other than the feed has found.
public struct WorldRun: Sendable {
  /// In the order of the world's metrics; nil values where there are no data.
  public var samples: [MetricSample]
  public var events: UInt64
  /// Simulated time.
  public var end: Instant
  public var fingerprint: Fingerprint

  public init(
    samples: [MetricSample], events: UInt64, end: Instant, fingerprint: Fingerprint
  ) {
    self.samples = samples
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
    precondition(
      run.samples.count == kind.metrics.count, "a sample for each metric of \(kind.name)")
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

// MARK: Samples

extension MetricSample {
  /// A quotient of sums, with the number of things behind it; no data where the whole is nothing.
  public static func quotient(
    _ part: Double, over whole: Double, samples: Int64
  ) -> MetricSample {
    var sample = MetricSample()
    sample.numerator = part
    sample.denominator = whole
    sample.samples = samples
    sample.value = whole > 0 ? part / whole : nil
    return sample
  }

  /// A share of things counted.
  public static func share(_ part: Int, of whole: Int) -> MetricSample {
    .quotient(Double(part), over: Double(whole), samples: Int64(whole))
  }

  /// A number found in `samples` things; no data without any.
  public static func number(_ value: Double, samples: Int64) -> MetricSample {
    var sample = MetricSample()
    sample.samples = samples
    sample.value = samples > 0 ? value : nil
    return sample
  }

  /// The stats of ``WorldMetric/timeStats`` of times in nanoseconds. Times that were cut before
  /// their end count as censored in the quantiles (Kaplan-Meier) and not in mean and maximum.
  public static func times(_ ended: [Int64], censored: [Int64] = []) -> [MetricSample] {
    let evaluated = MetricEvaluator.times(
      events: ended.sorted(), censored: censored.sorted(), stats: WorldMetric.timeStats)
    return evaluated
  }
}
