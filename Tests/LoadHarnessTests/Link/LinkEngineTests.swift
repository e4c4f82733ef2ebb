import Models
import SimulationKernel
import Testing

@testable import LoadHarness

private let millisecond: Int64 = 1_000_000

@Suite struct LinkEngineTests {
  @Test func `each client's link is its own, packets come out in the order of their times`() {
    var engine = LinkEngine(hosts: 16, slots: 64, seed: 1, fallback: .open)
    engine.assign(1, LinkProfile(downlink: 8e6, uplink: 8e6, roundTrip: 40 * millisecond), at: 0)
    engine.assign(2, LinkProfile(downlink: 80e6, uplink: 8e6, roundTrip: 20 * millisecond), at: 0)
    for host in [1, 1, 2, 2] {
      guard let slot = engine.takeSlot() else { preconditionFailure("64 slots") }
      engine.offer(slot: slot, length: 998, host: host, .down, at: 0)
    }
    guard let slot = engine.takeSlot() else { preconditionFailure("64 slots") }
    engine.offer(slot: slot, length: 998, host: 2, .up, at: 0)
    var times: [Int64] = []
    while let packet = engine.take(at: .max - 1) { times.append(packet.due) }
    #expect(times == [10_100_000, 10_200_000, 11_000_000, 21_000_000, 22_000_000])
    #expect(engine.nextDue == .max)
    let counters = engine.counters(of: 2)
    #expect(counters?.down.packetsOut == 2 && counters?.up.packetsOut == 1)
    #expect(engine.counters(of: 3) == nil)
  }

  /// Random offers, hand-overs and new profiles: nothing is lost from the books, each flow keeps
  /// its order, no slot is lost, nothing comes early.
  @Test(arguments: 0..<6)
  func `packets are conserved and ordered whatever happens`(_ seed: UInt64) {
    let streams = RandomStreams(seed: seed, replication: 0)
    let name = StreamName(rawValue: 1)
    var draw: UInt32 = 0
    func uniform() -> Double {
      draw += 1
      return streams.uniform(name, entity: 0, draw: draw)
    }
    func profile() -> LinkProfile {
      var profile = LinkProfile(
        downlink: [1e6, 1e7, 0][Int(uniform() * 3)], uplink: 1e6 + 1e7 * uniform(),
        roundTrip: Int64(uniform() * 5e7),
        loss: [.none, .independent(0.05), .bursts(rate: 0.1, meanBurst: 3)][Int(uniform() * 3)],
        queue: [.packets(20), .bytes(30_000), .time(5_000_000, leastPackets: 3), .unlimited][
          Int(uniform() * 4)])
      profile.down.rate = RateTrace(
        starts: [0, 3_000_000], rates: [profile.down.rate.rates[0], 2e6],
        end: .loop(period: 9_000_000))
      return profile
    }
    let slots = 300
    var engine = LinkEngine(hosts: 8, slots: slots, seed: seed, fallback: profile())
    var tags = [Int](repeating: 0, count: slots)
    var lastOut = [Int](repeating: -1, count: 16)
    var owner = [Int](repeating: 0, count: slots)
    var out = 0
    var refused = 0
    var now: Int64 = 0
    for number in 0..<20_000 {
      now += Int64(uniform() * 4e5)
      if uniform() < 0.01 { engine.assign(Int(uniform() * 8), profile(), at: now) }
      if let slot = engine.takeSlot() {
        let host = Int(uniform() * 8)
        let direction: LinkDirection = uniform() < 0.6 ? .down : .up
        tags[Int(slot)] = number
        owner[Int(slot)] = host * 2 + direction.rawValue
        engine.offer(
          slot: slot, length: 40 + Int(uniform() * 1460), host: host, direction, at: now)
      } else {
        refused += 1
      }
      while let packet = engine.take(at: now) {
        let lane = owner[Int(packet.slot)]
        #expect(packet.due <= now && lane & 1 == packet.direction.rawValue)
        #expect(tags[Int(packet.slot)] > lastOut[lane])
        lastOut[lane] = tags[Int(packet.slot)]
        engine.free(packet.slot)
        out += 1
      }
    }
    let total = engine.total()
    #expect(total.down.packetsIn + total.up.packetsIn == 20_000 - Int64(refused))
    #expect(total.down.packetsOut + total.up.packetsOut == Int64(out))
    let gone = total.down.full + total.up.full
    let lost = total.down.lost + total.up.lost
    let waiting = slots - engine.slots.available
    #expect(Int64(out) + gone + lost + Int64(waiting) == 20_000 - Int64(refused))
    #expect(total.onTheWay >= waiting)
    #expect(out > 5_000 && lost > 0 && gone > 0)
  }

  @Test func `the heap of due times gives the least, ties to the lane that came first`() {
    var heap = DueHeap()
    heap.reserve(50)
    #expect(heap.first == .max)
    let streams = RandomStreams(seed: 3, replication: 0)
    var times = [Int64](repeating: .max, count: 50)
    for step in 0..<5_000 {
      let bits = streams.bits(StreamName(rawValue: 2), entity: 0, draw: UInt32(step))
      let lane = Int(bits % 50)
      times[lane] = bits >> 32 & 15 == 0 ? .max : Int64(bits >> 40 & 255)
      heap.set(lane, to: times[lane])
      guard let least = times.min(), least < .max else { continue }
      #expect(heap.first == least && heap.firstLane == times.firstIndex(of: least))
    }
  }

  @Test func `a quantile of the lateness is at most an eighth too large`() {
    var slip = SlipHistogram()
    for value in 1...10_000 { slip.record(Int64(value) * 137) }
    for (share, exact) in [(0.5, 685_000.0), (0.99, 1_356_300), (1, 1_370_000)] {
      let value = Double(slip.quantile(share))
      #expect(value >= exact && value <= exact * 1.126, "\(share): \(value)")
    }
    #expect(slip.largest == 1_370_000 && slip.count == 10_000)
    #expect(SlipHistogram().quantile(0.5) == 0)
  }

  @Test func `addresses are read, printed and numbered within their block`() throws {
    let address = try #require(IPv4Address("10.71.3.4"))
    #expect("\(address)" == "10.71.3.4")
    for text in ["10.71.3", "10.71.3.256", "10.71.3.4.5", "+1.2.3.4", "a.b.c.d", ""] {
      #expect(IPv4Address(text) == nil, "\(text)")
    }
    let block = IPv4Block(address, prefix: 16)
    #expect("\(block)" == "10.71.0.0/16" && block.count == 65_536)
    #expect(block.host(of: address.bits) == 772 && "\(block[772])" == "10.71.3.4")
    #expect(block.host(of: address.bits + 65_536) == nil)
  }
}
