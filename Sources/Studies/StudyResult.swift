import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

/// A metric over all replications: a value, how sure we are, and from how much.
public struct MetricResult: Sendable, Equatable {
  public var reference: MetricReference
  /// Ratio of sums for ratios, that of all replications' times together for their percentiles, mean
  /// of the replications' values for the rest; nil without data. Without the times, which records
  /// do not keep, a percentile is a mean too.
  public var value: Double?
  /// The 95 % interval, two-sided; nil with fewer than two replications that have data.
  public var interval: Interval?
  public var standardError: Double?
  /// Replications with data.
  public var replications: Int
  /// Views or requests behind the value, over all replications.
  public var samples: Int64
  /// More views never started than the percentile leaves: the value is a lower bound. Where it is a
  /// mean, in some replication.
  public var isLowerBound: Bool
  /// Sums of numerators and denominators, for ratios and means.
  public var numerator: Double
  public var denominator: Double
  /// The replications' values in their order; NaN never occurs, nil stands for no data.
  public var values: [Double?]
}

/// A budget and its verdict.
public struct BudgetResult: Sendable, Equatable {
  public var budget: Budget
  public var metric: MetricResult
  public var verdict: Verdict
  /// Why, in a few words, when the verdict is not pass or fail.
  public var reason: String
  /// Replications after which the boundary was crossed.
  public var decidedAt: Int?
  /// The distance to the limit as a share of the limit, positive on the good side.
  public var margin: Double?
}

/// The result of running a scenario.
public struct StudyResult: Sendable {
  public var scenario: StudyScenario
  public var seed: UInt64
  /// Most replications, replications run, and the numbers after which the rule looked.
  public var cap: Int
  public var replications: Int
  public var looks: [Int]
  /// Replications were cut short by a signal.
  public var isPartial: Bool
  public var shuffleTies: UInt64?
  public var budgets: [BudgetResult]
  public var metrics: [MetricResult]
  public var fingerprint: Fingerprint
  public var events: UInt64
  /// Simulated time of all replications together.
  public var simulated: TimeSpan
  /// Every replication's metrics, in the order of ``recordMetrics``.
  public var records: [ReplicationRecord] = []
  public var recordMetrics: [MetricReference] = []
  /// Counters, byte balances and tiers, summed over the replications; without views.
  public var measures: FeedMeasures
  public var cohorts: [CohortSums]
  /// By network and clock.
  public var histograms: [[ClockHistogram]]
  public var medianBand: BreakdownBand
  public var p95Band: BreakdownBand
  /// All started views that waited for more than the display.
  public var waitedBand = BreakdownBand()
  /// A start later than this is late.
  public var lateLimit: TimeSpan
  public var late: LateStarts
  /// The views' records were not kept, because there were too many: quantiles of times are those of
  /// buckets, within ``quantileError`` of the exact ones.
  public var isFolded = false
  /// What was read while the time passed.
  var overTime: (peak: PeakLoad?, series: RunSeries?) = (nil, nil)
  /// Nil where it was not looked at: with one or two edges, in a mixed feed, in a live run.
  public var peakLoad: PeakLoad? {
    get { overTime.peak }
    set { overTime.peak = newValue }
  }
  /// Metrics and load over time; nil where it was not looked at: in a mixed feed, in a live run, in
  /// measured times of less than half a minute.
  public var series: RunSeries? {
    get { overTime.series }
    set { overTime.series = newValue }
  }
  /// The relative error of such a quantile at most.
  public static let quantileError = FineHistogram.relativeError
  /// What a month costs; nil when the scenario has no prices.
  public var cost: CDNCost?
  /// What the whole audience asks of the tiers; nil: all of it was simulated.
  public var load: AudienceLoad?
  /// What published simulators' network models would have predicted.
  public var comparisons: [NetworkComparison] = []
  /// Of a live run; nil: the run was simulated.
  public var live: LiveFacts?

  /// The verdict of the whole: invalid before fail before inconclusive before pass; soft budgets do
  /// not count, and without hard budgets nothing was judged.
  public var verdict: Verdict {
    if let live, !live.reasons.isEmpty { return .invalid }
    let hard = budgets.filter { $0.budget.level == .hard }.map(\.verdict)
    if hard.isEmpty { return .notRun }
    for verdict in [Verdict.invalid, .fail, .inconclusive, .notRun] where hard.contains(verdict) {
      return verdict
    }
    return .pass
  }

  /// The exit code of contract.md section 2.
  public var exitCode: Int32 {
    switch verdict {
    case .fail: 10
    // What was cut short has too few samples for that reason alone.
    case _ where isPartial: 14
    case .invalid: 13
    case .inconclusive: 12
    case .pass, .notRun: 0
    }
  }

  public func metric(_ name: String) -> MetricResult? {
    metrics.first { $0.reference.description == name }
  }
}
