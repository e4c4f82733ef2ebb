import NetworkModels

/// A fetch over a link of `mbps` with nothing else on it: 1,448-byte segments of 1,502 bytes on the
/// wire, a warm path unless a handshake is given.
func roundCase(
  mbps: Double = 10, milliseconds: Int64 = 60, packets: Int64 = 208, loss: PacketLoss = .none,
  queue: QueueLimit = .unlimited, congestion: CongestionControl = .cubic,
  handshake: Handshake = .none, header: Int64 = 0
) -> TransferCase {
  TransferCase(
    downlink: RateTrace(constant: mbps * 1e6), uplinkRate: 1e9,
    roundTrip: milliseconds * 1_000_000, loss: loss, queue: queue, congestion: congestion,
    handshake: handshake,
    flows: [TransferFlow(bytes: packets * 1448, responseHeaderBytes: header)])
}

extension TransferCase {
  /// Duration of the first flow, nanoseconds.
  func duration(_ tier: TransferTier? = .rounds, replication: UInt16 = 0) -> Int64 {
    TransferModel.run(self, tier: tier, replication: replication).timings[0].duration
  }
}
