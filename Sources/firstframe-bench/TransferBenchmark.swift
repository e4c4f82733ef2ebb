import Foundation
import MediaUnits
import Models
import SimulationKernel

/// How fast transfers are priced, and flows shared.
enum TransferBenchmark {
  static let transfers = 1_000_000
  // 50 Mbps, 60 ms: the pipe holds 251 packets.
  private static let packetTime = 1502 * 8 / 50e6 * 1e9
  private static let roundTrip = 60e6

  static func report() {
    let baseline = Stopwatch.rate(units: transfers) {
      var random = SplitMix64(seed: 5)
      var sum = 0.0
      for _ in 0..<transfers {
        sum += roundTrip + Double(20 + random.next() & 511) * packetTime
      }
      Stopwatch.keep(sum.bitPattern)
    }
    print("\ntransfers of 20 to 531 packets: million/s against one round trip plus bytes over rate")
    print("                                   rate      ratio")
    line("one round trip plus bytes", baseline, baseline)
    line("closed form, warm connection", closed(window: 600), baseline)
    line("closed form, slow start", closed(window: 10), baseline)
    line("rounds, CUBIC, no loss", rounds(.cubic, loss: 0), baseline)
    line("rounds, CUBIC, 1 % loss", rounds(.cubic, loss: 0.01), baseline)
    line("rounds, BBR, 1 % loss", rounds(.bbr, loss: 0.01), baseline)
    shared()
  }

  static func line(_ what: String, _ rate: Double, _ baseline: Double) {
    let padded = what.padding(toLength: 32, withPad: " ", startingAt: 0)
    print(padded + String(format: "%9.3f %10.4f", rate / 1e6, rate / baseline))
  }

  private static func closed(window: Double) -> Double {
    Stopwatch.rate(units: transfers) { closed(window: window, transfers) }
  }

  static func closed(window: Double, _ count: Int) {
    var random = SplitMix64(seed: 5)
    var sum = 0.0
    for _ in 0..<count {
      let cost = TransferCost.closed(
        packets: Int64(20 + random.next() & 511), packetTime: packetTime,
        roundTrip: roundTrip, window: window)
      sum += cost.stall + cost.window
    }
    Stopwatch.keep(sum.bitPattern)
  }

  private static func rounds(_ control: CongestionControl, loss: Double) -> Double {
    Stopwatch.rate(units: transfers / 10) { rounds(control, loss: loss, transfers / 10) }
  }

  /// Each transfer on a connection of its own, so that every one goes through slow start.
  static func rounds(_ control: CongestionControl, loss: Double, _ count: Int) {
    let streams = RandomStreams(seed: 7, replication: 0)
    var random = SplitMix64(seed: 5)
    var sum = 0.0
    for index in 0..<count {
      var state = CongestionState(control, roundTrip: roundTrip)
      var gaps = LossGaps(
        loss > 0 ? .independent(loss) : .none, connection: UInt64(index), streams: streams)
      let cost = TransferCost.rounds(
        state: &state, loss: &gaps, at: 0, packets: Int64(20 + random.next() & 511),
        packetTime: packetTime, roundTrip: roundTrip, queuePackets: 1000)
      sum += cost.stall + cost.window
    }
    Stopwatch.keep(sum.bitPattern)
  }

  /// One flow ends, another begins, with N flows on the link; half of them are capped below the
  /// fair share.
  private static func shared() {
    print("\nshared bottleneck: million ends and arrivals/s with N flows, against N = 100")
    print("      flows       rate      ratio")
    var first = 0.0
    for flows in [100, 10_000, 1_000_000] {
      var link = SharedBottleneck(capacity: Double(flows) * 1e6, flows: flows)
      var random = SplitMix64(seed: 9)
      func add(_ flow: Int, at time: Int64) {
        let size = Double(50_000 + random.next() & 0xF_FFFF)
        link.add(flow, bytes: size, cap: flow & 1 == 0 ? 0.5e6 : .infinity, at: time)
      }
      for flow in 0..<flows { add(flow, at: 0) }
      let changes = 200_000
      let rate = Stopwatch.rate(units: changes) {
        for _ in 0..<changes {
          let time = link.nextChange
          link.advance(to: time)
          while let end = link.takeFinished() { add(end.flow, at: time) }
        }
      }
      if first == 0 { first = rate }
      print(String(format: "%11d %10.2f %10.2f", flows, rate / 1e6, rate / first))
    }
  }
}
