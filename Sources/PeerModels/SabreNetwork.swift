/// One row of a Sabre network trace.
public struct SabrePeriod: Sendable, Equatable {
  /// How long the row lasts, ms, at least 0.
  public var duration: Double
  /// kbit/s, at least 0.
  public var bandwidth: Double
  /// What a request waits for its first byte, ms, at least 0.
  public var latency: Double

  /// A row of a trace.
  public init(duration: Double, bandwidth: Double, latency: Double) {
    self.duration = duration
    self.bandwidth = bandwidth
    self.latency = latency
  }
}

/// A Sabre network trace: rows that start anew after the last one.
public struct SabreNetwork: Sendable, Equatable {
  /// The rows in order.
  public let periods: [SabrePeriod]

  /// - Precondition: no number is negative or infinite, and some row can carry a bit.
  public init(_ periods: [SabrePeriod]) {
    var canCarry = false
    for period in periods {
      precondition(
        period.duration >= 0 && period.duration < .infinity && period.bandwidth >= 0
          && period.bandwidth < .infinity && period.latency >= 0 && period.latency < .infinity,
        "durations, bandwidths and latencies are finite and at least 0")
      if period.duration > 0 && period.bandwidth > 0 { canCarry = true }
    }
    precondition(canCarry, "a row that carries something")
    self.periods = periods
  }
}

/// A session's place in its trace. Time passes only through these calls.
struct SabreLink: Sendable {
  /// Bits got and the time that took.
  struct Share: Sendable, Equatable {
    /// Bits.
    var bits: Double
    /// ms.
    var time: Double
  }

  private let network: SabreNetwork
  private var index = 0
  private var period: SabrePeriod
  /// What is left of the present row, ms.
  private(set) var left: Double

  init(_ network: SabreNetwork) {
    self.network = network
    period = network.periods[0]
    left = period.duration
  }

  private mutating func nextPeriod() {
    index += 1
    if index == network.periods.count { index = 0 }
    period = network.periods[index]
    left = period.duration
  }

  /// Waits for a first byte: a share of the latency passes in each row that the wait touches. ms.
  mutating func latency() -> Double {
    var total = 0.0
    var units = 1.0
    while true {
      let time = units * period.latency
      if time <= left {
        left -= time
        return total + time
      }
      total += left
      units -= left / period.latency
      nextPeriod()
    }
  }

  /// Carries all of `bits` (greater than 0). ms.
  mutating func transfer(_ bits: Double) -> Double {
    var rest = bits
    var total = 0.0
    while true {
      let room = left * period.bandwidth
      if rest <= room {
        let time = rest / period.bandwidth
        left -= time
        return total + time
      }
      total += left
      rest -= room
      nextPeriod()
    }
  }

  /// Lets `time` ms pass.
  mutating func wait(_ time: Double) {
    var rest = time
    while rest > left {
      rest -= left
      nextPeriod()
    }
    left -= rest
  }

  /// Carries a part of `size` bits: until both `bits` bits have come and `time` ms have passed, or
  /// everything is there. Rows without bandwidth pass whole while bits are still wanted.
  mutating func quantum(of size: Double, bits: Double, time: Double) -> Share {
    var size = size
    var (wantedBits, wantedTime) = (bits, time)
    var got = Share(bits: 0, time: 0)
    while size > 0 && (wantedBits > 0 || wantedTime > 0) {
      var step = Share(bits: 0, time: 0)
      let bandwidth = period.bandwidth
      var isRowOver = false
      if bandwidth > 0 {
        let most = max(wantedBits, wantedTime * bandwidth)
        let room = left * bandwidth
        if size <= most && size <= room {
          step = Share(bits: size, time: size / bandwidth)
        } else if most <= room {
          step = Share(bits: most, time: most / bandwidth)
          (wantedBits, wantedTime) = (0, 0)
        } else {
          step = Share(bits: room, time: left)
          isRowOver = true
        }
      } else if wantedBits > 0 || wantedTime > left {
        step.time = left
        isRowOver = true
      } else {
        step.time = wantedTime
      }
      if isRowOver { nextPeriod() } else { left -= step.time }
      got.bits += step.bits
      got.time += step.time
      size -= step.bits
      wantedBits -= step.bits
      wantedTime -= step.time
    }
    return got
  }
}
