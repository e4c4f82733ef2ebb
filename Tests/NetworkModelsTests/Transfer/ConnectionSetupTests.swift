import NetworkModels
import SimulationKernel
import Testing

@Suite struct ConnectionSetupTests {
  private func setup(
    _ handshake: Handshake, mbps: Double = 1e6, loss: LossGaps = .none, start: Int64 = 0
  ) -> ConnectionSetup {
    var losses = loss
    return ConnectionSetup(
      handshake, at: start, roundTrip: 60_000_000, uplinkRate: mbps * 1e6,
      downlink: RateTrace(constant: mbps * 1e6).integral, overhead: 54, segmentSize: 1448,
      loss: &losses)
  }

  @Test func `each handshake takes its round trips`() {
    let expected: [(Handshake, Int64)] = [
      (.none, 0), (.tcp, 1), (.tls12, 3), (.tls13, 2), (.tls13Resumed, 2), (.tls13Early, 1),
      (.quic, 1), (.quicZeroRTT, 0),
    ]
    for (handshake, roundTrips) in expected {
      let ready = setup(handshake).ready
      // Computation takes at most 5 ms more.
      #expect(ready >= roundTrips * 60_000_000 && ready < roundTrips * 60_000_000 + 5_000_000)
      #expect(handshake.flightCount == Int(roundTrips))
    }
  }

  @Test func `the path is ready after the first round trip and TLS after the last`() {
    let tls = setup(.tls12)
    #expect(tls.connect / 1_000_000 == 60)
    #expect(tls.secure == tls.ready)
    #expect(setup(.tcp).secure == nil)
    #expect(setup(.quic).secure == setup(.quic).connect)
  }

  /// 62 bytes each way at 1 Mbps are 0.496 ms.
  @Test func `handshake packets take their time on both links`() {
    #expect(setup(.tcp, mbps: 1, start: 7).connect == 7 + 60_000_000 + 2 * 496_000)
  }

  @Test func `a lost answer costs 1, 3, 7 seconds, and QUIC's 999 ms`() {
    // Every packet is lost: the client gives up.
    let streams = RandomStreams(seed: 1, replication: 0)
    let all = LossGaps(.independent(1), connection: 0, streams: streams)
    #expect(setup(.tcp, loss: all).ready == .max)
    var seen: Set<Int64> = []
    for connection: UInt64 in 0..<200 {
      let some = LossGaps(.independent(0.5), connection: connection, streams: streams)
      let ready = setup(.tcp, loss: some).ready
      seen.insert((ready - 60_000_000) / 1_000_000_000)
      let quic = setup(.quic, loss: some).ready
      let waits = (quic - 62_000_000) / 999_000_000
      #expect([0, 1, 3, 7, 15, 31, 63, 127].contains(waits))
    }
    #expect(seen.isSuperset(of: [0, 1, 3, 7]))
    #expect(seen.isSubset(of: [0, 1, 3, 7, 15, 31, 63, 127]))
  }

  @Test func `a link that stays silent never connects`() {
    var losses = LossGaps.none
    let silent = ConnectionSetup(
      .tcp, at: 0, roundTrip: 1, uplinkRate: 1e6,
      downlink: RateTrace(starts: [0], rates: [0], end: .hold).integral, overhead: 54,
      segmentSize: 1448, loss: &losses)
    #expect(silent.ready == .max)
  }

  /// A record of 16 kB is twelve packets, two more than the initial window.
  @Test func `over TLS and HTTP 1.1 the first byte waits for a whole record`() {
    for tier in [TransferTier.closed, .rounds] {
      var input = roundCase(mbps: 1_000, packets: 20, handshake: .tls13)
      let records = TransferModel.run(input, tier: tier).timings[0]
      let secure = records.secure ?? 0
      #expect(records.firstByte > secure + 120_000_000)
      input.http = .http2
      let frames = TransferModel.run(input, tier: tier).timings[0]
      #expect(frames.firstByte < secure + 62_000_000)
      input.handshake = .tcp
      input.http = .http1
      let plain = TransferModel.run(input, tier: tier).timings[0]
      #expect(plain.firstByte < plain.connect + 62_000_000)
    }
  }

  /// 134 bytes of request behind the client's settings: 0.11 ms at 10 Mbps, 0.36 ms at 3.
  @Test func `over HTTP 2 a request behind the settings' acknowledgement waits for a record`() {
    func late(_ uplink: Double) -> Int64 {
      var input = roundCase(mbps: 1_000, packets: 20, handshake: .tls13)
      input.http = .http2
      input.uplinkRate = uplink
      let timing = TransferModel.run(input).timings[0]
      return timing.firstByte - (timing.secure ?? 0)
    }
    #expect(late(10e6) < 62_000_000)
    #expect(late(3e6) > 120_000_000)
  }

  @Test func `a later answer of HTTP 2 alone on its connection is opened as a whole record`() {
    var input = roundCase(mbps: 10, packets: 60, handshake: .tls13)
    input.http = .http2
    input.flows.append(TransferFlow(after: 0, bytes: 60 * 1448))
    let timings = TransferModel.run(input, tier: .rounds).timings
    // 16,406 bytes are 12 packets of 1.2016 ms.
    let expected = 60_000_000 + 12 * 1_201_600
    #expect(abs(timings[1].firstByte - Int64(expected)) < 1_500_000)
  }

  @Test func `over TLS header fields share the body's records, and tickets go before them`() {
    for tier in [TransferTier.closed, .rounds] {
      var input = roundCase(mbps: 10, packets: 5, handshake: .tls12, header: 242)
      let older = TransferModel.run(input, tier: tier).timings[0]
      input.handshake = .tls13
      let newer = TransferModel.run(input, tier: tier).timings[0]
      let rest = newer.duration - (newer.secure ?? 0)
      let olderRest = older.duration - (older.secure ?? 0)
      // 542 bytes of tickets and a packet's 54, and 80 of the client's Finished on the way up.
      #expect(abs(rest - olderRest - 596 * 800) < 3_000)
      // 242 and 7,240 bytes and 22 of a record are 6 packets.
      let alone = 60_000_000 + (7_504 + 6 * 54) * 800
      #expect(abs(olderRest - Int64(alone)) < 5_000)
    }
  }

  @Test(arguments: [HTTPVersion.http1, .http2])
  func `an empty answer over TLS is a packet behind the tickets`(_ http: HTTPVersion) {
    for tier in [TransferTier.closed, .rounds] {
      var input = roundCase(packets: 0, handshake: .tls13)
      input.http = http
      let timing = TransferModel.run(input, tier: tier).timings[0]
      #expect(timing.firstByte <= timing.duration && timing.duration < 250_000_000)
    }
  }

  @Test func `only the flow that opens the connection pays for it`() {
    var input = roundCase(packets: 5, handshake: .tls13)
    input.flows.append(TransferFlow(after: 0, bytes: 7_240))
    let timings = TransferModel.run(input).timings
    #expect(timings[0].connect > 0 && timings[0].secure != nil)
    #expect(timings[1].connect == 0 && timings[1].secure == nil)
    #expect(timings[1].start == timings[0].duration)
    #expect(timings[1].duration < timings[0].duration - 120_000_000)
  }
}
