/// BBR version 1 per acknowledgement, as Linux runs it (tcp_bbr; Cardwell, Cheng, Gunn, Yeganeh,
/// Jacobson, "BBR: congestion-based congestion control", ACM Queue 2016).
///
/// Bandwidth is the greatest delivery rate of the last ten round trips, the path's delay the least
/// round trip of the last ten seconds; the sender paces at a gain times the one and keeps at most a
/// gain times their product out.
struct ChunkBBR: BitwiseCopyable {
  enum Mode: UInt8 { case startup, drain, probeBandwidth, probeRoundTrip }

  /// Gains of startup and drain: 2/ln 2 and its inverse, as rounded by Linux.
  static let highGain = 2886.0 / 1000
  static let drainGain = 1000.0 / 2885
  /// Linux paces 1 % below the estimate; see also ``paceFactor``.
  private static let pacingMargin = 0.99
  private static let windowRounds: Int64 = 10
  private static let leastRoundTripSpan: Int64 = 10_000_000_000
  private static let probeRoundTripSpan: Int64 = 200_000_000
  static let leastWindow = 4.0
  private static let cycle = 8

  var mode = Mode.startup
  /// Bandwidth, packets per nanosecond: the filter's three best samples and their rounds.
  var filter = WindowedMaximum()
  var rounds: Int64 = 0
  private var roundEnd: Int64 = 0
  private(set) var isRoundStart = false
  var leastRoundTrip: Int64 = .max
  var leastRoundTripAt: Int64 = 0
  private var probeDoneAt: Int64 = 0
  private var isProbeRoundDone = false
  var isIdleRestart = false
  private var fullBandwidth = 0.0
  private var fullRounds = 0
  private(set) var isFull = false
  private var phase = 0
  private var phaseAt: Int64 = 0
  private var priorWindow = 0.0
  private var isConserving = false
  private var wasRecovering = false
  private var aggregation = ChunkAggregation()
  private var policer = ChunkPolicer()
  /// Linux counts the estimate in whole packets and spends it in payload, so it paces faster than
  /// it means to by the share of the headers.
  private var paceFactor = ChunkBBR.pacingMargin
  /// Packets per nanosecond; 0 before the first round trip is known.
  private(set) var pacingRate = 0.0

  /// What the sender acts on: the greatest recent rate, or the one that a policer seems to allow.
  var bandwidth: Double { policer.isInUse ? policer.rate : filter.value }

  /// A windowed maximum by three samples (Nichols; Linux lib/win_minmax).
  struct WindowedMaximum: BitwiseCopyable {
    private var values = (0.0, 0.0, 0.0)
    private var times: (Int64, Int64, Int64) = (0, 0, 0)

    var value: Double { values.0 }

    mutating func insert(_ value: Double, at time: Int64, window: Int64) {
      if value >= values.0 || time - times.2 > window {
        values = (value, value, value)
        times = (time, time, time)
        return
      }
      if value >= values.1 {
        values.1 = value
        times.1 = time
        values.2 = value
        times.2 = time
      } else if value >= values.2 {
        values.2 = value
        times.2 = time
      }
      age(value, at: time, window: window)
    }

    private mutating func age(_ value: Double, at time: Int64, window: Int64) {
      let span = time - times.0
      if span > window {
        values = (values.1, values.2, value)
        times = (times.1, times.2, time)
        if time - times.0 > window {
          values = (values.1, values.2, value)
          times = (times.1, times.2, time)
        }
      } else if times.1 == times.0 && span > window / 4 {
        values.1 = value
        times.1 = time
        values.2 = value
        times.2 = time
      } else if times.2 == times.1 && span > window / 2 {
        values.2 = value
        times.2 = time
      }
    }
  }

  /// What one acknowledgement tells.
  struct Sample: BitwiseCopyable {
    var now: Int64
    /// Packets newly delivered and newly found lost.
    var acknowledged: Int64
    var lost: Int64
    /// Round trip, -1 without a sample.
    var roundTrip: Int64
    /// Delivered in all; by the release of the packet that was acknowledged; and the longer of the
    /// two spans in which the difference was sent and delivered (0 when there is no sample).
    var delivered: Int64
    var priorDelivered: Int64
    var interval: Int64
    var isLimited: Bool
    /// Packets out before and after the acknowledgement.
    var priorFlight: Int64
    var flight: Int64
    var isRecovering: Bool
    var initialWindow: Double
    /// Payload of a full packet, bytes, and a uniform number for the phase of the gain cycle.
    var segmentSize: Int64
    var uniform: Double
  }

  init() {}

  /// The state when the first data are sent: the initial window every round trip, or every
  /// millisecond without a sample of it, at the startup gain.
  ///
  /// - Parameters:
  ///   - headerShare: bytes of TCP and IP headers per byte of payload.
  mutating func start(window: Double, roundTrip: Double, headerShare: Double, now: Int64) {
    let span = roundTrip > 0 ? roundTrip : 1_000_000
    paceFactor = ChunkBBR.pacingMargin * (1 + headerShare)
    pacingRate = ChunkBBR.highGain * window / span * paceFactor
    leastRoundTrip = roundTrip > 0 ? Int64(roundTrip) : .max
    leastRoundTripAt = now
    aggregation.start = now
  }

  /// The window after an acknowledgement.
  mutating func acknowledge(_ sample: Sample, window: Double) -> Double {
    updateBandwidth(sample)
    aggregation.update(
      sample, bandwidth: bandwidth, window: window, isRoundStart: isRoundStart)
    advanceCycle(sample)
    checkFull(sample)
    if mode == .startup && isFull { mode = .drain }
    if mode == .drain && Double(sample.flight) <= allowed(1, filter.value, sample.segmentSize) {
      enterProbeBandwidth(sample)
    }
    var next = window
    updateLeastRoundTrip(sample, &next)
    setPacing(sample)
    return nextWindow(sample, next)
  }

  /// The loss state begins: the window is remembered.
  mutating func saveWindow(_ window: Double) {
    if !wasRecovering && mode != .probeRoundTrip {
      priorWindow = window
    } else if window > priorWindow {
      priorWindow = window
    }
  }

  /// A retransmission timeout: the pipe must be found full anew.
  mutating func expire() {
    fullBandwidth = 0
    isRoundStart = true
    wasRecovering = true
  }

  /// Sending resumes after a pause of the application.
  mutating func resume(at now: Int64) {
    isIdleRestart = true
    aggregation.restart(at: now)
    if mode == .probeBandwidth { pacingRate = bandwidth * paceFactor }
  }

  mutating func turnBack(by span: Int64) {
    policer.turnBack(by: span)
    leastRoundTripAt -= span
    phaseAt -= span
    aggregation.start -= span
    if probeDoneAt > 0 { probeDoneAt = probeDoneAt > span ? probeDoneAt - span : 1 }
  }

  // MARK: - Model

  private mutating func updateBandwidth(_ sample: Sample) {
    isRoundStart = false
    if sample.interval <= 0 { return }
    if sample.priorDelivered >= roundEnd {
      roundEnd = sample.delivered
      rounds += 1
      isRoundStart = true
      isConserving = false
    }
    let isGivenUp = policer.update(
      sample, isRoundStart: isRoundStart, isProbing: mode == .probeBandwidth)
    if isGivenUp { enterProbeBandwidth(sample) }
    let rate = Double(sample.delivered - sample.priorDelivered) / Double(sample.interval)
    if !sample.isLimited || rate >= filter.value {
      filter.insert(rate, at: rounds, window: ChunkBBR.windowRounds)
    }
  }

  private mutating func advanceCycle(_ sample: Sample) {
    if mode != .probeBandwidth { return }
    let isLong = sample.now - phaseAt > leastRoundTrip
    let isNext: Bool
    switch phase {
    case 0:
      isNext =
        isLong
        && (sample.lost > 0
          || Double(sample.priorFlight) >= allowed(1.25, filter.value, sample.segmentSize))
    case 1:
      isNext = isLong || Double(sample.priorFlight) <= allowed(1, filter.value, sample.segmentSize)
    default: isNext = isLong
    }
    if isNext {
      phase = (phase + 1) % ChunkBBR.cycle
      phaseAt = sample.now
    }
  }

  private mutating func enterProbeBandwidth(_ sample: Sample) {
    mode = .probeBandwidth
    // Linux starts anywhere but in the phase that drains, and steps on at once.
    let drawn = Int(sample.uniform * 7)
    phase = (ChunkBBR.cycle - 1 - (drawn < 7 ? drawn : 6) + 1) % ChunkBBR.cycle
    phaseAt = sample.now
  }

  private mutating func checkFull(_ sample: Sample) {
    if isFull || !isRoundStart || sample.isLimited { return }
    if filter.value >= fullBandwidth * 1.25 {
      fullBandwidth = filter.value
      fullRounds = 0
      return
    }
    fullRounds += 1
    isFull = fullRounds >= 3
  }

  private mutating func updateLeastRoundTrip(_ sample: Sample, _ window: inout Double) {
    let isExpired = sample.now > leastRoundTripAt + ChunkBBR.leastRoundTripSpan
    if sample.roundTrip >= 0 && (sample.roundTrip < leastRoundTrip || isExpired) {
      leastRoundTrip = sample.roundTrip
      leastRoundTripAt = sample.now
    }
    if isExpired && !isIdleRestart && mode != .probeRoundTrip {
      mode = .probeRoundTrip
      saveWindow(window)
      probeDoneAt = 0
    }
    if mode == .probeRoundTrip {
      if probeDoneAt == 0 && Double(sample.flight) <= ChunkBBR.leastWindow {
        probeDoneAt = sample.now + ChunkBBR.probeRoundTripSpan
        isProbeRoundDone = false
        roundEnd = sample.delivered
      } else if probeDoneAt > 0 {
        if isRoundStart { isProbeRoundDone = true }
        if isProbeRoundDone && sample.now > probeDoneAt { leaveProbeRoundTrip(sample, &window) }
      }
    }
    if sample.acknowledged > 0 { isIdleRestart = false }
  }

  private mutating func leaveProbeRoundTrip(_ sample: Sample, _ window: inout Double) {
    leastRoundTripAt = sample.now
    if priorWindow > window { window = priorWindow }
    if isFull { enterProbeBandwidth(sample) } else { mode = .startup }
  }

  // MARK: - Control

  private var pacingGain: Double {
    switch mode {
    case .startup: ChunkBBR.highGain
    case .drain: ChunkBBR.drainGain
    case .probeRoundTrip: 1
    case .probeBandwidth: policer.isInUse ? 1 : phase == 0 ? 1.25 : phase == 1 ? 0.75 : 1
    }
  }

  private var windowGain: Double {
    switch mode {
    case .startup, .drain: ChunkBBR.highGain
    case .probeRoundTrip: 1
    case .probeBandwidth: 2
    }
  }

  private mutating func setPacing(_ sample: Sample) {
    let rate = bandwidth * pacingGain * paceFactor
    if rate > 0 && (isFull || rate > pacingRate) { pacingRate = rate }
  }

  /// Packets that are released together: a millisecond's worth, at least two above 1.2 Mbit/s.
  func quantum(_ segmentSize: Int64) -> Int64 {
    let least: Int64 = pacingRate * Double(segmentSize) * 8e3 < 1.2 ? 1 : 2
    let worth = pacingRate * 976_562
    let packets = worth < 45 ? Int64(worth) : 45
    return packets > least ? packets : least
  }

  /// Gain times the product of bandwidth and least round trip, with room for three bursts.
  private func allowed(_ gain: Double, _ bandwidth: Double, _ segmentSize: Int64) -> Double {
    if leastRoundTrip == .max { return 10 * gain }
    let product = bandwidth * Double(leastRoundTrip) * gain
    let room = (product < 1e9 ? Int64(product) + 1 : 1_000_000_000) + 3 * quantum(segmentSize)
    return Double((room + 1) & ~1) + (mode == .probeBandwidth && phase == 0 ? 2 : 0)
  }

  private mutating func nextWindow(_ sample: Sample, _ window: Double) -> Double {
    var next = window
    let acknowledged = Double(sample.acknowledged)
    defer { wasRecovering = sample.isRecovering }
    if sample.acknowledged > 0 {
      if sample.lost > 0 { next = next - Double(sample.lost) > 1 ? next - Double(sample.lost) : 1 }
      if sample.isRecovering && !wasRecovering {
        isConserving = true
        roundEnd = sample.delivered
        next = Double(sample.flight) + acknowledged
      } else if !sample.isRecovering && wasRecovering {
        if priorWindow > next { next = priorWindow }
        isConserving = false
      }
      if isConserving {
        let held = Double(sample.flight) + acknowledged
        if held > next { next = held }
      } else {
        next = grown(next, by: acknowledged, sample)
      }
    }
    if mode == .probeRoundTrip && next > ChunkBBR.leastWindow { next = ChunkBBR.leastWindow }
    return next
  }

  private func grown(_ window: Double, by acknowledged: Double, _ sample: Sample) -> Double {
    var target = allowed(windowGain, bandwidth, sample.segmentSize)
    if isFull { target += aggregation.allowance(bandwidth: bandwidth) }
    var next = window
    if isFull {
      next = next + acknowledged < target ? next + acknowledged : target
    } else if next < target || Double(sample.delivered) < sample.initialWindow {
      next += acknowledged
    }
    return next > ChunkBBR.leastWindow ? next : ChunkBBR.leastWindow
  }
}
