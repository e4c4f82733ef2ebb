import Foundation
import SlowTesting
import Testing

@testable import Statistics

@Suite struct LawFitTests {
  /// Laws with the parameters that a fit should find.
  struct Case: Sendable, CustomTestStringConvertible {
    var family: FittedFamily
    var parameters: [Double]
    var testDescription: String { "\(family.rawValue) \(parameters)" }
  }

  static let cases = [
    Case(family: .exponential, parameters: [10]),
    Case(family: .lognormal, parameters: [360, 1]),
    Case(family: .gamma, parameters: [2.5, 4]),
    Case(family: .weibull, parameters: [0.77, 19.9]),
    Case(family: .pareto, parameters: [1.3, 2]),
  ]

  static func draw(_ law: Law, _ count: Int, seed: UInt64) throws -> [Double] {
    try SimulatedLaw(law).draw(count, seed: seed)
  }

  /// How many seeds' intervals hold each parameter.
  static func coverage(
    _ known: Case, count: Int, seeds: Range<UInt64>, censoredShare: Double = 0
  ) throws -> [Int] {
    let law = try known.family.law(known.parameters)
    let simulated = try SimulatedLaw(law)
    var hits = known.parameters.map { _ in 0 }
    for seed in seeds {
      var events = simulated.draw(count, seed: seed)
      var censored: [Double] = []
      if censoredShare > 0 {
        let bound = try law.quantile(1 - censoredShare)
        var random = SplitMix64(seed: seed &+ 1_000_000)
        var kept: [Double] = []
        for value in events {
          // Cut somewhere up to twice the bound: about the share is not seen to end.
          let cut = 2 * bound * random.nextUniform()
          if value <= cut { kept.append(value) } else { censored.append(cut) }
        }
        events = kept
      }
      let sample = try CensoredSample(events: events, censored: censored)
      let fit = try LawFit(known.family, sample).withIntervals(sample, seed: seed)
      for (index, parameter) in fit.parameters.enumerated() {
        if parameter.interval?.contains(known.parameters[index]) ?? true { hits[index] += 1 }
      }
    }
    return hits
  }

  @Test(arguments: SlowRun.cases(cases, usual: 2))
  func `known parameters come back in at least 90 of 100 seeds`(_ known: Case) throws {
    for hits in try Self.coverage(known, count: 1_000, seeds: 1..<101) { #expect(hits >= 90) }
  }

  /// Larger samples, and a gamma law, whose survival costs a hundred times as much, are among the
  /// slow tests.
  @Test(arguments: SlowRun.cases(cases.filter { $0.family != .gamma }, usual: 1))
  func `known parameters come back when many values are censored`(_ known: Case) throws {
    let hits = try Self.coverage(known, count: 500, seeds: 1..<101, censoredShare: 0.4)
    for hits in hits { #expect(hits >= 90) }
  }

  @Test(arguments: cases)
  func `Akaike's criterion finds the family and the fit is not rejected`(_ known: Case) throws {
    let law = try known.family.law(known.parameters)
    let sample = try CensoredSample(events: Self.draw(law, 5_000, seed: 7))
    let best = try #require(LawFit.candidates(sample).first)
    // An exponential law is a gamma and a Weibull law too, which may fit a little better.
    if known.family != .exponential { #expect(best.family == known.family) }
    let fit = try LawFit(known.family, sample)
    let distance = try FitDistance(fit, sample, resamples: 99, seed: 3)
    #expect(distance.pValue > 0.01 && distance.distance < 0.03)
  }

  /// Under the law the p-value is uniform: of 100 samples about 10 are below 0.1, three standard
  /// errors are 9.
  @Test(arguments: [cases[1], cases[3]], [0, 0.4])
  func `the p-value is honest for fitted parameters`(
    _ known: Case, _ censoredShare: Double
  ) throws {
    let law = try known.family.law(known.parameters)
    let simulated = try SimulatedLaw(law)
    var low = 0
    for seed in 1..<101 as Range<UInt64> {
      var events = simulated.draw(400, seed: seed)
      var censored: [Double] = []
      if censoredShare > 0 {
        let bound = try law.quantile(0.7)
        censored = events.filter { $0 > bound }.map { _ in bound }
        events = events.filter { $0 <= bound }
      }
      let sample = try CensoredSample(events: events, censored: censored)
      let fit = try LawFit(known.family, sample)
      if try FitDistance(fit, sample, resamples: 49, seed: seed).pValue <= 0.1 { low += 1 }
    }
    #expect((1...19).contains(low))
  }

  @Test func `a wrong family is rejected`() throws {
    let law = try Law.lognormal(median: 10, sigma: 1)
    let sample = try CensoredSample(events: Self.draw(law, 2_000, seed: 1))
    let fit = try LawFit(.exponential, sample)
    #expect(try FitDistance(fit, sample, resamples: 99, seed: 1).pValue == 0.01)
  }

  @Test func `groups change the likelihood by less than anybody sees`() throws {
    let values = try Self.draw(try .lognormal(median: 3, sigma: 0.8), 20_000, seed: 5)
    let sample = try CensoredSample(events: values)
    let fit = try LawFit(.lognormal, sample)
    let mean = values.map { log($0) }.reduce(0, +) / 20_000
    #expect(abs(fit.values[0] / exp(mean) - 1) < 2e-6)
    #expect(sample.count == 20_000 && sample.events.count < 5_000)
  }

  @Test func `what has no spread is refused`() throws {
    let sample = try CensoredSample(events: [2, 2, 2])
    #expect(LawFit.candidates(sample).isEmpty)
    #expect(throws: StatisticsError.self) { try CensoredSample(events: [], censored: [1]) }
    #expect(throws: StatisticsError.self) { try CensoredSample(events: [0]) }
  }
}
