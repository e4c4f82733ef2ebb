extension Estimates {
  /// The rate of independent events, of which `count` came in an exposure, with the exact interval
  /// of F. Garwood 1936 (DOI 10.1093/biomet/28.3-4.437).
  public static func rate<Source: Quantiles>(
    count: Int, exposure: Double, level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    if !(exposure > 0 && exposure.isFinite) {
      throw .parameter("a finite exposure above 0", got: exposure)
    }
    if count < 1 { throw .noData("at least 1 event", got: count) }
    let events = Double(count)
    let bounds = try countBounds(events, level: level, quantiles: quantiles)
    return Estimate(
      value: events / exposure,
      interval: Interval(
        lower: bounds.lower / exposure, upper: bounds.upper / exposure, level: level),
      standardError: events.squareRoot() / exposure, n: count)
  }
}
