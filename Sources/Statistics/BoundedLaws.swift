internal import CGSL

/// Pareto conditioned on [minimum, maximum]; closed forms that hold for any positive exponent.
struct BoundedPareto: Sendable, Equatable {
  let alpha: Double
  let minimum: Double
  let maximum: Double

  /// (minimum / maximum)^alpha: what the unbounded law holds above the maximum.
  private var rest: Double { exp(alpha * log(minimum / maximum)) }
  /// 1 - rest, without cancellation.
  private var mass: Double { -expm1(alpha * log(minimum / maximum)) }

  func quantile(_ tail: Tail) -> Double {
    let value: Double
    switch tail {
    case .lower(let p): value = minimum * exp(-log1p(-p * mass) / alpha)
    case .upper(let q):
      let part = q * mass
      // The form that starts at the nearer end keeps its digits.
      value =
        rest > part
        ? maximum * exp(-log1p(part / rest) / alpha)
        : minimum * exp(-log(part + rest) / alpha)
    }
    return min(max(value, minimum), maximum)
  }

  func probability(_ side: Side, _ x: Double) -> Double {
    if side.isLeft {
      if x <= minimum { return 0 }
      return x >= maximum ? 1 : -expm1(alpha * log(minimum / x)) / mass
    }
    if x <= minimum { return 1 }
    return x >= maximum
      ? 0 : -exp(alpha * log(minimum / x)) * expm1(alpha * log(x / maximum)) / mass
  }

  var mean: Double {
    let span = log(maximum / minimum)
    let order = (alpha - 1) * span
    // The integral of (minimum/x)^alpha; at exponent 1 it is the logarithm of the span.
    let integral = order == 0 ? span : -expm1(-order) / (alpha - 1)
    return minimum * alpha * integral / mass
  }
}

/// Beta on [minimum, maximum].
struct ScaledBeta: Sendable, Equatable {
  let a: Double
  let b: Double
  let minimum: Double
  let maximum: Double

  func quantile(_ tail: Tail) throws(StatisticsError) -> Double {
    switch tail {
    case .lower(let p):
      return minimum + (maximum - minimum) * (try ScaledBeta.unit(p, a, b))
    case .upper(let q):
      return maximum - (maximum - minimum) * (try ScaledBeta.unit(q, b, a))
    }
  }

  func probability(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    if x <= minimum { return side.isLeft ? 0 : 1 }
    if x >= maximum { return side.isLeft ? 1 : 0 }
    let width = maximum - minimum
    let isNearMinimum = x - minimum <= maximum - x
    // Measured from the nearer end, where the distance keeps its digits.
    let z = (isNearMinimum ? x - minimum : maximum - x) / width
    let (first, second) = isNearMinimum ? (a, b) : (b, a)
    return try GSLBoundary.value("beta probability") {
      side.isLeft == isNearMinimum
        ? gsl_cdf_beta_P(z, first, second) : gsl_cdf_beta_Q(z, first, second)
    }
  }

  var mean: Double { minimum + (maximum - minimum) * (a / (a + b)) }

  private static func unit(
    _ p: Double, _ a: Double, _ b: Double
  ) throws(StatisticsError) -> Double {
    try polishedQuantile(.lower(p), upTo: 1) { tail throws(StatisticsError) in
      try GSLBoundary.value("beta quantile") { gsl_cdf_beta_Pinv(tail.below, a, b) }
    } probability: { x, _ throws(StatisticsError) in
      try GSLBoundary.value("beta probability") { gsl_cdf_beta_P(x, a, b) }
    }
  }
}

/// Triangular on [minimum, maximum].
struct Triangular: Sendable, Equatable {
  let minimum: Double
  let mode: Double
  let maximum: Double

  private var width: Double { maximum - minimum }

  func quantile(_ tail: Tail) -> Double {
    if tail.below * width <= mode - minimum {
      return minimum + (tail.below * width * (mode - minimum)).squareRoot()
    }
    return maximum - (tail.above * width * (maximum - mode)).squareRoot()
  }

  func probability(_ side: Side, _ x: Double) -> Double {
    if x <= minimum { return side.isLeft ? 0 : 1 }
    if x >= maximum { return side.isLeft ? 1 : 0 }
    if x <= mode {
      let left = (x - minimum) * (x - minimum) / (width * (mode - minimum))
      return side.isLeft ? left : 1 - left
    }
    let right = (maximum - x) * (maximum - x) / (width * (maximum - mode))
    return side.isLeft ? 1 - right : right
  }

  var mean: Double { minimum + (mode - minimum) / 3 + (maximum - minimum) / 3 }
}
