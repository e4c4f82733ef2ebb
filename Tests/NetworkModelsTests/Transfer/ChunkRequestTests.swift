import Testing

@testable import NetworkModels

/// Requests, streams and set-up in the chunk tier.
@Suite struct ChunkRequestTests {
  private let ms = ChunkParts.millisecond

  @Test func `HTTP 1.1 serves a connection's requests in order, one at a time`() {
    let flows = (0..<3).map { _ in ChunkParts.flow(50_000) }
    let result = ChunkModel.run(ChunkParts.link(flows), replication: 0, recordsRounds: false)
    let ends = result.timings.map(\.duration)
    // A request leaves when the response before it is complete: a round trip and its 35 packets,
    // of which the last one is short.
    let trip = 60 * ms + 134 * 800 + 34 * ChunkParts.packetTime + (50_000 - 34 * 1448 + 54) * 800
    #expect(ends[1] - ends[0] == trip)
    #expect(ends[2] - ends[1] == trip)
    #expect(result.timings[1].connect == 0 && result.timings[2].connect == 0)
  }

  @Test(arguments: [HTTPVersion.http2, .http3])
  func `streams that share a connection end within a turn of each other`(http: HTTPVersion) {
    let flows = (0..<4).map { _ in ChunkParts.flow(200_000) }
    let ends = ChunkParts.durations(ChunkParts.link(flows, http: http))
    let spread = ends.max()! - ends.min()!
    #expect(spread <= 4 * 12 * ChunkParts.packetTime)
    let alone = ChunkParts.durations(ChunkParts.link([ChunkParts.flow(800_000)], http: http))[0]
    #expect(abs(ends.max()! - alone) < 10 * ChunkParts.packetTime)
  }

  @Test func `a lost packet holds up other streams with HTTP 2 and not with HTTP 3`() {
    let flows = (0..<4).map { _ in ChunkParts.flow(200_000) }
    var later = 0
    for replication in 0..<20 {
      let loss = PacketLoss.independent(0.02)
      let two = ChunkParts.durations(
        ChunkParts.link(flows, loss: loss, http: .http2), replication: UInt16(replication))
      let three = ChunkParts.durations(
        ChunkParts.link(flows, loss: loss, http: .http3), replication: UInt16(replication))
      for (two, three) in zip(two, three) {
        #expect(three <= two)
        if three < two { later += 1 }
      }
    }
    #expect(later > 20)
  }

  @Test func `after and gap start a flow when another ends`() {
    var second = ChunkParts.flow(10_000, connection: 1)
    second.after = 0
    second.gap = 250 * ms
    let result = ChunkModel.run(
      ChunkParts.link([ChunkParts.flow(100_000), second]), replication: 0, recordsRounds: false)
    #expect(result.timings[1].start == result.timings[0].duration + 250 * ms)
    #expect(result.timings[1].connect > 0)
  }

  @Test func `idle restart costs rounds that a warm window saves`() {
    var second = ChunkParts.flow(150_000)
    second.start = 20 * ChunkParts.second
    var input = ChunkParts.link([ChunkParts.flow(400_000), second], megabits: 50)
    let cold = ChunkParts.durations(input)[1]
    input.idleRestart = false
    let warm = ChunkParts.durations(input)[1]
    // 104 packets in windows of 10, 20, 40 and the rest, or in one.
    #expect(cold - warm > 150 * ms)
    input.warmWindow = 200
    #expect(ChunkParts.durations(input)[0] < 60 * ms * 4)
  }

  @Test func `TLS and QUIC open in their numbers of round trips`() {
    func timing(_ handshake: Handshake, _ http: HTTPVersion) -> TransferTiming {
      let input = ChunkParts.link([ChunkParts.flow(5000)], http: http, handshake: handshake)
      return ChunkModel.run(input, replication: 0, recordsRounds: false).timings[0]
    }
    let expected: [(Handshake, HTTPVersion, Int64)] = [
      (.none, .http1, 1), (.tcp, .http1, 2), (.tls12, .http1, 4), (.tls13, .http2, 3),
      (.tls13Early, .http2, 2), (.quic, .http3, 2), (.quicZeroRTT, .http3, 1),
    ]
    for (handshake, http, trips) in expected {
      let found = timing(handshake, http)
      #expect(found.duration / (60 * ms) == trips)
      #expect((found.secure == nil) == (handshake == .none || handshake == .tcp))
      #expect(found.firstByte <= found.duration)
    }
  }

  @Test func `with resync a flow starts at its own time with the window of the one before`() {
    let flows = [
      ChunkParts.flow(500_000), ChunkParts.flow(500_000, start: 100 * ms),
    ]
    var input = ChunkParts.link(flows)
    input.resync = true
    let result = ChunkModel.run(input, replication: 0, recordsRounds: false)
    #expect(result.timings[0].duration > 400 * ms)
    #expect(result.timings[1].start == 100 * ms)
    #expect(result.timings[1].connect == 0)
    // The window that is carried over covers the pipe: one round trip, then the link's rate.
    let work = 346 * ChunkParts.packetTime
    #expect(result.timings[1].duration < work + 75 * ms)
  }

  @Test func `a response without a byte is one packet`() {
    let duration = ChunkParts.durations(ChunkParts.link([ChunkParts.flow(0)]))[0]
    #expect(duration / ms == 120)
    var header = ChunkParts.flow(0)
    header.responseHeaderBytes = 242
    let timing = ChunkModel.run(
      ChunkParts.link([header]), replication: 0, recordsRounds: false
    ).timings[0]
    #expect(timing.firstByte == timing.duration)
  }

  @Test(arguments: CongestionControl.allCases)
  func `a flow that never ends has the longest duration`(congestion: CongestionControl) {
    let dead = RateTrace(constant: 0)
    let silent = RateTrace(starts: [0], rates: [10e6], end: .silence(at: 500_000_000))
    let quiet = RateTrace(starts: [0, 200_000_000], rates: [10e6, 0], end: .hold)
    for trace in [dead, silent, quiet] {
      var input = ChunkParts.link([ChunkParts.flow(3_000_000)], congestion: congestion)
      input.downlink = trace
      #expect(ChunkParts.durations(input) == [.max])
    }
    let lossy = ChunkParts.link(
      [ChunkParts.flow(100_000)], congestion: congestion, loss: .independent(1))
    #expect(ChunkParts.durations(lossy) == [.max])
  }

  @Test func `an outage delays a transfer by its length when packets wait in the queue`() {
    let flows = [ChunkParts.flow(1_000_000)]
    var input = ChunkParts.link(flows)
    let before = ChunkParts.durations(input)[0]
    input.downlink = RateTrace(
      starts: [0, 500 * ms, 3500 * ms], rates: [10e6, 0, 10e6], end: .hold)
    let after = ChunkParts.durations(input)[0]
    #expect(abs(after - before - 3000 * ms) < 20 * ms)
  }
}
