import Estimation

/// What hardly any event says of a share, a count or a rate: never that it is zero. Times are none
/// of these: one of 0 ms was measured.
public struct RareEvents: Sendable {
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

  /// - Parameter designEffect: of views of one session, for shares of views.
  public init(_ metric: PooledMetric, _ traits: MetricTraits, _ designEffect: Double) {
    guard let value = metric.value, metric.samples > 0, metric.replications > 0 else {
      kind = .neither
      return
    }
    let effect = traits.isOfViews ? designEffect : 1
    if traits.isShare, value >= 0, value <= 1 {
      kind = .share(value, samples: Double(metric.samples), effect: effect)
    } else if traits.isCount, value >= 0 {
      kind = .count(
        value * Double(metric.replications), replications: Double(metric.replications))
    } else if traits.isRate, value >= 0 {
      let samples = Double(metric.samples)
      let exposure = metric.denominator > 0 ? metric.denominator : samples
      kind = .rate(value * exposure, exposure: exposure, samples: samples, effect: effect)
    } else {
      kind = .neither
    }
  }

  /// Whether there are so few events that the spread of the replications says nothing.
  public var isFew: Bool {
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
  public func bounds<Source: Quantiles>(_ level: Double, _ quantiles: Source) -> Interval? {
    do throws(StatisticsError) {
      switch kind {
      case .share(let share, let samples, let effect):
        return try Estimates.shareBounds(
          share, samples: samples, designEffect: effect, level: level, quantiles: quantiles)
      case .count(let count, let replications):
        let all = try Estimates.countBounds(count, level: level, quantiles: quantiles)
        return Interval(
          lower: all.lower / replications, upper: all.upper / replications, level: level)
      case .rate(let sum, let exposure, let samples, let effect):
        if sum > 0 { return nil }
        let none = try Estimates.countBounds(0, level: level, quantiles: quantiles)
        return Interval(
          lower: 0, upper: none.upper * max(1, effect) / min(exposure, samples), level: level)
      case .neither: return nil
      }
    } catch {
      preconditionFailure("a share of samples has bounds")
    }
  }
}
