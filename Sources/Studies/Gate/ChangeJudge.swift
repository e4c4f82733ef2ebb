import Scenario
import Statistics

/// Compares a run with its baseline after given numbers of replications, and settles those metrics
/// that it can: worse, better or equivalent. What is settled at a look stays so.
struct ChangeJudge {
  /// Of the baseline, with the samples of ``metrics``.
  private let records: [ReplicationRecord]
  /// Headline and budgeted metrics that both runs have.
  let metrics: [MetricReference]
  /// Those that may stay open without a word in the exit code: of soft budgets only.
  private let optional: Set<MetricReference>
  private let names: [String]
  private let isPaired: Bool
  private let thresholds: ChangeThresholds
  private let boundaries: GroupSequentialBoundaries
  private let looks: [Int]
  private var settled: [ComparisonOutcome?]
  /// As at the last look.
  private(set) var comparison: Comparison?

  /// - Parameter evaluated: the metrics of the run's samples, in their order.
  init(
    _ file: Baseline, scenario: StudyScenario, seed: UInt64, evaluated: [MetricReference],
    thresholds: ChangeThresholds, boundaries: GroupSequentialBoundaries, looks: [Int]
  ) {
    let known = Set(file.metrics)
    var seen: Set<MetricReference> = []
    metrics = (scenario.plan.headline + scenario.budgets.map(\.metric)).filter {
      known.contains($0.description) && evaluated.contains($0) && seen.insert($0).inserted
    }
    let soft = Set(scenario.budgets.filter { $0.level == .soft }.map(\.metric))
    optional = soft.subtracting(scenario.budgets.filter { $0.level == .hard }.map(\.metric))
    let judged = metrics
    records = file.records.map { $0.selecting(judged, from: file.metrics) }
    names = evaluated.map(\.description)
    isPaired = file.seed == seed
    self.thresholds = thresholds
    self.boundaries = boundaries
    self.looks = looks
    settled = [ComparisonOutcome?](repeating: nil, count: metrics.count)
  }

  /// Whether a metric may stay open: it has a soft budget and no hard one.
  func mayStayOpen(_ metric: MetricReference) -> Bool { optional.contains(metric) }

  /// Whether every metric that counts is settled, or can never be; one that is worse settles the
  /// whole.
  var isDecided: Bool {
    guard let comparison else { return false }
    if settled.contains(.worse) { return true }
    return zip(metrics, comparison.rows).allSatisfy { metric, row in
      row.outcome != .notSure || mayStayOpen(metric)
    }
  }

  /// The look number `index`, with the records of all replications so far.
  mutating func look(_ index: Int, _ records: [ReplicationRecord]) {
    let own = records.map { $0.selecting(metrics, from: names) }
    let count = isPaired ? min(own.count, self.records.count) : Int.max
    let place = min(index, looks.count - 1)
    var found = Comparison(
      metrics, baseline: Array(self.records.prefix(count)), candidate: Array(own.prefix(count)),
      isPaired: isPaired, thresholds: thresholds,
      level: boundaries.looks[place].nominalLevel)
    for place in found.rows.indices {
      if let known = settled[place] {
        found.rows[place].outcome = known
        found.rows[place].replicationsNeeded = nil
      } else if [.worse, .better, .equivalent].contains(found.rows[place].outcome) {
        settled[place] = found.rows[place].outcome
      }
    }
    comparison = found
  }
}
