import Testing

@testable import Statistics

// Short forms of CoverageSlowTests: few trials, wide tolerance.

@Test(arguments: CoverageCase.all)
func `intervals cover known answers, in short`(_ model: CoverageCase) throws {
  let share = try model.coverage(replications: 16, trials: 200, seed: 100)
  // 93 to 97 %, and three standard errors √(0.95·0.05/200) = 0.0154 on either side.
  #expect(share >= 0.93 - 3 * 0.0154 && share <= 0.97 + 3 * 0.0154, "\(model): \(share)")
}

@Test(arguments: [CoverageCase.exponentialMean, .exponentialP95, .hitRatio])
func `a budget at the true value stays inconclusive, in short`(_ model: CoverageCase) throws {
  let (below, above) = try model.decided(limit: model.truth, trials: 100, seed: 7)
  #expect(below + above <= 10, "\(model): \(below) below, \(above) above")
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
