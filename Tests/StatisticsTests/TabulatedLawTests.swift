import Testing

@testable import Statistics

// Issue 2 item 4: one uniform per variate through a table with a stated error.

@Test func `the knots follow the layout of the kernel`() {
  #expect(QuantileKnots.count == 3457)
  #expect(QuantileKnots.coordinate(0) == 0.5)
  #expect(QuantileKnots.coordinate(1) == 0.5 * (1 - 1.0 / 128))
  #expect(QuantileKnots.coordinate(63) == 0.5 * (1 - 63.0 / 128))
  #expect(QuantileKnots.coordinate(64) == 0.25)
  #expect(QuantileKnots.coordinate(3456) == 0x1p-55)
  for index in 1..<QuantileKnots.count {
    #expect(QuantileKnots.coordinate(index) < QuantileKnots.coordinate(index - 1))
  }
}

@Test(arguments: try continuousLaws() + lawsWithAtoms())
func `a table holds the law within its stated error`(_ item: LawCase) throws {
  let law = item.law
  let table = try QuantileKnots.tabulate(law)
  #expect(table.maximumError <= item.tableError, "measured \(table.maximumError)")
  let spread = try law.quantile(0.75) - law.quantile(0.25)
  let mean = try law.mean()
  let meanError = abs(table.mean - mean) / max(abs(mean), spread)
  #expect(meanError <= item.meanError, "measured \(meanError)")
  // Knots are exact, in the last tail too.
  for index in [0, 1, 64, 65, 1000, 3400, 3456] {
    let v = QuantileKnots.coordinate(index)
    #expect(table.lower[index] == (try law.quantile(v)))
    #expect(table.upper[index] == (try law.quantile(upperTail: v)))
  }
}

@Test(arguments: try continuousLaws())
func `the measured error bounds the error at coordinates nobody chose`(_ item: LawCase) throws {
  let table = try QuantileKnots.tabulate(item.law)
  let spread = try item.law.quantile(0.75) - item.law.quantile(0.25)
  var random = SplitMix64(seed: 20_260_731)
  for _ in 0..<500 {
    // Even over the octaves, so that the far tail is visited as often as the middle.
    let octave = 1 + random.next(below: 54)
    let v = Double(sign: .plus, exponent: -octave, significand: 1 - 0.5 * random.nextUniform())
    for isUpper in [false, true] {
      let exact = try isUpper ? item.law.quantile(upperTail: v) : item.law.quantile(v)
      let error = abs(table.value(coordinate: v, isUpper: isUpper) - exact)
      // The largest error of a parabola is at the middle of a cell, a quarter point; 1.5 covers
      // kinks.
      let bound = 1.5 * table.maximumError + 1e-13
      #expect(error <= bound * max(abs(exact), spread), "v \(v), upper \(isUpper)")
    }
  }
}

@Test(arguments: zip(try continuousLaws() + lawsWithAtoms(), UInt64(1)...100))
func `draws through a table pass the Kolmogorov-Smirnov test`(
  _ item: LawCase, _ seed: UInt64
) throws {
  let table = try QuantileKnots.tabulate(item.law)
  var random = SplitMix64(seed: seed)
  let uniforms = (0..<20_000).map { _ in random.nextUniform() }
  let draws = uniforms.map { table.value(uniform: $0) }
  let fit = try GoodnessOfFit.kolmogorovSmirnov(draws, item.law)
  // 28 laws, each at 0.001/28 (Bonferroni): a right table fails one of them with probability 0.001.
  #expect(fit.pValue > 0.001 / 28, "D \(fit.statistic), p \(fit.pValue)")
  // Free of chance: knots are exact, so a table moves no draw out of its cell, of probability at
  // most 1/256, and adds no more than that to the distance that the uniforms have themselves.
  let own = try GoodnessOfFit.kolmogorovSmirnov(uniforms, .uniform(min: 0, max: 1))
  #expect(fit.statistic <= own.statistic + 1.0 / 256, "\(fit.statistic), \(own.statistic)")
}

@Test func `draws from another law fail the Kolmogorov-Smirnov test`() throws {
  let table = try QuantileKnots.tabulate(.lognormal(median: 40, sigma: 0.5))
  var random = SplitMix64(seed: 3)
  let draws = (0..<20_000).map { _ in table.value(uniform: random.nextUniform()) }
  // The median is off by 4 %: D is about 0.03, three times the critical value at 20,000 draws.
  let other = try Law.lognormal(median: 41.6, sigma: 0.5)
  #expect(try GoodnessOfFit.kolmogorovSmirnov(draws, other).pValue < 1e-6)
}

@Test func `below the last knot a table keeps the last value`() throws {
  let table = try QuantileKnots.tabulate(.exponential(mean: 1))
  #expect(table.value(coordinate: 0x1p-60, isUpper: true) == table.upper[3456])
  #expect(table.value(coordinate: 0x1p-55, isUpper: true) == table.upper[3456])
  #expect(table.value(coordinate: 0.5, isUpper: true) == table.lower[0])
  #expect(abs(table.upper[3456] - 55 * 0.693_147_180_559_945_3) < 1e-12)
}

// SIG-063, X-005: popularity by Zipf's law.
@Test func `Zipf probabilities are a normalised power of the rank`() throws {
  let law = try ZipfLaw(count: 100_000, exponent: 1)
  #expect(abs(law.probabilities.reduce(0, +) - 1) < 1e-12)
  // The harmonic number H(100000) = 12.090146129863428 (Euler-Maclaurin).
  #expect(abs(law.probabilities[0] * 12.090146129863428 - 1) < 1e-14)
  #expect(abs(law.probabilities[0] / law.probabilities[9] - 10) < 1e-13)
  let even = try ZipfLaw(count: 4, exponent: 0)
  #expect(even.probabilities == [0.25, 0.25, 0.25, 0.25])
  for (count, exponent) in [(0, 1.0), (5, -1), (5, .nan)] {
    #expect(throws: StatisticsError.self) { try ZipfLaw(count: count, exponent: exponent) }
  }
}

@Test(arguments: 1...30)
func `an alias table reproduces its weights to 2^-31`(_ seed: Int) throws {
  var random = SplitMix64(seed: UInt64(seed))
  let count = 1 + random.next(below: 2000)
  let weights = (0..<count).map { _ -> Double in
    let share = random.nextUniform()
    return share < 0.1 && count > 1 ? 0 : 1 / (share * share)
  }
  let table = try AliasTable(weights: weights + [1])
  let total = weights.reduce(1, +)
  let reproduced = table.reproducedProbabilities()
  for (index, weight) in (weights + [1]).enumerated() {
    #expect(abs(reproduced[index] - weight / total) <= 0x1p-31, "seed \(seed), index \(index)")
    if weight == 0 { #expect(reproduced[index] == 0, "seed \(seed), index \(index)") }
  }
  #expect(try AliasTable(weights: weights + [1]) == table)
}

@Test func `a large alias table keeps its bound`() throws {
  let law = try ZipfLaw(count: 200_000, exponent: 1.1)
  let reproduced = try AliasTable(weights: law.probabilities).reproducedProbabilities()
  var worst = 0.0
  for index in reproduced.indices {
    worst = max(worst, abs(reproduced[index] - law.probabilities[index]))
  }
  #expect(worst <= 0x1p-31, "measured \(worst)")
}

@Test func `draws through an alias table pass the chi-square test`() throws {
  let law = try ZipfLaw(count: 1000, exponent: 1)
  let table = try AliasTable(weights: law.probabilities)
  var random = SplitMix64(seed: 11)
  var counts = [Int](repeating: 0, count: 1000)
  for _ in 0..<200_000 {
    let column = random.next(below: 1000)
    counts[table.outcome(column: column, bits: UInt32(truncatingIfNeeded: random.next()))] += 1
  }
  let fit = try GoodnessOfFit.chiSquare(counts: counts, probabilities: law.probabilities)
  #expect(fit.pValue > 0.001, "chi-square \(fit.statistic) on \(fit.degreesOfFreedom ?? 0)")
  #expect(fit.degreesOfFreedom == 999)
  let other = try ZipfLaw(count: 1000, exponent: 1.03)
  #expect(
    try GoodnessOfFit.chiSquare(counts: counts, probabilities: other.probabilities).pValue < 1e-6)
}

@Test func `an alias table refuses weights that are no law`() throws {
  for weights in [[0, 0], [1, -1], [.nan, 1], [1, .infinity]] as [[Double]] {
    let error = #expect(throws: StatisticsError.self) { try AliasTable(weights: weights) }
    #expect(error?.code == StatisticsError.dataCode)
  }
  let none = #expect(throws: StatisticsError.self) { try AliasTable(weights: []) }
  #expect(none?.code == StatisticsError.noDataCode)
}
