import Histogram
import MediaUnits

/// Latencies of a run in two histograms with three significant digits, 1 µs to 1 h.
///
/// Raw: from when the client began to work on a request. Corrected: from when the request was due,
/// so that requests held up by a stall of the generator or of the target count the wait (Tene, "How
/// not to measure latency", 2015). In an open loop every due request is recorded, and nothing has
/// to be filled in.
public struct LiveLatency: Sendable {
  public private(set) var raw: Histogram<UInt64>
  public private(set) var corrected: Histogram<UInt64>

  private static let longest: UInt64 = 3_600_000_000

  public init() {
    raw = LiveLatency.empty()
    corrected = LiveLatency.empty()
  }

  private static func empty() -> Histogram<UInt64> {
    Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
  }

  public var count: Int { Int(raw.totalCount) }

  /// Records the latency up to an event, such as `headed` or `ended`.
  public mutating func record(_ event: LiveEvent) {
    record(startedAt: event.startedAt, intendedAt: event.intendedAt, endedAt: event.at)
  }

  /// Spans below zero count as zero, spans beyond an hour as an hour.
  public mutating func record(startedAt: Instant, intendedAt: Instant, endedAt: Instant) {
    raw.record(LiveLatency.microseconds(endedAt.elapsed(saturatingSince: startedAt)))
    corrected.record(LiveLatency.microseconds(endedAt.elapsed(saturatingSince: intendedAt)))
  }

  private static func microseconds(_ span: TimeSpan) -> UInt64 {
    let rounded = max(0, span.nanoseconds) / 1_000
    return min(LiveLatency.longest, UInt64(rounded))
  }

  /// Adds what another has recorded.
  public mutating func merge(_ other: LiveLatency) {
    raw.add(other.raw)
    corrected.add(other.corrected)
  }

  /// A quantile of one of the histograms; nil when it is empty.
  ///
  /// - Parameter probability: 0 to 1.
  public static func quantile(_ histogram: Histogram<UInt64>, _ probability: Double) -> TimeSpan? {
    if histogram.totalCount == 0 { return nil }
    let value = histogram.valueAtPercentile(min(1, max(0, probability)) * 100)
    return .microseconds(Int64(value))
  }
}
