import SimulationKernel
import Testing

@testable import NetworkModels

/// What must hold after every event, whatever happens to the packets.
@Suite struct ChunkConservationTests {
  static let conditions: [(CongestionControl, PacketLoss, QueueLimit)] = [
    (.cubic, .none, .packets(20)), (.cubic, .independent(0.03), .packets(40)),
    (.newReno, .bursts(rate: 0.05, meanBurst: 4), .bytes(30_000)),
    (.newReno, .independent(0.3), .unlimited), (.bbr, .none, .packets(15)),
    (.bbr, .independent(0.1), .packets(30)),
  ]

  @Test(arguments: 0..<conditions.count)
  func `packets are conserved at every instant`(index: Int) {
    let (congestion, loss, queue) = ChunkConservationTests.conditions[index]
    let input = ChunkParts.link(
      ChunkParts.bulk(6, bytes: 200_000), queue: queue, congestion: congestion, loss: loss)
    var simulation = ChunkSimulation(input, replication: 0)
    simulation.scheduleFlows()
    var steps = 0
    var flaws = 0
    while !simulation.isDone && steps < 1_000_000 {
      simulation.step()
      steps += 1
      for connection in simulation.connections where !isSound(connection, simulation) { flaws += 1 }
    }
    #expect(flaws == 0)
    #expect(simulation.isDone)
    for (flow, request) in zip(simulation.shared.flows, input.flows) {
      #expect(flow.stage == .done)
      #expect(flow.arrived == request.bytes)
    }
    for connection in simulation.connections {
      #expect(connection.isIdle && connection.receiver.firstHole < 0)
      #expect(connection.recovery.isRepaired)
    }
  }

  /// Every packet ever made is at the client, missing there, and the sender's lists agree with its
  /// counts.
  private func isSound(_ connection: ChunkConnection, _ simulation: ChunkSimulation) -> Bool {
    var inFlight: Int64 = 0
    var place = connection.flight.head
    var last: Int64 = 0
    while place >= 0 {
      let packet = simulation.shared.pool[place]
      if packet.number <= last { return false }
      last = packet.number
      inFlight += 1
      place = packet.next
    }
    if inFlight != connection.flight.count { return false }
    var missing: Int64 = 0
    var hole = connection.receiver.firstHole
    while hole >= 0 {
      missing += 1
      hole = simulation.shared.pool[hole].next
    }
    let flow = simulation.shared.flows[Int(connection.number)]
    let sent = 200_000 - flow.bytesLeft
    let atClient = flow.arrived
    if missing != flow.missing { return false }
    // Only the last packet is shorter than the others.
    return atClient <= sent && sent - atClient <= missing * 1448
      && sent - atClient > (missing - 1) * 1448 - (missing > 0 ? 1447 : 0)
      && connection.window.size >= 1
  }

  @Test func `the queue never holds more than its limit`() {
    var link = ChunkLink(RateTrace(constant: 10e6), limit: .packets(7))
    var kept = 0
    for packet in 0..<1000 {
      let now = Int64(packet / 20) * 10_000_000
      if link.offer(1502, at: now) >= 0 { kept += 1 }
      #expect(link.backlog(at: now) <= 7)
    }
    // 8.3 packets leave in 10 ms, of which the queue and the transmitter hold 8 at the burst's end.
    #expect(kept == 8 * 50)
    #expect(link.drops == 1000 - 8 * 50)
  }

  @Test func `a limit in bytes counts wire bytes and not the packet being sent`() {
    var link = ChunkLink(RateTrace(constant: 8e6), limit: .bytes(2500))
    #expect(link.offer(1500, at: 0) == 1_500_000)
    #expect(link.offer(1500, at: 0) == 3_000_000)
    #expect(link.offer(1001, at: 0) == -1)
    #expect(link.offer(1000, at: 0) == 4_000_000)
    #expect(link.offer(1, at: 1_500_000) == 4_001_000)
  }

  @Test func `a packet keeps the rate at which it started and waits for a positive one`() {
    let trace = RateTrace(
      starts: [0, 1_000_000, 2_000_000], rates: [8e6, 0, 16e6], end: .silence(at: 5_000_000))
    var link = ChunkLink(trace, limit: .unlimited)
    #expect(link.offer(1500, at: 0) == 1_500_000)
    #expect(link.offer(1000, at: 0) == 2_500_000)
    #expect(link.offer(1000, at: 4_900_000) == 5_400_000)
    #expect(link.offer(1000, at: 4_900_000) == .max)
    #expect(link.offer(1000, at: 9_000_000) == .max)
  }

  @Test func `the heap gives the least key, ties by number, after any changes`() {
    let streams = RandomStreams(seed: 5, replication: 0)
    var heap = IndexedHeap<Int64>(entities: 64)
    var keys = [Int64?](repeating: nil, count: 64)
    for step in 0..<5000 {
      let bits = streams.bits(StreamName(rawValue: 901), entity: UInt64(step))
      let entity = Int(bits & 63)
      if bits & 0x300 == 0 {
        heap.remove(entity)
        keys[entity] = nil
      } else {
        let key = Int64(bits >> 32 & 0xFF)
        heap.set(entity, to: key)
        keys[entity] = key
      }
      let expected = keys.indices.filter { keys[$0] != nil }.min {
        (keys[$0]!, $0) < (keys[$1]!, $1)
      }
      #expect(heap.isEmpty == (expected == nil))
      if let expected { #expect(heap.first == expected && heap.firstKey == keys[expected]) }
    }
  }
}
