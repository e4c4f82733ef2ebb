import FeedModel

/// One metric of one replication.
public struct MetricSample: Sendable, Equatable {
  /// The value; nil when the replication has no data for it.
  public var value: Double?
  /// The true value is at least this: so many views never started that the percentile is not
  /// reached.
  public var isLowerBound = false
  /// Views or requests behind the value.
  public var samples: Int64 = 0
  /// For ratios: numerator and denominator.
  public var numerator: Double = 0
  public var denominator: Double = 0
  /// What a percentile was read from; not kept in records.
  public var times: SampledTimes?

  public init() {}
}

// MARK: Readings

extension MetricSample {
  /// A stat of what a row has read.
  ///
  /// - Precondition: the row of the metric has the stat.
  public init(_ reading: MetricReading, _ stat: MetricStat) {
    switch reading {
    case .quotient(let part, let whole, let samples):
      self = .quotient(part, over: whole, samples: samples)
    case .number(let value, let samples): self = .number(value, samples: samples)
    case .times(let ended, let censored):
      self.init(SampledTimes(of: ended, censored: censored), stat)
    case .delays(let delays): self.init(delays, stat)
    case .extent(let sum, let largest, let count):
      self = .quotient(Double(sum) / 1e6, over: Double(count), samples: count)
      if stat == .largest && count > 0 { value = Double(largest) / 1e6 }
    }
  }

  /// Several stats of what a row has read; times are sorted once.
  public static func of(_ reading: MetricReading, stats: [MetricStat]) -> [MetricSample] {
    guard case .times(let ended, let censored) = reading else {
      return stats.map { MetricSample(reading, $0) }
    }
    let times = SampledTimes(of: ended, censored: censored)
    return stats.map { MetricSample(times, $0) }
  }

  /// A quotient of sums, with the number of things behind it; no data where the whole is nothing.
  public static func quotient(_ part: Double, over whole: Double, samples: Int64) -> MetricSample {
    var sample = MetricSample()
    sample.numerator = part
    sample.denominator = whole
    sample.samples = samples
    sample.value = whole > 0 ? part / whole : nil
    return sample
  }

  /// A number found in `samples` things; no data without any.
  public static func number(_ value: Double, samples: Int64) -> MetricSample {
    var sample = MetricSample()
    sample.samples = samples
    sample.value = samples > 0 ? value : nil
    return sample
  }

  // MARK: Times

  /// A stat of times. Those that were cut before their end count as censored in the quantiles
  /// (Kaplan-Meier) and not in mean and maximum.
  public init(_ times: SampledTimes, _ stat: MetricStat) {
    let (events, censored) = (times.events, times.censored)
    samples = Int64(events.count + censored.count)
    if events.isEmpty { return }
    switch stat {
    case .mean:
      numerator = Double(events.reduce(0) { $0 + $1 }) / 1e6
      denominator = Double(events.count)
      value = numerator / denominator
    case .largest: value = Double(events[events.count - 1]) / 1e6
    case .itself: preconditionFailure("a time has a stat")
    case .percentile(let percent, let ofStarted):
      let found = SampledTimes.quantile(
        percent, ofStarted: ofStarted, events: events, censored: censored)
      isLowerBound = found.isLowerBound
      value = Double(found.nanoseconds) / 1e6
      self.times = times
    }
  }

  /// A stat of a clock whose views were counted: those that are sums are exact, quantiles are those
  /// of ``FineHistogram``.
  public init(_ times: FoldedTimes, _ stat: MetricStat) {
    samples = times.started.total + times.censored.total
    if times.started.total == 0 { return }
    switch stat {
    case .mean:
      self = .quotient(
        Double(times.started.sum) / 1e6, over: Double(times.started.total), samples: samples)
    case .largest: value = Double(times.started.largest) / 1e6
    case .itself: preconditionFailure("a time has a stat")
    case .percentile(let percent, let ofStarted):
      guard let found = SampledTimes.quantile(percent, ofStarted: ofStarted, of: times)
      else { return }
      isLowerBound = found.isLowerBound
      value = Double(found.nanoseconds) / 1e6
      self.times = SampledTimes(times)
    }
  }

  /// A stat of a histogram of delays.
  private init(_ delays: DelayHistogram, _ stat: MetricStat) {
    self = .quotient(
      Double(delays.sum) / 1e6, over: Double(delays.count), samples: delays.count)
    if delays.count == 0 { return }
    switch stat {
    case .itself, .mean: break
    case .largest: value = Double(delays.largest) / 1e6
    case .percentile(let percent, _):
      value = delays.quantile(Double(percent) / 100).map { Double($0) / 1e6 }
    }
  }
}
