/// Bounds that hold where hardly anything has happened.
extension Estimates {
  /// Fewer events than this, or fewer samples without one, are too few for a normal law.
  public static let fewEvents = 10.0

  /// The mean of `samples` values between 0 and 1, with an interval that is right for few events.
  ///
  /// A standard error knows nothing of what has not happened: without an event it is 0. These are
  /// the exact bounds of a Poisson count (F. Garwood 1936, DOI 10.1093/biomet/28.3-4.437) of
  /// `share · samples / designEffect` events, from the nearer end of 0...1: without an event
  /// the upper bound of a 95 % interval is 3.7 over the effective number of samples, the "rule
  /// of three" (one-sided: 3.0; J. Hanley, A. Lippman-Hand 1983, DOI
  /// 10.1001/jama.1983.03330370053031). Values inside 0...1 vary less than events, so the
  /// bounds hold for them too.
  /// - Parameters:
  ///   - designEffect: by how much the samples' dependence widens the variance, at least 1: samples
  ///     of one session go together.
  ///   - level: two-sided.
  /// - Throws: `statistics.no-data` without samples, `statistics.probability` for a share outside
  ///   0...1.
  public static func shareBounds<Source: Quantiles>(
    _ share: Double, samples: Double, designEffect: Double = 1, level: Double = 0.95,
    quantiles: Source
  ) throws(StatisticsError) -> Interval {
    try Require.level(level)
    if !(samples > 0) { throw .noData("at least 1 sample", got: 0) }
    if !(share >= 0 && share <= 1) { throw .probability("a share in 0...1", got: share) }
    let effective = samples / max(1, designEffect)
    let isRare = share <= 0.5
    let bounds = try countBounds(
      (isRare ? share : 1 - share) * effective, level: level, quantiles: quantiles)
    let (near, far) = (min(1, bounds.lower / effective), min(1, bounds.upper / effective))
    return isRare
      ? Interval(lower: near, upper: far, level: level)
      : Interval(lower: 1 - far, upper: 1 - near, level: level)
  }

  /// From so many events on the exact interval is taken from a normal law.
  private static let manyEvents = 1e5

  /// The exact interval of a Poisson mean of which `count` events were seen; a part of an event is
  /// a part of one.
  public static func countBounds<Source: Quantiles>(
    _ count: Double, level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Interval {
    try Require.level(level)
    if !(count >= 0 && count.isFinite) { throw .data("a count of at least 0", got: count) }
    let tail = (1 - level) / 2
    if count >= Estimates.manyEvents {
      // W. Wilson and M. Hilferty 1931, DOI 10.1073/pnas.17.12.684: here within a ten-thousandth of
      // a standard deviation, which the library's gamma quantile no longer is.
      let z = try quantiles.normal(upperTail: tail)
      func quantile(_ shape: Double, _ z: Double) -> Double {
        let part = 1 / (9 * shape)
        let root = 1 - part + z * part.squareRoot()
        return shape * root * root * root
      }
      return Interval(
        lower: quantile(count, -z), upper: quantile(count + 1, z), level: level)
    }
    // Half an event and less is told from none by nobody.
    let lower = count <= 0.5 ? 0 : try quantiles.unitGamma(lowerTail: tail, shape: count)
    let upper = try quantiles.unitGamma(upperTail: tail, shape: count + 1)
    return Interval(lower: lower, upper: upper, level: level)
  }

  /// Whether so few events, or so few samples without one, lie behind a share that its standard
  /// error says nothing.
  public static func hasFewEvents(
    _ share: Double, samples: Double, designEffect: Double = 1
  ) -> Bool {
    min(share, 1 - share) * samples / max(1, designEffect) < fewEvents
  }
}
