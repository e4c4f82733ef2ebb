import Models
import Scenario

/// Responses that begin at different times on one connection: what a feed makes of them beside the
/// model of rounds, which runs the connection's rounds and deals its bytes (docs/decisions/0036).
///
/// The model of rounds is no measurement; ``Multiplexed`` holds it against the kernel's rows.
enum StaggeredResponses {
  /// Cases that the limits were found with, and those that nothing was found with.
  static let seed: UInt64 = 9
  static let heldOutSeed: UInt64 = 2_026

  /// Links of one kind.
  struct Setting: Sendable {
    var name: String
    var http = HTTPVersion.http2
    /// Share of packets that are lost.
    var loss = 0.0
    var count = 600
  }

  static let settings = [
    Setting(name: "HTTP/2", count: 400), Setting(name: "HTTP/2, 0.1 %", loss: 0.001),
    Setting(name: "HTTP/2, 0.5 %", loss: 0.005), Setting(name: "HTTP/2, 2 %", loss: 0.02),
    Setting(name: "HTTP/3", http: .http3, count: 400),
    Setting(name: "HTTP/3, 0.5 %", http: .http3, loss: 0.005),
  ]

  static func families() -> [Family] {
    [family("staggered", seed: seed), family("staggered held out", seed: heldOutSeed)]
  }

  private static func family(_ name: String, seed: UInt64) -> Family {
    Family(name, []) { _ in
      var lines: [FidelityLine?] = []
      var gates: [FidelityGate] = []
      for setting in settings {
        let cases = cases(setting, seed: seed)
        let turns = errors(.turns, cases)
        lines.append(FidelityLine("\(setting.name), turns", turns))
        lines.append(FidelityLine("\(setting.name), weights", errors(.weights, cases)))
        let summary = ErrorSummary(turns)
        gates += [
          FidelityGate(
            "\(setting.name), median", summary.median, atMost: setting.loss < 0.02 ? 0.03 : 0.05),
          FidelityGate("\(setting.name), bias", summary.bias.magnitude, atMost: 0.06),
        ]
      }
      return FamilyReport(
        name, "two to six responses on one connection of a feed, beside the model of rounds",
        lines, gates: gates)
    }
  }

  /// Two to six responses of a feed's sizes, the first after nothing and the others within some
  /// hundred milliseconds.
  static func cases(_ setting: Setting, seed: UInt64) -> [TransferCase] {
    var draws = CaseDraws(seed: seed)
    return (0..<setting.count).map { number in
      var start = 0.0
      let flows = (0..<2 + Int(draws.uniform() * 5)).map { index in
        if index > 0 { start += draws.one(of: [0, 0.01, 0.1, 0.3]) * draws.uniform() }
        return TransferFlow(
          start: Int64(start * 1e9),
          bytes: draws.one(of: [3_000, 30_000, 100_000, 300_000, 800_000]),
          responseHeaderBytes: 242)
      }
      let rate = draws.one(of: [3e6, 8e6, 20e6, 50e6])
      return TransferCase(
        downlink: RateTrace(constant: rate), uplinkRate: rate,
        roundTrip: draws.one(of: [20_000_000, 60_000_000, 150_000_000]),
        loss: setting.loss > 0 ? .independent(setting.loss) : .none,
        handshake: setting.http == .http3 ? .quic : .tcp, http: setting.http, flows: flows,
        seed: UInt64(number))
    }
  }

  /// Errors of times from the request, response by response.
  static func errors(_ sharing: LinkSharing, _ cases: [TransferCase]) -> [Double] {
    var errors: [Double] = []
    for input in cases {
      let truth = TransferModel.run(input).timings
      for (own, flow) in zip(FeedPricing.run(input, sharing: sharing), truth) {
        errors.append(
          Sample.error(Sample.milliseconds(own.duration), Sample.milliseconds(flow.duration)))
      }
    }
    return errors
  }
}

/// Knuth's MMIX generator, which needs no streams of its own.
struct CaseDraws {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func uniform() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) * 0x1p-53
  }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int(uniform() * Double(values.count))]
  }
}
