import SimulationKernel
import Testing

@testable import NetworkModels

/// The same link by brute force: rates by filling level by level, time from end to end.
private struct NaiveLink {
  struct Flow {
    var bits: Double
    var weight: Double
    var cap: Double
    var isActive = true
  }

  var capacity: Double
  var flows: [Flow] = []
  var now = 0.0
  var ends: [(flow: Int, time: Double)] = []

  func rates() -> [Double] {
    var rates = [Double](repeating: 0, count: flows.count)
    var open = flows.indices.filter { flows[$0].isActive }
    var rest = capacity
    while !open.isEmpty {
      let level = rest / open.reduce(0) { $0 + flows[$1].weight }
      let bound = open.filter { flows[$0].cap <= level * flows[$0].weight }
      if bound.isEmpty {
        for flow in open { rates[flow] = level * flows[flow].weight }
        break
      }
      for flow in bound {
        rates[flow] = flows[flow].cap
        rest -= flows[flow].cap
      }
      open.removeAll { bound.contains($0) }
    }
    return rates
  }

  mutating func advance(to time: Double) {
    while true {
      let rates = rates()
      var next = time
      for flow in flows.indices where flows[flow].isActive && rates[flow] > 0 {
        let end = now + flows[flow].bits / rates[flow] * 1e9
        if end < next { next = end }
      }
      for flow in flows.indices where flows[flow].isActive {
        flows[flow].bits -= rates[flow] * (next - now) * 1e-9
        if rates[flow] > 0 && flows[flow].bits <= rates[flow] * 1e-9 {
          flows[flow].isActive = false
          ends.append((flow, next))
        }
      }
      now = next
      if next >= time { return }
    }
  }
}

@Suite struct SharedBottleneckTests {
  private let draw = RandomStreams(seed: 11, replication: 0)
  private let purpose = StreamName(rawValue: 900)

  private func uniform(_ entity: Int, _ number: Int) -> Double {
    draw.uniform(purpose, entity: UInt64(entity), draw: UInt32(number))
  }

  @Test(arguments: 0..<20)
  func `rates and ends are those of water-filling`(trial: Int) throws {
    var link = SharedBottleneck(capacity: 1e8)
    var naive = NaiveLink(capacity: 1e8)
    var time: Int64 = 0
    var draws = 0
    func next() -> Double {
      draws += 1
      return uniform(trial, draws)
    }
    for _ in 0..<150 {
      time += Int64(next() * 2e7)
      let action = next()
      naive.advance(to: Double(time))
      let flow = Int(next() * Double(naive.flows.count))
      if action < 0.6 || naive.flows.isEmpty {
        // Multiples of what the link resolves, so that both see the same numbers.
        let bytes = Double(Int64(1 + next() * 4e5))
        let weight = Double(Int64(1 + next() * 64)) / 16
        let cap = next() < 0.3 ? Double.infinity : Double(Int64(1e5 + next() * 4e7))
        link.add(naive.flows.count, bytes: bytes, weight: weight, cap: cap, at: time)
        naive.flows.append(.init(bits: bytes * 8, weight: weight, cap: cap))
      } else if action < 0.75 {
        let cap = Double(Int64(1e5 + next() * 4e7))
        link.changeCap(flow, to: cap, at: time)
        naive.flows[flow].cap = cap
      } else if action < 0.9 {
        let capacity = Double(Int64(2e7 + next() * 2e8))
        link.changeCapacity(to: capacity, at: time)
        naive.capacity = capacity
      } else {
        link.remove(flow, at: time)
        naive.flows[flow].isActive = false
      }
      let rates = naive.rates()
      for flow in naive.flows.indices {
        #expect(abs(link.rate(of: flow) - rates[flow]) <= 1e-6 * (rates[flow] + 1))
        if naive.flows[flow].isActive {
          let left = naive.flows[flow].bits / 8
          #expect(abs(link.remaining(of: flow) - left) <= 1e-6 * left + 1)
        }
      }
    }
    link.advance(to: time + 1_000_000_000_000)
    naive.advance(to: Double(time) + 1e12)
    var ends = [Int: Int64]()
    while let end = link.takeFinished() { ends[end.flow] = end.time }
    #expect(ends.count == naive.ends.count)
    for end in naive.ends {
      let time = try #require(ends[end.flow])
      // Each of up to 150 earlier ends is rounded up by less than a nanosecond.
      #expect(abs(Double(time) - end.time) < 5000)
    }
  }

  @Test func `equal flows that start together end together, when all bytes are through`() {
    var link = SharedBottleneck(capacity: 8e6)
    for flow in 0..<100 { link.add(flow, bytes: 10_000, at: 0) }
    #expect(link.nextChange == 1_000_000_000)
    link.advance(to: 1_000_000_100)
    for flow in 0..<100 {
      let end = link.takeFinished()
      #expect(end?.flow == flow)
      #expect(abs((end?.time ?? 0) - 1_000_000_000) <= 100)
    }
    #expect(link.takeFinished() == nil)
  }

  @Test func `flows below the level run at their caps and the others share the rest by weight`() {
    var link = SharedBottleneck(capacity: 10e6)
    link.add(0, bytes: 1e6, weight: 1, cap: 1e6, at: 0)
    link.add(1, bytes: 1e6, weight: 2, at: 0)
    link.add(2, bytes: 1e6, weight: 1, cap: 5e6, at: 0)
    #expect(link.rate(of: 0) == 1e6)
    #expect(abs(link.rate(of: 1) - 6e6) < 1)
    #expect(abs(link.rate(of: 2) - 3e6) < 1)
    link.changeCap(1, to: 2e6, at: 0)
    #expect(link.rate(of: 1) == 2e6)
    #expect(link.rate(of: 2) == 5e6)
    link.changeCapacity(to: 1.5e6, at: 0)
    #expect(abs(link.rate(of: 0) + link.rate(of: 1) + link.rate(of: 2) - 1.5e6) < 1)
  }

  @Test func `what has been carried and what is left add up to all bytes at every change`() {
    var link = SharedBottleneck(capacity: 5e7)
    var carried = 0.0
    var expected = 0.0
    var last: Int64 = 0
    for flow in 0..<500 {
      let time = Int64(flow) * 1_000_000
      // The link is work-conserving while somebody has no cap.
      var rate = 0.0
      while link.nextChange <= time {
        let change = link.nextChange
        rate = (0..<flow).reduce(0) { $0 + link.rate(of: $1) }
        carried += rate * Double(change - last) / 8e9
        last = change
        link.advance(to: change)
      }
      rate = (0..<flow).reduce(0) { $0 + link.rate(of: $1) }
      carried += rate * Double(time - last) / 8e9
      last = time
      let bytes = 1000 + 20_000 * uniform(1, flow)
      link.add(flow, bytes: bytes, weight: 1, cap: flow % 3 == 0 ? 3e5 : .infinity, at: time)
      expected += bytes
      let left = (0...flow).reduce(0) { $0 + link.remaining(of: $1) }
      #expect(abs(carried + left - expected) < 1e-6 * expected + 10)
    }
  }

  @Test func `a million flows cost as many heap steps per call as the logarithm grows`() {
    func steps(_ count: Int) -> Double {
      var link = SharedBottleneck(capacity: 1e3 * Double(count), flows: count)
      for flow in 0..<count {
        let cap = flow % 4 == 0 ? 500 + 1000 * uniform(2, flow) : .infinity
        link.add(flow, bytes: 1000 + 1e5 * uniform(3, flow), cap: cap, at: Int64(flow))
      }
      let before = link.heapSteps
      for flow in 0..<10_000 {
        link.changeCap(
          (flow * 7919) % count, to: 500 + 1000 * uniform(4, flow), at: Int64(count + flow))
      }
      return Double(link.heapSteps - before) / 10_000
    }
    let small = steps(10_000)
    let large = steps(1_000_000)
    // log 1e6 / log 1e4 = 1.5 in the worst case; a linear cost would give 100.
    #expect(large < 2 * small)
    #expect(large < 60)
  }

  @Test func `nothing to send ends at once and no rate never ends`() {
    var link = SharedBottleneck(capacity: 0)
    link.add(0, bytes: 0, at: 5)
    #expect(link.takeFinished() == SharedBottleneck.End(flow: 0, time: 5))
    link.add(1, bytes: 100, at: 5)
    #expect(link.nextChange == .max)
    link.changeCapacity(to: 8e6, at: 10)
    #expect(link.nextChange == 10 + 100_000)
    link.changeCap(1, to: 0, at: 20)
    #expect(link.nextChange == .max)
    #expect(abs(link.remove(1, at: 1000) - 99.99) < 0.001)
    #expect(link.count == 0)
  }

  @Test func `two runs give the same ends`() {
    func run() -> [SharedBottleneck.End] {
      var link = SharedBottleneck(capacity: 3e7)
      for flow in 0..<2000 {
        link.add(
          flow, bytes: 1e5 * uniform(5, flow), weight: 0.5 + uniform(6, flow),
          cap: 1e6 + 1e7 * uniform(7, flow), at: Int64(flow) * 10_000_000)
      }
      link.advance(to: .max - 1)
      var ends: [SharedBottleneck.End] = []
      while let end = link.takeFinished() { ends.append(end) }
      return ends
    }
    let first = run()
    #expect(first.count == 2000)
    #expect(first == run())
    #expect(zip(first, first.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func `a positive exponent favours short round trips and a negative one long ones`() {
    #expect(RateBias().weight(roundTrip: 20_000_000) == 1)
    let classic = RateBias(exponent: 1)
    let ratio = classic.weight(roundTrip: 20_000_000) / classic.weight(roundTrip: 150_000_000)
    #expect(abs(ratio - 7.5) < 1e-9)
    let reversed = RateBias(exponent: -1)
    #expect(reversed.weight(roundTrip: 20_000_000) < reversed.weight(roundTrip: 150_000_000))
  }
}
