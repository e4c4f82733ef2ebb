import Foundation
import Scenario
import Statistics

/// A law of a scenario that would explain the errors of a backtest, were it off.
public struct SuspectedLaw: Sendable, Equatable {
  /// What is scaled, such as `round trips`.
  public var name: String
  /// The keys, elements of lists by their numbers.
  public var keys: [String]
  /// The law over what the scenario has, as far as this explains the errors best.
  public var factor: Double
  /// Of the factor, at 95 %; an end of ``Suspects/reach`` stands for all beyond it.
  public var interval: Interval
  /// Of the squared errors of all metrics together, over their noise: 0 to 1.
  public var explained: Double
  /// Twice the logarithm of how much likelier the errors are with it than without, over the misfit
  /// of the best law.
  public var gain: Double

  public init(
    _ name: String, keys: [String], factor: Double, interval: Interval, explained: Double,
    gain: Double
  ) {
    self.name = name
    self.keys = keys
    self.factor = factor
    self.interval = interval
    self.explained = explained
    self.gain = gain
  }
}

/// Which law of a scenario would explain the errors of a backtest.
///
/// Each law is scaled by a quarter down and up and the prediction made again with the same seeds:
/// how the metrics move is what that law does. The errors of all metrics together are held against
/// each law alone (``CauseSearch``): by which factor it would have to be off, and what share of
/// them that explains. Laws that move the metrics alike explain them alike: no backtest of these
/// metrics tells them apart, and that is said instead of a name.
public struct Suspects: Sendable, Equatable {
  /// What can be said.
  public enum Outcome: String, Sendable, CaseIterable {
    /// The first law explains the errors, and no other as well.
    case named
    /// Several do.
    case notToldApart = "not told apart"
    /// None explains more than noise does.
    case none
  }

  /// The likeliest first, of those that can be scaled.
  public var laws: [SuspectedLaw]
  /// Laws that cannot, and why.
  public var notScaled: [String]
  /// Metrics whose errors were explained.
  public var metrics: [String]
  /// Predictions made for it.
  public var runs: Int
  /// The gain of a law that is told from none, as all of them together need it.
  public var leastGain: Double

  public init(
    laws: [SuspectedLaw], leastGain: Double, notScaled: [String] = [], metrics: [String] = [],
    runs: Int = 0
  ) {
    self.laws = laws
    self.leastGain = leastGain
    self.notScaled = notScaled
    self.metrics = metrics
    self.runs = runs
  }

  /// How far off a law may be to be found: beyond, its interval ends there.
  public static let reach = 0.5...2

  /// Laws that explain the errors, and as well as the best one; one: it is named.
  public var candidates: [SuspectedLaw] {
    guard let first = laws.first, first.gain >= leastGain else { return [] }
    return laws.filter {
      $0.gain >= leastGain && first.gain - $0.gain < CauseSearch.leastDifference
    }
  }

  public var outcome: Outcome {
    switch candidates.count {
    case 0: .none
    case 1: .named
    default: .notToldApart
    }
  }
}
