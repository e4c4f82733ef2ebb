import Foundation
import Statistics
import Testing

/// Views of titles of known ends: a share watches to the end, the others leave by a law.
@Suite struct CompletionFitTests {
  static func sample(
    _ count: Int, completion: Double, ends: ClosedRange<Double>, seed: UInt64,
    _ law: (inout Draws) throws -> Double
  ) throws -> CensoredSample {
    var draws = Draws(seed)
    var (left, reached): ([Double], [Double]) = ([], [])
    for _ in 0..<count {
      let end = ends.lowerBound + (ends.upperBound - ends.lowerBound) * draws.uniform()
      let isCompleted = draws.uniform() < completion
      let time = try law(&draws)
      if isCompleted || time >= end { reached.append(end) } else { left.append(time) }
    }
    return try CensoredSample(events: left, censored: reached)
  }

  /// Four standard errors; an interval's half is 1.96 of them.
  private func isNear(_ value: Double, _ interval: Interval, _ truth: Double) -> Bool {
    abs(value - truth) <= (interval.upper - interval.lower) / 2 / 1.96 * 4
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a share and a law come back from ends that cut`(_ seed: UInt64) throws {
    let sample = try Self.sample(3_000, completion: 0.3, ends: 10...20, seed: seed) {
      5 * exp(0.6 * (try $0.normal()))
    }
    let fit = try CompletionFit(sample, seed: 1)
    #expect(fit.family == .lognormal, "\(fit.family) \(fit.alternatives)")
    #expect(isNear(fit.completion.value, fit.completion.interval, 0.3), "\(fit.completion)")
    for (parameter, truth) in zip(fit.parameters, [5, 0.6]) {
      let interval = try #require(parameter.interval)
      #expect(isNear(parameter.value, interval, truth), "\(parameter)")
      #expect(interval.upper / interval.lower < 1.2, "\(parameter)")
    }
    #expect(fit.distance < 0.03 && fit.completion.interval.upper < 0.4)
    #expect(fit.alternatives.allSatisfy { $0.aicAbove > 0 })
    // The same numbers again.
    #expect(try CompletionFit(sample, seed: 1) == fit)
  }

  @Test func `nobody who watches to the end whatever comes is found to be none`() throws {
    let sample = try Self.sample(3_000, completion: 0, ends: 10...20, seed: 5) {
      5 * exp(0.6 * (try $0.normal()))
    }
    let fit = try CompletionFit(sample, seed: 1)
    #expect(fit.completion.interval.contains(0) || fit.completion.value < 0.02)
    let all = try CensoredSample(events: (1...200).map { Double($0) / 40 })
    #expect(try CompletionFit(all, seed: 1).completion.value < 1e-3)
  }

  @Test func `ends that lie inside the law leave share and tail open, and the interval says so`()
    throws
  {
    let sample = try Self.sample(1_000, completion: 0.3, ends: 3...4, seed: 6) {
      8 * exp(0.8 * (try $0.normal()))
    }
    let fit = try CompletionFit(sample, seed: 1)
    let interval = fit.completion.interval
    #expect(interval.upper - interval.lower > 0.2, "\(fit.completion)")
    // What is seen is told: who is left at the ends.
    #expect(fit.distance < 0.05)
  }

  @Test func `one value is no law`() throws {
    let sample = try CensoredSample(events: [2, 2, 2], censored: [3, 3])
    #expect(throws: StatisticsError.self) { try CompletionFit(sample, seed: 1) }
  }
}
