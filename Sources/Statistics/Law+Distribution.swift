internal import CGSL

extension Law {
  /// P(X ≤ `x`).
  public func cdf(_ x: Double) throws(StatisticsError) -> Double {
    try answered(.atMost, x)
  }

  /// P(X > `x`), exact where 1 - cdf(x) would have lost its digits.
  public func upperTail(_ x: Double) throws(StatisticsError) -> Double {
    try answered(.over, x)
  }

  private func answered(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    if x.isNaN { throw .parameter("a number", got: x) }
    return try probability(side, x)
  }

  func probability(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    if x == -.infinity { return side.isLeft ? 0 : 1 }
    if x == .infinity { return side.isLeft ? 1 : 0 }
    switch kind {
    case .constant(let value):
      return Law.holds(side, value, x) ? 1 : 0
    case .uniform(let min, let max):
      let share = (side.isLeft ? x - min : max - x) / (max - min)
      return Swift.min(1, Swift.max(0, share))
    case .exponential(let mean):
      if x <= 0 { return side.isLeft ? 0 : 1 }
      return side.isLeft ? gsl_cdf_exponential_P(x, mean) : gsl_cdf_exponential_Q(x, mean)
    case .lognormal(let median, let sigma):
      if x <= 0 { return side.isLeft ? 0 : 1 }
      return StandardNormal.probability(side, log(x / median) / sigma)
    case .normal(let mean, let deviation):
      return StandardNormal.probability(side, (x - mean) / deviation)
    case .weibull(let shape, let scale):
      if x <= 0 { return side.isLeft ? 0 : 1 }
      return side.isLeft
        ? gsl_cdf_weibull_P(x, scale, shape) : gsl_cdf_weibull_Q(x, scale, shape)
    case .gamma(let shape, let scale):
      if x <= 0 { return side.isLeft ? 0 : 1 }
      return try GSLBoundary.value("gamma probability") {
        side.isLeft ? gsl_cdf_gamma_P(x, shape, scale) : gsl_cdf_gamma_Q(x, shape, scale)
      }
    case .boundedPareto(let law): return law.probability(side, x)
    case .beta(let law): return try law.probability(side, x)
    case .triangular(let law): return law.probability(side, x)
    case .empirical(let law): return law.probability(side, x)
    case .mixture(let law): return try law.probability(side, x)
    case .truncated(let law): return try law.probability(side, x)
    case .clipped(let law): return try law.probability(side, x)
    }
  }

  private static func holds(_ side: Side, _ value: Double, _ x: Double) -> Bool {
    switch side {
    case .atMost: value <= x
    case .under: value < x
    case .atLeast: value >= x
    case .over: value > x
    }
  }

  /// The expected value.
  ///
  /// Closed forms, except for truncated and clipped laws: there the quantile function is integrated
  /// octave by octave toward both tails, to about 1e-9 of max(|median|, interquartile range).
  /// - Throws: `statistics.numeric` when the mean is not a finite number.
  public func mean() throws(StatisticsError) -> Double {
    let value: Double
    switch kind {
    case .constant(let constant): value = constant
    case .uniform(let min, let max): value = min + (max - min) / 2
    case .exponential(let mean): value = mean
    case .lognormal(let median, let sigma): value = median * exp(sigma * sigma / 2)
    case .normal(let mean, _): value = mean
    case .weibull(let shape, let scale): value = try scale * gammaFunction(1 + 1 / shape)
    case .gamma(let shape, let scale): value = shape * scale
    case .boundedPareto(let law): value = law.mean
    case .beta(let law): value = law.mean
    case .triangular(let law): value = law.mean
    case .empirical(let law): value = law.mean
    case .mixture(let law): value = try law.mean()
    case .truncated, .clipped: value = try integratedMean()
    }
    if !value.isFinite { throw .numeric("a finite mean of \(describe())", got: "\(value)") }
    return value
  }

  /// The mean as the integral of the quantile function over the probability.
  private func integratedMean() throws(StatisticsError) -> Double {
    if isConstant { return lowest }
    let median = try quantile(0.5)
    let spread = try quantile(0.75) - quantile(0.25)
    var scale = max(abs(median), spread)
    if scale == 0 { scale = 1 }
    return try halfMean(isUpper: false, scale) + halfMean(isUpper: true, scale)
  }

  private func halfMean(isUpper: Bool, _ scale: Double) throws(StatisticsError) -> Double {
    var sum = CompensatedSum()
    var quiet = 0
    for octave in 1...1000 {
      let high = exp2(-Double(octave))
      let part = try GSLBoundary.integral(
        from: high / 2, to: high, absolute: 1e-12 * scale, relative: 1e-11
      ) { v throws(StatisticsError) in
        try quantile(isUpper ? .upper(v) : .lower(v))
      }
      sum.add(part)
      quiet = abs(part) < 1e-14 * scale ? quiet + 1 : 0
      if quiet == 3 { break }
    }
    return sum.value
  }
}

/// The gamma function, through GSL's status-returning form.
private func gammaFunction(_ x: Double) throws(StatisticsError) -> Double {
  var result = gsl_sf_result()
  try GSLBoundary.status("the gamma function at \(format(x))") { gsl_sf_gamma_e(x, &result) }
  return result.val
}

/// The standard normal law.
public enum StandardNormal {
  /// z with P(Z ≤ z) = `p`, for `p` strictly between 0 and 1.
  public static func quantile(_ p: Double) throws(StatisticsError) -> Double {
    try Require.open(p)
    return try GSLBoundary.value("normal quantile") { gsl_cdf_ugaussian_Pinv(p) }
  }

  /// z with P(Z > z) = `q`, exact for small `q`.
  public static func quantile(upperTail q: Double) throws(StatisticsError) -> Double {
    try Require.open(q)
    return try GSLBoundary.value("normal quantile") { gsl_cdf_ugaussian_Qinv(q) }
  }

  /// P(Z ≤ `z`).
  public static func cdf(_ z: Double) -> Double { gsl_cdf_ugaussian_P(z) }

  /// P(Z > `z`), exact in the tail.
  public static func upperTail(_ z: Double) -> Double { gsl_cdf_ugaussian_Q(z) }

  static func probability(_ side: Side, _ z: Double) -> Double {
    side.isLeft ? gsl_cdf_ugaussian_P(z) : gsl_cdf_ugaussian_Q(z)
  }
}

/// Student's t law.
public enum StudentT {
  /// t with P(T ≤ t) = `p`, for `p` strictly between 0 and 1 and `degreesOfFreedom` above 0.
  public static func quantile(
    _ p: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    try Require.open(p)
    try requirePositive(degreesOfFreedom, "number of degrees of freedom")
    return try GSLBoundary.value("Student quantile") {
      p <= 0.5
        ? gsl_cdf_tdist_Pinv(p, degreesOfFreedom)
        : gsl_cdf_tdist_Qinv(1 - p, degreesOfFreedom)
    }
  }

  /// t with P(T > t) = `q`, exact for small `q`.
  public static func quantile(
    upperTail q: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    -(try quantile(q, degreesOfFreedom: degreesOfFreedom))
  }

  /// P(T > `t`), exact in the tail.
  public static func upperTail(
    _ t: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    try requirePositive(degreesOfFreedom, "number of degrees of freedom")
    return try GSLBoundary.value("Student probability") {
      gsl_cdf_tdist_Q(t, degreesOfFreedom)
    }
  }
}
