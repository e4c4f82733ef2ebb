import NetworkModels
import SimulationKernel
import Testing

@Suite struct RoundLinkTests {
  private let second: Int64 = 1_000_000_000
  /// 1 MB/s, nothing, 2 MB/s.
  private func trace(_ end: RateTrace.End) -> RateIntegral {
    RateTrace(starts: [0, second, 2 * second], rates: [8e6, 0, 16e6], end: end).integral
  }

  @Test func `bytes are served exactly through steps`() {
    let hold = trace(.hold)
    #expect(hold.time(toServe: 1_000_000, from: 0) == second)
    #expect(hold.time(toServe: 1_000_001, from: 0) == 2 * second + 500)
    #expect(hold.time(toServe: 500_000, from: second / 2) == second)
    #expect(hold.time(toServe: 1, from: second + 1) == 2 * second + 500)
    #expect(hold.time(toServe: 0, from: 5) == 5)
    #expect(abs(hold.bytes(from: second / 2, to: 3 * second) - 2_500_000) < 1e-6)
    #expect(hold.bytes(from: second, to: 2 * second) == 0)
  }

  @Test func `a loop repeats and silence never ends`() {
    let loop = trace(.loop(period: 3 * second))
    #expect(loop.time(toServe: 3_000_000, from: 0) == 3 * second)
    #expect(loop.time(toServe: 30_000_000, from: 0) == 30 * second)
    #expect(loop.rate(at: 100 * second) == 0)
    #expect(loop.nextChange(after: 100 * second) == 101 * second)
    let quiet = trace(.silence(at: 3 * second))
    #expect(quiet.time(toServe: 3_000_000, from: 0) == 3 * second)
    #expect(quiet.time(toServe: 3_000_001, from: 0) == .max)
    #expect(quiet.rate(at: 3 * second) == 0)
    #expect(quiet.nextChange(after: 3 * second) == .max)
    let dark = RateTrace(starts: [0], rates: [0], end: .hold).integral
    #expect(dark.time(toServe: 1, from: 0) == .max)
    #expect(dark.finish(packetOf: 1, from: 0) == .max)
    let blink = RateTrace(starts: [0], rates: [0], end: .loop(period: second)).integral
    #expect(blink.time(toServe: 1, from: 0) == .max)
    #expect(blink.finish(packetOf: 1, from: 0) == .max)
  }

  @Test func `a packet keeps the rate at which it started`() {
    let hold = trace(.hold)
    #expect(hold.finish(packetOf: 1_000, from: second - 1) == second - 1 + 1_000_000)
    #expect(hold.finish(packetOf: 1_000, from: second) == 2 * second + 500_000)
  }

  @Test func `serving is the inverse of carrying on random traces`() {
    let streams = RandomStreams(seed: 5, replication: 0)
    let name = StreamName(rawValue: 999)
    for entity: UInt64 in 0..<50 {
      var starts: [Int64] = []
      var rates: [Double] = []
      var time: Int64 = 0
      for draw: UInt32 in 0..<20 {
        let u = streams.uniform(name, entity: entity, draw: draw)
        starts.append(time)
        rates.append(draw % 5 == 3 ? 0 : 1e5 + 1e7 * u)
        time += 1 + Int64(u * 1e9)
      }
      let integral = RateTrace(starts: starts, rates: rates, end: .loop(period: time)).integral
      for draw: UInt32 in 20..<60 {
        let u = streams.uniform(name, entity: entity, draw: draw)
        let v = streams.uniform(name, entity: entity, draw: draw + 100)
        let start = Int64(u * 5e10)
        let bytes = v * 2e7
        let end = integral.time(toServe: bytes, from: start)
        // Not a nanosecond too late, and enough but for rounding.
        #expect(abs(integral.bytes(from: start, to: end) - bytes) < 0.01)
      }
    }
  }

  @Test func `gaps between losses have the loss rate and nest under common random numbers`() {
    let streams = RandomStreams(seed: 3, replication: 1)
    let rate = 0.02
    var lost = 0.0
    var packets = 0.0
    for connection: UInt64 in 0..<2_000 {
      var more = LossGaps(.independent(rate), connection: connection, streams: streams)
      var less = LossGaps(.independent(rate / 2), connection: connection, streams: streams)
      var ahead: Int64 = 0
      var behind: Int64 = 0
      for _ in 0..<10 {
        packets += Double(more.clean + 1)
        lost += 1
        ahead += more.clean + 1
        behind += less.clean + 1
        #expect(behind >= ahead)
        more.pass(more.clean)
        more.lose()
        less.pass(less.clean)
        less.lose()
      }
    }
    // The mean gap of 20,000 has a relative standard error of 0.7 %.
    #expect(abs(packets / lost * rate - 1) < 4 * 0.007)
  }

  @Test func `losses in bursts have their rate and mean length`() {
    let streams = RandomStreams(seed: 4, replication: 0)
    var gaps = LossGaps(.bursts(rate: 0.05, meanBurst: 4), connection: 1, streams: streams)
    var lost = 0.0
    var runs = 0.0
    var packets = 0.0
    for _ in 0..<200_000 {
      if gaps.clean > 0 { runs += 1 }
      packets += Double(gaps.clean) + 1
      lost += 1
      gaps.pass(gaps.clean)
      gaps.lose()
    }
    // 50,000 runs: one standard error is 0.4 % of the length and 0.6 % of the rate.
    #expect(abs(lost / runs / 4 - 1) < 4 * 0.004)
    #expect(abs(lost / packets / 0.05 - 1) < 4 * 0.006)
  }
}
