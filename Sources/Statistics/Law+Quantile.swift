internal import CGSL

extension Law {
  /// The least x with P(X ≤ x) ≥ `p`.
  ///
  /// Exact to about 1e-12 relative (closed forms and GSL's inverses, polished where they fall
  /// short). `p` = 0 and 1 give the ends of the support.
  /// - Throws: `statistics.probability` when `p` is outside 0...1 or the end is infinite.
  public func quantile(_ p: Double) throws(StatisticsError) -> Double {
    try checked(p, isUpper: false)
    return try quantile(Tail.lower(p).nearer)
  }

  /// The least x with P(X > x) ≤ `q`, exact for `q` far below 2^-53, where 1 - q would round to 1.
  ///
  /// - Throws: `statistics.probability` when `q` is outside 0...1 or the end is infinite.
  public func quantile(upperTail q: Double) throws(StatisticsError) -> Double {
    try checked(q, isUpper: true)
    return try quantile(Tail.upper(q).nearer)
  }

  /// The left end of the support, perhaps -infinity.
  public var lowest: Double {
    switch kind {
    case .constant(let value): value
    case .uniform(let min, _): min
    case .exponential, .lognormal, .weibull, .gamma: 0
    case .normal: -.infinity
    case .boundedPareto(let law): law.minimum
    case .beta(let law): law.minimum
    case .triangular(let law): law.minimum
    case .empirical(let law): law.values[0]
    case .mixture(let law): law.components.reduce(.infinity) { Swift.min($0, $1.lowest) }
    case .truncated(let law): Swift.max(law.minimum, law.inner.lowest)
    case .clipped(let law): law.clip(law.inner.lowest)
    }
  }

  /// The right end of the support, perhaps infinity.
  public var highest: Double {
    switch kind {
    case .constant(let value): value
    case .uniform(_, let max): max
    case .exponential, .lognormal, .weibull, .gamma, .normal: .infinity
    case .boundedPareto(let law): law.maximum
    case .beta(let law): law.maximum
    case .triangular(let law): law.maximum
    case .empirical(let law): law.values[law.values.count - 1]
    case .mixture(let law): law.components.reduce(-.infinity) { Swift.max($0, $1.highest) }
    case .truncated(let law): Swift.min(law.maximum, law.inner.highest)
    case .clipped(let law): law.clip(law.inner.highest)
    }
  }

  /// Whether only one value can occur, whatever the law is called.
  public var isConstant: Bool { lowest == highest }

  private func checked(_ p: Double, isUpper: Bool) throws(StatisticsError) {
    if !(p >= 0 && p <= 1) { throw .probability("a probability in 0...1", got: p) }
    if p > 0 && p < 1 { return }
    let end = (p == 0) == isUpper ? highest : lowest
    if end.isInfinite {
      throw .probability("a probability strictly between 0 and 1 (the law is unbounded)", got: p)
    }
  }

  /// The quantile of a probability already measured from its nearer end.
  func quantile(_ tail: Tail) throws(StatisticsError) -> Double {
    if tail == .lower(0) { return lowest }
    if tail == .upper(0) { return highest }
    switch kind {
    case .constant(let value): return value
    case .uniform(let min, let max): return Law.uniform(tail, min, max)
    case .exponential(let mean): return try Law.exponential(tail, mean)
    case .lognormal(let median, let sigma):
      return try GSLBoundary.value("lognormal quantile") {
        median * exp(sigma * unitNormal(tail))
      }
    case .normal(let mean, let deviation):
      return try GSLBoundary.value("normal quantile") { mean + deviation * unitNormal(tail) }
    case .weibull(let shape, let scale): return try Law.weibull(tail, shape, scale)
    case .gamma(let shape, let scale): return try scale * unitGammaQuantile(tail, shape: shape)
    case .boundedPareto(let law): return law.quantile(tail)
    case .beta(let law): return try law.quantile(tail)
    case .triangular(let law): return law.quantile(tail)
    case .empirical(let law): return law.quantile(tail)
    case .mixture(let law): return try law.quantile(tail)
    case .truncated(let law): return try law.quantile(tail)
    case .clipped(let law): return law.clip(try law.inner.quantile(tail))
    }
  }

  private static func uniform(_ tail: Tail, _ min: Double, _ max: Double) -> Double {
    switch tail {
    case .lower(let p): min + p * (max - min)
    case .upper(let q): max - q * (max - min)
    }
  }

  private static func exponential(_ tail: Tail, _ mean: Double) throws(StatisticsError) -> Double {
    try GSLBoundary.value("exponential quantile") {
      switch tail {
      case .lower(let p): gsl_cdf_exponential_Pinv(p, mean)
      case .upper(let q): gsl_cdf_exponential_Qinv(q, mean)
      }
    }
  }

  private static func weibull(
    _ tail: Tail, _ shape: Double, _ scale: Double
  ) throws(StatisticsError) -> Double {
    try GSLBoundary.value("Weibull quantile") {
      switch tail {
      case .lower(let p): gsl_cdf_weibull_Pinv(p, scale, shape)
      case .upper(let q): gsl_cdf_weibull_Qinv(q, scale, shape)
      }
    }
  }
}

/// The standard normal quantile, from the nearer tail.
private func unitNormal(_ tail: Tail) -> Double {
  switch tail {
  case .lower(let p): gsl_cdf_ugaussian_Pinv(p)
  case .upper(let q): gsl_cdf_ugaussian_Qinv(q)
  }
}

/// The quantile of the gamma law of scale 1.
///
/// GSL's inverse stops at 1.5e-8 relative in the probability and gives up on some shapes; where its
/// probability is off by more than 1e-12 the root is found again on the distribution function.
func unitGammaQuantile(_ tail: Tail, shape: Double) throws(StatisticsError) -> Double {
  try polishedQuantile(tail, upTo: .infinity) { tail throws(StatisticsError) in
    try GSLBoundary.value("gamma quantile") {
      switch tail {
      case .lower(let p): gsl_cdf_gamma_Pinv(p, shape, 1)
      case .upper(let q): gsl_cdf_gamma_Qinv(q, shape, 1)
      }
    }
  } probability: { x, isUpper throws(StatisticsError) in
    try GSLBoundary.value("gamma probability") {
      isUpper ? gsl_cdf_gamma_Q(x, shape, 1) : gsl_cdf_gamma_P(x, shape, 1)
    }
  }
}

/// A quantile on 0..<`top` from a first guess that is checked against the distribution function.
///
/// The guess stands when its probability is right to 1e-12 relative. Otherwise, and when the guess
/// fails, a bracket grows from it by doubling and ``leastRoot`` closes it.
func polishedQuantile(
  _ tail: Tail, upTo top: Double,
  guess: (Tail) throws(StatisticsError) -> Double,
  probability: (_ x: Double, _ isUpper: Bool) throws(StatisticsError) -> Double
) throws(StatisticsError) -> Double {
  let target: Double
  let isUpper: Bool
  switch tail {
  case .lower(let p): (target, isUpper) = (p, false)
  case .upper(let q): (target, isUpper) = (q, true)
  }
  // Rises with x in both tails, and is close to linear there.
  func excess(_ x: Double) throws(StatisticsError) -> Double {
    let ratio = log(try probability(x, isUpper) / target)
    return isUpper ? -ratio : ratio
  }
  var first = 1.0
  if let guessed = try? guess(tail), guessed >= 0, guessed < top || guessed == 0 {
    first = guessed
  }
  if first == 0 { first = Double.leastNormalMagnitude }
  first = min(first, top / 2)
  let start = try excess(first)
  if abs(start) <= 1e-12 { return first }
  var low = first
  var high = first
  var fLow = start
  var fHigh = start
  var factor = 1 + 1e-9
  while fLow >= 0 {
    (high, fHigh) = (low, fLow)
    low = low <= Double.leastNormalMagnitude ? 0 : low / factor
    fLow = low == 0 ? -.infinity : try excess(low)
    factor = min(factor * factor * 2, 1e30)
  }
  while fHigh < 0 {
    (low, fLow) = (high, fHigh)
    high = min(high * factor, top)
    fHigh = high == top && top.isFinite ? .infinity : try excess(high)
    factor = min(factor * factor * 2, 1e30)
  }
  // A quantile under the least normal number is 0 for every purpose of ours.
  if high <= Double.leastNormalMagnitude { return 0 }
  return try leastRoot(low: low, high: high, fLow: fLow, fHigh: fHigh, excess)
}
