import SimulationKernel

/// A connection of the chunk tier: Linux's sender and receiver of one TCP connection (or QUIC's,
/// which runs the same rules), one step per acknowledgement.
///
/// Two things keep it to one event per acknowledgement. The link is a FIFO, so a packet's fate and
/// its arrival are known when it is released, and the receiver's part is done at that moment. And
/// nothing overtakes on the path, so an acknowledgement needs no list of ranges: it says which
/// transmission was the latest to arrive, and all earlier ones that did not are lost.
///
/// The sender's clock is that of the bottleneck: it stands half a round trip before the queue, the
/// acknowledgement needs a whole one after the link, which is the same seen from the client.
struct ChunkConnection {
  /// What the sender makes of the last acknowledgements (Linux: tcp_ca_state).
  enum Phase: UInt8 { case open, recovery, loss }
  enum Timer: UInt8 { case reordering, probe, timeout }

  /// Least delay of an acknowledgement that waits for a second packet (TCP_DELACK_MIN).
  static let acknowledgementDelay: Int64 = 40_000_000
  /// Timeouts in a row before a connection is given up (tcp_retries2).
  static let mostTimeouts: Int64 = 15
  /// Packets that must arrive after a hole before it counts as a loss (RFC 6675, RFC 8985).
  static let duplicateThreshold: Int64 = 3

  let number: Int32
  var roundTrip: Int64
  var state: CongestionState
  var cubic = ChunkCubic()
  var hyStart = ChunkHyStart()
  var bbr = ChunkBBR()
  var loss: LossGaps

  // Sender: transmissions out in the order of release, and packets to be sent again.
  var flight = ChunkList()
  var inFlight: Int64 = 0
  var lost = ChunkList()
  var sent: Int64 = 0
  /// Number of the latest transmission known to have arrived.
  var resolved: Int64 = 0
  var nextSequence: Int64 = 0
  var delivered: Int64 = 0
  var deliveredAt: Int64 = 0
  var flightStart: Int64 = 0
  /// Deliveries until the samples of the delivery rate count again; 0 when they do.
  var limitedUntil: Int64 = 0
  var leastRoundTrip = Int64.max

  // Loss detection and recovery.
  var phase = Phase.open
  /// Transmissions at the head of ``flight`` that are missing but not yet held lost, and arrivals
  /// after them.
  var suspects: Int64 = 0
  var arrivedAfter: Int64 = 0
  /// Packets held lost and not delivered since: of the present recovery, and sent after it began.
  var unrepaired: Int64 = 0
  var unrepairedLater: Int64 = 0
  var recoverySequence: Int64 = 0
  var recoveryNumber: Int64 = 0
  var priorWindow = 0.0
  var recoveryDelivered: Int64 = 0
  var recoverySent: Int64 = 0
  var isProbing = false
  var timeouts: Int64 = 0

  // Whether the window is the limit (Linux: tcp_cwnd_validate).
  var isWindowLimited = false
  var mostOut: Int64 = 0
  var usageNumber: Int64 = 0

  // Events.
  /// The first packet of ``flight`` that causes an acknowledgement, or -1.
  var ackPlace: Int32 = -1
  var timer = Timer.timeout
  var timerAt = Int64.max
  var reorderingAt = Int64.max
  /// When BBR may release its next burst, and whether it waits for that.
  var paceAt: Int64 = 0
  var isPacing = false
  var cycles: UInt32 = 0

  // Receiver.
  /// Packets missing at the client below the highest that arrived, in the order of sequence.
  var holes = ChunkList()
  var quickAcks: Int64 = 16
  /// The packet whose acknowledgement waits for a second one, or -1, and how long it waits.
  var delayedPlace: Int32 = -1
  var delayedUntil: Int64 = 0
  var uplinkFreeAt: Int64 = 0

  // Application: flows with bytes to send.
  var sending = ChunkFlowQueue()
  /// Payload that the flow at the head may send before it is the next one's turn.
  var turnLeft = StreamDealer.turnBytes
  /// Flows whose header fields are not sent, and those whose first and last bytes have been sent
  /// and cannot be read yet, in the order of the data (not kept when responses are independent).
  var headers = ChunkFlowLine(.header)
  var firsts = ChunkFlowLine(.first)
  var lasts = ChunkFlowLine(.last)

  // Set-up.
  var opening = ChunkOpening()
  /// Flows that wait for the connection (or, with HTTP/1.1, for their turn).
  var queued = ChunkFlowQueue()
  var current: Int32 = -1
  var freeAt: Int64 = 0
  /// By how much the clock has been set back so far.
  var turnedBack: Int64 = 0

  var round = ChunkRound()

  init(number: Int, settings: ChunkShared.Settings, loss: LossGaps, warmWindow: Double?) {
    self.number = Int32(truncatingIfNeeded: number)
    self.loss = loss
    roundTrip = settings.roundTrip
    state = CongestionState(
      settings.congestion, initialWindow: settings.initialWindow, window: warmWindow,
      windowLimit: CongestionState.largestWindow(
        segmentSize: settings.segmentSize, receiveWindow: settings.receiveWindow))
  }

  /// When something happens next, `.max` for never.
  func wake(_ pool: borrowing ChunkPool) -> Int64 {
    var time = timerAt
    if ackPlace >= 0 {
      let ack = pool[ackPlace].ackAt
      if ack < time { time = ack }
    }
    if isPacing && paceAt < time { time = paceAt }
    if opening.at < time { time = opening.at }
    return time
  }

  /// Does what is due at `now`: one acknowledgement, one timer or one burst.
  mutating func run(at now: Int64, _ shared: inout ChunkShared) {
    if ackPlace >= 0 && shared.pool[ackPlace].ackAt <= now {
      acknowledge(at: now, &shared)
    } else if isPacing && paceAt <= now {
      transmit(at: now, &shared)
    } else if timerAt <= now {
      expire(at: now, &shared)
    }
    findAcknowledgement(shared.pool)
  }

  /// Brings ``ackPlace`` to the first packet in flight that causes an acknowledgement.
  mutating func findAcknowledgement(_ pool: borrowing ChunkPool) {
    var place = ackPlace >= 0 ? ackPlace : flight.head
    while place >= 0 && pool[place].ackAt == .max { place = pool[place].next }
    ackPlace = place
  }
}
