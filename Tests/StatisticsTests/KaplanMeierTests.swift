import Testing

@testable import Statistics

/// E. Freireich and others 1963: weeks to relapse of 21 patients given 6-mercaptopurine, as
/// analysed in every textbook (D. Kleinbaum, M. Klein, "Survival Analysis", chapter 2).
private let relapses = [6, 6, 6, 7, 10, 13, 16, 22, 23]
private let withdrawals = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]

// X-007, contract.md section 1: views left before the first frame are right-censored.
@Test func `the leukaemia trial gives the published curve and standard errors`() throws {
  let curve = try KaplanMeier(
    events: relapses.map(Double.init), censored: withdrawals.map(Double.init))
  let published = [
    (6.0, 21, 3, 0.857, 0.0764), (7, 17, 1, 0.807, 0.0869), (10, 15, 1, 0.753, 0.0963),
    (13, 12, 1, 0.690, 0.1068), (16, 11, 1, 0.627, 0.1141), (22, 7, 1, 0.538, 0.1282),
    (23, 6, 1, 0.448, 0.1346),
  ]
  #expect(curve.n == 21)
  #expect(curve.censoredCount == 12)
  try #require(curve.steps.count == published.count)
  for (step, (time, atRisk, events, survival, error)) in zip(curve.steps, published) {
    #expect(step.time == time)
    #expect(step.atRisk == atRisk)
    #expect(step.events == events)
    #expect(abs(step.survival - survival) <= 0.5001e-3, "week \(time): \(step.survival)")
    let variance = try #require(step.variance)
    #expect(abs(variance.squareRoot() - error) <= 0.5001e-4, "week \(time): \(variance)")
  }
  #expect(try curve.quantile(0.5) == 23)
  #expect(try curve.quantile(0.25) == 13)
  #expect(try curve.quantile(0.56) == nil, "the curve ends at 0.448")
  #expect(curve.survival(at: 5.9) == 1)
  #expect(curve.survival(at: 22.5) == curve.steps[5].survival)
  #expect(curve.variance(at: 1) == 0)
}

@Test func `at equal times events come before censorings`() throws {
  let curve = try KaplanMeier<Int64>(events: [5], censored: [5, 5, 9])
  #expect(curve.steps[0].atRisk == 4)
  #expect(curve.steps[0].survival == 0.75)
  let before = try KaplanMeier<Int64>(events: [5], censored: [4, 4, 9])
  #expect(before.steps[0].atRisk == 2)
  #expect(before.steps[0].survival == 0.5)
}

@Test func `without censoring the quantile is the inverse of the step function`() throws {
  var random = SplitMix64(seed: 6)
  let times = (0..<25_000).map { _ in Int64(random.next(below: 4_000)) }.sorted()
  let curve = try KaplanMeier(sortedEvents: times, sortedCensored: [])
  let values = times.map(Double.init)
  for p in [0.001, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.9999] {
    let found = try #require(try curve.quantile(p))
    #expect(Double(found) == (try OrderStatistics.inverseStep(sorted: values, p)), "p \(p)")
  }
  let last = try #require(curve.steps.last)
  #expect(last.survival == 0)
  #expect(last.variance == nil, "Greenwood's formula divides by zero there")
}

@Test(arguments: 1...50)
func `the curve equals the product limit by its definition`(_ seed: Int) throws {
  var random = SplitMix64(seed: UInt64(seed))
  var events: [Int64] = []
  var censored: [Int64] = []
  for _ in 0..<(1 + random.next(below: 60)) {
    let time = Int64(random.next(below: 20))
    if random.nextUniform() < 0.6 { events.append(time) } else { censored.append(time) }
  }
  let curve = try KaplanMeier(events: events, censored: censored)
  var product = 1.0
  for time in Set(events).sorted() {
    let atRisk = (events + censored).filter { $0 >= time }.count
    product *= 1 - Double(events.filter { $0 == time }.count) / Double(atRisk)
    #expect(abs(curve.survival(at: time) - product) < 1e-13, "seed \(seed), time \(time)")
  }
  for p in [0.1, 0.5, 0.9] {
    let least = Set(events).sorted().first { curve.survival(at: $0) <= 1 - p + 1e-10 }
    #expect(try curve.quantile(p) == least, "seed \(seed), p \(p)")
  }
}

@Test func `when every view is left early there is no quantile`() throws {
  let curve = try KaplanMeier<Double>(events: [], censored: [1, 2, 3])
  #expect(curve.steps.isEmpty)
  #expect(try curve.quantile(0.01) == nil)
  #expect(curve.survival(at: 2) == 1)
}

@Test func `censoring corrects the bias of the started views`() throws {
  // TTFF exponential with mean 1, patience exponential with mean 2: the views that started are the
  // fast ones, with a p95 of 2.0 instead of 3.0.
  var random = SplitMix64(seed: 12)
  let frame = try Law.exponential(mean: 1)
  let patience = try Law.exponential(mean: 2)
  var events: [Double] = []
  var censored: [Double] = []
  for _ in 0..<20_000 {
    let first = try frame.quantile(random.nextUniform())
    let left = try patience.quantile(random.nextUniform())
    if first <= left { events.append(first) } else { censored.append(left) }
  }
  let curve = try KaplanMeier(events: events, censored: censored)
  let p95 = try #require(try curve.quantile(0.95))
  // The error of the curve over the density 0.05 at the quantile; three of them.
  let error = try #require(curve.variance(at: p95)).squareRoot() / 0.05
  #expect(abs(p95 - 2.995732273553991) <= 3 * error, "p95 \(p95), error \(error)")
  let naive = try OrderStatistics.quantile(sorted: events.sorted(), 0.95)
  #expect(naive < 2.995732273553991 - 3 * error, "naive \(naive)")
}

@Test func `unsorted and meaningless times are refused`() throws {
  let unsorted = #expect(throws: StatisticsError.self) {
    try KaplanMeier<Int64>(sortedEvents: [3, 1], sortedCensored: [])
  }
  #expect(unsorted?.message == "expected events in ascending order, got 1 after 3")
  #expect(throws: StatisticsError.self) { try KaplanMeier<Double>(events: [.nan], censored: []) }
  let curve = try KaplanMeier<Double>(events: [1], censored: [])
  #expect(throws: StatisticsError.self) { try curve.quantile(1) }
}

@Test func `a weight counts as so many units at the same time`() throws {
  let curve = try KaplanMeier<Int64>(events: [1, 1, 2, 4, 4, 4], censored: [1, 3, 3])
  var walked = ProductLimit(atRisk: 9)
  walked.fall(by: 2)
  walked.censor(1)
  #expect(walked.survival == curve.survival(at: 1))
  walked.fall(by: 1)
  #expect(walked.survival == curve.survival(at: 2))
  walked.censor(2)
  #expect(walked.hasReached(0.3) && !walked.hasReached(0.5))
  walked.fall(by: 3)
  #expect(walked.survival == 0 && walked.atRisk == 0)
  walked.fall(by: 0)
  #expect(walked.survival == 0)
}

@Test func `the rank of a quantile does not slip by rounding`() {
  // As doubles 0.07 · 100 is above 7.
  #expect(OrderStatistics.rank(0.07, of: 100) == 7)
  #expect(OrderStatistics.rank(0.95, of: Int64(20)) == 19)
  #expect(OrderStatistics.rank(0, of: 5) == 1)
  #expect(OrderStatistics.rank(1, of: 5) == 5)
}
