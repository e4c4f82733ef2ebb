/// A sender's data on their way over a link, one step per round trip.
///
/// A round is a train of packets: the acknowledgements of the train before come in from
/// ``releaseStart`` to ``releaseEnd`` and let out ``allowed`` packets, evenly. The link serves them
/// first in, first out, and loses some. Their acknowledgements then act in order of position: up to
/// the first loss the window grows; from the third acknowledgement behind it the sender recovers
/// (RFC 6675, 8985), lets out what proportional rate reduction gives (RFC 6937) and sends again
/// what was lost; when all of that is acknowledged recovery ends and the rest of the train grows
/// the window again.
struct RoundFlight<Link: RoundLink> {
  /// A released train and what became of it.
  struct Train {
    var packets: Int64 = 0
    /// Retransmissions: position of the first one, and how many.
    var repairsAt: Int64 = 0
    var repairs: Int64 = 0
    /// Lost packets: in recovery before the retransmissions, among them, behind them; otherwise all
    /// count as behind.
    var lostBefore: Int64 = 0
    var lostRepairs: Int64 = 0
    var lostBehind: Int64 = 0
    /// Position of the first one that counts as behind.
    var firstBehind = Int64.max
    /// Position of the last packet that was delivered, -1 for none.
    var lastDelivered: Int64 = -1
    /// When the first and the last packet were released and when they were through the link.
    var start: Int64 = 0
    var lastRelease: Int64 = 0
    var first: Int64 = 0
    var last: Int64 = 0

    var lost: Int64 { lostBefore + lostRepairs + lostBehind }
    var delivered: Int64 { packets - lost }
  }

  /// How much shorter than a full packet some are, in packets.
  struct Shortness {
    /// The next new packets, ``count`` of them, together.
    var next = 0.0
    var count = 1.0
    /// The last packet.
    var last = 0.0
  }

  /// Which timer sent a train that no acknowledgement clocked.
  enum Alarm: UInt8 { case none, probe, timeout }

  var link: Link
  /// From a packet's departure from the link until its acknowledgement reaches the sender.
  var roundTrip: Int64
  /// Packets that may wait, not counting the one in transmission.
  var queueLimit: Double
  /// When the link is through with everything sent so far.
  var free: Int64

  var releaseStart: Int64 = 0
  var releaseEnd: Int64 = 0
  /// Packets that the next train may have, and the position of retransmissions among them.
  var allowed: Int64 = 0
  var repairsAt: Int64 = 0
  /// New packets to send.
  var left: Int64 = 0
  /// Lost packets that the sender knows of and has not sent again.
  var holes: Int64 = 0
  /// Lost packets that the sender cannot know of yet: nothing sent after them was acknowledged.
  var unseen: Int64 = 0
  var train = Train()
  var short = Shortness()
  var isRecovering = false
  /// What the next train answers.
  var alarm = Alarm.none
  var backoff = 1.0
  /// Timeouts in a row; Linux gives up after 15 (tcp_retries2).
  var timeouts = 0
  /// Whether no acknowledgement has clocked this transfer yet.
  var isFirst = true
  /// Whether the window has been the limit of a train. Linux keeps that in mind until what was out
  /// then is acknowledged (tcp_cwnd_validate), so that the last trains of a transfer, which end
  /// with its data, grow the window as well.
  var isWindowLimited = false
  /// Whether losses and timers are QUIC's (RFC 9002) and not TCP's, and its sender's own choices.
  let isQUIC: Bool
  let quic: QUICStack
  /// Whether a round without loss is as TCP's.
  let isPlain: Bool
  /// The window before the last acknowledgements.
  var windowBefore = 0.0
  /// Time during which the link had nothing of this transfer to serve, nanoseconds.
  var idle: Int64 = 0

  static var retries: Int { 15 }
  /// Doubled so often, the least timeout of 200 ms is over the longest one.
  static var mostBackoff: Double { 1024 }

  init(
    link: Link, roundTrip: Int64, queueLimit: Double, free: Int64, isQUIC: Bool = false,
    quic: QUICStack = QUICStack()
  ) {
    self.isQUIC = isQUIC
    self.quic = quic
    isPlain = !isQUIC || quic.isClocked
    self.link = link
    self.roundTrip = roundTrip
    self.queueLimit = queueLimit
    self.free = free
  }

  /// Whether everything has been delivered.
  @inline(__always)
  var isDone: Bool { left == 0 && holes == 0 && unseen == 0 }

  /// A request arrived on a connection without data in flight: the sender releases what the window
  /// allows at `time`.
  @inline(__always)
  mutating func begin(at time: Int64, packets: Int64, state: borrowing CongestionState) {
    releaseStart = time
    releaseEnd = time
    allowed = state.allowance
    repairsAt = 0
    left = packets
    holes = 0
    unseen = 0
    short = Shortness()
    isRecovering = false
    alarm = .none
    backoff = 1
    isFirst = true
    isWindowLimited = false
  }

  /// Packets that were out, for the question whether the window was the limit.
  @inline(__always)
  func usage(of count: Int64, _ state: borrowing CongestionState) -> Int64 {
    if !isWindowLimited { return count }
    return state.window <= state.windowLimit ? Self.unlimited : count
  }

  /// More packets than any window has.
  static var unlimited: Int64 { 1 << 40 }

  /// Gives up what has not been delivered.
  mutating func abandon() {
    left = 0
    holes = 0
    unseen = 0
    timeouts = 0
  }

  /// Sends one train and lets its acknowledgements act.
  ///
  /// - Returns: whether the link ever gets it through.
  mutating func step<Observer: RoundObserver>(
    state: inout CongestionState, loss: inout LossGaps, observer: inout Observer
  ) -> Bool {
    if let gotThrough = stepClean(state: &state, loss: &loss, observer: &observer) {
      return gotThrough
    }
    let phase = phase(of: state)
    let window = state.window
    let idleBefore = idle
    send(state: state, loss: &loss, observer: &observer)
    if train.last >= TransferClock.never || timeouts > RoundFlight.retries { return false }
    observer.sent(
      RoundReport(
        start: train.start, first: train.first, last: train.last, packets: train.packets,
        retransmitsAt: train.repairsAt, retransmitted: train.repairs, lost: train.lost,
        window: window, phase: phase, idle: idle - idleBefore))
    acknowledge(state: &state)
    return true
  }

  @inline(__always)
  private func phase(of state: borrowing CongestionState) -> TransferRound.Phase {
    if alarm != .none { return .timeout }
    if isRecovering { return .recovery }
    if state.control != .bbr { return state.isSlowStart ? .slowStart : .avoidance }
    switch state.bbr.mode {
    case .startup: return .startup
    case .drain: return .drain
    case .probeBandwidth: return .probeBandwidth
    case .probeRoundTrip: return .probeRoundTrip
    }
  }
}
