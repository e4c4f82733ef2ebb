import Scenario
import Statistics

/// What hardly any event says of a share, a count or a rate: never that it is zero. Times are none
/// of these: one of 0 ms was measured.
struct RareEvents {
  private enum Kind {
    /// A share of `samples` things, whose dependence widens its variance by `effect`.
    case share(Double, samples: Double, effect: Double)
    /// The mean number in a replication, from the number in all of them.
    case count(Double, replications: Double)
    /// What has summed up over an exposure, as many minutes or sessions, of so many samples.
    case rate(Double, exposure: Double, samples: Double, effect: Double)
    case neither
  }

  private let kind: Kind

  init(_ metric: MetricResult, _ designEffect: Double) {
    guard let value = metric.value, metric.samples > 0, metric.replications > 0 else {
      kind = .neither
      return
    }
    if metric.reference.isShare, value >= 0, value <= 1 {
      kind = .share(
        value, samples: Double(metric.samples),
        effect: metric.reference.isOfViews ? designEffect : 1)
    } else if metric.reference.isCount, value >= 0 {
      kind = .count(
        value * Double(metric.replications), replications: Double(metric.replications))
    } else if metric.reference.isRate, value >= 0 {
      let samples = Double(metric.samples)
      let exposure = metric.denominator > 0 ? metric.denominator : samples
      kind = .rate(
        value * exposure, exposure: exposure, samples: samples,
        effect: metric.reference.isOfViews ? designEffect : 1)
    } else {
      kind = .neither
    }
  }

  /// Whether there are so few events that the spread of the replications says nothing.
  var isFew: Bool {
    switch kind {
    case .share(let share, let samples, let effect):
      Estimates.hasFewEvents(share, samples: samples, designEffect: effect)
    case .count(let count, _): count < Estimates.fewEvents
    // A sum of so many bytes or dollars may be of any number of events; nothing is none of them.
    case .rate(let sum, _, _, _): sum == 0
    case .neither: false
    }
  }

  /// The exact bounds at a confidence; nil for what is neither a share nor a count, nor a rate of
  /// nothing.
  ///
  /// Of a rate it is not known how much one event would add, only that none came: the bound is that
  /// of a count, each of them one unit, or as much as a sample has of the exposure on average if
  /// that is more.
  func bounds(_ level: Double) -> Interval? {
    do {
      switch kind {
      case .share(let share, let samples, let effect):
        return try Estimates.shareBounds(
          share, samples: samples, designEffect: effect, level: level)
      case .count(let count, let replications):
        let all = try Estimates.countBounds(count, level: level)
        return Interval(
          lower: all.lower / replications, upper: all.upper / replications, level: level)
      case .rate(let sum, let exposure, let samples, let effect):
        if sum > 0 { return nil }
        let none = try Estimates.countBounds(0, level: level)
        return Interval(
          lower: 0, upper: none.upper * max(1, effect) / min(exposure, samples), level: level)
      case .neither: return nil
      }
    } catch {
      preconditionFailure("a share of samples has bounds: \(error)")
    }
  }
}

extension MetricReference {
  /// A number of events in a replication.
  var isCount: Bool { stat == "count" }

  /// What sums up over something: from 0 up, and 0 where nothing came. No time, no largest value,
  /// no share that is saved.
  var isRate: Bool {
    !isShare && !isCount && unit != .milliseconds && !isQuantile && stat != "max"
      && (unit != .ratio || bounds.lowerBound >= 0)
  }
}
