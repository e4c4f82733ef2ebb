import MediaUnits

/// How the bottleneck's queue is bounded. The packet in transmission does not count.
public enum QueueLimit: Sendable, Equatable {
  case unlimited
  case packets(Int64)
  /// Wire bytes.
  case bytes(Int64)
}

/// How downlink packets are lost, after serialisation: a lost packet has occupied the link.
public enum PacketLoss: Sendable, Equatable {
  case none
  /// Every packet independently with this probability.
  case independent(Double)
  /// Gilbert-Elliott: in the bad state every packet is lost, in the good state none. The stationary
  /// share of lost packets is `rate`, the mean length of a run of lost packets `meanBurst` (>= 1).
  case bursts(rate: Double, meanBurst: Double)
}

/// A sender's congestion control.
public enum CongestionControl: UInt8, Sendable, Equatable, CaseIterable {
  case cubic, newReno, bbr
}

/// How a connection is opened. Round trips from the first packet until the request can leave:
/// none 0, tcp 1, tls12 3, tls13 2, tls13Resumed 2, tls13Early 1, quic 1, quicZeroRTT 0.
public enum Handshake: UInt8, Sendable, Equatable, CaseIterable {
  case none, tcp, tls12, tls13, tls13Resumed, tls13Early, quic, quicZeroRTT
}

/// Which HTTP carries the requests: 1.1 serves a connection's requests in order, 2 and 3 share it.
public enum HTTPVersion: UInt8, Sendable, Equatable, CaseIterable {
  case http1, http2, http3
}

/// How much detail computes a transfer (docs/decisions/0008).
public enum TransferTier: UInt8, Sendable, Equatable, CaseIterable {
  /// The closed form: slow start's stalls summed, then the link's own rate.
  case closed
  /// One step per round trip.
  case rounds
  /// One event per few packets in a queue that several connections share.
  case chunks

  /// The cheapest tier that is exact enough for a transfer that is alone on its link: without loss
  /// under a window it is a closed form, losses and BBR take a step per round trip
  /// (docs/decisions/0008).
  @inline(__always)
  init(lossRate: Double, congestion: CongestionControl, receiveWindow: Int64?) {
    self = lossRate <= 0 && congestion != .bbr && receiveWindow == nil ? .closed : .rounds
  }
}

/// One response to fetch.
public struct TransferFlow: Sendable, Equatable {
  /// Start on the case's clock, nanoseconds; ignored when ``after`` is given.
  public var start: Int64
  /// The flow whose end (plus ``gap`` nanoseconds) starts this one.
  public var after: Int?
  public var gap: Int64
  /// Payload of the response's body, bytes; may be 0.
  public var bytes: Int64
  /// Payload of the request, bytes.
  public var requestBytes: Int64
  /// Header fields of the response, bytes; when positive they are a packet of their own before the
  /// body.
  public var responseHeaderBytes: Int64
  /// Dense number of the connection, from 0.
  public var connection: Int
  /// Round trip of this flow's path, nanoseconds, when not the link's.
  public var roundTrip: Int64?

  public init(
    start: Int64 = 0, after: Int? = nil, gap: Int64 = 0, bytes: Int64, requestBytes: Int64 = 80,
    responseHeaderBytes: Int64 = 0, connection: Int = 0, roundTrip: Int64? = nil
  ) {
    self.start = start
    self.after = after
    self.gap = gap
    self.bytes = bytes
    self.requestBytes = requestBytes
    self.responseHeaderBytes = responseHeaderBytes
    self.connection = connection
    self.roundTrip = roundTrip
  }
}

/// A set of transfers over one bottleneck: the input of ``TransferModel``.
///
/// The link: a FIFO queue in front of a downlink of rate `downlink`, an uplink without a queue
/// limit, propagation of half a round trip each way. Packets carry `segmentSize` bytes of payload
/// and cost `overhead` more on the wire.
public struct TransferCase: Sendable, Equatable {
  public var downlink: RateTrace
  /// Bits per second.
  public var uplinkRate: Double
  /// Propagation round trip, nanoseconds.
  public var roundTrip: Int64
  public var loss: PacketLoss
  public var queue: QueueLimit
  public var congestion: CongestionControl
  public var handshake: Handshake
  /// Segments (RFC 6928).
  public var initialWindow: Double
  /// Payload of a full packet, and its cost on the wire beyond the payload, bytes.
  public var segmentSize: Int64
  public var overhead: Int64
  /// Whether the window decays towards the initial one while a connection idles (RFC 2861).
  public var idleRestart: Bool
  /// Window that connections start with instead of the initial one, segments.
  public var warmWindow: Double?
  /// What the receiver lets be in flight at most, bytes; nil when it is never the limit.
  public var receiveWindow: Int64?
  public var http: HTTPVersion
  /// Used with QUIC only.
  public var quic: QUICStack
  /// Every flow starts at its own ``TransferFlow/start`` with the connection's carried state,
  /// whatever the model thought of the one before.
  public var resync: Bool
  public var flows: [TransferFlow]
  /// Key of the random streams; the same seed and case give the same losses.
  public var seed: UInt64

  /// Whether the transport is QUIC: its loss detection and timers (RFC 9002) instead of TCP's.
  public var isQUIC: Bool { http == .http3 || handshake.isQUIC }

  public init(
    downlink: RateTrace, uplinkRate: Double, roundTrip: Int64, loss: PacketLoss = .none,
    queue: QueueLimit = .packets(1000), congestion: CongestionControl = .cubic,
    handshake: Handshake = .tcp, initialWindow: Double = 10, segmentSize: Int64 = 1448,
    overhead: Int64 = 54, idleRestart: Bool = true, warmWindow: Double? = nil,
    receiveWindow: Int64? = nil, http: HTTPVersion = .http1, quic: QUICStack = QUICStack(),
    resync: Bool = false, flows: [TransferFlow], seed: UInt64 = 1
  ) {
    self.downlink = downlink
    self.uplinkRate = uplinkRate
    self.roundTrip = roundTrip
    self.loss = loss
    self.queue = queue
    self.congestion = congestion
    self.handshake = handshake
    self.initialWindow = initialWindow
    self.segmentSize = segmentSize
    self.overhead = overhead
    self.idleRestart = idleRestart
    self.warmWindow = warmWindow
    self.receiveWindow = receiveWindow
    self.http = http
    self.quic = quic
    self.resync = resync
    self.flows = flows
    self.seed = seed
  }
}

/// When things happened to one flow, nanoseconds from the flow's own start (the first packet of the
/// handshake when it opens the connection).
public struct TransferTiming: Sendable, Equatable {
  /// Start on the case's clock.
  public var start: Int64
  /// The path is ready: TCP connected, or QUIC's handshake done; 0 on an open connection.
  public var connect: Int64
  /// TLS is done; nil without TLS or on an open connection's later flows.
  public var secure: Int64?
  /// First byte of the response (of its header fields, if it has any) at the client.
  public var firstByte: Int64
  /// Last byte of the body at the client.
  public var duration: Int64

  public init(start: Int64, connect: Int64, secure: Int64?, firstByte: Int64, duration: Int64) {
    self.start = start
    self.connect = connect
    self.secure = secure
    self.firstByte = firstByte
    self.duration = duration
  }
}

/// What one round trip of a sender looked like; recorded for `--explain` only.
public struct TransferRound: Sendable, Equatable {
  /// What the sender did in the round.
  public enum Phase: UInt8, Sendable, Equatable {
    case slowStart, avoidance, recovery, timeout, startup, drain, probeBandwidth, probeRoundTrip
  }
  public var flow: Int
  public var connection: Int
  /// On the case's clock, nanoseconds: the first packet's release by the sender.
  public var start: Int64
  public var phase: Phase
  /// Congestion window, segments; packets sent and lost in the round.
  public var window: Double
  public var packets: Int64
  public var lost: Int64
  /// Time in the round during which the link had nothing of this sender to send, nanoseconds.
  public var idle: Int64

  public init(
    flow: Int, connection: Int, start: Int64, phase: Phase, window: Double, packets: Int64,
    lost: Int64, idle: Int64
  ) {
    self.flow = flow
    self.connection = connection
    self.start = start
    self.phase = phase
    self.window = window
    self.packets = packets
    self.lost = lost
    self.idle = idle
  }
}

/// The result of one replication of a ``TransferCase``.
public struct TransferResult: Sendable, Equatable {
  public var tier: TransferTier
  /// In the order of ``TransferCase/flows``.
  public var timings: [TransferTiming]
  /// Empty unless asked for.
  public var rounds: [TransferRound]

  public init(tier: TransferTier, timings: [TransferTiming], rounds: [TransferRound] = []) {
    self.tier = tier
    self.timings = timings
    self.rounds = rounds
  }
}
