import Foundation
import Models

/// How fast the published simulators' models run here, on made-up videos and traces.
enum PeerBenchmark {
  static func report() {
    print("\npeer models: sessions/s (videos and traces made up here)")
    var random = SplitMix64(seed: 11)
    func uniform() -> Double { Double(random.next() >> 11) * 0x1p-53 }
    let traces = (0..<20).map { _ in
      PeerTrace(
        times: (0..<600).map { Double($0) }, megabits: (0..<600).map { _ in 0.3 + 4 * uniform() })
    }
    let pensieve = PensieveVideo(
      sizes: [300, 750, 1200, 1850, 2850, 4300].map { rate in
        (0..<48).map { _ in Int64(rate * 500 * (0.8 + 0.4 * uniform())) }
      })
    line(
      "Pensieve, buffer-based",
      Stopwatch.rate(units: 20_000) {
        for index in 0..<20_000 {
          let outcome = PensieveSession.run(
            video: pensieve, trace: traces[index % 20], policy: .bufferBased)
          Stopwatch.keep(outcome.linearQoE.bitPattern)
        }
      })
    let videos = (0..<7).map { _ in
      MM22Video(
        sizes: [750, 1200, 1850].map { rate in
          (0..<16).map { _ in Int64(rate * 125 * (0.8 + 0.4 * uniform())) }
        }, retention: (0..<18).map { pow(0.95, Double($0)) })
    }
    let watch: [Int64] = [4_000, 16_000, 7_300, 2_100, 12_800, 9_000, 15_500]
    var session = MM22Session(videos: videos, over: traces[0], watch: watch)
    for (policy, name) in [
      (MM22Policy.fixedPreload, "fixed_preload"), (.nextOne, "next_one"), (.noSave, "no_save"),
    ] {
      line(
        "MM22, \(name)",
        Stopwatch.rate(units: 20_000) {
          for index in 0..<20_000 {
            let outcome = session.run(policy, over: traces[index % 20], watch: watch)
            Stopwatch.keep(outcome.qoe.bitPattern)
          }
        })
    }
  }

  private static func line(_ what: String, _ rate: Double) {
    print(
      what.padding(toLength: 28, withPad: " ", startingAt: 0) + String(format: "%11.0f", rate))
  }
}
