import Models

/// A recorded link, ready to be used.
public struct LinkTrace: Sendable, Equatable {
  /// The name inside the file, or the file's own.
  public var name: String
  /// The format it was read as.
  public var format: TraceFormat
  /// Downlink, with what follows its end.
  public var rate: RateTrace
  /// Round trip in milliseconds, where the format has it.
  public var roundTripMs: StepFunction?
  /// Uplink, where the format has it.
  public var uplink: RateTrace?
  /// Probability of losing a packet, where the format has it.
  public var loss: StepFunction?
  /// Length of the recording after its start offset, nanoseconds: the period of one that loops.
  public var duration: Int64
  /// What the downlink is like over ``duration``.
  public var statistics: TraceStatistics
}

/// A number that changes in steps over time.
public struct StepFunction: Sendable, Equatable {
  private let steps: RateTrace

  init(_ steps: RateTrace) { self.steps = steps }

  /// The value at a time in nanoseconds; before 0 as at 0.
  public func value(at time: Int64) -> Double { steps.step(at: time).rate }
  /// Start of each step, nanoseconds.
  public var starts: [Int64] { steps.starts }
  /// The value from that start on.
  public var values: [Double] { steps.rates }
}

/// How fast a trace is: Mbit/s, weighted by time.
///
/// A quantile is the smallest rate that is not exceeded for that share of the time.
public struct TraceStatistics: Sendable, Equatable {
  public var mean, p5, p50, p95: Double
  /// Share of the time without any rate, 0 to 1.
  public var shareOfZero: Double

  /// - Parameters:
  ///   - duration: how much of the trace counts, nanoseconds, greater than 0.
  ///   - window: rates are averaged over windows of this length; 0 for the steps themselves.
  init(_ trace: RateTrace, duration: Int64, window: Int64 = 0) {
    var spans: [(rate: Double, length: Double)] = []
    var time: Int64 = 0
    var (volume, windowEnd) = (0.0, window)
    while time < duration {
      let (rate, until) = trace.step(at: time)
      var next = min(until, duration)
      if window == 0 {
        spans.append((rate, Double(next - time)))
      } else {
        next = min(next, windowEnd)
        volume += rate * Double(next - time)
        if next == windowEnd || next == duration {
          let length = Double(next - (windowEnd - window))
          spans.append((volume / length, length))
          (volume, windowEnd) = (0, windowEnd + window)
        }
      }
      time = next
    }
    spans.sort { $0.rate < $1.rate }
    let total = Double(duration)
    func quantile(_ share: Double) -> Double {
      var sum = 0.0
      for span in spans {
        sum += span.length
        if sum >= share * total { return span.rate / 1e6 }
      }
      return spans[spans.count - 1].rate / 1e6
    }
    mean = spans.reduce(0) { $0 + $1.rate * $1.length } / total / 1e6
    (p5, p50, p95) = (quantile(0.05), quantile(0.5), quantile(0.95))
    shareOfZero = spans.reduce(0) { $0 + ($1.rate == 0 ? $1.length : 0) } / total
  }
}
