import Foundation
import Models
import SimulationKernel
import Statistics

/// How fast random numbers come: each one from its key, nothing stored between them.
enum DrawBenchmark {
  static let draws = 2_000_000

  static func report() throws {
    let streams = RandomStreams(seed: 20_260_101, replication: 0)
    let name = StreamName.arrival
    let knots = try QuantileKnots.tabulate(.lognormal(median: 60, sigma: 0.5))
    let quantiles = QuantileTable(
      lower: knots.lower, upper: knots.upper, maximumError: knots.maximumError, mean: knots.mean)
    let zipf = try ZipfLaw(count: 100_000, exponent: 1)
    let built = try Statistics.AliasTable(weights: zipf.probabilities)
    let alias = SimulationKernel.AliasTable(thresholds: built.thresholds, aliases: built.aliases)

    var state = SplitMix64(seed: 3)
    let baseline = rate { _ in state.next() }
    print("\ndraws: million/s against SplitMix64, which is a state and no key")
    print("                               rate      ratio")
    line("SplitMix64, 64 bits", baseline, baseline)
    line("uniform", rate { streams.uniform(name, entity: 7, draw: $0).bitPattern }, baseline)
    line("uniforms in pairs", pairRate(streams, name), baseline)
    line(
      "lognormal, quantile table",
      rate { quantiles.quantile(streams.uniform(name, entity: 7, draw: $0)).bitPattern }, baseline)
    line(
      "Zipf of 100,000, alias table",
      rate { UInt64(alias.index(streams.bits(name, entity: 7, draw: $0))) }, baseline)
  }

  private static func line(_ what: String, _ rate: Double, _ baseline: Double) {
    let padded = what.padding(toLength: 28, withPad: " ", startingAt: 0)
    print(padded + String(format: "%7.1f %10.3f", rate / 1e6, rate / baseline))
  }

  @inline(__always)
  private static func rate(_ draw: (UInt32) -> UInt64) -> Double {
    Stopwatch.rate(units: draws) {
      var sum: UInt64 = 0
      for index in 0..<UInt32(draws) { sum = sum &+ draw(index) }
      Stopwatch.keep(sum)
    }
  }

  private static func pairRate(_ streams: RandomStreams, _ name: StreamName) -> Double {
    Stopwatch.rate(units: draws) {
      var sum = 0.0
      for index in 0..<UInt32(draws / 2) {
        let (first, second) = streams.uniformPair(name, entity: 7, pair: index)
        sum += first + second
      }
      Stopwatch.keep(sum.bitPattern)
    }
  }
}
