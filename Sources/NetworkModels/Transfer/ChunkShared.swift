import SimulationKernel

/// What all connections of a chunk simulation use: the link, the flows, the storage of packets.
struct ChunkShared {
  /// Numbers of a ``TransferCase`` that hold for all connections.
  struct Settings {
    var segmentSize: Int64
    var overhead: Int64
    /// Serialisation on the uplink, nanoseconds per byte.
    var uplinkByteTime: Double
    var roundTrip: Int64
    var congestion: CongestionControl
    var http: HTTPVersion
    var quic: QUICStack
    var initialWindow: Double
    /// Bytes; nil when receivers are never the limit.
    var receiveWindow: Int64?
    var idleRestart: Bool
    var streams: RandomStreams

    /// Whether a lost packet holds up what follows it on the connection.
    var isInOrder: Bool { http != .http3 }

    /// Serialisation of `bytes` of payload on the uplink, nanoseconds.
    @inline(__always)
    func uplinkTime(_ bytes: Int64) -> Int64 {
      TransferClock.span(Double(bytes + overhead) * uplinkByteTime)
    }
  }

  let settings: Settings
  var link: ChunkLink
  /// Links that connections pass behind it.
  var links: [TandemLink] = []
  var pool: ChunkPool
  var flows: [ChunkFlow]
  /// Head of the list of flows whose end became known since the list was last emptied.
  var ended: Int32 = -1
  /// Head of the list of flows whose first byte was seen since the list was last emptied, of those
  /// that tell.
  var seen: Int32 = -1
  /// Payload that arrives after this time is not counted in ``ChunkFlow/arrived``.
  var horizon = Int64.max
  let recordsRounds: Bool
  var rounds: [TransferRound] = []

  /// A flow's first byte, as the client sees it, is there.
  mutating func see(_ flow: Int, at time: Int64) {
    flows[flow].firstByteAt = time
    if !flows[flow].tells { return }
    flows[flow].nextSeen = seen
    seen = Int32(truncatingIfNeeded: flow)
  }

  mutating func end(_ flow: Int, at time: Int64) {
    flows[flow].stage = .done
    flows[flow].endedAt = time
    flows[flow].nextEnded = ended
    ended = Int32(truncatingIfNeeded: flow)
  }
}

/// A link behind a queue: packets come as they leave the queue and wait for those before them,
/// however many.
struct TandemLink: BitwiseCopyable {
  /// Nanoseconds for a byte on the wire.
  private var byteTime = 0.0
  /// When it is through with everything so far.
  private var freeAt: Int64 = 0

  /// - Parameter rate: bits per second.
  init(rate: Double) { change(to: rate) }

  mutating func change(to rate: Double) { byteTime = 8e9 / rate }

  /// A packet leaves the queue at `time`, which must not decrease from call to call.
  ///
  /// - Returns: when its last bit is sent.
  mutating func offer(_ bytes: Int64, at time: Int64) -> Int64 {
    let start = time > freeAt ? time : freeAt
    freeAt = TransferClock.sum(start, TransferClock.span(Double(bytes) * byteTime))
    return freeAt
  }
}
