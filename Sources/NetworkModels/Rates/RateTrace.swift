/// A link's rate over time: a step function in whole nanoseconds and bits per second.
///
/// What happens after the last step is stated by ``End``. A rate of zero is legal: nothing moves
/// until the next step. A packet keeps the rate at which it started (network.md section 7.7), so
/// callers ask for the rate at a time or integrate bytes exactly through the steps.
public struct RateTrace: Sendable, Equatable {
  /// What follows the last step.
  public enum End: Sendable, Equatable {
    /// The last step lasts for ever.
    case hold
    /// The steps start anew after this many nanoseconds, counted from time 0; greater than the
    /// last start.
    case loop(period: Int64)
    /// From this time on the rate is zero.
    case silence(at: Int64)
  }

  /// Start of each step, nanoseconds, increasing; the first is 0.
  public private(set) var starts: [Int64]
  /// Rate from that start on, bits per second, at least 0.
  public private(set) var rates: [Double]
  public private(set) var end: End

  /// - Parameters:
  ///   - starts: increasing; a first start after 0 is preceded by the first rate (the step is
  ///     extended backwards).
  ///   - rates: as many as `starts`, finite and at least 0.
  public init(starts: [Int64], rates: [Double], end: End) {
    precondition(
      !starts.isEmpty && starts.count == rates.count, "as many starts as rates, at least one")
    for index in 0..<starts.count {
      precondition(rates[index] >= 0 && rates[index] < .infinity, "a finite rate of at least 0")
      precondition(index == 0 || starts[index] > starts[index - 1], "starts must increase")
    }
    self.starts = starts
    self.rates = rates
    self.end = end
    if starts[0] > 0 { self.starts[0] = 0 }
    if case .loop(let period) = end {
      precondition(period > starts[starts.count - 1], "the period must end after the last start")
    }
  }

  /// The same rate for ever, bits per second.
  public init(constant rate: Double) { self.init(starts: [0], rates: [rate], end: .hold) }

  /// The one rate, when the trace never changes.
  public var constantRate: Double? {
    guard rates.count == 1 else { return nil }
    if case .silence = end { return nil }
    return rates[0]
  }

  /// Length of one pass through the steps, nanoseconds: the period of a loop, the time of silence,
  /// or the start of the step that holds.
  public var length: Int64 {
    switch end {
    case .hold: starts[starts.count - 1]
    case .loop(let period): period
    case .silence(let at): at
    }
  }

  /// Mean rate over ``length``, bits per second; the rate itself when there is only one.
  public var mean: Double {
    let total = length
    if total <= 0 { return rates[rates.count - 1] }
    var sum = 0.0
    for index in 0..<starts.count {
      let until = index + 1 < starts.count ? starts[index + 1] : total
      if until > starts[index] { sum += rates[index] * Double(until - starts[index]) }
    }
    return sum / Double(total)
  }

  /// The rate at a time and when it may change next, `.max` for never.
  ///
  /// - Complexity: O(log steps).
  public func step(at time: Int64) -> (rate: Double, until: Int64) {
    var base: Int64 = 0
    var local = time > 0 ? time : 0
    var stop = Int64.max
    switch end {
    case .hold: break
    case .loop(let period):
      base = local / period * period
      local -= base
      stop = base + period
    case .silence(let at):
      if local >= at { return (0, .max) }
      stop = at
    }
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= local { low = middle } else { high = middle }
    }
    let next = low + 1 < starts.count ? base + starts[low + 1] : stop
    return (rates[low], next < stop ? next : stop)
  }
}
