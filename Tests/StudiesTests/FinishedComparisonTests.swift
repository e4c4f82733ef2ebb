import Scenario
import Statistics
import Testing

@testable import Studies

/// Comparisons of finished runs by the values that their results keep.
@Suite struct FinishedComparisonTests {
  private func result(
    _ name: String, _ values: [Double?], value: Double? = nil, half: Double = 5,
    samples: Int64 = 100_000, isLowerBound: Bool = false
  ) -> MetricResult {
    let present = values.compactMap(\.self)
    let mean = value ?? (present.isEmpty ? nil : present.reduce(0, +) / Double(present.count))
    return MetricResult(
      reference: .known(name), value: mean,
      interval: mean.map { Interval(lower: $0 - half, upper: $0 + half) }, standardError: half / 2,
      replications: present.count, samples: samples, isLowerBound: isLowerBound, numerator: 0,
      denominator: 0, values: values)
  }

  private func row(
    _ before: MetricResult, _ after: MetricResult, isPaired: Bool = true, isSameRun: Bool = false
  ) throws -> ComparisonRow {
    try #require(
      Comparison(
        finished: [FinishedMetric(baseline: before, candidate: after)], isPaired: isPaired,
        isSameRun: isSameRun
      ).rows.first)
  }

  private let before: [Double?] = [400, 500, 600, 700]
  private let after: [Double?] = [441, 540, 642, 741]

  @Test func `pairs tell what independent runs do not`() throws {
    let (a, b) = (result("ttff_ms.p95", before), result("ttff_ms.p95", after))
    let paired = try row(a, b)
    #expect(paired.outcome == .worse)
    #expect(abs((paired.difference?.value ?? 0) - 41) < 1e-9)
    let apart = try row(a, b, isPaired: false)
    #expect(apart.outcome == .notSure && apart.varianceReduction == nil)
    let widths = [paired, apart].map { $0.difference?.interval.halfWidth ?? 0 }
    #expect(widths[1] > 20 * widths[0], "\(widths)")
  }

  @Test func `the difference is that of the two results, not of the replications' means`() throws {
    let row = try row(
      result("ttff_ms.p95", before, value: 800), result("ttff_ms.p95", after, value: 850))
    #expect(abs((row.difference?.value ?? 0) - 50) < 1e-9)
    let interval = try #require(row.difference?.interval)
    #expect(abs((interval.lower + interval.upper) / 2 - 50) < 1e-9)
  }

  @Test func `a percentile that is not reached, and values that lack, are no verdict`() throws {
    let bound = try row(
      result("ttff_ms.p95", before), result("ttff_ms.p95", after, isLowerBound: true))
    #expect(bound.outcome == .noData)
    let lone = try row(
      result("ttff_ms.p95", [400, nil, nil, nil]), result("ttff_ms.p95", [500, 600, nil, nil]))
    #expect(lone.outcome == .noData && lone.difference == nil && lone.replications == 1)
  }

  @Test func `hardly an event has an interval as wide as the results leave`() throws {
    let row = try row(
      result("not_started_ratio", [0, 0, 0, 0], half: 0.002, samples: 1000),
      result("not_started_ratio", [0.001, 0, 0, 0], half: 0.003, samples: 1000))
    #expect((row.difference?.interval.halfWidth ?? 0) >= 0.005)
    #expect(row.outcome == .notSure)
  }

  @Test func `the same run is equivalent, where it has a value`() throws {
    let a = result("ttff_ms.p95", before, isLowerBound: true)
    #expect(try row(a, a, isSameRun: true).outcome == .equivalent)
    let none = result("ttff_ms.p95", [nil, nil])
    #expect(try row(none, none, isSameRun: true).outcome == .noData)
  }
}
