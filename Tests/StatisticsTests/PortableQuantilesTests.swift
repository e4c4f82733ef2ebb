import Foundation
import Statistics
import Testing

private let programs = GSLQuantiles()
private let page = PortableQuantiles()
private let tails = [
  0.499_999_9, 0.49, 0.4, 0.3, 0.250_000_1, 0.25, 0.2, 0.1, 0.05, 0.025, 0.01, 1e-3, 1e-4, 1e-5,
  1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12,
]

private func isClose(_ a: Double, _ b: Double, _ relative: Double) -> Bool {
  abs(a - b) <= relative * max(abs(a), abs(b))
}

/// A number up to about a million, whole or not, that a seed gives.
private func count(_ random: inout SplitMix64) -> Double {
  exp(random.nextUniform() * 14).rounded()
}

@Suite struct PortableQuantilesTests {
  @Test(arguments: [
    1, 1.37, 2, 2.5, 3, 4, 5, 7, 15, 15.5, 31, 32, 63, 127, 500, 999, 1000, 1001.5, 1e4, 1e6, 1e8,
  ])
  func `Student's quantiles are GSL's`(_ freedom: Double) throws {
    // Of one degree of freedom GSL's are off by up to 1e-5; the next test has what is right.
    for q in tails where freedom > 1 || q >= 1e-7 {
      let own = try page.student(upperTail: q, degreesOfFreedom: freedom)
      let other = try programs.student(upperTail: q, degreesOfFreedom: freedom)
      #expect(isClose(own, other, 1e-9), "\(q): \(own) and \(other)")
      let mirrored = try page.student(upperTail: 1 - q, degreesOfFreedom: freedom)
      #expect(isClose(mirrored, -own, 1e-4))
    }
  }

  // The Cauchy law, and the law with a quantile in closed form.
  @Test func `with one and two degrees of freedom they are what algebra says`() throws {
    for q in tails {
      let one = try page.student(upperTail: q, degreesOfFreedom: 1)
      #expect(isClose(one, tan(.pi * (0.5 - q)), q < 1e-4 ? 1e-3 : 1e-12))
      #expect(isClose(one, 1 / tan(.pi * q), q > 0.4 ? 1e-8 : 1e-13))
      let two = try page.student(upperTail: q, degreesOfFreedom: 2)
      #expect(isClose(two, (1 - 2 * q) / (2 * q * (1 - q)).squareRoot(), 1e-13))
    }
  }

  @Test func `normal quantiles are GSL's`() throws {
    for q in tails {
      let (own, other) = (try page.normal(upperTail: q), try programs.normal(upperTail: q))
      #expect(isClose(own, other, 1e-13), "\(q): \(own) and \(other)")
      #expect(try isClose(page.normal(upperTail: 1 - q), programs.normal(upperTail: 1 - q), 1e-13))
    }
    #expect(try page.normal(upperTail: 0.5) == 0)
    #expect(try page.student(upperTail: 0.5, degreesOfFreedom: 3) == 0)
  }

  @Test(arguments: [
    0.5, 0.51, 0.7, 1, 1.5, 2, 3, 5, 9.5, 15.9, 16, 17, 30, 100, 333.3, 1000, 1e4, 5e4, 99_999.5,
    100_001,
  ])
  func `gamma quantiles are GSL's`(_ shape: Double) throws {
    for tail in tails + [0.6, 0.9, 0.999] {
      let low = try page.unitGamma(lowerTail: tail, shape: shape)
      #expect(try isClose(low, programs.unitGamma(lowerTail: tail, shape: shape), 1e-9), "\(tail)")
      let high = try page.unitGamma(upperTail: tail, shape: shape)
      #expect(try isClose(high, programs.unitGamma(upperTail: tail, shape: shape), 1e-9), "\(tail)")
    }
  }

  @Test func `what has no quantile is refused`() {
    for q in [0, 1, -0.1, 1.1, Double.nan] {
      #expect(throws: StatisticsError.self) { try page.normal(upperTail: q) }
      #expect(throws: StatisticsError.self) { try page.student(upperTail: q, degreesOfFreedom: 3) }
    }
    for freedom in [0, -1, Double.infinity, .nan] {
      let error = #expect(throws: StatisticsError.self) {
        try page.student(upperTail: 0.1, degreesOfFreedom: freedom)
      }
      #expect(error?.code == StatisticsError.parameterCode)
    }
  }

  @Test func `estimates of a page are those of a program`() throws {
    var random = SplitMix64(seed: 7)
    for replications in [2, 3, 8, 16, 200] {
      let (a, b) = (sample(replications, &random), sample(replications, &random))
      for level in [0.5, 0.95, 0.999_99] {
        try same(
          Estimates.mean(of: a, level: level),
          Estimates.mean(of: a, level: level, quantiles: page))
        try same(
          Estimates.ratio(numerators: a, denominators: b, level: level),
          Estimates.ratio(numerators: a, denominators: b, level: level, quantiles: page))
        try same(
          Estimates.sectioned(1, sections: a, level: level),
          Estimates.sectioned(1, sections: a, level: level, quantiles: page))
        let lists = [a.sorted(), b.sorted()]
        try same(
          Estimates.pooledQuantile(sorted: lists, 0.9, level: level),
          Estimates.pooledQuantile(sorted: lists, 0.9, level: level, quantiles: page))
        try same(
          Estimates.independentDifference(candidate: a, baseline: b, level: level),
          Estimates.independentDifference(
            candidate: a, baseline: b, level: level, quantiles: page))
        try same(
          Estimates.pairedDifference(candidate: a, baseline: b, level: level).difference,
          Estimates.pairedDifference(candidate: a, baseline: b, level: level, quantiles: page)
            .difference)
      }
    }
  }

  @Test func `bounds of few and of many events are those of a program`() throws {
    var random = SplitMix64(seed: 8)
    for number in 0..<300 {
      let events = number == 0 ? 0 : count(&random)
      for level in [0.5, 0.95, 0.999_99] {
        same(
          try Estimates.countBounds(events, level: level),
          try Estimates.countBounds(events, level: level, quantiles: page))
        let samples = events + count(&random)
        same(
          try Estimates.shareBounds(
            events / max(1, samples), samples: max(1, samples), designEffect: 3, level: level),
          try Estimates.shareBounds(
            events / max(1, samples), samples: max(1, samples), designEffect: 3, level: level,
            quantiles: page))
        try same(
          Estimates.rate(count: Int(events) + 1, exposure: 7, level: level),
          Estimates.rate(count: Int(events) + 1, exposure: 7, level: level, quantiles: page))
      }
    }
  }

  @Test func `a comparison of a page is decided as a program's`() throws {
    var random = SplitMix64(seed: 9)
    let rule = RegressionRule(
      goal: .minimise, threshold: try PracticalThreshold(relative: 0.02, absolute: 0.01))
    for number in 0..<100 {
      let baseline = sample(8, &random)
      let candidate = baseline.map {
        $0 * (1 + 0.002 * Double(number)) + 0.05 * random.nextUniform()
      }
      let (after, before) = (
        try MetricSeries.means(candidate), try MetricSeries.means(baseline)
      )
      let native = try PairedComparison(candidate: after, baseline: before)
      let own = try PairedComparison(candidate: after, baseline: before, quantiles: page)
      same(own.difference, native.difference)
      #expect(own.varianceReduction == nil && native.varianceReduction != nil)
      #expect(own.with(varianceReduction: native.varianceReduction).pairs == native.pairs)
      let critical = try own.critical(page)
      let relative = try native.relative
      #expect((own.relative(critical: critical) == nil) == (relative == nil))
      if let mine = own.relative(critical: critical), let relative { same(mine, relative) }
      #expect(
        try rule.decide(own, critical: critical).outcome == rule.decide(native).outcome)
    }
  }

  @Test func `what was got is told when somebody asks`() throws {
    let cases: [(StatisticsError, String)] = [
      (.parameter("a size", got: 2), "statistics.parameter: expected a size, got 2"),
      (.probability("a share", got: -0.5), "statistics.probability: expected a share, got -0.5"),
      (.noData("more", got: 0), "statistics.no-data: expected more, got 0"),
      (.data("lists", got: 2, and: 3), "statistics.data: expected lists, got 2 and 3"),
      (.data("one", got: .nan, at: 4), "statistics.data: expected one, got nan at index 4"),
      (.data("order", got: 1.0, after: 2.0), "statistics.data: expected order, got 1.0 after 2.0"),
      (.data("order", got: 1, to: 2), "statistics.data: expected order, got 1.0 to 2.0"),
      (
        .data("order", got: Int64(1), after: Int64(2)),
        "statistics.data: expected order, got 1 after 2"
      ),
      (.data("a count", got: -1), "statistics.data: expected a count, got -1.0"),
      (.csv(line: 3, "text", got: "none"), "statistics.csv: line 3: expected text, got none"),
      (
        .numeric("ends", got: 1, plusMinus: .infinity),
        "statistics.numeric: expected ends, got 1.0 ± inf"
      ),
    ]
    for (error, text) in cases { #expect(error.description == text) }
    #expect(StatisticsError.noData("more", got: 0) == .noData("more", got: 0))
    #expect(StatisticsError.noData("more", got: 0) != .noData("more", got: 1))
    #expect(StatisticsError.data("x", got: "2") == .data("x", got: "2"))
    #expect(StatisticsError.data("x", got: "2") != .parameter("x", got: 2))
  }

  private func sample(_ count: Int, _ random: inout SplitMix64) -> [Double] {
    (0..<count).map { _ in 1 + random.nextUniform() }
  }

  /// The interval relative to its width: a level near 1 or 0 changes nothing else.
  private func same(_ a: Interval, _ b: Interval) {
    let size = max(abs(a.lower), abs(a.upper))
    #expect(abs(a.lower - b.lower) <= 1e-9 * size && abs(a.upper - b.upper) <= 1e-9 * size)
    #expect(a.level == b.level)
  }

  private func same(_ a: Estimate, _ b: Estimate) {
    same(a.interval, b.interval)
    #expect(a.value == b.value && a.standardError == b.standardError && a.n == b.n)
  }
}
