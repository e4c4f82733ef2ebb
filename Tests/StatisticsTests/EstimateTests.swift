import Testing

@testable import Statistics

// Issue 2 item 4; contract.md section 2: intervals are 95 %, two-sided; no data is never a number.

private func isClose(_ a: Double, _ b: Double, _ relative: Double) -> Bool {
  abs(a - b) <= relative * max(abs(a), abs(b))
}

private func codeOfError(_ body: () throws -> some Any) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? StatisticsError)?.code
  }
}

/// A. Michelson's 100 speeds of light of 1879 in Mm/s, as in the NIST Statistical Reference
/// Datasets.
private let michelson: [Double] = [
  850, 740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000, 1000,
  960, 960, 960, 940, 960, 940, 880, 800, 850, 880, 900, 840, 830, 790, 810, 880, 880, 830, 800,
  790, 760, 800, 880, 880, 880, 860, 720, 720, 620, 860, 970, 950, 880, 910, 850, 870, 840, 840,
  850, 840, 840, 840, 890, 810, 810, 820, 800, 770, 760, 740, 750, 760, 910, 920, 890, 860, 880,
  720, 840, 850, 850, 780, 890, 840, 780, 810, 760, 810, 790, 810, 820, 850, 870, 870, 810, 740,
  810, 940, 950, 800, 810, 870,
].map { (299_000 + $0) / 1000 }

/// First value, then the two others in turn: the NIST sets NumAcc2 to NumAcc4 have 1001 values.
private func alternating(_ first: Double, _ odd: Double, _ even: Double) -> [Double] {
  [first] + (0..<1000).map { $0 % 2 == 0 ? odd : even }
}

@Test func `mean and deviation have the NIST certified values`() throws {
  // NIST StRD, univariate summary statistics. The tolerance is what the data allow as doubles:
  // a value near 1e7 carries 1e-9, one hundred millionth of the deviation 0.1.
  let sets: [(String, [Double], mean: Double, deviation: Double, Double)] = [
    ("Michelson", michelson, 299.8524, 0.0790105478190518, 1e-12),
    ("NumAcc1", [10_000_001, 10_000_003, 10_000_002], 10_000_002, 1, 0),
    ("NumAcc2", alternating(1.2, 1.1, 1.3), 1.2, 0.1, 1e-13),
    ("NumAcc3", alternating(1_000_000.2, 1_000_000.1, 1_000_000.3), 1_000_000.2, 0.1, 1e-8),
    (
      "NumAcc4", alternating(10_000_000.2, 10_000_000.1, 10_000_000.3), 10_000_000.2, 0.1, 1e-7
    ),
  ]
  for (name, data, mean, deviation, tolerance) in sets {
    let summary = try Summary(data)
    #expect(isClose(summary.mean, mean, 1e-15), "\(name): \(summary.mean)")
    let spread = try #require(summary.standardDeviation)
    #expect(isClose(spread, deviation, tolerance), "\(name): \(spread)")
  }
}

@Test func `normal and Student quantiles equal the published tables`() throws {
  let normal = [
    (0.9, 1.2816), (0.95, 1.6449), (0.975, 1.9600), (0.99, 2.3263), (0.995, 2.5758),
    (0.999, 3.0902),
  ]
  for (p, z) in normal {
    #expect(abs(try StandardNormal.quantile(p) - z) <= 0.5001e-4)
    #expect(abs(try StandardNormal.quantile(1 - p) + z) <= 0.5001e-4)
  }
  let student = [
    (1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (7, 2.365), (9, 2.262), (10, 2.228),
    (15, 2.131), (30, 2.042), (60, 2.000), (120, 1.980),
  ]
  for (freedom, t) in student {
    let found = try StudentT.quantile(0.975, degreesOfFreedom: Double(freedom))
    #expect(abs(found - t) <= 0.5001e-3, "\(freedom): \(found)")
  }
  // Beyond the tables: mpmath, 40 digits.
  let far = try StudentT.quantile(upperTail: 2.3029627172837193e-10, degreesOfFreedom: 7)
  #expect(isClose(far, 47.773674199160415, 1e-11), "\(far)")
  #expect(isClose(try StudentT.upperTail(far, degreesOfFreedom: 7), 2.3029627172837193e-10, 1e-9))
}

@Test func `a mean has Student's interval`() throws {
  let estimate = try Estimates.mean(of: [12, 15, 11, 19, 14, 13])
  #expect(estimate.value == 14)
  #expect(estimate.n == 6)
  // The sum of squares is 40: error √(40/5/6); t(0.975; 5) = 2.5705818356363146 (SciPy).
  #expect(isClose(try #require(estimate.standardError), 1.1547005383792517, 1e-14))
  #expect(isClose(estimate.interval.lower, 11.031747770442824, 1e-12))
  #expect(isClose(estimate.interval.upper, 16.968252229557176, 1e-12))
  #expect(try Estimates.mean(of: [4, 4]).interval.halfWidth == 0)
}

@Test func `the t interval covers the mean as often as it says`() throws {
  var random = SplitMix64(seed: 2_024)
  var covered = 0
  let trials = 300
  for _ in 0..<trials {
    var values: [Double] = []
    for _ in 0..<8 { values.append(5 + 2 * (try StandardNormal.quantile(random.nextUniform()))) }
    if try Estimates.mean(of: values).interval.contains(5) { covered += 1 }
  }
  // Standard error √(0.95·0.05/300) = 0.0126; three of them.
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0126, "covered \(covered)")
}

// contract.md section 1: rebuffer_ratio, hit_ratio and wasted_ratio are ratios of sums.
@Test func `a ratio of sums takes the delta method`() throws {
  let estimate = try Estimates.ratio(numerators: [1, 2, 4], denominators: [10, 20, 30])
  // R = 7/60; residuals -1/6, -1/3, 1/2; squares 7/18; error √(7/18/6)/20.
  #expect(isClose(estimate.value, 7.0 / 60, 1e-15))
  #expect(isClose(try #require(estimate.standardError), (7.0 / 108).squareRoot() / 20, 1e-13))
  #expect(estimate.n == 3)
  let mean = (0.1 + 0.1 + 4.0 / 30) / 3
  #expect(estimate.value > mean + 0.005, "not the mean of the ratios")
}

@Test func `the ratio's interval covers the true ratio as often as it says`() throws {
  var random = SplitMix64(seed: 77)
  var covered = 0
  let trials = 600
  for _ in 0..<trials {
    var stalls: [Double] = []
    var plays: [Double] = []
    for _ in 0..<32 {
      let play = 100 + 40 * random.nextUniform()
      plays.append(play)
      stalls.append(play * 0.02 * (0.5 + random.nextUniform()))
    }
    let estimate = try Estimates.ratio(numerators: stalls, denominators: plays)
    if estimate.interval.contains(0.02) { covered += 1 }
  }
  // Standard error √(0.95·0.05/600) = 0.0089; three of them.
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0089, "covered \(covered)")
}

@Test func `a paired difference removes what both variants share`() throws {
  var random = SplitMix64(seed: 8)
  var baseline: [Double] = []
  var candidate: [Double] = []
  for _ in 0..<16 {
    let shared = 1000 * random.nextUniform()
    baseline.append(shared)
    candidate.append(shared + 10 + random.nextUniform())
  }
  let paired = try Estimates.pairedDifference(candidate: candidate, baseline: baseline)
  #expect(paired.difference.interval.lower > 10)
  #expect(paired.difference.interval.upper < 11)
  #expect(paired.difference.n == 16)
  let change = try #require(paired.relativeChange)
  #expect(isClose(change, paired.difference.value / paired.baselineMean, 1e-15))
  let alone = try Estimates.mean(of: candidate).interval.halfWidth
  #expect(alone > 50 * paired.difference.interval.halfWidth)
  let zero = try Estimates.pairedDifference(candidate: [1, 2], baseline: [-1, 1])
  #expect(zero.relativeChange == nil)
}

@Test func `estimators refuse to make numbers out of nothing`() throws {
  let noData = StatisticsError.noDataCode
  #expect(codeOfError { try Summary([]) } == noData)
  #expect(codeOfError { try Estimates.mean(of: []) } == noData)
  #expect(codeOfError { try Estimates.mean(of: [3]) } == noData)
  #expect(codeOfError { try Estimates.ratio(numerators: [], denominators: []) } == noData)
  #expect(codeOfError { try Estimates.ratio(numerators: [0, 0], denominators: [0, 0]) } == noData)
  #expect(codeOfError { try Estimates.pairedDifference(candidate: [1], baseline: [1]) } == noData)
  #expect(codeOfError { try OrderStatistics.quantile(sorted: [], 0.5) } == noData)
  #expect(codeOfError { try OrderStatistics.quantileInterval(sorted: [], 0.5) } == noData)
  #expect(codeOfError { try Bootstrap(seed: 1).percentile(of: [1]) { $0[0] } } == noData)
  #expect(codeOfError { try KaplanMeier<Double>(events: [], censored: []) } == noData)
  #expect(codeOfError { try WarmUp.mser5([1, 2, 3]) } == noData)
  #expect(codeOfError { try GoodnessOfFit.chiSquare(counts: [0], probabilities: [1]) } == noData)
  let uniform = try Law.uniform(min: 0, max: 1)
  #expect(codeOfError { try GoodnessOfFit.kolmogorovSmirnov([], uniform) } == noData)
  #expect(codeOfError { try Estimates.mean(of: [1, .nan]) } == StatisticsError.dataCode)
  #expect(
    codeOfError { try Estimates.mean(of: [1, 2], level: 1) } == StatisticsError.parameterCode)
  #expect(try Summary([3]).standardDeviation == nil)
}

@Test func `sample quantiles follow their Hyndman-Fan types`() throws {
  let values: [Double] = [1, 2, 4, 8]
  #expect(try OrderStatistics.quantile(sorted: values, 0.5) == 3)
  #expect(isClose(try OrderStatistics.quantile(sorted: values, 0.9), 6.8, 1e-15))
  #expect(try OrderStatistics.quantile(sorted: values, 1) == 8)
  #expect(try OrderStatistics.inverseStep(sorted: values, 0.5) == 2)
  #expect(try OrderStatistics.inverseStep(sorted: values, 0.51) == 4)
  #expect(try OrderStatistics.inverseStep(sorted: values, 0) == 1)
}

@Test func `quantile intervals take the binomial ranks of the tables`() throws {
  let twenty = (1...20).map(Double.init)
  let median = try OrderStatistics.quantileInterval(sorted: twenty, 0.5)
  // Ranks 6 and 15 with coverage 0.9586: the classical table for n = 20.
  #expect(median.lowerRank == 6 && median.upperRank == 15)
  #expect(abs(median.coverage - 0.9586) < 0.5e-4)
  #expect(median.estimate.interval.lower == 6 && median.estimate.interval.upper == 15)
  #expect(median.estimate.value == 10.5)
  // P(B ≤ 89) = 0.0115, P(B ≤ 90) = 0.0282, P(B > 98) = 0.0371, P(B > 99) = 0.0059 (SciPy).
  let high = try OrderStatistics.quantileInterval(sorted: (1...100).map(Double.init), 0.95)
  #expect(high.lowerRank == 90 && high.upperRank == 100)
  #expect(abs(high.coverage - (0.994079470779666 - 0.011472410067484739)) < 1e-10)
  // 0.95^71 = 0.0262 is above 0.025 and 0.95^72 = 0.0249 is not.
  let enough = (1...72).map(Double.init)
  #expect(try OrderStatistics.quantileInterval(sorted: enough, 0.95).upperRank == 72)
  let error = #expect(throws: StatisticsError.self) {
    try OrderStatistics.quantileInterval(sorted: Array(enough.dropLast()), 0.95)
  }
  #expect(
    error?.message == "expected at least 72 values for an interval of quantile 0.95, got 71")
  let unsorted = codeOfError { try OrderStatistics.quantileInterval(sorted: [2, 1], 0.5) }
  #expect(unsorted == StatisticsError.dataCode)
}

@Test func `an order-statistic interval covers at its stated coverage`() throws {
  var random = SplitMix64(seed: 5)
  var covered = 0
  let trials = 2000
  var coverage = 0.0
  for _ in 0..<trials {
    let values = (0..<100).map { _ in random.nextUniform() }.sorted()
    let found = try OrderStatistics.quantileInterval(sorted: values, 0.9)
    coverage = found.coverage
    if found.estimate.interval.contains(0.9) { covered += 1 }
  }
  #expect(coverage >= 0.95)
  let error = (coverage * (1 - coverage) / Double(trials)).squareRoot()
  #expect(abs(Double(covered) / Double(trials) - coverage) <= 3 * error, "covered \(covered)")
}

private let skewed: [Double] = [
  0.3, 0.5, 0.6, 0.8, 0.9, 1.1, 1.2, 1.4, 1.5, 1.9, 2.1, 2.3, 2.8, 3.1, 3.9, 4.4, 5.8, 7.2, 9.9,
  14.6,
]

private func meanOf(_ values: [Double]) -> Double {
  values.reduce(0, +) / Double(values.count)
}

@Test func `bootstrap intervals agree with an independent implementation`() throws {
  let bootstrap = try Bootstrap(resamples: 20_000, seed: 99)
  let percentile = try bootstrap.percentile(of: skewed, meanOf)
  let corrected = try bootstrap.biasCorrectedAccelerated(of: skewed, meanOf)
  // SciPy, 400,000 resamples. The tolerance is three standard errors of an end at 20,000 resamples:
  // √(p(1-p)/20,000) over the density there, and for BCa the error of the bias correction besides.
  #expect(abs(percentile.interval.lower - 1.94) <= 0.030)
  #expect(abs(percentile.interval.upper - 5.02) <= 0.054)
  #expect(abs(corrected.interval.lower - 2.14) <= 0.043)
  #expect(abs(corrected.interval.upper - 5.495) <= 0.11)
  #expect(percentile.n == 20)
}

@Test func `a bootstrap depends on its seed and on nothing else`() throws {
  let first = try Bootstrap(resamples: 500, seed: 4).percentile(of: skewed, meanOf)
  #expect(try Bootstrap(resamples: 500, seed: 4).percentile(of: skewed, meanOf) == first)
  #expect(try Bootstrap(resamples: 500, seed: 5).percentile(of: skewed, meanOf) != first)
  let flat = try Bootstrap(seed: 1).biasCorrectedAccelerated(of: [2, 2, 2], meanOf)
  #expect(flat.interval == Interval(lower: 2, upper: 2, level: 0.95))
  #expect(codeOfError { try Bootstrap(resamples: 10, seed: 1) } == StatisticsError.parameterCode)
}

@Test func `SplitMix64 gives the published sequence`() {
  // Seed 1234567: the reference output of S. Vigna's splitmix64.c.
  var random = SplitMix64(seed: 1_234_567)
  #expect(random.next() == 6_457_827_717_110_365_317)
  #expect(random.next() == 3_203_168_211_198_807_973)
  #expect(random.next() == 9_817_491_932_198_370_423)
}
