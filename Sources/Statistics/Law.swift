internal import CGSL

/// A probability law of one real quantity, in whatever unit the caller uses.
///
/// A law answers for its quantiles, its distribution function and its mean; it draws nothing. The
/// simulation draws by inverse transform from the table that ``QuantileKnots`` makes of it. Every
/// constructor checks its parameters and throws `statistics.parameter` or `statistics.data`.
///
/// Source of the closed forms: N. Johnson, S. Kotz, N. Balakrishnan, "Continuous Univariate
/// Distributions", 2nd edition, 1994-1995; the special functions are GSL's (see ``GSLBoundary``).
public struct Law: Sendable, Equatable {
  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  indirect enum Kind: Sendable, Equatable {
    case constant(Double)
    case uniform(min: Double, max: Double)
    case exponential(mean: Double)
    case lognormal(median: Double, sigma: Double)
    case normal(mean: Double, standardDeviation: Double)
    case weibull(shape: Double, scale: Double)
    case gamma(shape: Double, scale: Double)
    case boundedPareto(BoundedPareto)
    case beta(ScaledBeta)
    case triangular(Triangular)
    case empirical(EmpiricalQuantiles)
    case mixture(Mixture)
    case truncated(Truncation)
    case clipped(Clipping)
  }
}

/// A probability measured from the end it is close to, so that it stays exact in either tail.
enum Tail: Equatable {
  /// The probability at or below the quantile.
  case lower(Double)
  /// The probability above the quantile.
  case upper(Double)

  /// The same point measured from its nearer end. Exact: 1 - p is exact for p in 1/2...1.
  var nearer: Tail {
    switch self {
    case .lower(let p): p > 0.5 ? .upper(1 - p) : self
    case .upper(let q): q > 0.5 ? .lower(1 - q) : self
    }
  }

  /// The probability at or below, rounded: 1 for an upper tail under 2^-54.
  var below: Double {
    switch self {
    case .lower(let p): p
    case .upper(let q): 1 - q
    }
  }

  /// The probability above, rounded.
  var above: Double {
    switch self {
    case .lower(let p): 1 - p
    case .upper(let q): q
    }
  }
}

/// Which part of the line a probability is asked for.
enum Side {
  /// At most `x`.
  case atMost
  /// Strictly below `x`.
  case under
  /// At least `x`.
  case atLeast
  /// Strictly above `x`.
  case over

  /// The same question with the line turned round.
  var mirrored: Side {
    switch self {
    case .atMost: .atLeast
    case .under: .over
    case .atLeast: .atMost
    case .over: .under
    }
  }

  /// Whether the question is about the left of `x`.
  var isLeft: Bool { self == .atMost || self == .under }
}

extension Law {
  /// Always `value`.
  public static func constant(_ value: Double) throws(StatisticsError) -> Law {
    try requireFinite(value, "constant")
    return Law(.constant(value))
  }

  /// Equally likely everywhere between `min` and `max`.
  public static func uniform(min: Double, max: Double) throws(StatisticsError) -> Law {
    try requireRange(min, max)
    return Law(.uniform(min: min, max: max))
  }

  /// Exponential with the given mean.
  public static func exponential(mean: Double) throws(StatisticsError) -> Law {
    try requirePositive(mean, "mean")
    return Law(.exponential(mean: mean))
  }

  /// Lognormal: the natural logarithm is normal about log(`median`) with standard deviation
  /// `sigma`.
  public static func lognormal(median: Double, sigma: Double) throws(StatisticsError) -> Law {
    try requirePositive(median, "median")
    try requirePositive(sigma, "sigma")
    return Law(.lognormal(median: median, sigma: sigma))
  }

  /// Lognormal through its median and its 95th percentile: sigma = ln(p95 / median) / 1.6449.
  public static func lognormal(median: Double, p95: Double) throws(StatisticsError) -> Law {
    try requirePositive(median, "median")
    if !(p95 > median && p95.isFinite) {
      throw .parameter("a finite p95 above the median \(format(median))", got: p95)
    }
    let z = try StandardNormal.quantile(0.95)
    return try lognormal(median: median, sigma: log(p95 / median) / z)
  }

  /// Normal with the given mean and standard deviation. It reaches below zero: truncate it for
  /// times.
  public static func normal(
    mean: Double, standardDeviation: Double
  ) throws(StatisticsError) -> Law {
    try requireFinite(mean, "mean")
    try requirePositive(standardDeviation, "standard deviation")
    return Law(.normal(mean: mean, standardDeviation: standardDeviation))
  }

  /// Weibull: P(X > x) = exp(-(x / `scale`)^`shape`).
  public static func weibull(shape: Double, scale: Double) throws(StatisticsError) -> Law {
    try requirePositive(shape, "shape")
    try requirePositive(scale, "scale")
    return Law(.weibull(shape: shape, scale: scale))
  }

  /// Gamma with mean `shape` · `scale`.
  public static func gamma(shape: Double, scale: Double) throws(StatisticsError) -> Law {
    try requirePositive(shape, "shape")
    try requirePositive(scale, "scale")
    return Law(.gamma(shape: shape, scale: scale))
  }

  /// Pareto with exponent `alpha`, conditioned on `min` to `max`.
  public static func boundedPareto(
    alpha: Double, min: Double, max: Double
  ) throws(StatisticsError) -> Law {
    try requirePositive(alpha, "alpha")
    try requirePositive(min, "min")
    try requireRange(min, max)
    return Law(.boundedPareto(BoundedPareto(alpha: alpha, minimum: min, maximum: max)))
  }

  /// Beta with exponents `a` and `b`, stretched from 0...1 to `min`...`max`.
  public static func beta(
    a: Double, b: Double, min: Double, max: Double
  ) throws(StatisticsError) -> Law {
    try requirePositive(a, "a")
    try requirePositive(b, "b")
    try requireRange(min, max)
    return Law(.beta(ScaledBeta(a: a, b: b, minimum: min, maximum: max)))
  }

  /// Triangular from `min` to `max` with its peak at `mode`, which may be at an end.
  public static func triangular(
    min: Double, mode: Double, max: Double
  ) throws(StatisticsError) -> Law {
    try requireRange(min, max)
    if !(mode >= min && mode <= max) {
      throw .parameter("a mode from \(format(min)) to \(format(max))", got: mode)
    }
    return Law(.triangular(Triangular(minimum: min, mode: mode, maximum: max)))
  }

  /// The continuous law through a sample: piecewise linear quantiles of the sorted list.
  ///
  /// Hyndman-Fan type 7 (1996, DOI 10.1080/00031305.1996.10473566): value number i of n, counted
  /// from 0, stands at p = i/(n-1). Equal values make an atom. One value makes a constant.
  public static func empirical(_ values: [Double]) throws(StatisticsError) -> Law {
    Law(.empirical(try EmpiricalQuantiles(sample: values)))
  }

  /// The continuous law through given quantiles, linear between them.
  ///
  /// The list starts at p = 0 and ends at p = 1, p strictly increases and the values never
  /// decrease. A stretch of equal values is an atom.
  public static func empirical(
    quantiles: [(p: Double, value: Double)]
  ) throws(StatisticsError) -> Law {
    Law(.empirical(try EmpiricalQuantiles(quantiles: quantiles)))
  }

  /// One of several laws, each with the probability its weight has in the sum of weights.
  public static func mixture(
    _ parts: [(weight: Double, law: Law)]
  ) throws(StatisticsError) -> Law {
    Law(.mixture(try Mixture(parts)))
  }

  /// `law` on condition that it falls into `min`...`max`: outcomes outside are drawn again.
  ///
  /// Either end may be infinite. No atoms arise at the ends; use ``clipped(_:min:max:)`` for those.
  public static func truncated(
    _ law: Law, min: Double, max: Double
  ) throws(StatisticsError) -> Law {
    try requireBounds(min, max)
    return Law(.truncated(try Truncation(law, minimum: min, maximum: max)))
  }

  /// `law` with outcomes outside `min`...`max` moved to the nearer end, where they make atoms.
  ///
  /// Either end may be infinite. The density inside is unchanged, unlike ``truncated(_:min:max:)``.
  public static func clipped(
    _ law: Law, min: Double, max: Double
  ) throws(StatisticsError) -> Law {
    try requireBounds(min, max)
    return Law(.clipped(Clipping(inner: law, minimum: min, maximum: max)))
  }
}

private func requireRange(_ min: Double, _ max: Double) throws(StatisticsError) {
  try requireFinite(min, "min")
  try requireFinite(max, "max")
  if !(min < max) { throw .parameter("a max above the min \(format(min))", got: max) }
  if !(max - min).isFinite { throw .parameter("a finite width max - min", got: max - min) }
}

private func requireBounds(_ min: Double, _ max: Double) throws(StatisticsError) {
  if min.isNaN || min == .infinity { throw .parameter("a min below infinity", got: min) }
  if max.isNaN || max == -.infinity { throw .parameter("a max above -infinity", got: max) }
  if !(min < max) { throw .parameter("a max above the min \(format(min))", got: max) }
}
