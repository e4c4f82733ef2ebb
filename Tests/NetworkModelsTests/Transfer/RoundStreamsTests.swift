import NetworkModels
import Testing

@Suite struct RoundStreamsTests {
  private func shared(
    _ http: HTTPVersion, streams: Int, packets: Int64 = 300, loss: PacketLoss = .none
  ) -> TransferCase {
    var input = roundCase(packets: packets, loss: loss)
    input.http = http
    input.flows = (0..<streams).map { _ in TransferFlow(bytes: packets * 1448) }
    return input
  }

  @Test func `responses on one connection share its window and end together with one big one`() {
    for http in [HTTPVersion.http2, .http3] {
      let four = TransferModel.run(shared(http, streams: 4), tier: .rounds).timings
      let one = TransferModel.run(shared(http, streams: 1, packets: 1_200), tier: .rounds)
      let last = four.map(\.duration).max() ?? 0
      #expect(abs(Double(last) / Double(one.timings[0].duration) - 1) < 1e-6)
      // In turn: the first one ends within four turns of 64 kB of the last.
      let first = four.map(\.duration).min() ?? 0
      #expect(last - first < 4 * 65_536 * 1_201_600 / 1448)
    }
  }

  /// A turn is 46 packets of 1.2016 ms.
  @Test func `header fields of later responses wait for the turn under way over TCP`() {
    let later = TransferModel.run(shared(.http2, streams: 4), tier: .rounds).timings
    #expect(later[0].firstByte < 65_000_000)
    #expect(later[1].firstByte > 60_000_000 + 46 * 1_201_600)
    #expect(later[1].firstByte == later[3].firstByte)
    let independent = TransferModel.run(shared(.http3, streams: 4), tier: .rounds).timings
    #expect(independent[3].firstByte < 65_000_000)
  }

  @Test func `HTTP 1.1 serves in order`() {
    let timings = TransferModel.run(shared(.http1, streams: 3), tier: .rounds).timings
    #expect(timings[1].firstByte > timings[0].duration)
    #expect(timings[2].firstByte > timings[1].duration)
  }

  @Test func `under loss QUIC holds up only the response that lost`() {
    var sums = [0.0, 0.0]
    for (index, http) in [HTTPVersion.http2, .http3].enumerated() {
      for replication: UInt16 in 0..<100 {
        let input = shared(http, streams: 8, packets: 30, loss: .independent(0.02))
        let timings = TransferModel.run(input, tier: .rounds, replication: replication).timings
        #expect(timings.allSatisfy { $0.duration < .max && $0.firstByte <= $0.duration })
        for timing in timings { sums[index] += Double(timing.duration) }
      }
    }
    #expect(sums[1] < sums[0])
  }

  @Test func `a response that joins later is served beside the first`() {
    var input = shared(.http2, streams: 2, packets: 1_000)
    input.flows[1].start = 500_000_000
    input.flows[1].bytes = 14_480
    let timings = TransferModel.run(input, tier: .rounds).timings
    #expect(timings[1].start == 500_000_000)
    #expect(timings[1].start + timings[1].duration < timings[0].duration)
    #expect(timings[1].duration > 60_000_000)
  }
}
