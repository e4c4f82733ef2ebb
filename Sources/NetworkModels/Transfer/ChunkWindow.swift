import ModelBasics
import SimulationKernel

/// How much of a connection's data may be out, and how fast it leaves: round trips and congestion
/// control, one step per acknowledgement (CUBIC with HyStart, NewReno, or BBR).
///
/// It is told what arrived and what did not and knows no packets, timers or receivers.
struct ChunkWindow {
  /// Bytes of headers that Linux adds to the payload when it counts a packet's size for pacing.
  private static let framing: Int64 = 2

  private var state: CongestionState
  private var cubic = ChunkCubic()
  private var hyStart = ChunkHyStart()
  private var bbr = ChunkBBR()
  private var usage = ChunkUsage()
  /// Of the connection, nanoseconds; `.max` before it is known.
  private(set) var leastRoundTrip = Int64.max
  /// Draws for the phase of BBR's gain cycle so far.
  private var gainDraws: UInt32 = 0

  /// - Parameter warmWindow: what an earlier transfer left, segments; nil for the initial window.
  init(_ settings: ChunkShared.Settings, warmWindow: Double? = nil) {
    state = CongestionState(
      settings.congestion, initialWindow: settings.initialWindow, window: warmWindow,
      windowLimit: CongestionState.largestWindow(
        segmentSize: settings.segmentSize, receiveWindow: settings.receiveWindow))
  }

  /// Segments: the window, and the one at which slow start ends.
  @inline(__always)
  var size: Double { state.window }
  @inline(__always)
  var threshold: Double { state.threshold }
  /// Packets that may be out.
  @inline(__always)
  var allowance: Int64 { state.allowance }
  /// Whether bursts are paced, as BBR alone does.
  @inline(__always)
  var isPaced: Bool { state.control == .bbr }
  /// Packets per nanosecond; 0 before the first round trip is known.
  @inline(__always)
  var pacingRate: Double { bbr.pacingRate }
  @inline(__always)
  var isProbingRoundTrip: Bool { bbr.mode == .probeRoundTrip }

  /// Packets of a paced burst.
  func burst(_ segmentSize: Int64) -> Int64 { bbr.quantum(segmentSize) }

  /// What the sender does in a round without losses.
  var phase: TransferRound.Phase {
    if state.control != .bbr { return state.isSlowStart ? .slowStart : .avoidance }
    switch bbr.mode {
    case .startup: return .startup
    case .drain: return .drain
    case .probeBandwidth: return .probeBandwidth
    case .probeRoundTrip: return .probeRoundTrip
    }
  }

  // MARK: Waits

  /// Takes a round trip, nanoseconds.
  mutating func sample(_ roundTrip: Int64) {
    let sample = Double(roundTrip)
    state.sample(first: sample, last: sample, count: 1)
    if roundTrip < leastRoundTrip { leastRoundTrip = roundTrip }
  }

  /// How long a silent tail waits for a loss probe, nanoseconds.
  @inline(__always)
  func probeTimeout(isSingle: Bool) -> Int64 {
    TransferClock.span(state.probeTimeout(isSingle: isSingle))
  }

  /// The retransmission timeout, doubled so many times, nanoseconds.
  @inline(__always)
  func timeout(doublings: Int64) -> Int64 {
    TransferClock.span(state.timeout(doubled: Double(Int64(1) << doublings)))
  }

  // MARK: Sending

  /// The first data of the connection are sent at `now`.
  mutating func start(at now: Int64, _ settings: ChunkShared.Settings) {
    if state.control != .bbr { return }
    let share = Double(settings.overhead - ChunkWindow.framing) / Double(settings.segmentSize)
    bbr.start(
      window: state.window, roundTrip: state.smoothedRoundTrip, headerShare: share, now: now)
  }

  /// Sending goes on at `now` after a pause of the application.
  ///
  /// - Parameter isLimited: what was out last was all that the application had.
  mutating func resume(at now: Int64, idleRestart: Bool, isLimited: Bool) {
    cubic.shift(by: now - state.lastSend)
    state.resume(at: now, idleRestart: idleRestart)
    if state.control == .bbr && isLimited { bbr.resume(at: now) }
  }

  /// A packet leaves at `now`.
  mutating func noteSend(at now: Int64) { state.lastSend = now }

  /// Notes what is out after a release (see ``ChunkUsage``).
  mutating func noteUsage(inFlight: Int64, isLimited: Bool, resolved: Int64, sent: Int64) {
    usage.note(inFlight: inFlight, isLimited: isLimited, resolved: resolved, sent: sent)
  }

  // MARK: Losses

  /// A recovery begins.
  mutating func enterRecovery() {
    if state.control == .bbr { bbr.saveWindow(state.window) }
    reduce()
  }

  /// The recovery is over: the window is what it was reduced to.
  mutating func leaveRecovery() { state.leaveRecovery() }

  /// A retransmission timeout: what was learned is forgotten.
  mutating func expire() {
    if state.control == .bbr {
      bbr.saveWindow(state.window)
      bbr.expire()
    } else {
      reduce()
      cubic.reset()
      hyStart.reset()
    }
  }

  /// Lowers the threshold to what the congestion control makes of a loss.
  mutating func reduce() {
    if state.control == .cubic {
      state.threshold = Double(cubic.reduce(Int64(state.window)))
    } else {
      state.reduce()
    }
  }

  /// The recovery says how much may be out.
  mutating func set(to window: Double) { state.window = window }

  // MARK: Acknowledgements

  /// Grows for packets that arrived while nothing is missing.
  ///
  /// - Parameters:
  ///   - roundTrip: nanoseconds; -1 without a sample.
  ///   - resolved: number of the latest transmission that arrived.
  ///   - sent: transmissions so far.
  mutating func advance(
    by count: Int64, roundTrip: Int64, resolved: Int64, sent: Int64, at now: Int64
  ) {
    if state.control == .cubic && state.isSlowStart && roundTrip >= 0 {
      let ends = hyStart.acknowledge(
        roundTrip: roundTrip, at: now, resolved: resolved, sent: sent, pathLeast: leastRoundTrip,
        window: state.window)
      if ends { state.threshold = state.window }
    }
    grow(by: count, at: now)
  }

  /// Grows for packets that arrived, while the window is the limit.
  mutating func grow(by count: Int64, at now: Int64) {
    if !usage.allowsGrowth(of: state.window, isSlowStart: state.isSlowStart) { return }
    var rest = count
    if state.isSlowStart {
      let room = state.threshold - state.window
      let step = Double(rest) < room ? rest : Int64(room)
      state.window += Double(step)
      rest -= step
    }
    if rest <= 0 { return }
    let window = Int64(state.window)
    let next =
      state.control == .cubic
      ? cubic.growCubic(window, by: rest, at: now, leastRoundTrip: leastRoundTrip)
      : cubic.growReno(window, by: rest)
    state.window = Double(next)
  }

  /// Takes what an acknowledgement tells BBR; the draw is filled in here.
  ///
  /// - Parameter number: of the connection, which the draws are keyed by.
  mutating func acknowledge(
    _ sample: ChunkBBR.Sample, number: Int32, _ streams: RandomStreams
  ) {
    var sample = sample
    if bbr.mode != .probeBandwidth {
      sample.uniform = streams.uniform(.gainCycle, entity: UInt64(number), draw: gainDraws)
      gainDraws &+= 1
    }
    state.window = bbr.acknowledge(sample, window: state.window)
  }

  // MARK: Another clock

  /// Sets the clock back.
  mutating func turnBack(by span: Int64) {
    state.lastSend -= span
    cubic.shift(by: -span)
    bbr.turnBack(by: span)
  }
}
