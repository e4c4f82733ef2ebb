import Statistics
import Studies
import Testing

@testable import Reports
@testable import Statistics
@testable import Studies

/// What is said of keys that were fitted by simulation.
@Suite struct MatchingReportTests {
  private static let key = MatchedKey("devices[0].decoderSetup", 8...500, unit: "ms")

  private static func report(_ low: Double, _ high: Double) -> MatchingReport {
    let estimate = MomentMatching.Estimate(
      value: 102, interval: Interval(lower: low, upper: high, level: 0.95),
      isTold: low > 8 && high < 500)
    let answer = MomentMatching.Answer(
      estimates: [estimate], correlations: [[1]], values: [], startValues: [], startSquares: 90,
      squares: 3, misfit: 1, runs: 31, promisedSteps: [0], promisedSquares: 0, hasConverged: true)
    return MatchingReport(
      Matching(keys: [key], answer: answer, rows: [], views: 20_000), scenario: "week",
      replications: 16, notes: [])
  }

  @Test(arguments: [
    (8.0, 164.0, "less to 164 ms", "8.00 ms"), (64, 500, "64.0 ms to more", "500 ms"),
    (8, 500, "less to more", "8.00 ms to 500 ms"),
  ])
  func `a key that is not told has the end that is known, and the one that is not`(
    _ low: Double, _ high: Double, _ interval: String, _ open: String
  ) {
    let report = Self.report(low, high)
    #expect(!report.isTold)
    #expect(report.text(color: false).contains(interval))
    #expect(
      report.remarks.contains(
        "not told: devices[0].decoderSetup: its interval goes beyond \(open)"))
    #expect(report.fragment("", command: "match").contains("\(interval), 20000 views: not told"))
  }

  @Test func `a key that is told has no remark`() {
    let report = Self.report(64, 164)
    #expect(report.isTold && !report.remarks.contains { $0.hasPrefix("not told") })
    #expect(report.text(color: false).contains("64.0 ms to 164 ms"))
  }
}
