/// The network model: transfers over one bottleneck, in the detail that the case needs.
public enum TransferModel {
  /// Computes one replication of a case.
  ///
  /// - Parameters:
  ///   - tier: nil chooses (see ``tier(for:)``).
  ///   - replication: number of the replication; part of every random key.
  ///   - recordsRounds: whether the result lists every round trip.
  public static func run(
    _ input: TransferCase, tier: TransferTier? = nil, replication: UInt16 = 0,
    recordsRounds: Bool = false
  ) -> TransferResult {
    let tier = tier ?? self.tier(for: input)
    switch tier {
    case .closed, .rounds:
      return RoundModel.run(
        input, tier: tier, replication: replication, recordsRounds: recordsRounds)
    case .chunks:
      return ChunkModel.run(input, replication: replication, recordsRounds: recordsRounds)
    }
  }

  /// The least detail that is exact enough.
  ///
  /// Closed: a constant rate, no loss, not BBR, no pacing, no receive window, one connection with
  /// one response at a time, and no response that could overflow the queue. Rounds: one connection,
  /// or several that never overlap because each flow follows another one or starts at its own time
  /// whatever the model thinks. Chunks: everything else, and BBR over TCP, whose pacing and repairs
  /// a step per round trip follows less well (docs/decisions/0032).
  public static func tier(for input: TransferCase) -> TransferTier {
    if !input.resync && sharesLink(input) { return .chunks }
    if input.congestion == .bbr && !input.isQUIC { return .chunks }
    guard input.downlink.constantRate != nil, input.loss == .none, input.congestion != .bbr,
      input.receiveWindow == nil, !input.isQUIC || input.quic.isPlain(input.handshake),
      !input.flows.contains(where: { $0.connection != input.flows[0].connection }),
      input.http == .http1 || input.resync || isChain(input)
    else { return .rounds }
    let packetBytes = input.segmentSize + input.overhead
    let largest = input.flows.reduce(Int64(0)) {
      let bytes = $1.bytes + $1.responseHeaderBytes
      return $0 > bytes ? $0 : bytes
    }
    let packets = largest / input.segmentSize + 2
    switch input.queue {
    case .unlimited: return .closed
    case .packets(let limit): return packets <= limit ? .closed : .rounds
    case .bytes(let limit): return packets * packetBytes <= limit ? .closed : .rounds
    }
  }

  /// Whether several connections may have data on the link at the same time.
  private static func sharesLink(_ input: TransferCase) -> Bool {
    guard let first = input.flows.first else { return false }
    return input.flows.contains { $0.connection != first.connection } && !isChain(input)
  }

  /// Whether every flow but one follows another one, and none is followed by two.
  private static func isChain(_ input: TransferCase) -> Bool {
    var followers = [Bool](repeating: false, count: input.flows.count)
    var heads = 0
    for flow in input.flows {
      if let after = flow.after, after >= 0, after < input.flows.count {
        if followers[after] { return false }
        followers[after] = true
      } else {
        heads += 1
      }
    }
    return heads <= 1
  }
}
