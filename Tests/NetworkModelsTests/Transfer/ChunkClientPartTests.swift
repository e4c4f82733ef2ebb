import ModelBasics
import SimulationKernel
import Testing

@testable import NetworkModels

/// The ends of a connection of the chunk tier, each without a sender: what the server cuts its
/// responses into, what the client reads and acknowledges, and when it asks.
@Suite struct ChunkClientPartTests {
  private let ms = ChunkParts.millisecond

  /// A packet of a flow as its source would make it.
  private func packet(
    _ sequence: Int64, of flow: Int, _ shared: inout ChunkShared
  ) -> Int32 {
    let place = shared.pool.take()
    shared.pool[place].flow = Int32(flow)
    shared.pool[place].payload = 1448
    shared.pool[place].sequence = sequence
    shared.flows[flow].isEmpty = false
    shared.flows[flow].bytesLeft -= 1448
    shared.flows[flow].note(1448, sequence: sequence)
    return place
  }

  @Test(arguments: [HTTPVersion.http2, .http3])
  func `a hole holds up what is read behind it, unless responses are independent`(
    http: HTTPVersion
  ) {
    var shared = ChunkParts.shared([1448, 1448], http: http)
    var receiver = ChunkReceiver()
    let first = packet(0, of: 0, &shared)
    receiver.expect(first, &shared)
    receiver.receive(first, at: 1 * ms, isDropped: true, roundTrip: 60 * ms, &shared)
    #expect(receiver.firstHole >= 0 && shared.pool[first].isDropped)
    let second = packet(1, of: 1, &shared)
    receiver.expect(second, &shared)
    receiver.receive(second, at: 2 * ms, isDropped: false, roundTrip: 60 * ms, &shared)
    #expect(shared.flows[1].firstByteAt == (http == .http3 ? 2 * ms : -1))
    shared.pool[first].isRetransmission = true
    receiver.receive(first, at: 70 * ms, isDropped: false, roundTrip: 60 * ms, &shared)
    #expect(receiver.firstHole < 0 && !shared.pool[first].isDuplicate)
    #expect(shared.flows[0].endedAt == 70 * ms)
    #expect(shared.flows[1].endedAt == (http == .http3 ? 2 * ms : 70 * ms))
    // It has it already.
    receiver.receive(first, at: 80 * ms, isDropped: false, roundTrip: 60 * ms, &shared)
    #expect(shared.pool[first].isDuplicate && shared.flows[0].missing == 0)
  }

  @Test func `after sixteen packets acknowledgements wait for a second one, or 40 ms`() {
    var shared = ChunkParts.shared([100_000])
    var receiver = ChunkReceiver()
    // A packet without payload takes 43.2 us on the uplink.
    let uplink: Int64 = 43_200
    func arrive(_ number: Int64) -> Int32 {
      let place = packet(number, of: 0, &shared)
      receiver.expect(place, &shared)
      receiver.receive(
        place, at: number * ms, isDropped: false, roundTrip: 60 * ms, &shared)
      return place
    }
    for number in Int64(0)..<16 {
      let place = arrive(number)
      #expect(shared.pool[place].ackAt == (number + 60) * ms + uplink)
    }
    let delayed = arrive(16)
    #expect(shared.pool[delayed].ackAt == (16 + 40 + 60) * ms + uplink)
    let second = arrive(17)
    #expect(shared.pool[delayed].ackAt == .max)
    #expect(shared.pool[second].ackAt == (17 + 60) * ms + uplink)
  }

  @Test func `a source sends header fields first and lets bodies take turns of 64 KiB`() {
    var shared = ChunkParts.shared([100_000, 3_000], headers: 200)
    var source = ChunkSource()
    source.add(0, &shared.flows)
    source.add(1, &shared.flows)
    var order: [Int32] = []
    var payloads: [Int64] = []
    while !source.isEmpty {
      let place = source.next(&shared)
      order.append(shared.pool[place].flow)
      payloads.append(shared.pool[place].payload)
      #expect(shared.pool[place].sequence == Int64(order.count - 1))
      #expect(shared.pool[place].isLast == shared.flows[Int(shared.pool[place].flow)].isSent)
    }
    #expect(source.nextSequence == Int64(order.count))
    #expect(order.prefix(2) == [0, 1] && payloads.prefix(2) == [200, 200])
    // 46 packets are the first to exceed 65,536 bytes; the other body takes three.
    #expect(order.dropFirst(2).prefix(46).allSatisfy { $0 == 0 })
    #expect(order.dropFirst(48).prefix(3).allSatisfy { $0 == 1 })
    #expect(order.dropFirst(51).allSatisfy { $0 == 0 })
    #expect(payloads.reduce(0, +) == 103_400)
  }

  @Test func `requests wait for the handshake and leave one behind the other`() {
    var shared = ChunkParts.shared([1_000, 1_000])
    var requests = ChunkRequests()
    var loss = LossGaps.none
    requests.open(.tcp, at: 0, roundTrip: 60 * ms, shared.settings)
    requests.add(0, &shared.flows)
    requests.add(1, &shared.flows)
    #expect(requests.next(isShared: true, &shared.flows) == nil)
    let answered = requests.opening.at
    #expect(answered > 60 * ms && answered < 61 * ms)
    requests.answer(.tcp, at: answered, roundTrip: 60 * ms, loss: &loss, &shared)
    #expect(requests.opening.stage == .open)
    let ready = requests.opening.readyAt
    let step = shared.settings.uplinkTime(80)
    #expect(requests.next(isShared: true, &shared.flows) == 0)
    #expect(requests.depart(80, at: 0, shared.settings) == ready + step)
    #expect(requests.next(isShared: true, &shared.flows) == 1)
    #expect(requests.depart(80, at: 0, shared.settings) == ready + 2 * step)
    #expect(requests.next(isShared: true, &shared.flows) == nil)
  }

  @Test func `where a connection is not shared the next request waits for the response`() {
    var shared = ChunkParts.shared([1_000, 1_000], http: .http1)
    var requests = ChunkRequests()
    requests.open(.none, at: 5 * ms, roundTrip: 60 * ms, shared.settings)
    requests.add(0, &shared.flows)
    requests.add(1, &shared.flows)
    #expect(requests.next(isShared: false, &shared.flows) == 0)
    #expect(requests.next(isShared: false, &shared.flows) == nil)
    requests.end(0, at: 90 * ms, isShared: false)
    #expect(requests.next(isShared: false, &shared.flows) == 1)
    let left = requests.depart(80, at: 6 * ms, shared.settings)
    #expect(left == 90 * ms + shared.settings.uplinkTime(80))
    requests.abandon()
    #expect(requests.next(isShared: true, &shared.flows) == nil)
  }
}
