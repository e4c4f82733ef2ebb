import Testing

@testable import NetworkModels

@Suite struct ChunkModelTests {
  private let ms = ChunkParts.millisecond

  @Test func `a response of one window takes two round trips and the packets`() {
    let input = ChunkParts.link([ChunkParts.flow(10 * 1448)])
    let timing = ChunkModel.run(input, replication: 0, recordsRounds: false).timings[0]
    // 62 bytes of SYN and SYN-ACK, 134 of the request, at 0.8 µs per byte.
    let opening = 60 * ms + 2 * 62 * 800
    let answer = opening + 134 * 800 + 60 * ms
    #expect(timing.connect == opening)
    #expect(timing.firstByte == answer + ChunkParts.packetTime)
    #expect(timing.duration == answer + 10 * ChunkParts.packetTime)
    #expect(timing.secure == nil)
  }

  @Test func `slow start waits once per window that does not fill the pipe`() {
    // 70 packets: windows of 10, 20 and 40 of 12.0, 24.0 and 48.1 ms in a round trip of 60 ms.
    let input = ChunkParts.link([ChunkParts.flow(70 * 1448)])
    let opening = 120 * ms + 2 * 62 * 800 + 134 * 800
    let acknowledged = 60 * ms + 54 * 800 + ChunkParts.packetTime
    // Rounds two and three begin with the acknowledgement of the first packet of the round before;
    // the last round's first packets come two at a time from then on.
    let expected = opening + 2 * acknowledged + 40 * ChunkParts.packetTime
    let duration = ChunkParts.durations(input)[0]
    #expect(abs(duration - expected) <= 2 * ChunkParts.packetTime)
  }

  @Test func `a long transfer fills the link`() {
    let input = ChunkParts.link([ChunkParts.flow(20_000_000)])
    let ideal = Double(20_000_000) / 1448 * Double(ChunkParts.packetTime)
    let duration = Double(ChunkParts.durations(input)[0])
    #expect(duration > ideal)
    #expect(duration < ideal * 1.05)
  }

  @Test(arguments: CongestionControl.allCases)
  func `flows that share a deep queue leave the link no pause`(congestion: CongestionControl) {
    let input = ChunkParts.link(ChunkParts.bulk(5, bytes: 1_000_000), congestion: congestion)
    let work = Double(5 * 691) * Double(ChunkParts.packetTime)
    let ends = zip(ChunkParts.durations(input), input.flows).map { Double($0 + $1.start) }
    #expect(ends.max()! > work)
    // Handshake, request and the first rounds of slow start come before the queue fills; BBR drains
    // it on purpose now and then.
    #expect(ends.max()! < work * 1.08 + 200e6)
  }

  @Test func `the queue is first in, first out: a new flow waits behind the windows of the others`()
  {
    var flows = ChunkParts.bulk(3, bytes: 3_000_000)
    flows.append(ChunkParts.flow(1448, connection: 3, start: 3 * ChunkParts.second))
    let shared = ChunkParts.durations(ChunkParts.link(flows))[3]
    let alone = ChunkParts.durations(ChunkParts.link([ChunkParts.flow(1448)]))[0]
    // The SYN-ACK and the response each wait for more than 60 ms of others' packets.
    #expect(shared > alone + 120 * ms)
  }

  @Test func `with CUBIC and a short queue the short round trip wins, with BBR the long one`() {
    func ratio(_ congestion: CongestionControl) -> Double {
      let flows = [
        ChunkParts.flow(100_000_000, connection: 0, roundTrip: 20 * ms),
        ChunkParts.flow(100_000_000, connection: 1, start: ms, roundTrip: 150 * ms),
      ]
      let input = ChunkParts.link(flows, queue: .packets(125), congestion: congestion)
      let bytes = ChunkModel.arrived(input, by: 30 * ChunkParts.second)
      return Double(bytes[0]) / Double(bytes[1])
    }
    #expect(ratio(.cubic) > 1.5)
    #expect(ratio(.newReno) > 1.5)
    #expect(ratio(.bbr) < 0.5)
  }

  @Test(arguments: CongestionControl.allCases)
  func `two runs are equal, another replication is not`(congestion: CongestionControl) {
    let input = ChunkParts.link(
      ChunkParts.bulk(10, bytes: 300_000), queue: .packets(50), congestion: congestion,
      loss: .independent(0.01))
    let first = ChunkModel.run(input, replication: 0, recordsRounds: true)
    #expect(first == ChunkModel.run(input, replication: 0, recordsRounds: true))
    #expect(first.tier == .chunks)
    #expect(first.timings != ChunkModel.run(input, replication: 1, recordsRounds: true).timings)
  }

  @Test func `bulk flows cost about half an event per packet`() {
    let input = ChunkParts.link(ChunkParts.bulk(4, bytes: 5_000_000), megabits: 50)
    var simulation = ChunkSimulation(input, replication: 0)
    simulation.scheduleFlows()
    simulation.run()
    let packets = 4 * 5_000_000 / 1448
    #expect(simulation.events < packets * 6 / 10)
  }

  @Test func `recorded rounds hold every packet once`() {
    let input = ChunkParts.link([ChunkParts.flow(300_000)])
    let result = ChunkModel.run(input, replication: 0, recordsRounds: true)
    let packets = result.rounds.reduce(0) { $0 + $1.packets }
    #expect(packets <= 208 && packets >= 208 - 90)
    #expect(result.rounds.first?.phase == .slowStart)
    #expect(result.rounds.allSatisfy { $0.lost == 0 && $0.window >= 10 && $0.idle >= 0 })
    #expect(zip(result.rounds, result.rounds.dropFirst()).allSatisfy { $0.start < $1.start })
  }
}
