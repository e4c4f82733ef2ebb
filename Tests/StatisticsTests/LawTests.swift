import Testing

@testable import Statistics

// Issue 2 item 4: distributions: inverse transform, exact tails.

/// The interquartile range, the scale on which a value near zero is judged.
private func spread(_ law: Law) throws -> Double {
  try law.quantile(0.75) - law.quantile(0.25)
}

private func isClose(_ a: Double, _ b: Double, _ relative: Double) -> Bool {
  abs(a - b) <= relative * max(abs(a), abs(b))
}

private let probabilities = [
  1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.25, 0.31, 0.4, 0.499, 0.5,
]

@Test(arguments: try continuousLaws())
func `the quantile of the distribution function is the value itself`(_ item: LawCase) throws {
  let law = item.law
  let scale = try spread(law)
  for p in probabilities {
    let low = try law.quantile(p)
    let lowAgain = try law.quantile(law.cdf(low))
    #expect(abs(lowAgain - low) <= 1e-11 * max(abs(low), scale), "p \(p): \(low), \(lowAgain)")
    let high = try law.quantile(upperTail: p)
    let highAgain = try law.quantile(upperTail: law.upperTail(high))
    #expect(abs(highAgain - high) <= 1e-11 * max(abs(high), scale), "q \(p): \(high), \(highAgain)")
  }
}

@Test(arguments: try continuousLaws())
func `the distribution function and the upper tail sum to one`(_ item: LawCase) throws {
  for p in probabilities {
    for x in [try item.law.quantile(p), try item.law.quantile(upperTail: p)] {
      let sum = try item.law.cdf(x) + item.law.upperTail(x)
      #expect(abs(sum - 1) <= 1e-12, "at \(x): \(sum)")
    }
  }
}

@Test(arguments: try lawsWithAtoms())
func `with atoms the quantile is the least value that reaches the probability`(
  _ item: LawCase
) throws {
  let law = item.law
  let step = 1e-9 * max(1, try spread(law))
  for p in probabilities {
    let x = try law.quantile(p)
    #expect(try law.cdf(x) >= p * (1 - 1e-11), "p \(p): \(x)")
    #expect(try law.cdf(x - step) < p, "p \(p): \(x) is not the least")
    let y = try law.quantile(upperTail: p)
    #expect(try law.upperTail(y) <= p * (1 + 1e-11), "q \(p): \(y)")
    #expect(try law.upperTail(y - step) > p, "q \(p): \(y) is not the least")
  }
}

@Test func `tails at 1e-12 equal the closed forms`() throws {
  let p = 1e-12
  let depth = 27.631021115928547  // -ln 1e-12
  let z = 7.0344838253011319  // mpmath, 40 digits
  func expect(_ law: Law, _ low: Double, _ high: Double, _ relative: Double = 1e-13) throws {
    #expect(isClose(try law.quantile(p), low, relative), "\(law.describe()), lower")
    #expect(isClose(try law.quantile(upperTail: p), high, relative), "\(law.describe()), upper")
  }
  try expect(.uniform(min: 0, max: 4), 4e-12, 4 - 4e-12)
  try expect(.exponential(mean: 250), 250 * (p + p * p / 2), 250 * depth)
  try expect(.normal(mean: 0, standardDeviation: 2), -2 * z, 2 * z)
  // 40·e^(∓0.5·z)
  try expect(.lognormal(median: 40, sigma: 0.5), 1.1872474272513615, 1347.6550576354725, 1e-13)
  // scale·depth² for shape 1/2
  try expect(.weibull(shape: 0.5, scale: 3), 3e-24, 3 * depth * depth, 1e-11)
  try expect(.gamma(shape: 0.3, scale: 1), 6.9726990964093615e-41, 24.27521995815618, 1e-11)
  try expect(.gamma(shape: 4, scale: 1), 0.002214344250190893, 36.73300953308175, 1e-11)
  try expect(.gamma(shape: 250, scale: 1), 154.37194645575508, 377.87501199801481, 1e-11)
  try expect(
    .beta(a: 0.5, b: 3, min: 0, max: 1), 2.8444444444444444e-25, 1 - 0.00014735854543799451, 1e-11)
  try expect(
    .beta(a: 2, b: 5, min: 0, max: 1), 2.581989786361007e-7, 1 - 0.0027833732636848298, 1e-11)
  // The square root of p·(max - min)·(mode - min), and so from the other end.
  try expect(.triangular(min: 0, mode: 1, max: 4), 2e-6, 4 - 12e-12.squareRoot(), 1e-13)
  // Unbounded above for practical purposes: min·(q + rest)^(-1/alpha), rest = (1e-15)².
  try expect(.boundedPareto(alpha: 2, min: 1, max: 1e15), 1 + p / 2, 1e6, 1e-13)
}

@Test func `a mean equals its closed form`() throws {
  let pi = Double.pi
  func expect(_ law: Law, _ mean: Double, _ relative: Double) throws {
    let found = try law.mean()
    #expect(isClose(found, mean, relative), "\(law.describe()): \(found)")
  }
  try expect(.constant(-3), -3, 0)
  try expect(.uniform(min: 2, max: 5), 3.5, 1e-15)
  try expect(.exponential(mean: 7), 7, 0)
  try expect(.lognormal(median: 40, sigma: 0.5), 45.32593812267305, 1e-14)  // 40·e^(1/8)
  try expect(.weibull(shape: 0.5, scale: 3), 6, 1e-14)  // 3·Γ(3)
  try expect(.weibull(shape: 2, scale: 1), pi.squareRoot() / 2, 1e-14)
  try expect(.gamma(shape: 0.3, scale: 5), 1.5, 1e-15)
  try expect(.boundedPareto(alpha: 1, min: 1, max: 10), 2.3025850929940455 / 0.9, 1e-14)
  try expect(.boundedPareto(alpha: 2, min: 1, max: 10), 1.8 / 0.99, 1e-14)
  try expect(.beta(a: 2, b: 6, min: 0, max: 8), 2, 1e-15)
  try expect(.triangular(min: 0, mode: 1, max: 5), 2, 1e-15)
  try expect(.empirical([1, 2, 6]), 2.75, 1e-15)
  try expect(.mixture([(1, .constant(4)), (3, .exponential(mean: 8))]), 7, 1e-15)
  // Half-normal and clipped normal, by integration.
  let normal = try Law.normal(mean: 0, standardDeviation: 1)
  try expect(.truncated(normal, min: 0, max: .infinity), (2 / pi).squareRoot(), 1e-9)
  try expect(.clipped(normal, min: 0, max: .infinity), 1 / (2 * pi).squareRoot(), 1e-9)
  // An exponential has no memory.
  try expect(.truncated(.exponential(mean: 3), min: 50, max: .infinity), 53, 1e-9)
  // A kink inside an integration panel: E min(U, 0.3) = 0.3 - 0.045.
  try expect(.clipped(.uniform(min: 0, max: 1), min: -1, max: 0.3), 0.255, 1e-9)
}

@Test func `a lognormal given by its 95th percentile has it`() throws {
  let law = try Law.lognormal(median: 80, p95: 320)
  #expect(isClose(try law.quantile(0.5), 80, 1e-14))
  #expect(isClose(try law.quantile(0.95), 320, 1e-13))
}

@Test func `an empirical law has type 7 quantiles`() throws {
  let law = try Law.empirical([40, 10, 20, 80])
  #expect(try law.quantile(0) == 10)
  #expect(try law.quantile(1.0 / 3) == 20)
  #expect(isClose(try law.quantile(0.5), 30, 1e-15))
  #expect(isClose(try law.quantile(0.9), 68, 1e-14))
  #expect(try law.quantile(1) == 80)
}

@Test func `probabilities zero and one give the ends of the support or an error`() throws {
  let bounded = try Law.beta(a: 2, b: 2, min: -1, max: 4)
  #expect(try bounded.quantile(0) == -1)
  #expect(try bounded.quantile(upperTail: 0) == 4)
  let half = try Law.exponential(mean: 1)
  #expect(try half.quantile(0) == 0)
  for law in [half, try .normal(mean: 0, standardDeviation: 1)] {
    let error = #expect(throws: StatisticsError.self) { try law.quantile(1) }
    #expect(error?.code == StatisticsError.probabilityCode)
  }
  for p in [-0.1, 1.5, Double.nan] {
    #expect(throws: StatisticsError.self) { try half.quantile(p) }
  }
}

@Test func `a mixture of constants jumps at its weights`() throws {
  let law = try Law.mixture([(1, .constant(10)), (1, .constant(20)), (2, .constant(30))])
  #expect(try law.quantile(0.2) == 10)
  #expect(try law.quantile(0.25) == 10)
  #expect(try law.quantile(0.26) == 20)
  #expect(try law.quantile(0.5) == 20)
  #expect(try law.quantile(0.500001) == 30)
  #expect(try law.quantile(upperTail: 1e-15) == 30)
  #expect(try law.mean() == 22.5)
}

@Test func `across a gap a mixture's quantile is the left end of the gap`() throws {
  let law = try Law.mixture([(1, .uniform(min: 0, max: 1)), (1, .uniform(min: 5, max: 6))])
  #expect(isClose(try law.quantile(0.5), 1, 1e-12))
  #expect(isClose(try law.quantile(0.75), 5.5, 1e-12))
}

@Test func `truncating shuts outcomes out and clipping gathers them at the ends`() throws {
  let law = try Law.uniform(min: 0, max: 10)
  let truncated = try Law.truncated(law, min: 2, max: 4)
  let clipped = try Law.clipped(law, min: 2, max: 4)
  #expect(isClose(try truncated.quantile(0.25), 2.5, 1e-14))
  #expect(try truncated.cdf(2) == 0)
  #expect(try clipped.quantile(0.1) == 2)
  #expect(isClose(try clipped.cdf(2), 0.2, 1e-15))
  #expect(isClose(try clipped.quantile(0.3), 3, 1e-14))
  #expect(try clipped.quantile(0.7) == 4)
  #expect(try clipped.cdf(4) == 1)
}

@Test func `a truncation deep in a tail keeps its digits`() throws {
  // What lies beyond holds 3e-15 and 3e-35 of the law; an exponential forgets where it was cut.
  for cut in [100.0, 240] {
    let law = try Law.truncated(.exponential(mean: 3), min: cut, max: .infinity)
    #expect(isClose(try law.quantile(0.5), cut + 3 * 0.693_147_180_559_945_3, 1e-13), "\(cut)")
    #expect(isClose(try law.cdf(cut + 3), 0.632_120_558_828_557_7, 1e-12), "\(cut)")
  }
  // The same from the left, where the mass is over the upper bound.
  let left = try Law.truncated(
    .normal(mean: 0, standardDeviation: 1), min: -.infinity, max: -7.0344838253011319)
  #expect(isClose(try left.upperTail(left.quantile(0.3)), 0.7, 1e-10))
  #expect(isClose(try left.quantile(1), -7.0344838253011319, 1e-13))
}

@Test(arguments: 1...40)
func `random compositions keep their round trip`(_ seed: Int) throws {
  var random = SplitMix64(seed: UInt64(seed))
  func number(_ low: Double, _ high: Double) -> Double { low + (high - low) * random.nextUniform() }
  let first = try Law.lognormal(median: number(1, 1000), sigma: number(0.05, 3))
  let second = try Law.gamma(shape: number(0.05, 40), scale: number(0.1, 50))
  let third = try Law.weibull(shape: number(0.3, 5), scale: number(1, 500))
  let mixture = try Law.mixture([
    (number(0.01, 1), first), (number(0.01, 1), second), (number(0.01, 1), third),
  ])
  let low = try mixture.quantile(number(0.01, 0.4))
  let high = try mixture.quantile(number(0.6, 0.99))
  for law in [mixture, try .truncated(mixture, min: low, max: high)] {
    let scale = try spread(law)
    var last = -Double.infinity
    for p in probabilities {
      let x = try law.quantile(p)
      #expect(x >= last, "seed \(seed), p \(p): quantiles ascend")
      last = x
      let again = try law.quantile(law.cdf(x))
      #expect(abs(again - x) <= 1e-9 * max(abs(x), scale), "seed \(seed), p \(p): \(x), \(again)")
    }
  }
}

@Test func `every constructor refuses what is outside its range`() throws {
  let refused: [() throws -> Law] = [
    { try .constant(.nan) }, { try .uniform(min: 2, max: 2) },
    { try .uniform(min: -.greatestFiniteMagnitude, max: .greatestFiniteMagnitude) },
    { try .exponential(mean: 0) }, { try .lognormal(median: -1, sigma: 1) },
    { try .lognormal(median: 1, sigma: 0) }, { try .lognormal(median: 5, p95: 5) },
    { try .normal(mean: 1, standardDeviation: -1) }, { try .weibull(shape: 0, scale: 1) },
    { try .weibull(shape: 1, scale: .infinity) }, { try .gamma(shape: .nan, scale: 1) },
    { try .boundedPareto(alpha: 1, min: 0, max: 1) }, { try .beta(a: 1, b: 0, min: 0, max: 1) },
    { try .boundedPareto(alpha: 1, min: 2, max: 1) }, { try .triangular(min: 0, mode: 2, max: 1) },
    { try .mixture([(0, .constant(1))]) }, { try .mixture([(.infinity, .constant(1))]) },
    { try .truncated(.constant(1), min: 3, max: 2) },
    { try .truncated(.uniform(min: 0, max: 1), min: 3, max: 4) },
    { try .clipped(.constant(1), min: .nan, max: 2) },
  ]
  for (index, make) in refused.enumerated() {
    let error = #expect(throws: StatisticsError.self, "constructor \(index)") { try make() }
    #expect(error?.code == StatisticsError.parameterCode, "constructor \(index)")
    #expect(error?.message.hasPrefix("expected ") == true)
    #expect(error?.message.contains(", got ") == true)
  }
  let none = #expect(throws: StatisticsError.self) { try Law.mixture([]) }
  #expect(none?.code == StatisticsError.noDataCode)
  let empty = #expect(throws: StatisticsError.self) { try Law.empirical([]) }
  #expect(empty?.code == StatisticsError.noDataCode)
}

@Test func `a failure inside GSL is an error and does not end the process`() throws {
  // Γ(201) overflows: GSL reports a status, and its own handler would abort here.
  let error = #expect(throws: StatisticsError.self) {
    try Law.weibull(shape: 0.005, scale: 1).mean()
  }
  #expect(error?.code == StatisticsError.numericCode)
  // A NaN from a cumulative function.
  let infinite = #expect(throws: StatisticsError.self) {
    try GSLBoundary.value("test value") { .nan }
  }
  #expect(infinite?.message == "expected a finite test value, got nan")
  #expect(GSLBoundary.version.hasPrefix("2."))
}

@Test func `laws are compared and described by their parameters`() throws {
  let law = try Law.lognormal(median: 50, sigma: 0.5)
  #expect(law.describe() == "lognormal(median 50, sigma 0.5)")
  #expect(try Law.lognormal(median: 50, sigma: 0.5) == law)
  #expect(try Law.lognormal(median: 50, sigma: 0.6) != law)
  #expect(
    try Law.clipped(.constant(3), min: 0, max: 5).describe()
      == "clipped(constant(3), min 0, max 5)")
  #expect(
    try Law.mixture([(1, .constant(3)), (1, law)]).describe()
      == "mixture(0.5 of constant(3), 0.5 of lognormal(median 50, sigma 0.5))")
}

@Test func `a law is constant when one value is all it can give`() throws {
  #expect(try Law.constant(3).isConstant)
  #expect(try Law.empirical([4, 4, 4]).isConstant)
  #expect(try Law.mixture([(1, .constant(2)), (3, .constant(2))]).isConstant)
  #expect(try Law.clipped(.constant(9), min: 0, max: 5).isConstant)
  #expect(try Law.clipped(.uniform(min: 0, max: 1), min: 3, max: 5).isConstant)
  #expect(try !Law.uniform(min: 0, max: 1).isConstant)
  #expect(try !Law.mixture([(1, .constant(2)), (3, .constant(3))]).isConstant)
}

@Test func `a text of quantiles is read with comments and blanks`() throws {
  let text = "\u{FEFF}# measured\r\np , value\r\n0, 5\r\n\r\n 0.5 , 20 \r\n# tail\r\n1,1e2\r\n"
  let law = try Law.empirical(csv: text)
  #expect(try law == .empirical(quantiles: [(0, 5), (0.5, 20), (1, 100)]))
}

@Test(arguments: [
  ("q,value\n0,1\n1,2", "line 1: expected the header \"p,value\", got \"q,value\""),
  ("p,value\n0,1\n0.5\n1,2", "line 3: expected 2 fields, got 1"),
  ("p,value\n0,1\n0.5,abc\n1,2", "line 3: expected a number for value, got \"abc\""),
  ("p,value\n0,1\nx,3\n1,2", "line 3: expected a number for p, got \"x\""),
  ("p,value\n0.1,1\n1,2", "line 2: expected the first p to be 0, got 0.1"),
  ("p,value\n0,1\n\n0.9,2", "line 4: expected the last p to be 1, got 0.9"),
  ("p,value\n0,1\n0.5,2\n0.5,3\n1,4", "line 4: expected a p above 0.5 and at most 1, got 0.5"),
  ("p,value\n0,1\n0.5,3\n1,2", "line 4: expected a value of at least 3, got 2"),
  ("p,value\n0,1\n0.5,nan\n1,2", "line 3: expected a finite value, got nan"),
])
func `a wrong line of quantiles is named`(_ text: String, _ message: String) throws {
  let error = #expect(throws: StatisticsError.self) { try Law.empirical(csv: text) }
  #expect(error?.code == StatisticsError.csvCode)
  #expect(error?.message == message)
}

@Test func `a text without quantiles is no data`() throws {
  for text in ["", "p,value\n", "p,value\n0,1"] {
    let error = #expect(throws: StatisticsError.self) { try Law.empirical(csv: text) }
    #expect(error?.code == StatisticsError.noDataCode)
  }
}
