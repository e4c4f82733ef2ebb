import Scenario
import Statistics

/// From which change on a metric's change matters in practice.
///
/// By default 2 % of the baseline, but at least 10 ms for times, 0.1 point for shares and half an
/// event for counts; a scenario's `thresholds` say otherwise for single metrics. Assumed: what a
/// viewer cannot tell and what a bill does not show.
public struct ChangeThresholds: Sendable, Equatable {
  /// The share of the baseline where no metric's own is given.
  public let relative: Double
  private let own: [MetricThreshold]

  public static let relativeDefault = 0.02
  /// Milliseconds, ratios and counts in a replication.
  static let leastTime = 10.0
  static let leastShare = 0.001
  static let leastCount = 0.5

  /// - Parameters:
  ///   - relative: a share of at least 0; nil for 2 %.
  ///   - own: of single metrics; a part that is nil is the default.
  public init(relative: Double? = nil, own: [MetricThreshold] = []) {
    self.relative = relative ?? ChangeThresholds.relativeDefault
    self.own = own
  }

  /// Those of a scenario, with another share for the metrics that have none of their own.
  public init(_ scenario: StudyScenario, relative: Double? = nil) {
    self.init(relative: relative, own: scenario.thresholds)
  }

  public func threshold(of metric: MetricReference) -> PracticalThreshold {
    let found = own.first { $0.metric == metric }
    let absolute: Double =
      switch metric.unit {
      case .milliseconds: ChangeThresholds.leastTime
      case .ratio: ChangeThresholds.leastShare
      case .number: metric.stat == "count" ? ChangeThresholds.leastCount : 0
      }
    do {
      return try PracticalThreshold(
        relative: found?.relative ?? relative, absolute: found?.absolute ?? absolute)
    } catch {
      preconditionFailure("a threshold was checked where it was read: \(error)")
    }
  }
}
