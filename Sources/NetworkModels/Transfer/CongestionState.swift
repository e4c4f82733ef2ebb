import MediaUnits

/// What a sender knows of its path: carried from request to request on a connection.
///
/// Plain values without references, so that millions of connections can hold one. Windows are in
/// segments, times in nanoseconds. The rules are Linux's (net/ipv4 of 6.x: tcp_input, tcp_cubic,
/// tcp_bbr, tcp_rate), which follow RFC 5681, 6298, 6937, 8985 and 9438.
public struct CongestionState: Sendable, Equatable {
  public var control: CongestionControl
  /// Congestion window.
  public var window: Double
  /// Slow start ends here; infinite until the first sign of congestion.
  public var threshold: Double
  /// Restart window after idleness (RFC 6928 section 2), and what the receiver or the sender's
  /// buffer allows at most.
  public var initialWindow: Double
  public var windowLimit: Double
  /// Smoothed round trip and its variation (RFC 6298); negative before the first sample.
  public var smoothedRoundTrip: Double
  public var variation: Double
  /// Least round trip seen.
  public var leastRoundTrip: Double
  /// Acknowledgements that the receiver still sends at once, one per packet.
  public var quickAcks: Int64
  /// When the connection last sent data.
  public var lastSend: Int64
  public var cubic: CubicState
  public var bbr: BBRState

  /// - Parameters:
  ///   - roundTrip: sample taken during the handshake, nanoseconds; nil without one.
  public init(
    _ control: CongestionControl, initialWindow: Double = 10, window: Double? = nil,
    windowLimit: Double = .infinity, roundTrip: Double? = nil
  ) {
    self.control = control
    self.window = window ?? initialWindow
    threshold = .infinity
    self.initialWindow = initialWindow
    self.windowLimit = windowLimit
    smoothedRoundTrip = roundTrip ?? -1
    variation = (roundTrip ?? 0) / 2
    leastRoundTrip = roundTrip ?? .infinity
    quickAcks = 16
    lastSend = 0
    cubic = CubicState()
    bbr = BBRState()
    if control == .bbr { startBBR() }
  }

  // MARK: - Timers

  /// Linux's least timeout margin (TCP_RTO_MIN), its initial timeout (RFC 6298 section 2.1) and the
  /// margin of a loss probe (TCP_TIMEOUT_MIN).
  static let timeoutMargin = 200e6
  static let initialTimeout = 1000e6
  static let probeMargin = 2e6
  /// No timeout is longer (TCP_RTO_MAX).
  static let longestTimeout = 120e9

  /// Retransmission timeout: srtt + max(200 ms, 4·rttvar), as Linux floors the variation.
  @inline(__always)
  public var timeout: Double { timeout(doubled: 1) }

  /// The timeout times `factor`, as it is after timeouts in a row (RFC 6298 section 5.5), and at
  /// most 120 s.
  @inline(__always)
  func timeout(doubled factor: Double) -> Double {
    var value = CongestionState.initialTimeout
    if smoothedRoundTrip >= 0 {
      let margin = 4 * variation
      value =
        smoothedRoundTrip
        + (margin > CongestionState.timeoutMargin ? margin : CongestionState.timeoutMargin)
    }
    value *= factor
    return value < CongestionState.longestTimeout ? value : CongestionState.longestTimeout
  }

  /// Probe timeout (RFC 8985 section 7.2): two round trips, and room for a delayed acknowledgement
  /// when a single packet is out.
  @inline(__always)
  public func probeTimeout(isSingle: Bool) -> Double {
    if smoothedRoundTrip < 0 { return timeout }
    let span =
      2 * smoothedRoundTrip
      + (isSingle ? CongestionState.timeoutMargin : CongestionState.probeMargin)
    return span < timeout ? span : timeout
  }

  /// QUIC's probe timeout: srtt + max(4·rttvar, 1 ms) and what the receiver may delay its
  /// acknowledgement, 25 ms unless it says otherwise (RFC 9002 section 6.2.1, RFC 9000 section
  /// 18.2).
  var quicProbeTimeout: Double {
    let margin = 4 * variation
    return smoothedRoundTrip + (margin > 1e6 ? margin : 1e6) + 25e6
  }

  /// Takes samples that went evenly from `first` to `last` (RFC 6298 with one sample per packet).
  mutating func sample(first: Double, last: Double, count: Int64) {
    let low = first < last ? first : last
    if low < leastRoundTrip { leastRoundTrip = low }
    if smoothedRoundTrip < 0 {
      smoothedRoundTrip = first
      variation = first / 2
    }
    // The moving average with gain 1/8 follows a ramp seven samples behind.
    let step = count > 1 ? (last - first) / Double(count - 1) : 0
    let decay = CongestionState.decay(count)
    let target = last - 7 * step
    smoothedRoundTrip = target + (smoothedRoundTrip - target) * decay
    let deviation = step < 0 ? -7 * step : 7 * step
    variation = deviation + (variation - deviation) * decay
  }

  /// (7/8)^count.
  @inline(__always)
  static func decay(_ count: Int64) -> Double {
    if count > 64 { return 0 }
    var result = 1.0
    var base = 0.875
    var exponent = count
    while exponent > 0 {
      if exponent & 1 == 1 { result *= base }
      base *= base
      exponent >>= 1
    }
    return result
  }

  // MARK: - Window

  /// The most that a window field of 16 bits, scaled by 14 more, can say (RFC 7323 section 2.3), in
  /// segments.
  ///
  /// - Parameter receiveWindow: what the receiver allows, bytes; nil for no less than that.
  public static func largestWindow(segmentSize: Int64, receiveWindow: Int64? = nil) -> Double {
    let most = Int64(1) << 30
    let bytes = receiveWindow ?? most
    return Double(bytes < most ? bytes : most) / Double(segmentSize)
  }

  /// Packets per acknowledgement once the first ones have been acknowledged at once.
  ///
  /// A Linux receiver delays them (RFC 1122) except while its window grows. That this begins in
  /// slow start at about 40 segments has no published source: it was inferred from where kernel
  /// transfers leave slow start at a full queue.
  @inline(__always)
  var acknowledgementStride: Int64 {
    quickAcks > 0 || isStartup && window >= 40 ? 1 : 2
  }

  /// Whether the first packet of a round is acknowledged together with the second. The bound of 80,
  /// one round later, is inferred in the same way: growth seems to begin in the middle of a round.
  @inline(__always)
  var delaysFirstAcknowledgement: Bool { quickAcks == 0 && !(isStartup && window >= 80) }

  @inline(__always)
  private var isStartup: Bool { control == .bbr ? bbr.mode == .startup : isSlowStart }

  @inline(__always)
  public var isSlowStart: Bool { window < threshold }

  /// Packets that may be in flight.
  @inline(__always)
  public var allowance: Int64 {
    let usable = window < windowLimit ? window : windowLimit
    return usable < 1 ? 1 : TransferClock.packets(usable)
  }

  /// The window after an idle period that ends at `now` (RFC 2861 as in Linux: halved once per
  /// timeout idle, down to the initial window; BBR keeps its own).
  public mutating func resume(at now: Int64, idleRestart: Bool) {
    let idle = Double(now - lastSend)
    let timeout = timeout
    if idleRestart && idle > timeout && control != .bbr {
      if threshold < 0.75 * window { threshold = 0.75 * window }
      let least = initialWindow < window ? initialWindow : window
      var rest = idle - timeout
      while rest > 0 && window > least {
        window = window / 2
        rest -= timeout
      }
      if window < least { window = least }
    }
    // CUBIC's curve does not run on while nothing is sent (RFC 9438 section 5.8).
    if cubic.epochStart >= 0 && idle > 0 { cubic.epochStart += now - lastSend }
  }

  /// What acknowledged packets do to the window.
  ///
  /// - Parameters:
  ///   - count: packets acknowledged.
  ///   - inFlight: most packets that were out.
  ///   - now: when the last acknowledgement came; `span` since the first one.
  ///   - first: round trip of the first packet, `last` of the last one.
  @inline(__always)
  mutating func acknowledge(
    _ count: Int64, inFlight: Int64, now: Int64, span: Double, first: Double, last: Double
  ) {
    sample(first: first, last: last, count: count)
    if isSlowStart {
      // Linux: the window is the limit while less than twice what was out.
      let limit = 2 * Double(inFlight)
      var growth = Double(count)
      if window + growth > limit { growth = limit > window ? limit - window : 0 }
      if control == .cubic && !cubic.hasLeftSlowStart {
        let exit = slowStartExit(count, span: span, first: first, last: last)
        if exit >= 0 && Double(exit) <= growth { threshold = window + Double(exit) }
      }
      if window + growth <= threshold {
        window += growth
        quickAcks = quickAcks > count ? quickAcks - count : 0
        return
      }
      growth -= threshold - window
      window = threshold
      avoid(growth, now: now)
    } else if Double(inFlight) + 1 > (window < windowLimit ? window : windowLimit) {
      avoid(Double(count), now: now)
    }
    quickAcks = quickAcks > count ? quickAcks - count : 0
  }

  /// Congestion avoidance for `count` acknowledged packets.
  private mutating func avoid(_ count: Double, now: Int64) {
    if count <= 0 { return }
    switch control {
    case .cubic: growCubic(count, now: now)
    case .newReno, .bbr: window += count / window
    }
  }

  /// A loss was detected by duplicate acknowledgements or by RACK.
  mutating func reduce() {
    switch control {
    case .cubic: threshold = reduceCubic()
    case .newReno: threshold = window / 2 > 2 ? window / 2 : 2
    case .bbr: return
    }
    threshold = threshold > 2 ? threshold : 2
  }

  /// Fast recovery is over: the window is what it was reduced to (RFC 6937).
  mutating func leaveRecovery() {
    if control != .bbr && threshold < .infinity { window = threshold }
  }

  /// A retransmission timeout (RFC 5681 section 3.1).
  mutating func expire() {
    reduce()
    if control == .cubic { cubic = CubicState() }
    window = 1
  }
}
