import Testing

@testable import Statistics

// Short forms of CoverageSlowTests: few trials, wide tolerance.

@Test(arguments: CoverageCase.all)
func `intervals cover known answers, in short`(_ model: CoverageCase) throws {
  let share = try model.coverage(replications: 16, trials: 200, seed: 100)
  // 93 to 97 %, and three standard errors √(0.95·0.05/200) = 0.0154 on either side.
  #expect(share >= 0.93 - 3 * 0.0154 && share <= 0.97 + 3 * 0.0154, "\(model): \(share)")
}

@Test(arguments: [
  CoverageCase.exponentialMean, .exponentialP95, .hitRatio, .hitRatioJackknife,
])
func `a budget at the true value stays inconclusive, in short`(_ model: CoverageCase) throws {
  let (below, above) = try model.decided(limit: model.truth, trials: 100, seed: 7)
  #expect(below + above <= 10, "\(model): \(below) below, \(above) above")
}

@Test func `a skewed mean is covered better with the correction`() throws {
  var random = SplitMix64(seed: 55)
  var (plain, corrected) = (0, 0)
  let trials = 2000
  for _ in 0..<trials {
    let values = (0..<16).map { _ in exponential(&random) }
    if try Estimates.mean(of: values).interval.contains(1) { plain += 1 }
    if try Estimates.skewedMean(of: values).interval.contains(1) { corrected += 1 }
  }
  // 91.1 and 94.1 %; three standard errors of √(0.94·0.06/2000) = 0.0053.
  let gain = Double(corrected - plain) / Double(trials)
  #expect(gain > 0.015, "gain \(gain)")
  #expect(abs(Double(corrected) / Double(trials) - 0.941) < 3 * 0.0053, "covered \(corrected)")
}

@Test func `the correction is Student's interval without skewness and mirrors with it`() throws {
  let even = [1.0, 2, 3, 4, 5]
  let plain = try Estimates.mean(of: even).interval
  let same = try Estimates.skewedMean(of: even).interval
  #expect(abs(plain.lower - same.lower) < 1e-12 && abs(plain.upper - same.upper) < 1e-12)
  let skewed = [0.1, 0.2, 0.4, 0.9, 4]
  let found = try Estimates.skewedMean(of: skewed)
  let mirrored = try Estimates.skewedMean(of: skewed.map { -$0 })
  #expect(abs(found.interval.lower + mirrored.interval.upper) < 1e-12)
  // The long tail is on the right, so the interval reaches further there.
  #expect(found.interval.upper - found.value > found.value - found.interval.lower)
  #expect(try Estimates.skewedMean(of: [2, 2, 2]).interval.halfWidth == 0)
  // Nearly symmetric values pass from the closed form to the straight line without a step.
  let nearly = try Estimates.skewedMean(of: [1, 2, 3, 4, 5 + 1e-5]).interval
  #expect(abs(nearly.upper - plain.upper) < 1e-4)
}

@Test func `a pooled quantile is that of all values, with the sections' spread`() throws {
  let found = try Estimates.pooledQuantile(sorted: [[1, 2, 3], [2, 4, 6], [5, 5, 8]], 0.5)
  // Pooled 1 2 2 3 4 5 5 6 8: median 4; sections 2, 4, 5: squares 4 + 0 + 1; error √(5/6).
  #expect(found.value == 4)
  #expect(abs((found.standardError ?? 0) - (5.0 / 6).squareRoot()) < 1e-15)
  #expect(found.n == 3)
  for bad in [[[1.0]], [[1], []], [[2, 1], [1, 2]]] as [[[Double]]] {
    #expect(throws: StatisticsError.self) { try Estimates.pooledQuantile(sorted: bad, 0.5) }
  }
  #expect(throws: StatisticsError.self) { try Estimates.sectioned(.nan, sections: [1, 2]) }
}

@Test func `nothing changed is seldom called a regression, in short`() throws {
  // The same law on independent streams; with no threshold the level alone stands.
  for (own, threshold) in [(10.0, 0.02), (10, 0)] {
    let found = try ruleOutcomes(
      change: 0, shared: 0, own: own, threshold: threshold, trials: 100, seed: 21)
    #expect(found.regressions <= 5, "\(found)")
  }
}

@Test func `a change beyond the threshold is found, in short`() throws {
  let found = try ruleOutcomes(
    change: 4, shared: 30, own: 3, threshold: 0.02, trials: 100, seed: 22)
  #expect(found.regressions >= 95, "\(found)")
  #expect(found.improvements == 0)
}

@Test func `MSER-5 takes the transient of an autoregression out of the mean`() throws {
  var random = SplitMix64(seed: 14)
  var (raw, cut): ([Double], [Double]) = ([], [])
  var truncations: [Double] = []
  for _ in 0..<300 {
    // x_t = 0.9·x_{t-1} + e_t about 10, started 50 above: the transient's sum is 50/0.1 = 500.
    var deviation = 50.0
    let series = (0..<2000).map { _ in
      deviation = 0.9 * deviation + fastNormal(&random)
      return 10 + deviation
    }
    let found = try WarmUp.mser5(series)
    raw.append(series.reduce(0, +) / 2000)
    cut.append(found.mean)
    truncations.append(Double(found.truncation))
    #expect(!found.isTooShort)
  }
  let before = try Estimates.mean(of: raw)
  let after = try Estimates.mean(of: cut)
  // 0.9·500/2000 = 0.225 of bias before; deviation of a mean 10/√2000 = 0.22, of 300 0.013.
  #expect(abs(before.value - 10.225) < 3 * 0.0132, "\(before)")
  #expect(abs(after.value - 10) < 3 * 0.0132, "\(after)")
  // After 20 steps 50·0.9^20 = 6 deviations are left, after 60 less than a tenth of one.
  let mean = try Summary(truncations).mean
  #expect(mean > 20 && mean < 150, "cut \(mean)")
}
