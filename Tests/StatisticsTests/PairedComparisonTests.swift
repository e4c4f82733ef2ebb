import Testing

@testable import Statistics

private func normal(_ random: inout SplitMix64) throws -> Double {
  try StandardNormal.quantile(random.nextUniform())
}

private func compare(_ candidate: [Double], _ baseline: [Double]) throws -> PairedComparison {
  try PairedComparison(candidate: .means(candidate), baseline: .means(baseline))
}

/// `count` pairs: baseline around 100, candidate `change` more; own noise of deviation `own`.
private func pairs(
  _ count: Int, change: Double, own: Double = 1, _ random: inout SplitMix64
) throws -> PairedComparison {
  var (candidate, baseline): ([Double], [Double]) = ([], [])
  for _ in 0..<count {
    let shared = 100 + 10 * (try normal(&random))
    baseline.append(shared + own * (try normal(&random)))
    candidate.append(shared + change + own * (try normal(&random)))
  }
  return try compare(candidate, baseline)
}

@Test func `a ratio's parts are the jackknife's pseudo-values about the ratio`() throws {
  let (y, x) = ([1.0, 2, 4, 0], [10.0, 20, 30, 5])
  let series = try MetricSeries.ratio(numerators: y, denominators: x)
  #expect(abs(series.value - 7.0 / 65) < 1e-15)
  let pseudo = y.indices.map { left in
    4 * 7.0 / 65 - 3 * (7 - y[left]) / (65 - x[left])
  }
  let mean = pseudo.reduce(0, +) / 4
  for index in 0..<4 {
    #expect(abs(series.parts[index] - (pseudo[index] - mean + 7.0 / 65)) < 1e-14)
  }
  for (numerators, denominators) in [
    ([1.0, 2], [0.0, 3]), ([1.0], [1.0]), ([1.0, 2], [-1.0, 3]),
  ] {
    #expect(throws: StatisticsError.self) {
      try MetricSeries.ratio(numerators: numerators, denominators: denominators)
    }
  }
}

@Test func `a paired comparison has Student's interval of the differences`() throws {
  let found = try compare([12, 16, 13, 21], [10, 13, 12, 17])
  // Differences 2, 3, 1, 4: mean 2.5, variance 5/3, error √(5/12); t(0.975; 3) = 3.18244630528.
  #expect(found.difference.value == 2.5)
  #expect(abs(found.difference.interval.halfWidth - 3.18244630528 * (5.0 / 12).squareRoot()) < 1e-9)
  #expect(abs(found.standardError - (5.0 / 12).squareRoot()) < 1e-14)
  #expect(found.pairs == 4)
  let relative = try #require(try found.relative)
  #expect(abs(relative.value - 2.5 / 13) < 1e-15)
  // At each end c of Fieller's interval the pairs contradict candidate = (1 + c)·baseline exactly
  // at t.
  for end in [relative.interval.lower, relative.interval.upper] {
    let rest = try Estimates.mean(
      of: zip([12.0, 16, 13, 21], [10.0, 13, 12, 17]).map { $0 - (1 + end) * $1 })
    #expect(abs(abs(rest.value) / rest.interval.halfWidth - 1) < 1e-9)
  }
  #expect(relative.interval.contains(relative.value))
}

@Test func `a relative change needs a baseline that is told from zero`() throws {
  #expect(try compare([1, 2, 3], [-1, 0, 1]).relative == nil)
  #expect(try compare([1, 2, 3], [0, 0, 0]).relative == nil)
  // A negative baseline: from -100 to -90 is up by a tenth of its size.
  let found = try compare([-90, -91, -89.5], [-100, -101, -99.4])
  let relative = try #require(try found.relative)
  #expect(abs(relative.value - 0.1) < 0.002)
  #expect(relative.interval.lower < relative.value && relative.value < relative.interval.upper)
}

@Test func `pairing divides the variance by the known factor`() throws {
  var random = SplitMix64(seed: 5)
  // (2·(100 + 1)) / 2 = 101 for shared deviation 10 and own deviation 1.
  let found = try pairs(2000, change: 3, &random)
  let reduction = try #require(found.varianceReduction)
  #expect(reduction.interval.contains(101), "\(reduction)")
  #expect(abs(reduction.value / 101 - 1) < 0.2)
  let same = try compare([2, 3, 4], [1, 2, 3])
  #expect(same.varianceReduction == nil)
  #expect(try compare([2, 4], [1, 2]).varianceReduction == nil)
}

@Test(arguments: [8, 16])
func `the interval of the variance reduction covers`(_ count: Int) throws {
  var random = SplitMix64(seed: UInt64(40 + count))
  var covered = 0
  let trials = 2000
  for _ in 0..<trials {
    let reduction = try #require(try pairs(count, change: 1, &random).varianceReduction)
    if reduction.interval.contains(101) { covered += 1 }
  }
  // Three standard errors of √(0.95·0.05/2000) = 0.0049, and 1 % that the method may miss.
  let share = Double(covered) / Double(trials)
  #expect(share > 0.94 - 3 * 0.0049 && share < 0.96 + 3 * 0.0049, "covered \(share)")
}

@Test func `the relative interval covers`() throws {
  var random = SplitMix64(seed: 91)
  var covered = 0
  let trials = 2000
  for _ in 0..<trials {
    let relative = try #require(try pairs(16, change: 5, own: 8, &random).relative)
    if relative.interval.contains(0.05) { covered += 1 }
  }
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0049, "covered \(covered)")
}

@Test(arguments: [4, 8, 32])
func `the smallest detectable difference is found in 80 of 100`(_ count: Int) throws {
  var random = SplitMix64(seed: UInt64(count))
  // The detectable difference for the true spread √2, from a comparison made to have it.
  let scale = (2 * Double(count - 1) / Double(count)).squareRoot()
  let differences = (0..<count).map { scale * ($0 % 2 == 0 ? 1 : -1) }
  let made = try compare(differences, [Double](repeating: 0, count: count))
  #expect(abs(made.differenceVariance - 2) < 1e-12)
  let size = try made.smallestDetectable()
  var found = 0
  let trials = 2000
  for _ in 0..<trials {
    if try pairs(count, change: size, &random).difference.interval.lower > 0 { found += 1 }
  }
  // Standard error √(0.8·0.2/2000) = 0.0089; three of them, and the stated error of the formula.
  let share = Double(found) / Double(trials)
  #expect(abs(share - 0.8) <= 3 * 0.0089 + (count < 8 ? 0.02 : 0.005), "found \(share)")
}

@Test func `the pairs needed are the fewest whose detectable difference is small enough`() throws {
  var random = SplitMix64(seed: 12)
  let found = try pairs(16, change: 0, &random)
  for wanted in [20, 3, 1, 0.3, 0.01] {
    let needed = try #require(try found.pairsNeeded(for: wanted))
    let deviation = found.differenceVariance.squareRoot()
    func detectable(_ count: Int) throws -> Double {
      let freedom = Double(count - 1)
      let multiple =
        try StudentT.quantile(0.975, degreesOfFreedom: freedom)
        + StudentT.quantile(0.8, degreesOfFreedom: freedom)
      return multiple * deviation / Double(count).squareRoot()
    }
    #expect(try detectable(needed) <= wanted)
    if needed > 2 { #expect(try detectable(needed - 1) > wanted) }
  }
  #expect(try found.pairsNeeded(for: found.smallestDetectable()) == 16)
  #expect(try found.pairsNeeded(for: 1e-9) == nil)
  #expect(throws: StatisticsError.self) { try found.pairsNeeded(for: 0) }
  #expect(throws: StatisticsError.self) { try found.smallestDetectable(power: 1) }
}

@Test func `a difference of two ratios covers on common replications`() throws {
  var random = SplitMix64(seed: 66)
  var (covered, apart) = (0, 0)
  let trials = 2000
  for _ in 0..<trials {
    var columns = [[Double]](repeating: [], count: 4)
    for _ in 0..<16 {
      let views = (100 + 40 * random.nextUniform()) * 10
      let luck = 0.5 + random.nextUniform()
      columns[0].append(views * 0.03 * luck + 3 * (try normal(&random)))
      columns[1].append(views * 1.1)
      columns[2].append(views * 0.02 * luck + 3 * (try normal(&random)))
      columns[3].append(views)
    }
    let found = try PairedComparison(
      candidate: .ratio(numerators: columns[0], denominators: columns[1]),
      baseline: .ratio(numerators: columns[2], denominators: columns[3]))
    if found.difference.interval.contains(0.03 / 1.1 - 0.02) { covered += 1 }
    if let reduction = found.varianceReduction, reduction.value > 1 { apart += 1 }
  }
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0049, "covered \(covered)")
  #expect(apart > trials * 9 / 10)
}

/// A threshold that is a share of the baseline alone.
func share(_ relative: Double) throws -> PracticalThreshold {
  try PracticalThreshold(relative: relative, absolute: 0)
}

@Test func `of a share and an amount the larger is the threshold`() throws {
  let threshold = try PracticalThreshold(relative: 0.02, absolute: 10)
  #expect(threshold.least(beside: 100) == 10 && threshold.least(beside: -1000) == 20)
  let rule = RegressionRule(goal: .minimise, threshold: threshold)
  // Zero has no relative change, and yet there is an equivalent of it.
  #expect(try rule.decide(compare([1, 2, 1.5], [0, 0, 0])).outcome == .equivalent)
  #expect(try rule.decide(compare([5, 25, 12], [0, 0, 0])).outcome == .notSure)
  #expect(try rule.decide(compare([15, 16, 15.5], [0, 0, 0])).outcome == .worse)
  // 12 of 1000 is under 2 %.
  #expect(try rule.decide(compare([1012, 1112, 912], [1000, 1100, 900])).outcome == .equivalent)
}

@Test func `the rule asks for an interval beyond zero and a change beyond the threshold`() throws {
  let rule = RegressionRule(goal: .minimise, threshold: try share(0.02))
  let noise = [-0.1, 0.1, -0.2, 0.2, 0.05, -0.05, 0, 0]
  func judged(
    _ change: Double, spread: Double = 1, _ rule: RegressionRule
  ) throws -> RegressionRule.Decision {
    let baseline = [100.0, 104, 96, 101, 99, 103, 97, 100]
    return try rule.decide(
      compare(baseline.indices.map { baseline[$0] + change + spread * noise[$0] }, baseline))
  }
  #expect(try judged(5, rule).outcome == .worse)
  #expect(try judged(5, rule).reason == .beyondThreshold)
  #expect(try judged(-5, rule).outcome == .better)
  #expect(try judged(0, spread: 0, rule).reason == .identical)
  // Certain, but 0.5 %.
  #expect(try judged(0.5, rule).outcome == .equivalent)
  #expect(try judged(0.5, rule).reason == .withinThreshold)
  // 1.95 % and 2.05 %: beyond zero, on either side of the threshold.
  #expect(try judged(1.95, rule).reason == .straddlesThreshold)
  #expect(try judged(1.95, rule).outcome == .notSure)
  #expect(try judged(2.05, rule).outcome == .worse)
  #expect(try judged(3, spread: 40, rule).reason == .straddlesZero)
  #expect(try judged(3, spread: 40, rule).outcome == .notSure)
  let strict = RegressionRule(goal: .minimise, threshold: try share(0.02), evidence: .interval)
  #expect(try judged(2.05, strict).outcome == .notSure)
  #expect(try judged(2.5, strict).outcome == .worse)
  let higher = RegressionRule(
    goal: .maximise, threshold: try PracticalThreshold(relative: 0, absolute: 4))
  #expect(try judged(5, higher).outcome == .better)
  #expect(try judged(-5, higher).outcome == .worse)
  #expect(try judged(-3, higher).outcome == .equivalent)
  let zero = try compare([1, 1.1, 0.9], [0, 0, 0])
  #expect(try rule.decide(zero).outcome == .worse)
  #expect(try strict.decide(zero).outcome == .worse)
  #expect(throws: StatisticsError.self) {
    try PracticalThreshold(relative: -1, absolute: 0)
  }
}

@Test func `a look before the last needs more`() throws {
  let plan = try GroupSequentialBoundaries(fractions: [0.125, 0.25, 0.5, 1], level: 0.05)
  let rule = RegressionRule(goal: .minimise, threshold: try share(0.02))
  let baseline = [100.0, 104, 96, 101, 99, 103, 97, 100]
  let noise = [-1.0, 1, -2, 2, 0.5, -0.5, 0, 0]
  let found = try compare(baseline.indices.map { baseline[$0] + 5 + noise[$0] }, baseline)
  #expect(try rule.decide(found).outcome == .worse)
  let early = try rule.decide(found, look: 0, of: plan)
  #expect(early.reason == .straddlesZero)
  #expect(early.interval.halfWidth > 15 * found.standardError)
  #expect(try rule.decide(found, look: 3, of: plan).outcome == .worse)
}
