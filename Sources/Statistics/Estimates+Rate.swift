internal import CGSL

extension Estimates {
  /// The rate of independent events, of which `count` came in an exposure, with the exact interval
  /// of F. Garwood 1936 (DOI 10.1093/biomet/28.3-4.437).
  public static func rate(
    count: Int, exposure: Double, level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try requireLevel(level)
    try requirePositive(exposure, "exposure")
    if count < 1 { throw .noData("at least 1 event", got: count) }
    let tail = (1 - level) / 2
    let events = Double(count)
    let lower = try GSLBoundary.value("chi-square quantile") {
      gsl_cdf_chisq_Pinv(tail, 2 * events) / 2
    }
    let upper = try GSLBoundary.value("chi-square quantile") {
      gsl_cdf_chisq_Qinv(tail, 2 * events + 2) / 2
    }
    return Estimate(
      value: events / exposure,
      interval: Interval(lower: lower / exposure, upper: upper / exposure, level: level),
      standardError: events.squareRoot() / exposure, n: count)
  }
}
