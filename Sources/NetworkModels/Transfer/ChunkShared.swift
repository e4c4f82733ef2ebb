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
  var pool: ChunkPool
  var flows: [ChunkFlow]
  /// Head of the list of flows whose end became known since the list was last emptied.
  var ended: Int32 = -1
  /// Payload that arrives after this time is not counted in ``ChunkFlow/arrived``.
  var horizon = Int64.max
  let recordsRounds: Bool
  var rounds: [TransferRound] = []

  mutating func end(_ flow: Int, at time: Int64) {
    flows[flow].stage = .done
    flows[flow].endedAt = time
    flows[flow].nextEnded = ended
    ended = Int32(truncatingIfNeeded: flow)
  }
}
