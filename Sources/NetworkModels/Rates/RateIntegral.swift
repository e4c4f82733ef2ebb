/// A ``RateTrace`` with prefix sums: how much a link carries between two times, and when it has
/// carried so much.
///
/// All queries cost O(log steps) and have no state; results are whole nanoseconds, rounded up where
/// a time is asked for. `Int64.max` stands for "never".
public struct RateIntegral: Sendable {
  public let trace: RateTrace
  /// Bits carried before the start of each step, within the first period.
  private let before: [Double]
  /// Length of a loop, `Int64.max` without one.
  private let period: Int64
  /// Bits carried in one loop, or until silence; infinite when the last step lasts for ever.
  private let total: Double
  /// From here on nothing is carried; `Int64.max` without silence.
  private let silence: Int64

  public init(_ trace: RateTrace) {
    self.trace = trace
    var loop = Int64.max
    var quiet = Int64.max
    switch trace.end {
    case .hold: break
    case .loop(let length): loop = length
    case .silence(let time): quiet = time > 0 ? time : 0
    }
    let stop = loop < quiet ? loop : quiet
    var sums: [Double] = []
    sums.reserveCapacity(trace.starts.count)
    var sum = 0.0
    for index in 0..<trace.starts.count {
      sums.append(sum)
      let next = index + 1 < trace.starts.count ? trace.starts[index + 1] : Int64.max
      let end = next < stop ? next : stop
      if end == Int64.max {
        if trace.rates[index] > 0 { sum = .infinity }
      } else if end > trace.starts[index] {
        sum += trace.rates[index] * Double(end - trace.starts[index]) * 1e-9
      }
    }
    before = sums
    period = loop
    total = sum
    silence = quiet
  }

  /// The rate at `time` (at least 0), bits per second.
  public func rate(at time: Int64) -> Double {
    if time >= silence { return 0 }
    return trace.rates[step(at: phase(of: time))]
  }

  /// The first moment after `time` at which another step begins; `Int64.max` when none does.
  public func nextChange(after time: Int64) -> Int64 {
    if time >= silence { return .max }
    let phase = phase(of: time)
    return saturating(time, plus: stepEnd(step(at: phase)) - phase, when: stepEnd(step(at: phase)))
  }

  /// Bits that the link can carry from time 0 until `time`.
  public func bits(until time: Int64) -> Double {
    let clipped = time < silence ? time : silence
    if period == .max { return bitsInPeriod(until: clipped) }
    return Double(clipped / period) * total + bitsInPeriod(until: clipped % period)
  }

  /// Bytes that the link can carry from `start` until `end`; 0 when `end` is not later.
  public func bytes(from start: Int64, to end: Int64) -> Double {
    if end <= start || start >= silence { return 0 }
    let phase = phase(of: start)
    let index = step(at: phase)
    let last = saturating(start, plus: stepEnd(index) - phase, when: stepEnd(index))
    if end <= last { return trace.rates[index] * Double(end - start) * 0.125e-9 }
    let difference = bits(until: end) - bits(until: start)
    return difference > 0 ? difference / 8 : 0
  }

  /// When `bytes` have been carried by a link that starts on them at `start` and does nothing else;
  /// `start` itself for 0 bytes.
  public func time(toServe bytes: Double, from start: Int64) -> Int64 {
    if bytes <= 0 || start == .max { return start }
    if start >= silence { return .max }
    let wanted = bytes * 8
    let phase = phase(of: start)
    let index = step(at: phase)
    let end = stepEnd(index)
    let rate = trace.rates[index]
    if rate > 0 {
      let needed = wanted / rate * 1e9
      if end == .max || needed <= Double(end - phase) {
        let finish = saturating(start, plus: nanoseconds(needed))
        return finish <= silence ? finish : .max
      }
    } else if end == .max {
      return .max
    }
    let finish = time(ofBits: bitsInPeriod(until: phase) + wanted, base: start - phase)
    return finish > start ? finish : start
  }

  /// When a packet of `bytes` is through that reaches the head of the queue at `start`: it waits
  /// for a positive rate and then keeps the rate at which it started.
  public func finish(packetOf bytes: Double, from start: Int64) -> Int64 {
    var begin = start
    while begin < .max {
      let rate = rate(at: begin)
      if rate > 0 { return saturating(begin, plus: nanoseconds(bytes * 8e9 / rate)) }
      if total == 0 { return .max }
      begin = nextChange(after: begin)
    }
    return .max
  }

  // MARK: - Steps

  private func phase(of time: Int64) -> Int64 { period == .max ? time : time % period }

  /// The step that contains `phase`, a time within the first period.
  private func step(at phase: Int64) -> Int {
    var low = 0
    var high = trace.starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if trace.starts[middle] <= phase { low = middle } else { high = middle }
    }
    return low
  }

  /// End of a step within the period, `Int64.max` for one that lasts for ever.
  private func stepEnd(_ index: Int) -> Int64 {
    let next = index + 1 < trace.starts.count ? trace.starts[index + 1] : Int64.max
    let stop = period < silence ? period : silence
    return next < stop ? next : stop
  }

  private func bitsInPeriod(until phase: Int64) -> Double {
    let index = step(at: phase)
    let end = stepEnd(index) < phase ? stepEnd(index) : phase
    if end <= trace.starts[index] { return before[index] }
    return before[index] + trace.rates[index] * Double(end - trace.starts[index]) * 1e-9
  }

  /// When the sum of bits since `base` (the start of a period) reaches `bits`.
  private func time(ofBits bits: Double, base: Int64) -> Int64 {
    var remaining = bits
    var origin = base
    if remaining > total {
      if period == .max || total <= 0 { return .max }
      // Whole loops, of which the last must leave something to carry.
      let quotient = remaining / total
      if quotient >= 9e18 / Double(period) { return .max }
      var loops = Int64(quotient)
      if Double(loops) * total >= remaining { loops -= 1 }
      remaining -= Double(loops) * total
      origin = saturating(origin, plus: loops * period)
    }
    // The last step that begins with less than what is wanted.
    var low = 0
    var high = before.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if before[middle] < remaining { low = middle } else { high = middle }
    }
    if trace.rates[low] <= 0 { return .max }
    let within = nanoseconds((remaining - before[low]) / trace.rates[low] * 1e9)
    return saturating(origin, plus: trace.starts[low] + within)
  }

  // MARK: - Arithmetic

  /// Spans of 32 years and more count as for ever.
  private static let forever: Int64 = 1_000_000_000_000_000_000
  /// Times from here on are never: 126 years.
  private static let never: Int64 = 4_000_000_000_000_000_000

  /// Whole nanoseconds, rounded up; a millionth of one is forgiven as rounding error.
  private func nanoseconds(_ value: Double) -> Int64 {
    if value >= Double(RateIntegral.forever) { return RateIntegral.forever }
    let whole = Int64(value)
    return Double(whole) + 1e-6 < value ? whole + 1 : whole
  }

  private func saturating(_ time: Int64, plus span: Int64, when end: Int64 = 0) -> Int64 {
    if time == .max || end == .max || span >= RateIntegral.forever { return .max }
    let (sum, overflow) = time.addingReportingOverflow(span)
    return overflow || sum >= RateIntegral.never ? .max : sum
  }
}
