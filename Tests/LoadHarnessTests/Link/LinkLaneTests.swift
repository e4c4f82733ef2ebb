import Models
import SimulationKernel
import Testing

@testable import LoadHarness

/// A lane that serialises a 1,000-byte packet, framing included, in 1 ms.
private func lane(
  delay: Int64 = 0, queue: LinkQueue = .unlimited, loss: PacketLoss = .none,
  rate: RateTrace = RateTrace(constant: 8e6), key: UInt64 = 0
) -> LinkLane {
  LinkLane(
    LinkLaneProfile(rate: rate, delay: delay, queue: queue, loss: loss), framing: 2,
    loss: LossGaps(loss, connection: key, streams: RandomStreams(seed: 1, replication: 0)), at: 0)
}

private let millisecond: Int64 = 1_000_000

/// Times at which packets leave until `end`.
private func departures(_ lane: inout LinkLane, until end: Int64) -> [Int64] {
  var times: [Int64] = []
  while let packet = lane.take(at: end) { if packet.slot >= 0 { times.append(packet.arrival) } }
  return times
}

@Suite struct LinkLaneTests {
  @Test func `packets follow each other at the link's rate and arrive a delay later`() {
    var lane = lane(delay: 20 * millisecond)
    for slot in 0..<3 { #expect(lane.offer(length: 998, slot: Int32(slot), at: 0) == .queued) }
    #expect(lane.nextArrival == 21 * millisecond)
    #expect(lane.take(at: 21 * millisecond - 1) == nil)
    #expect(
      departures(&lane, until: .max - 1) == [21, 22, 23].map { $0 * millisecond })
    #expect(lane.nextArrival == .max)
    // The link is free again: a later packet starts when it comes.
    _ = lane.offer(length: 998, slot: 3, at: 50 * millisecond)
    #expect(lane.nextArrival == 71 * millisecond)
  }

  @Test func `a full packet of 1500 bytes takes the time of the transfer model's 1502`() {
    var lane = lane()
    _ = lane.offer(length: 1500, slot: 0, at: 0)
    #expect(lane.nextArrival == 1_502_000)
  }

  @Test func `the packet in transmission does not count for a queue of packets`() {
    var lane = lane(queue: .packets(2))
    let answers = (0..<4).map { lane.offer(length: 998, slot: Int32($0), at: 0) }
    #expect(answers == [.queued, .queued, .queued, .full])
    // One has begun to be sent at 1 ms: there is room for one.
    #expect(lane.offer(length: 998, slot: 4, at: millisecond) == .queued)
    #expect(lane.offer(length: 998, slot: 5, at: millisecond) == .full)
    #expect(lane.counters.full == 2)
  }

  @Test func `a queue of bytes counts wire bytes, one of time counts the wait`() {
    var bytes = lane(queue: .bytes(2500))
    let first = (0..<4).map { bytes.offer(length: 998, slot: Int32($0), at: 0) }
    #expect(first == [.queued, .queued, .queued, .full])
    #expect(bytes.offer(length: 498, slot: 4, at: 0) == .queued)
    var time = lane(queue: .time(3 * millisecond, leastPackets: 1))
    let second = (0..<5).map { time.offer(length: 998, slot: Int32($0), at: 0) }
    #expect(second == [.queued, .queued, .queued, .queued, .full])
    var least = lane(queue: .time(0, leastPackets: 3))
    let third = (0..<5).map { least.offer(length: 998, slot: Int32($0), at: 0) }
    #expect(third == [.queued, .queued, .queued, .queued, .full])
  }

  @Test func `a packet keeps the rate at which its transmission began`() {
    let trace = RateTrace(
      starts: [0, 1_500_000, 4_000_000], rates: [8e6, 0, 16e6], end: .hold)
    var lane = lane(rate: trace)
    for slot in 0..<4 { _ = lane.offer(length: 998, slot: Int32(slot), at: 0) }
    // The second begins at 1 ms at 8 Mbps and ends in the silence; the third waits for 4 ms.
    #expect(
      departures(&lane, until: .max - 1) == [1_000_000, 2_000_000, 4_500_000, 5_000_000])
  }

  @Test func `a link without a rate for ever holds its packets, and another profile frees them`() {
    var lane = lane(rate: RateTrace(constant: 0))
    #expect(lane.offer(length: 998, slot: 0, at: 0) == .queued)
    #expect(lane.offer(length: 998, slot: 1, at: 0) == .queued)
    #expect(lane.nextArrival == .max && lane.count == 2)
    lane.change(
      to: LinkLaneProfile(rate: RateTrace(constant: 8e6), delay: 0), framing: 2, loss: .none,
      at: 5 * millisecond)
    #expect(departures(&lane, until: .max - 1) == [6, 7].map { $0 * millisecond })
  }

  @Test func `packets that wait follow a new profile, the one in transmission does not`() {
    var lane = lane(delay: 10 * millisecond)
    for slot in 0..<3 { _ = lane.offer(length: 998, slot: Int32(slot), at: 0) }
    lane.change(
      to: LinkLaneProfile(rate: RateTrace(constant: 16e6), delay: 20 * millisecond), framing: 2,
      loss: .none, at: millisecond / 2)
    #expect(departures(&lane, until: .max - 1) == [11_000_000, 21_500_000, 22_000_000])
  }

  @Test func `no packet overtakes another when the delay shrinks`() {
    var lane = lane(delay: 30 * millisecond)
    _ = lane.offer(length: 998, slot: 0, at: 0)
    _ = lane.offer(length: 998, slot: 1, at: 2 * millisecond)
    lane.change(
      to: LinkLaneProfile(rate: RateTrace(constant: 8e6), delay: 0), framing: 2, loss: .none,
      at: 4 * millisecond)
    _ = lane.offer(length: 998, slot: 2, at: 4 * millisecond)
    #expect(departures(&lane, until: .max - 1) == [31, 33, 33].map { $0 * millisecond })
  }

  @Test func `a delay beyond all times holds its packets and overflows nothing`() {
    var lane = lane(delay: .max)
    #expect(lane.offer(length: 998, slot: 0, at: 0) == .queued)
    #expect(lane.offer(length: 998, slot: 1, at: .max - 1) == .queued)
    #expect(lane.take(at: .max - 1) == nil && lane.nextArrival == .max)
  }

  @Test func `a lost packet occupies the link and never arrives`() {
    var lossy = lane(loss: .independent(1))
    #expect(lossy.offer(length: 998, slot: 0, at: 0) == .lost)
    #expect(lossy.offer(length: 998, slot: 1, at: 0) == .lost)
    #expect(lossy.nextArrival == millisecond && lossy.count == 2)
    #expect(departures(&lossy, until: .max - 1).isEmpty)
    #expect(lossy.counters.lost == 2 && lossy.counters.packetsOut == 0)
  }

  /// The losses' number is binomial: tolerance of four standard errors.
  @Test(arguments: [PacketLoss.independent(0.02), .bursts(rate: 0.02, meanBurst: 4)])
  func `losses have the rate they were given, and the same again in the next run`(
    _ loss: PacketLoss
  ) {
    func losses(_ key: UInt64) -> [Int] {
      var lane = lane(loss: loss, key: key)
      return (0..<100_000).filter { number in
        let answer = lane.offer(length: 98, slot: 0, at: Int64(number) * millisecond)
        while lane.take(at: Int64(number) * millisecond) != nil {}
        return answer == .lost
      }
    }
    let first = losses(7)
    #expect(first == losses(7))
    #expect(first != losses(8))
    // A run of lost packets counts as one: the variance is up to twice its mean length as large.
    let (count, error): (Double, Double) =
      if case .bursts = loss {
        (Double(first.count), (100_000 * 0.02 * 8).squareRoot())
      } else {
        (Double(first.count), (100_000 * 0.02 * 0.98).squareRoot())
      }
    #expect(abs(count - 2000) < 4 * error, "\(count)")
    if case .bursts = loss {
      let runs = first.indices.count { $0 == 0 || first[$0] != first[$0 - 1] + 1 }
      let mean = Double(first.count) / Double(runs)
      // Geometric runs: the deviation of one is below its mean.
      #expect(abs(mean - 4) < 4 * 4 / Double(runs).squareRoot(), "\(mean)")
    }
  }
}
