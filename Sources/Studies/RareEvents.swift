import Scenario
import Statistics

/// What hardly any event says of a share or a count: never that it is zero.
struct RareEvents {
  private enum Kind {
    /// A share of `samples` things, whose dependence widens its variance by `effect`.
    case share(Double, samples: Double, effect: Double)
    /// The mean number in a replication, from the number in all of them.
    case count(Double, replications: Double)
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
    case .neither: false
    }
  }

  /// The exact bounds at a confidence; nil for what is neither a share nor a count.
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
}
