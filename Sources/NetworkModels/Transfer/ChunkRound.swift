/// The round trip of a sender that is being recorded.
struct ChunkRound: BitwiseCopyable {
  private var start: Int64 = -1
  private var end: Int64 = 0
  private var packets: Int64 = 0
  private var lost: Int64 = 0
  private var idle: Int64 = 0
  private var linkDone: Int64 = -1

  /// A packet was released at `now` and leaves the link at `until`.
  mutating func sent(at now: Int64, until: Int64) {
    if start < 0 { start = now }
    packets += 1
    if linkDone >= 0 && now > linkDone { idle += now - linkDone }
    if until >= 0 && until < .max { linkDone = until }
  }

  /// Ends the round when the first packet that was sent in it is acknowledged.
  mutating func acknowledge(
    _ packet: ChunkPacket, _ found: Int64, _ connection: ChunkConnection, at now: Int64,
    _ rounds: inout [TransferRound]
  ) {
    lost += found
    if packet.number < end { return }
    rounds.append(
      TransferRound(
        flow: Int(packet.flow), connection: Int(connection.number), start: start,
        phase: connection.roundPhase, window: connection.window.size, packets: packets,
        lost: lost, idle: idle))
    start = -1
    end = connection.flight.sent + 1
    packets = 0
    lost = 0
    idle = 0
  }
}

extension ChunkConnection {
  var roundPhase: TransferRound.Phase {
    switch recovery.phase {
    case .recovery: .recovery
    case .loss: .timeout
    case .open: window.phase
    }
  }
}
