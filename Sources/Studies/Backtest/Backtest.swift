import Scenario
import Statistics

/// A prediction beside what was observed of the same: which metrics agree, which do not, and of
/// which there is too little to tell.
///
/// The two sides are independent: nobody observed is anybody simulated. The noise of an error is
/// that of both (``ClusterResampling``): observed sessions, or days where there are eight of them,
/// and replications are drawn anew. A metric *disagrees* when its error is told from zero, as all
/// metrics together need it (Bonferroni), and is larger than the tolerance; it *agrees* when the
/// whole interval is within the tolerance; anything else is too little data, which is no pass.
public struct Backtest: Sendable {
  public enum Verdict: String, Sendable, CaseIterable {
    case agrees, disagrees
    case tooLittleData = "too little data"

    /// 0 agrees, 10 disagrees, 13 too little data.
    public var exitCode: Int32 {
      switch self {
      case .agrees: 0
      case .disagrees: 10
      case .tooLittleData: 13
      }
    }
  }

  /// One metric of all views or of a cohort.
  public struct Row: Sendable, Equatable {
    public var metric: BacktestMetric
    /// `device=mid`; empty: all views.
    public var cohort: String
    public var predicted, observed: Double?
    /// 95 %, of predicted minus observed; nil where a side has no noise to judge by.
    public var interval: Interval?
    /// The largest error that is agreement.
    public var tolerance: Double
    /// Views or requests.
    public var samples: (predicted: Int, observed: Int)
    public var verdict: Verdict
    /// Why there is too little data, or why it agrees although its interval does not; else empty.
    public var reason = ""

    /// Predicted minus observed.
    public var error: Double? {
      guard let predicted, let observed else { return nil }
      return predicted - observed
    }

    public static func == (a: Row, b: Row) -> Bool {
      a.metric == b.metric && a.cohort == b.cohort && a.predicted == b.predicted
        && a.observed == b.observed && a.interval == b.interval && a.tolerance == b.tolerance
        && a.samples == b.samples && a.verdict == b.verdict && a.reason == b.reason
    }
  }

  /// The distributions of one clock: shares of all views that had a first frame by a time, so that
  /// those who left are in it.
  public struct Curve: Sendable, Equatable {
    public struct Point: Sendable, Equatable {
      /// Milliseconds.
      public var time: Double
      public var share: Double
    }

    public var clock: StartupComparison.Clock
    public var cohort: String
    public var predicted, observed: [Point]
    public var distance: ClusteredDistance
    public var verdict: Verdict
  }

  /// Where starts of one clock spend their time on both sides: means of views with a first frame.
  public struct Parts: Sendable, Equatable {
    public struct Part: Sendable, Equatable {
      public var name: String
      /// Milliseconds.
      public var predicted, observed: Double
      /// 95 %, of predicted minus observed.
      public var interval: Interval?
    }

    public var clock: StartupComparison.Clock
    public var whole: Part
    /// In the order of the source.
    public var parts: [Part]

    /// The part that has most of the error, and which share of it; nil where the whole error may be
    /// nothing.
    public var explanation: (part: Part, share: Double)? {
      guard let interval = whole.interval, interval.lower > 0 || interval.upper < 0
      else { return nil }
      let error = whole.predicted - whole.observed
      func share(_ part: Part) -> Double { (part.predicted - part.observed) / error }
      return parts.max { share($0) < share($1) }.map { ($0, share($0)) }
    }
  }

  /// How to compare.
  public struct Options: Sendable {
    /// Keys by whose values rows are added, where both sides know them.
    public var keys: [ObservedViews.CohortKey]
    public var draws: Int
    /// Equal seeds give equal answers.
    public var seed: UInt64

    public init(keys: [ObservedViews.CohortKey] = [], draws: Int = 400, seed: UInt64 = 1) {
      self.keys = keys
      self.draws = draws
      self.seed = seed
    }
  }

  /// All views first, then by cohort.
  public var rows: [Row]
  public var curves: [Curve]
  /// By clock; empty where the source tells no parts.
  public var parts: [Parts]
  /// Metrics of which the source says nothing: they are neither right nor wrong.
  public var notObserved: [String]
  public var views: (predicted: Int, observed: Int)
  /// What was drawn anew on the observed side.
  public var noise: String

  /// Of all views: disagrees before too little data before agrees. A cohort can only add a
  /// disagreement: one with few views says nothing.
  public var verdict: Verdict {
    if rows.contains(where: { $0.verdict == .disagrees })
      || curves.contains(where: { $0.verdict == .disagrees })
    {
      return .disagrees
    }
    let all =
      rows.filter(\.cohort.isEmpty).map(\.verdict) + curves.filter(\.cohort.isEmpty).map(\.verdict)
    return all.isEmpty || all.contains(.tooLittleData) ? .tooLittleData : .agrees
  }
}

// MARK: Verdicts

extension Backtest {
  /// What can be said of an error.
  ///
  /// - Parameters:
  ///   - interval: at 95 %.
  ///   - widened: the same for all metrics together.
  static func verdict(
    _ error: Double, _ interval: Interval, widened: Interval, tolerance: Double
  ) -> Verdict {
    let isToldFromZero = widened.lower > 0 || widened.upper < 0
    if isToldFromZero && abs(error) > tolerance { return .disagrees }
    if interval.lower >= -tolerance && interval.upper <= tolerance { return .agrees }
    return .tooLittleData
  }

  /// Distributions farther apart than this are another matter than their quantiles say.
  static let distance = 0.05
  /// Laws that are at most so far apart agree.
  static let coarsest = 0.1

  static func verdict(_ distance: ClusteredDistance, limit: Double) -> Verdict {
    if distance.pValue <= limit && distance.distance > Backtest.distance { return .disagrees }
    if distance.upper <= coarsest { return .agrees }
    return .tooLittleData
  }

  /// Why samples are too few whatever they say; nil: they are not.
  static func shortage(
    _ metric: BacktestMetric, _ predicted: BacktestColumn, _ observed: BacktestColumn
  ) -> String? {
    if predicted.clusters < 2 { return "fewer than 2 replications" }
    if observed.clusters < fewestClusters {
      return "\(observed.clusters) sessions, days or hours, \(fewestClusters) are needed"
    }
    let needed: Int
    if case .quantile(_, let share) = metric.kind {
      // Ten views beyond the quantile.
      needed = Int((10 / (1 - share)).rounded(.up))
    } else {
      needed = fewestSamples
    }
    let count = min(predicted.count, observed.count)
    return count < needed ? "\(count) samples, \(needed) are needed" : nil
  }

  /// Views or requests that anything is said of.
  static let fewestSamples = 30
  /// Clusters that a noise can be seen in.
  static let fewestClusters = 8
}
