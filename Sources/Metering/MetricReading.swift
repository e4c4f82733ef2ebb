import FeedModel
import ModelBasics

/// What the row of a metric reads from the measures of one replication; `Studies` makes a sample of
/// it.
public enum MetricReading: Sendable, Equatable {
  /// A part over a whole, with the number of things behind it; no data where the whole is nothing.
  case quotient(Double, over: Double, samples: Int64)
  /// A number found in `samples` things; no data without any.
  case number(Double, samples: Int64)
  /// Times in nanoseconds, in any order. Those that were cut before their end count as censored in
  /// the quantiles (Kaplan-Meier) and not in mean and maximum.
  case times([Int64], censored: [Int64] = [])
  /// Times that were counted in a histogram.
  case delays(DelayHistogram)
  /// Times of which only the sum and the largest are known, nanoseconds.
  case extent(sum: Int64, largest: Int64, count: Int64)

  /// A share of things counted, which are its samples.
  public static func share(_ part: Int64, of whole: Int64) -> MetricReading {
    .quotient(Double(part), over: Double(whole), samples: whole)
  }

  /// A share of things counted, which are its samples.
  public static func share(_ part: Int, of whole: Int) -> MetricReading {
    share(Int64(part), of: Int64(whole))
  }

  /// The mean of `count` times in nanoseconds, as milliseconds.
  static func mean(_ nanoseconds: Int64, over count: Int64) -> MetricReading {
    .quotient(Double(nanoseconds) / 1e6, over: Double(count), samples: count)
  }
}
