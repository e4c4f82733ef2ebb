import Statistics

/// A law with what the tests know about it.
struct LawCase: Sendable, CustomStringConvertible {
  let law: Law
  /// The bound on the table's error, relative to max(|value|, interquartile range).
  let tableError: Double
  /// The bound on the error of the table's mean, on the same scale.
  let meanError: Double

  init(_ law: Law, tableError: Double = 1e-4, meanError: Double = 2e-5) {
    self.law = law
    self.tableError = tableError
    self.meanError = meanError
  }

  var description: String { law.describe() }
}

/// Laws without atoms and without gaps: every round trip is exact for them.
func continuousLaws() throws -> [LawCase] {
  let wifi = try Law.lognormal(median: 40, sigma: 0.5)
  let slow = try Law.lognormal(median: 400, sigma: 0.3)
  return [
    LawCase(try .uniform(min: -3, max: 12)),
    LawCase(try .exponential(mean: 250)),
    LawCase(wifi),
    LawCase(try .lognormal(median: 1000, sigma: 2.56), tableError: 2e-4, meanError: 3e-5),
    LawCase(try .lognormal(median: 80, p95: 320)),
    LawCase(try .normal(mean: 0, standardDeviation: 1)),
    LawCase(try .normal(mean: 100, standardDeviation: 15)),
    LawCase(try .weibull(shape: 0.7, scale: 9)),
    LawCase(try .weibull(shape: 2.5, scale: 12)),
    LawCase(try .gamma(shape: 0.3, scale: 5)),
    LawCase(try .gamma(shape: 4, scale: 25)),
    LawCase(try .gamma(shape: 250, scale: 0.4)),
    LawCase(try .boundedPareto(alpha: 1, min: 2, max: 5000)),
    LawCase(try .boundedPareto(alpha: 1.2, min: 1, max: 1e9)),
    LawCase(try .beta(a: 0.5, b: 3, min: 0, max: 60)),
    LawCase(try .beta(a: 2, b: 5, min: 10, max: 20)),
    LawCase(try .triangular(min: 1, mode: 4, max: 12)),
    LawCase(try .triangular(min: 0, mode: 0, max: 5)),
    LawCase(try .empirical([3, 1, 4, 15, 9, 2, 6, 5, 35, 8]), tableError: 5e-3, meanError: 1e-4),
    LawCase(
      try .empirical(quantiles: [(0, 5), (0.5, 20), (0.95, 80), (0.99, 200), (1, 900)]),
      tableError: 5e-3, meanError: 1e-4),
    LawCase(try .mixture([(0.8, wifi), (0.2, slow)]), tableError: 1e-2),
    LawCase(try .truncated(.normal(mean: 50, standardDeviation: 20), min: 0, max: 100)),
    LawCase(try .truncated(wifi, min: 200, max: .infinity)),
  ]
}

/// Laws with atoms: a quantile is still the least value whose distribution function reaches p.
func lawsWithAtoms() throws -> [LawCase] {
  let wifi = try Law.lognormal(median: 40, sigma: 0.5)
  return [
    LawCase(try .constant(7.5), tableError: 0, meanError: 0),
    LawCase(try .empirical([5, 5, 5, 9, 9, 12, 30]), tableError: 5e-3, meanError: 1e-3),
    LawCase(try .clipped(wifi, min: 20, max: 100), tableError: 5e-3, meanError: 1e-4),
    LawCase(
      try .clipped(.normal(mean: 0, standardDeviation: 1), min: 0, max: .infinity),
      tableError: 5e-3, meanError: 1e-4),
    LawCase(
      try .mixture([(0.3, .constant(0)), (0.7, .uniform(min: 0, max: 10))]), tableError: 5e-3,
      meanError: 1e-4),
  ]
}
