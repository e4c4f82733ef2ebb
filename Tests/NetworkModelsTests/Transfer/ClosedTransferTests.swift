import NetworkModels
import Testing

@Suite struct ClosedTransferTests {
  /// 0.6 ms a packet, 60 ms until an acknowledgement can release another one: 101 packets fill
  /// the pipe.
  private func cost(_ packets: Int64, window: Double = 10) -> TransferCost {
    TransferCost.closed(packets: packets, packetTime: 0.6e6, roundTrip: 60e6, window: window)
  }

  @Test func `the initial window costs no stall, one packet more costs a round`() {
    #expect(cost(10).stall == 0)
    #expect(cost(11).stall == 60.6e6 - 10 * 0.6e6)
  }

  @Test func `slow start waits in each round that does not fill the pipe`() {
    let rounds = [10.0, 20, 40, 80].map { 60.6e6 - $0 * 0.6e6 }
    #expect(cost(151).stall == rounds.reduce(0, +))
    #expect(cost(1_000_000).stall == rounds.reduce(0, +))
  }

  @Test func `a window that fills the pipe costs nothing`() {
    #expect(cost(1_000, window: 101).stall == 0)
    #expect(cost(1_000, window: 100).stall > 0)
  }

  @Test func `the window grows by what is acknowledged and only while it is the limit`() {
    #expect(cost(10).window == 20)
    #expect(cost(3).window == 10)
    #expect(cost(30).window == 40)
    #expect(cost(100, window: 400).window == 400)
  }

  /// 10, 20, 40 and 80 packets, then 58 under a window of 160: it was the limit a round before,
  /// so that these count as well.
  @Test func `the last packets of a transfer grow a window that was the limit`() {
    #expect(cost(208).window == 218)
  }

  /// 300 kB at 50 Mbps and 150 ms: 208 packets, which the window that the first object leaves lets
  /// out at once; with the 160 of the last full round it would be one round trip more.
  @Test(arguments: [TransferTier.closed, .rounds, .chunks])
  func `a second object of the same size on the connection takes one round trip`(
    _ tier: TransferTier
  ) {
    var input = roundCase(mbps: 50, milliseconds: 150)
    input.flows.append(TransferFlow(after: 0, bytes: 208 * 1448))
    let second = TransferModel.run(input, tier: tier).timings[1].duration
    #expect(second < 150_000_000 + 208 * 240_320 + 2_000_000)
  }

  /// 1 Gbps up: 134 bytes of request take 1.07 µs, an acknowledgement 0.43 µs. 30 packets of 1,502
  /// bytes at 10 Mbps; slow start stalls once, after ten of them.
  @Test func `a fetch takes the round trip, the stalls and the packets`() {
    let serve = 1_201_600.0
    let stall = 60e6 + 432 + serve - 10 * serve
    let expected = 1_072 + 60e6 + stall + 30 * serve
    let duration = Double(roundCase(packets: 30).duration(.closed))
    #expect(abs(duration - expected) < 20)
  }

  @Test func `without loss and overflow rounds agree with the closed form`() {
    for mbps in [1.0, 3, 10, 50] {
      for milliseconds: Int64 in [20, 60, 150] {
        for packets: Int64 in [1, 10, 11, 70, 71, 700] {
          let input = roundCase(mbps: mbps, milliseconds: milliseconds, packets: packets)
          let closed = Double(input.duration(.closed))
          let rounds = Double(input.duration(.rounds))
          // Two packets per round for delayed acknowledgements, and what HyStart leaves unused.
          let allowance = 10 * 12_016e6 / (mbps * 1e6) + 0.01 * closed
          #expect(abs(rounds - closed) <= allowance, "\(mbps) \(milliseconds) \(packets)")
        }
      }
    }
  }

  @Test func `the tier is the least that the case needs`() {
    #expect(TransferModel.tier(for: roundCase()) == .closed)
    #expect(TransferModel.tier(for: roundCase(loss: .independent(0.01))) == .rounds)
    #expect(TransferModel.tier(for: roundCase(congestion: .bbr)) == .chunks)
    var quic = roundCase(congestion: .bbr, handshake: .quic)
    quic.http = .http3
    #expect(TransferModel.tier(for: quic) == .rounds)
    #expect(TransferModel.tier(for: roundCase(packets: 208, queue: .packets(50))) == .rounds)
    #expect(TransferModel.tier(for: roundCase(packets: 40, queue: .packets(50))) == .closed)
    var two = roundCase()
    two.flows.append(TransferFlow(bytes: 1, connection: 1))
    #expect(TransferModel.tier(for: two) == .chunks)
    two.flows[1].after = 0
    #expect(TransferModel.tier(for: two) == .rounds)
    two.flows[1].after = nil
    two.resync = true
    #expect(TransferModel.tier(for: two) == .rounds)
  }

  @Test func `an empty body still takes a response`() {
    for tier in [TransferTier.closed, .rounds] {
      let timing = TransferModel.run(roundCase(packets: 0), tier: tier).timings[0]
      #expect(timing.duration >= 60_000_000 && timing.duration < 61_000_000)
      #expect(timing.firstByte == timing.duration)
    }
  }
}
