import SimulationKernel

@testable import NetworkModels

/// Building blocks of the chunk tier's tests: a link of 10 Mbps both ways.
enum ChunkParts {
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000
  /// Serialisation of a full packet of 1,502 bytes at 10 Mbps, nanoseconds.
  static let packetTime: Int64 = 1_201_600

  static func flow(
    _ bytes: Int64, connection: Int = 0, start: Int64 = 0, roundTrip: Int64? = nil
  ) -> TransferFlow {
    TransferFlow(start: start, bytes: bytes, connection: connection, roundTrip: roundTrip)
  }

  /// `count` connections of one flow each, a millisecond apart.
  static func bulk(_ count: Int, bytes: Int64, roundTrip: Int64? = nil) -> [TransferFlow] {
    (0..<count).map {
      flow(bytes, connection: $0, start: Int64($0) * millisecond, roundTrip: roundTrip)
    }
  }

  static func link(
    _ flows: [TransferFlow], megabits: Double = 10, roundTrip: Int64 = 60,
    queue: QueueLimit = .packets(1000), congestion: CongestionControl = .cubic,
    loss: PacketLoss = .none, http: HTTPVersion = .http1, handshake: Handshake = .tcp
  ) -> TransferCase {
    TransferCase(
      downlink: RateTrace(constant: megabits * 1e6), uplinkRate: megabits * 1e6,
      roundTrip: roundTrip * millisecond, loss: loss, queue: queue, congestion: congestion,
      handshake: handshake, http: http, flows: flows, seed: 3)
  }

  static func durations(_ input: TransferCase, replication: UInt16 = 0) -> [Int64] {
    ChunkModel.run(input, replication: replication, recordsRounds: false).timings.map(\.duration)
  }

  /// Settings of a link of 10 Mbps both ways and 60 ms.
  static func settings(
    _ congestion: CongestionControl = .cubic, http: HTTPVersion = .http2,
    initialWindow: Double = 10
  ) -> ChunkShared.Settings {
    ChunkShared.Settings(
      segmentSize: 1448, overhead: 54, uplinkByteTime: 800, roundTrip: 60 * millisecond,
      congestion: congestion, http: http, quic: QUICStack(), initialWindow: initialWindow,
      receiveWindow: nil, idleRestart: true, streams: RandomStreams(seed: 3, replication: 0))
  }

  /// The storage of a connection's parts: flows of these sizes, without a sender.
  static func shared(
    _ bytes: [Int64], headers: Int64 = 0, http: HTTPVersion = .http2
  ) -> ChunkShared {
    ChunkShared(
      settings: settings(http: http), link: ChunkLink(RateTrace(constant: 10e6), limit: .unlimited),
      pool: ChunkPool(capacity: 64),
      flows: bytes.map {
        ChunkFlow(TransferFlow(start: 0, bytes: $0, responseHeaderBytes: headers), isWhole: false)
      }, recordsRounds: false)
  }
}
