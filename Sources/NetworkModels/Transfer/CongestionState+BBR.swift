import MediaUnits

/// BBR's memory (Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux
/// tcp_bbr, version 1).
public struct BBRState: Sendable, Equatable {
  public enum Mode: UInt8, Sendable, Equatable {
    case startup, drain, probeBandwidth, probeRoundTrip
  }
  public var mode = Mode.startup
  /// The three best bandwidths of the last ten rounds, packets per nanosecond, best first, and the
  /// rounds in which they were seen (Kathleen Nichols' windowed maximum).
  var best = (0.0, 0.0, 0.0)
  var bestRound: (Int64, Int64, Int64) = (0, 0, 0)
  /// Round trips counted on the connection.
  var round: Int64 = 0
  /// Bandwidth at which start-up last grew by a quarter, and rounds since.
  var fullBandwidth = 0.0
  var flatRounds = 0
  /// Position in the cycle of eight gains and when it began.
  var phase = 2
  var phaseStart: Int64 = 0
  /// Least round trip of the last ten seconds and when it was seen.
  public var leastRoundTrip = Double.infinity
  var leastSeen: Int64 = 0
  /// When the present probe of the round trip ends.
  var probeEnd: Int64 = 0
  /// Pacing rate, packets per nanosecond.
  public var pacingRate = 0.0
  /// The pacing rate before the last round's acknowledgements.
  var rateBefore = 0.0
  /// Segments sent, counted up to ten.
  var segments: Int64 = 0
  /// Packets in flight in the round before.
  var inFlight = 0.0

  public static func == (left: BBRState, right: BBRState) -> Bool {
    left.mode == right.mode && left.best == right.best && left.bestRound == right.bestRound
      && left.round == right.round && left.fullBandwidth == right.fullBandwidth
      && left.flatRounds == right.flatRounds && left.phase == right.phase
      && left.phaseStart == right.phaseStart && left.leastRoundTrip == right.leastRoundTrip
      && left.leastSeen == right.leastSeen && left.probeEnd == right.probeEnd
      && left.pacingRate == right.pacingRate && left.inFlight == right.inFlight
      && left.rateBefore == right.rateBefore && left.segments == right.segments
  }

  /// Bandwidth estimate, packets per nanosecond.
  public var bandwidth: Double { best.0 }

  /// Packets that fill the path without a queue.
  var pipe: Double { leastRoundTrip < .infinity ? best.0 * leastRoundTrip : 0 }

  /// Adds a sample of the present round to the windowed maximum.
  mutating func add(_ sample: Double, rounds window: Int64) {
    if sample >= best.0 || round - bestRound.2 > window {
      best = (sample, sample, sample)
      bestRound = (round, round, round)
      return
    }
    if sample >= best.1 {
      best.1 = sample
      best.2 = sample
      bestRound.1 = round
      bestRound.2 = round
    } else if sample >= best.2 {
      best.2 = sample
      bestRound.2 = round
    }
    if round - bestRound.0 > window {
      best = (best.1, best.2, sample)
      bestRound = (bestRound.1, bestRound.2, round)
    } else if bestRound.1 == bestRound.0 && round - bestRound.0 > window / 4 {
      best.1 = sample
      best.2 = sample
      bestRound.1 = round
      bestRound.2 = round
    } else if bestRound.2 == bestRound.1 && round - bestRound.1 > window / 2 {
      best.2 = sample
      bestRound.2 = round
    }
  }
}

extension CongestionState {
  /// 2/ln 2, its inverse, and the steady window's share of the path (draft section 4).
  static let bbrHighGain = 2.885
  static let bbrWindowGain = 2.0
  static let bbrRounds: Int64 = 10
  static let bbrLeastWindow = 4.0

  /// Before the first sample: the initial window per round trip, times the gain; 1 ms stands for
  /// an unknown round trip.
  mutating func startBBR() {
    let roundTrip = smoothedRoundTrip > 0 ? smoothedRoundTrip : 1e6
    bbr.pacingRate = CongestionState.bbrHighGain * window / roundTrip
  }

  /// Time that pacing takes from the first packet to the one `count` packets later, nanoseconds; 0
  /// without pacing, and while a queue is drained, which hides it.
  ///
  /// The rate goes evenly from the one before the last round's acknowledgements to the one after
  /// them during their `span`, as every acknowledgement brings its own sample.
  @inline(__always)
  func pacedTime(_ count: Double, span: Double) -> Int64 {
    if control != .bbr || bbr.mode == .drain || bbr.pacingRate <= 0 { return 0 }
    // Linux does not pace a connection's first ten segments.
    if bbr.segments < 10 { return 0 }
    return bbrPacedTime(count, span: span)
  }

  private func bbrPacedTime(_ count: Double, span: Double) -> Int64 {
    let before = bbr.rateBefore > 0 ? bbr.rateBefore : bbr.pacingRate
    let change = bbr.pacingRate - before
    let during = (before + bbr.pacingRate) / 2 * span
    if span <= 0 || count >= during {
      let rest = span > 0 ? span + (count - during) / bbr.pacingRate : count / bbr.pacingRate
      return TransferClock.span(rest)
    }
    let root = (before * before + 2 * change / span * count).squareRoot()
    return TransferClock.span(2 * count / (before + root))
  }

  private var bbrPacingGain: Double {
    switch bbr.mode {
    case .startup: CongestionState.bbrHighGain
    case .drain: 1 / CongestionState.bbrHighGain
    case .probeBandwidth: bbr.phase == 0 ? 1.25 : bbr.phase == 1 ? 0.75 : 1
    case .probeRoundTrip: 1
    }
  }

  /// Packets in the hands of segmentation offload: three bursts of 1 ms, of two packets at least.
  private var bbrBudget: Double {
    3 * (bbr.pacingRate * 1e6 > 2 ? bbr.pacingRate * 1e6 : 2)
  }

  /// What BBR wants in flight with a gain of 1.
  private var bbrFull: Double { bbr.pipe + bbrBudget }

  /// Packets BBR lets out per round trip: its window, and in the steady state what pacing gives.
  var bbrAllowance: Int64 {
    switch bbr.mode {
    case .startup: return allowance
    case .drain: return bounded(bbrFull)
    case .probeRoundTrip: return Int64(CongestionState.bbrLeastWindow)
    case .probeBandwidth:
      let least = bbr.inFlight > bbrFull ? bbr.inFlight : bbrFull
      if bbr.phase == 0 { return bounded(1.25 * least) }
      if bbr.phase == 1 {
        return bounded(0.75 * bbr.inFlight > bbrFull ? 0.75 * bbr.inFlight : bbrFull)
      }
      return bounded(least)
    }
  }

  /// Between the least window and what the window allows.
  private func bounded(_ packets: Double) -> Int64 {
    let limit = Double(allowance)
    let upper = packets < limit ? packets : limit
    return TransferClock.packets(
      upper > CongestionState.bbrLeastWindow ? upper : CongestionState.bbrLeastWindow)
  }

  /// One round trip's acknowledgements.
  ///
  /// - Parameters:
  ///   - count: packets delivered of `sent` ones; `interval`: over which time, nanoseconds.
  ///   - growth: packets by which the window may grow: none in the first round of a recovery.
  ///   - roundTrip: the least sample of the round.
  ///   - isLimited: whether data, not the sender, ended the round.
  ///   - now: when the last acknowledgement came.
  mutating func acknowledgeBBR(
    _ count: Int64, sent: Int64, growth: Int64, interval: Double, roundTrip: Double,
    isLimited: Bool, now: Int64
  ) {
    bbr.round += 1
    if bbr.segments < 10 { bbr.segments += sent }
    let sample = interval > 0 ? Double(count) / interval : 0
    if !isLimited || sample >= bbr.bandwidth { bbr.add(sample, rounds: CongestionState.bbrRounds) }
    updateCycle(count, now: now)
    if bbr.mode == .startup && !isLimited { checkFullPipe() }
    if bbr.mode == .drain && Double(count) <= bbrFull { enterProbeBandwidth(now) }
    updateLeastRoundTrip(roundTrip, now: now)
    bbr.inFlight = Double(count)

    // One per cent below the estimate keeps queues short.
    let rate = bbrPacingGain * bbr.bandwidth * 0.99
    bbr.rateBefore = bbr.pacingRate
    if bbr.mode != .startup || rate > bbr.pacingRate { bbr.pacingRate = rate }
    let gain =
      bbr.mode == .startup ? CongestionState.bbrHighGain : CongestionState.bbrWindowGain
    let target = gain * bbr.pipe + bbrBudget
    if bbr.mode == .startup {
      if window < target { window += Double(growth) }
    } else {
      window = window + Double(growth) < target ? window + Double(growth) : target
    }
    quickAcks = quickAcks > count ? quickAcks - count : 0
    if window < CongestionState.bbrLeastWindow { window = CongestionState.bbrLeastWindow }
  }

  private mutating func checkFullPipe() {
    if bbr.bandwidth >= bbr.fullBandwidth * 1.25 {
      bbr.fullBandwidth = bbr.bandwidth
      bbr.flatRounds = 0
      return
    }
    bbr.flatRounds += 1
    if bbr.flatRounds >= 3 { bbr.mode = .drain }
  }

  private mutating func enterProbeBandwidth(_ now: Int64) {
    bbr.mode = .probeBandwidth
    // Linux draws the first phase; a phase of gain 1 stands for it (our choice).
    bbr.phase = 4
    bbr.phaseStart = now
  }

  private mutating func updateCycle(_ count: Int64, now: Int64) {
    if bbr.mode != .probeBandwidth { return }
    let isOver = Double(now - bbr.phaseStart) > bbr.leastRoundTrip
    let isDrained = bbr.phase == 1 && Double(count) <= bbrFull
    if isOver || isDrained {
      bbr.phase = (bbr.phase + 1) % 8
      bbr.phaseStart = now
    }
  }

  private mutating func updateLeastRoundTrip(_ sample: Double, now: Int64) {
    let isExpired =
      bbr.leastRoundTrip < .infinity && now - bbr.leastSeen > 10_000_000_000
    if sample <= bbr.leastRoundTrip || isExpired {
      bbr.leastRoundTrip = sample
      bbr.leastSeen = now
    }
    if isExpired && bbr.mode != .probeRoundTrip {
      bbr.mode = .probeRoundTrip
      bbr.probeEnd = now + 200_000_000 + TransferClock.span(sample)
    } else if bbr.mode == .probeRoundTrip && now >= bbr.probeEnd {
      bbr.leastSeen = now
      if bbr.flatRounds >= 3 { enterProbeBandwidth(now) } else { bbr.mode = .startup }
    }
  }
}
