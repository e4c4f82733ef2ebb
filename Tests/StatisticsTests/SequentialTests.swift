import Testing

@testable import Statistics

// Issue 2 item 4; contract.md section 2: looks after 8, 16, 32 and 64 replications.

private let gate = [0.125, 0.25, 0.5, 1]

private func normal(_ random: inout SplitMix64) throws -> Double {
  try StandardNormal.quantile(random.nextUniform())
}

@Test func `four equal looks have the published boundaries`() throws {
  let plan = try GroupSequentialBoundaries(fractions: [0.25, 0.5, 0.75, 1], level: 0.05)
  // K. Lan and D. DeMets 1983, two-sided 0.05; the tables of every program of that method.
  for (look, z) in zip(plan.looks, [4.333, 2.963, 2.359, 2.014]) {
    #expect(abs(look.z - z) <= 0.5001e-3, "t \(look.fraction): \(look.z)")
  }
  let five = try GroupSequentialBoundaries(fractions: [0.2, 0.4, 0.6, 0.8, 1], level: 0.05)
  for (look, z) in zip(five.looks, [4.877, 3.357, 2.680, 2.290, 2.031]) {
    #expect(abs(look.z - z) <= 0.5001e-3, "t \(look.fraction): \(look.z)")
  }
}

@Test func `one look is the plain two-sided test`() throws {
  let plan = try GroupSequentialBoundaries(fractions: [1], level: 0.05)
  #expect(abs(plan.looks[0].z - 1.9599639845400542) < 1e-12)
  #expect(abs(plan.looks[0].spent - 0.05) < 1e-14)
}

@Test func `the gate's boundaries descend and spend the level in full`() throws {
  let plan = try GroupSequentialBoundaries(fractions: gate, level: 0.05)
  #expect(abs(plan.looks[3].spent - 0.05) < 1e-12)
  for index in 1..<4 {
    #expect(plan.looks[index].z < plan.looks[index - 1].z)
    #expect(plan.looks[index].spent > plan.looks[index - 1].spent)
  }
  // The nominal level of each look through Student's t with one degree less than replications.
  for (look, replications) in [8.0, 16, 32, 64].enumerated() {
    let critical = try plan.criticalValue(look: look, degreesOfFreedom: replications - 1)
    let level = try 2 * StudentT.upperTail(critical, degreesOfFreedom: replications - 1)
    #expect(abs(level / plan.looks[look].nominalLevel - 1) < 1e-9)
    #expect(critical > plan.looks[look].z)
  }
}

@Test func `looking four times keeps the level under the normal law`() throws {
  let plan = try GroupSequentialBoundaries(fractions: gate, level: 0.05)
  var random = SplitMix64(seed: 31)
  let trials = 100_000
  var crossed = [0, 0, 0, 0]
  for _ in 0..<trials {
    var score = 0.0
    var before = 0.0
    for (index, look) in plan.looks.enumerated() {
      score += try normal(&random) * (look.fraction - before).squareRoot()
      before = look.fraction
      if abs(score) >= look.z * look.fraction.squareRoot() {
        crossed[index] += 1
        break
      }
    }
  }
  // Cumulative crossings against the spending at each look, three standard errors each.
  var sum = 0
  for (index, look) in plan.looks.enumerated() {
    sum += crossed[index]
    let error = (look.spent * (1 - look.spent) / Double(trials)).squareRoot()
    let share = Double(sum) / Double(trials)
    #expect(abs(share - look.spent) <= 3 * error, "t \(look.fraction): \(share)")
  }
}

@Test func `looking four times keeps the level with Student's t`() throws {
  let plan = try GroupSequentialBoundaries(fractions: gate, level: 0.05)
  let looks = [8, 16, 32, 64]
  var limits: [Double] = []
  for (index, count) in looks.enumerated() {
    limits.append(try plan.criticalValue(look: index, degreesOfFreedom: Double(count - 1)))
  }
  var random = SplitMix64(seed: 32)
  let trials = 100_000
  var rejected = 0
  for _ in 0..<trials {
    var (sum, squares, count, look) = (0.0, 0.0, 0, 0)
    while look < looks.count {
      while count < looks[look] {
        let value = try normal(&random)
        sum += value
        squares += value * value
        count += 1
      }
      let n = Double(count)
      let variance = (squares - sum * sum / n) / (n - 1)
      if abs(sum / n) >= limits[look] * (variance / n).squareRoot() {
        rejected += 1
        break
      }
      look += 1
    }
  }
  let share = Double(rejected) / Double(trials)
  let error = (0.05 * 0.95 / Double(trials)).squareRoot()
  #expect(abs(share - 0.05) <= 3 * error, "rejected \(share)")
}

@Test func `looks that make no plan are refused`() throws {
  for fractions in [[0.5, 0.5], [0, 1], [0.5, 1.1], [.nan]] as [[Double]] {
    #expect(throws: StatisticsError.self) {
      try GroupSequentialBoundaries(fractions: fractions, level: 0.05)
    }
  }
  #expect(throws: StatisticsError.self) {
    try GroupSequentialBoundaries(fractions: [], level: 0.05)
  }
  #expect(throws: StatisticsError.self) { try GroupSequentialBoundaries(fractions: [1], level: 0) }
}

@Test func `MSER-5 leaves out the transient`() throws {
  var random = SplitMix64(seed: 9)
  var series: [Double] = []
  for index in 0..<2000 {
    let transient = index < 300 ? 20.0 : 0
    series.append(5 + transient + (try normal(&random)))
  }
  let found = try WarmUp.mser5(series)
  #expect(found.truncation >= 300 && found.truncation <= 400, "cut \(found.truncation)")
  #expect(!found.isTooShort)
  // Three standard errors of the mean of the 1600 or more kept.
  #expect(abs(found.mean - 5) <= 3 / 40, "mean \(found.mean)")
}

@Test func `a series that never settles is too short`() throws {
  #expect(try WarmUp.mser5((0..<500).map { Double($0) }).isTooShort)
  #expect(try !WarmUp.mser5([Double](repeating: 3, count: 100)).isTooShort)
  #expect(try WarmUp.mser5([Double](repeating: 3, count: 100)).truncation == 0)
}

@Test(arguments: 1...20)
func `the MSER-5 cut is the least of the criterion by its definition`(_ seed: Int) throws {
  var random = SplitMix64(seed: UInt64(seed))
  var series: [Double] = []
  for index in 0..<(20 + random.next(below: 200)) {
    series.append(100 / Double(index + 1) + (try normal(&random)))
  }
  let found = try WarmUp.mser5(series)
  let batches = series.count / 5
  let means = (0..<batches).map { batch in series[(batch * 5)..<(batch * 5 + 5)].reduce(0, +) / 5 }
  var best = (cut: 0, criterion: Double.infinity)
  for cut in 0...(batches / 2) {
    let kept = means[cut...]
    let mean = kept.reduce(0, +) / Double(kept.count)
    let squares = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let criterion = squares / Double(kept.count * kept.count)
    if criterion < best.criterion { best = (cut, criterion) }
  }
  #expect(found.truncation == best.cut * 5, "seed \(seed)")
  #expect(abs(found.criterion - best.criterion) <= 1e-10 * best.criterion, "seed \(seed)")
  #expect(found.isTooShort == (best.cut == batches / 2))
}

@Test func `the chi-square test gives the known p-value and joins thin cells`() throws {
  let fit = try GoodnessOfFit.chiSquare(
    counts: [30, 10, 20, 20, 20], probabilities: [0.2, 0.2, 0.2, 0.2, 0.2])
  // (10² + 10²)/20 = 10 on 4 degrees: 0.0404277 (closed form e^-5·6).
  #expect(abs(fit.statistic - 10) < 1e-12)
  #expect(fit.degreesOfFreedom == 4)
  #expect(abs(fit.pValue - 0.040427681994512804) < 1e-12)
  let thin = try GoodnessOfFit.chiSquare(
    counts: [50, 46, 1, 2, 1], probabilities: [0.5, 0.46, 0.01, 0.02, 0.01])
  #expect(thin.degreesOfFreedom == 1)
  for (counts, shares) in [([1, 2], [0.5, 0.4]), ([5, 5], [1, 0]), ([-1, 3], [0.5, 0.5])] {
    #expect(throws: StatisticsError.self) {
      try GoodnessOfFit.chiSquare(counts: counts, probabilities: shares)
    }
  }
}

@Test func `the Kolmogorov-Smirnov p-values are those of the exact law`() throws {
  let uniform = try Law.uniform(min: 0, max: 1)
  // Exact values by SciPy's kstwo; Stephens' correction is good to a few percent.
  let exact = [
    (20, 0.2, 0.352720173623415), (100, 0.1, 0.2526927570063874),
    (1000, 0.05, 0.013012074781090332), (50, 0.3, 0.00017353260202718738),
  ]
  for (n, distance, p) in exact {
    let shift = distance - 0.5 / Double(n)
    let values = (0..<n).map { min(1, (Double($0) + 0.5) / Double(n) + shift) }
    let fit = try GoodnessOfFit.kolmogorovSmirnov(values, uniform)
    #expect(abs(fit.statistic - distance) < 1e-12)
    #expect(abs(fit.pValue / p - 1) < 0.1, "n \(n): \(fit.pValue)")
  }
}

@Test func `the Kolmogorov-Smirnov test rejects a true law at its level`() throws {
  let uniform = try Law.uniform(min: 0, max: 1)
  var random = SplitMix64(seed: 17)
  let trials = 2000
  var rejected = 0
  var pairRejected = 0
  for _ in 0..<trials {
    let first = (0..<80).map { _ in random.nextUniform() }
    let second = (0..<90).map { _ in random.nextUniform() }
    if try GoodnessOfFit.kolmogorovSmirnov(first, uniform).pValue < 0.05 { rejected += 1 }
    if try GoodnessOfFit.kolmogorovSmirnov(first, second).pValue < 0.05 { pairRejected += 1 }
  }
  // Standard error √(0.05·0.95/2000) = 0.0049; three of them. Two samples: at most that.
  #expect(abs(Double(rejected) / Double(trials) - 0.05) <= 0.0147, "rejected \(rejected)")
  #expect(Double(pairRejected) / Double(trials) <= 0.05 + 0.0147, "rejected \(pairRejected)")
}

@Test func `two samples of different laws are told apart`() throws {
  var random = SplitMix64(seed: 21)
  let first = (0..<500).map { _ in random.nextUniform() }
  let second = (0..<400).map { _ in random.nextUniform() * 1.3 }
  #expect(try GoodnessOfFit.kolmogorovSmirnov(first, second).pValue < 1e-4)
  #expect(try GoodnessOfFit.kolmogorovSmirnov(first, first).statistic == 0)
  #expect(try GoodnessOfFit.kolmogorovSmirnov(first, first).pValue == 1)
}
