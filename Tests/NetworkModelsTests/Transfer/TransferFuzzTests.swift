import Testing

@testable import NetworkModels

/// The model answers whatever a file of cases may ask, and soon.
@Suite struct TransferFuzzTests {
  @Test(arguments: [UInt64](0..<6))
  func `random cases end, in the order of events, no faster than the link`(seed: UInt64) {
    for number in UInt64(0)..<120 {
      let sample = TransferFuzzCase(seed: 100 + seed, number: number, mostPackets: 2_000)
      let result = TransferModel.run(sample.input, tier: sample.tier)
      let flaw = TransferFuzzCheck.flaw(sample.input, result)
      #expect(flaw == nil, "case \(number) of \(seed): \(flaw ?? "") in \(result.tier)")
    }
  }

  @Test func `the same case gives the same result, whatever else ran`() {
    for number in UInt64(0)..<40 {
      let sample = TransferFuzzCase(seed: 7, number: number, mostPackets: 500)
      let first = TransferModel.run(sample.input, tier: sample.tier)
      let other = TransferFuzzCase(seed: 8, number: number, mostPackets: 500)
      _ = TransferModel.run(other.input, tier: other.tier)
      #expect(first == TransferModel.run(sample.input, tier: sample.tier))
    }
  }

  @Test func `bytes and packets are conserved in every random case of the chunk tier`() {
    for number in UInt64(0)..<150 {
      var input = TransferFuzzCase(seed: 9, number: number, mostPackets: 1_000).input
      input.resync = false
      var simulation = ChunkSimulation(input, replication: 0)
      simulation.scheduleFlows()
      simulation.run()
      for (flow, request) in zip(simulation.shared.flows, input.flows) where flow.stage == .done {
        #expect(flow.arrived == request.bytes + request.responseHeaderBytes)
        #expect(flow.missing == 0)
      }
      for connection in simulation.connections where connection.timer.at == .max {
        let isSilent = connection.flight.count == 0 && !connection.recovery.hasLost
        #expect(isSilent || connection.timer.isGivenUp, "case \(number)")
        if connection.isIdle {
          let isWhole = connection.receiver.firstHole < 0 && connection.recovery.isRepaired
          #expect(isWhole, "case \(number)")
        }
      }
    }
  }

  @Test func `a packet that takes longer than the timeout is repeated, not for ever`() {
    // 5.2 s for a packet, 0.2 s until the first timeout, and no loss.
    var input = ChunkParts.link(
      [ChunkParts.flow(300_000)], megabits: 0.1, roundTrip: 0, handshake: .tls12)
    input.segmentSize = 65_495
    input.overhead = 0
    input.initialWindow = 100
    var simulation = ChunkSimulation(input, replication: 0)
    simulation.scheduleFlows()
    simulation.run()
    let sender = simulation.connections[0]
    #expect(simulation.timing(0).duration < 60 * ChunkParts.second)
    // Five packets, and less than one repetition per doubling of the timeout for each.
    #expect(sender.flight.sent > 5 && sender.flight.sent <= 5 + 5 * 5)
    #expect(sender.flight.count == 0 && sender.flight.isEmpty)
  }

  @Test func `an outage beyond the last retry ends a connection that loses all of them`() {
    for tier in [TransferTier.rounds, .chunks] {
      var input = ChunkParts.link([ChunkParts.flow(1_000_000)], loss: .independent(0.99))
      input.handshake = .none
      let result = TransferModel.run(input, tier: tier)
      #expect(result.timings[0].duration == .max)
    }
  }

  @Test func `timeouts double up to 120 s`() {
    let state = CongestionState(.cubic, roundTrip: 50e6)
    #expect(state.timeout(doubled: 1) == 250e6)
    #expect(state.timeout(doubled: 4) == 1000e6)
    #expect(state.timeout(doubled: 1024) == 120e9)
  }

  @Test(arguments: [HTTPVersion.http1, .http2, .http3])
  func `a file of many small flows costs each of them the same`(http: HTTPVersion) {
    for isChain in [false, true] {
      var flows: [TransferFlow] = []
      for index in 0..<20_000 {
        flows.append(
          TransferFlow(
            start: Int64(index) * 1_000, after: isChain && index > 0 ? index - 1 : nil,
            bytes: 3_000, responseHeaderBytes: 200))
      }
      var input = ChunkParts.link(flows, megabits: 50, loss: .independent(0.01), http: http)
      input.handshake = http == .http3 ? .quic : .tcp
      for tier in [TransferTier.rounds, .chunks] {
        let timings = TransferModel.run(input, tier: tier).timings
        #expect(timings.allSatisfy { $0.duration < .max })
      }
    }
  }

  @Test func `flows that start anew do not inherit what never arrived before them`() {
    // The first flow's request is with the server after the link has gone silent for good.
    var input = ChunkParts.link(
      [
        TransferFlow(start: 0, bytes: 10_000, requestBytes: 100_000_000),
        TransferFlow(start: ChunkParts.millisecond, bytes: 10_000),
      ])
    input.downlink = RateTrace(starts: [0, 10 * ChunkParts.second], rates: [10e6, 0], end: .hold)
    input.handshake = .none
    input.resync = true
    for tier in [TransferTier.closed, .rounds, .chunks] {
      let timings = TransferModel.run(input, tier: tier).timings
      #expect(timings[0].duration == .max)
      #expect(timings[1].duration < ChunkParts.second, "\(tier)")
    }
  }
}
