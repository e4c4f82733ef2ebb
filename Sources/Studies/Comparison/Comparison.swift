import Scenario
import Statistics

/// What can be said of a metric under two configurations.
public enum ComparisonOutcome: String, Sendable, Equatable, CaseIterable {
  /// Worse, surely, and by more than the practical threshold.
  case regression
  /// Better, surely, and by more than the practical threshold.
  case improvement
  /// Different, surely, but by less than matters.
  case negligible
  /// The interval of this metric excludes zero, but among so many metrics one may do that by
  /// chance.
  case unsure
  /// The interval contains zero: no difference detectable.
  case noDifference = "no-difference"
  /// No value on one side, or only a lower bound.
  case noData = "no-data"
}

/// One metric under two configurations: how much it differs and how sure that is.
public struct ComparisonRow: Sendable, Equatable {
  public var metric: MetricReference
  /// Values over all replications, as a run reports them; nil without data.
  public var baseline: Double?
  public var candidate: Double?
  /// Candidate minus baseline, with its 95 % interval; nil with fewer than two replications.
  public var difference: Estimate?
  /// The difference over the baseline; nil when that is zero.
  public var relativeChange: Double?
  /// Replications with data on both sides.
  public var replications: Int
  /// The least difference that would have been seen in four runs of five.
  public var smallestDetectable: Double?
  /// Variance of the difference had the replications been independent over the paired one; nil for
  /// independent seeds, or without any variance.
  public var varianceReduction: Double?
  /// One side's value is only a lower bound: so many views never started.
  public var isLowerBound: Bool
  public var outcome: ComparisonOutcome

  /// Whether there is enough for an interval.
  var canBeCompared: Bool { replications >= 2 && !isLowerBound }

  /// Takes the difference over and decides.
  ///
  /// - Parameter whole: what the metric is a part of, judged before: a part matters by what it adds
  ///   to the whole, and while the whole did not grow by as much, time only moved between parts.
  mutating func judge(
    _ found: ReplicationDifference, isSure: Bool, family: Int, threshold: Double,
    whole: ComparisonRow? = nil
  ) {
    difference = found.estimate
    varianceReduction = found.varianceReduction
    do {
      smallestDetectable = try found.smallestDetectable(family: family)
    } catch {
      preconditionFailure("a standard error has a quantile: \(error)")
    }
    let size = abs(baseline ?? 0)
    relativeChange = size > 0 ? found.estimate.value / size : nil
    let least = max(
      threshold * abs(whole?.baseline ?? size),
      metric.unit == .milliseconds ? Comparison.leastTime : Comparison.leastRatio)
    let sign = found.estimate.value < 0 ? -1.0 : 1
    let isMoved = whole.map { sign * ($0.difference?.value ?? 0) <= least } ?? false
    if !isSure {
      outcome = found.estimate.interval.contains(0) ? .noDifference : .unsure
    } else if abs(found.estimate.value) <= least || isMoved {
      outcome = .negligible
    } else {
      outcome = isWorse ? .regression : .improvement
    }
  }

  /// The size of the difference in standard errors; infinite when it is the same in all
  /// replications.
  var standardErrors: Double {
    guard let difference, difference.value != 0 else { return 0 }
    let error = difference.standardError ?? 0
    return error > 0 ? abs(difference.value) / error : .infinity
  }

  /// The baseline has a value and the candidate none.
  public var lacksData: Bool { baseline != nil && candidate == nil }

  /// Whether the candidate's value is worse.
  public var isWorse: Bool {
    guard let difference else { return false }
    return metric.isWorseWhenHigher ? difference.value > 0 : difference.value < 0
  }
}

/// Two configurations side by side.
public struct Comparison: Sendable, Equatable {
  public var rows: [ComparisonRow]
  /// Both ran with the same random numbers.
  public var isPaired: Bool
  /// Changes below this share of the baseline do not matter.
  public var threshold: Double
  public var replications: Int

  public var regressions: [ComparisonRow] { rows.filter { $0.outcome == .regression } }
  public var improvements: [ComparisonRow] { rows.filter { $0.outcome == .improvement } }

  /// Below these a change does not matter either, so that a metric that was zero cannot turn a
  /// trifle into an infinite regression: milliseconds, and ratios. Assumed.
  static let leastTime = 0.05
  static let leastRatio = 0.0001

  /// Compares the metrics of two lists of records.
  ///
  /// The decision allows for the number of metrics (Holm's rule), so that a gate over many of them
  /// raises a false alarm in at most one run of twenty. The intervals shown are 95 % ones. Parts of
  /// the startup are measured against the threshold of the whole startup, `ttff_ms.mean`, where
  /// that is compared too.
  ///
  /// - Parameters:
  ///   - isPaired: record i of both has the same random numbers.
  ///   - threshold: the practical threshold, as a share of the baseline.
  public init(
    _ metrics: [MetricReference], baseline: [ReplicationRecord], candidate: [ReplicationRecord],
    isPaired: Bool, threshold: Double
  ) {
    self.isPaired = isPaired
    self.threshold = threshold
    replications = min(baseline.count, candidate.count)
    rows = []
    var found: [ReplicationDifference?] = []
    for (index, metric) in metrics.enumerated() {
      let before = baseline.map { $0.samples[index] }
      let after = candidate.map { $0.samples[index] }
      let (left, right) = Comparison.series(metric, before, after, isPaired: isPaired)
      let count = min(left?.replications ?? 0, right?.replications ?? 0)
      rows.append(Comparison.row(metric, before, after, count: count))
      guard let left, let right, rows[index].canBeCompared else {
        found.append(nil)
        continue
      }
      found.append(Comparison.difference(right, left, isPaired))
    }
    let sure = ReplicationDifference.sure(found)
    let family = max(1, ReplicationDifference.distinct(found).count)
    // Wholes before their parts.
    let parts = rows.indices.filter { metrics[$0].isStartupPart }
    for index in rows.indices.filter({ !metrics[$0].isStartupPart }) + parts {
      guard let difference = found[index] else { continue }
      let whole = metrics[index].isStartupPart ? rows.first { $0.metric == .wholeStartup } : nil
      rows[index].judge(
        difference, isSure: sure[index], family: family, threshold: threshold, whole: whole)
    }
  }

  private static func difference(
    _ candidate: MetricSeries, _ baseline: MetricSeries, _ isPaired: Bool
  ) -> ReplicationDifference {
    do {
      return isPaired
        ? try ReplicationDifference(paired: candidate, baseline)
        : try ReplicationDifference(independent: candidate, baseline)
    } catch {
      preconditionFailure("two values on each side can be compared: \(error)")
    }
  }

  private static func row(
    _ metric: MetricReference, _ baseline: [MetricSample], _ candidate: [MetricSample], count: Int
  ) -> ComparisonRow {
    let before = MetricResult(metric, baseline)
    let after = MetricResult(metric, candidate)
    return ComparisonRow(
      metric: metric, baseline: before.value, candidate: after.value, difference: nil,
      relativeChange: nil, replications: count, smallestDetectable: nil, varianceReduction: nil,
      isLowerBound: before.isLowerBound || after.isLowerBound, outcome: .noData)
  }

  /// Both sides as numbers whose mean is the metric, from the replications with data; of paired
  /// ones only those that have data on both sides. Nil without any.
  private static func series(
    _ metric: MetricReference, _ baseline: [MetricSample], _ candidate: [MetricSample],
    isPaired: Bool
  ) -> (MetricSeries?, MetricSeries?) {
    func series(_ samples: [MetricSample]) -> MetricSeries? {
      MetricSeries.of(metric, samples.filter { $0.value != nil })
    }
    if !isPaired { return (series(baseline), series(candidate)) }
    let both = zip(baseline, candidate).filter { $0.0.value != nil && $0.1.value != nil }
    return (series(both.map(\.0)), series(both.map(\.1)))
  }
}
