import NetworkModels
import Testing

@Suite struct ReceiveWindowTests {
  private func duration(_ window: Int64?, tier: TransferTier) -> Int64 {
    let input = TransferCase(
      downlink: RateTrace(constant: 50e6), uplinkRate: 50e6, roundTrip: 100_000_000,
      receiveWindow: window, flows: [TransferFlow(bytes: 2_000_000)])
    return TransferModel.run(input, tier: tier).timings[0].duration
  }

  // RFC 9293 section 3.8.6: no more is in flight than the receiver allows.
  @Test(arguments: [TransferTier.rounds, .chunks])
  func `a receive window below the pipe sets the rate`(_ tier: TransferTier) {
    // 64 kB a round trip of 100 ms: 44 packets each, so at least 31 round trips for 1,382 packets.
    let bound = duration(64_000, tier: tier)
    #expect(bound > 3_000_000_000 && bound < 3_800_000_000)
    #expect(duration(nil, tier: tier) < 1_200_000_000)
    #expect(duration(16_000_000, tier: tier) == duration(nil, tier: tier))
  }

  @Test func `a receive window is looked at in rounds`() {
    let input = TransferCase(
      downlink: RateTrace(constant: 50e6), uplinkRate: 50e6, roundTrip: 100_000_000,
      receiveWindow: 64_000, flows: [TransferFlow(bytes: 2_000_000)])
    #expect(TransferModel.tier(for: input) == .rounds)
  }
}
