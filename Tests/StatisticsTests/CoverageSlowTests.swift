import SlowTesting
import Testing

@testable import Statistics

/// Coverage and levels by simulation on models with known answers; run by `make test-slow`.
@Suite(.enabled(if: SlowRun.isOn))
struct CoverageSlowTests {
  private static let trials = 2000
  /// Two standard errors of a share of 0.05.
  private static let allowance = 2 * (0.05 * 0.95 / Double(trials)).squareRoot()

  @Test(arguments: CoverageCase.all, [16, 64])
  func `95 percent intervals cover 93 to 97 percent`(
    _ model: CoverageCase, _ replications: Int
  ) throws {
    let share = try model.coverage(
      replications: replications, trials: Self.trials, seed: UInt64(replications))
    #expect(share >= 0.93 && share <= 0.97, "\(model): \(share)")
  }

  @Test(arguments: CoverageCase.all)
  func `the stopped decision keeps its level at the limit`(_ model: CoverageCase) throws {
    let (below, above) = try model.decided(limit: model.truth, trials: Self.trials, seed: 17)
    let share = Double(below + above) / Double(Self.trials)
    #expect(share <= 0.05 + Self.allowance, "\(model): \(below) below, \(above) above")
  }

  /// Candidate and baseline of the same law: on independent streams, then with much in common.
  @Test(arguments: [(0.0, 10.0, 0.02), (30, 2, 0.02), (0, 1, 0)])
  func `the regression rule keeps its level`(
    _ shared: Double, _ own: Double, _ threshold: Double
  ) throws {
    let found = try ruleOutcomes(
      change: 0, shared: shared, own: own, threshold: threshold, trials: Self.trials,
      seed: UInt64(own))
    let wrong = Double(found.regressions + found.improvements) / Double(Self.trials)
    #expect(wrong <= 0.05 + Self.allowance, "\(found)")
    // With a threshold and little noise most comparisons end early, as equivalent.
    if own == 2 { #expect(found.same > Self.trials / 2, "\(found)") }
  }
}
