internal import CGSL

/// A family of laws of positive values that can be fitted to data.
public enum FittedFamily: String, Sendable, CaseIterable {
  case exponential, lognormal, gamma, weibull, pareto

  /// What the parameters are called in a scenario, in order.
  public var parameterNames: [String] {
    switch self {
    case .exponential: ["mean"]
    case .lognormal: ["median", "sigma"]
    case .gamma, .weibull: ["shape", "scale"]
    case .pareto: ["alpha", "min"]
    }
  }

  /// Which of the parameters have the unit of the values.
  public var hasUnit: [Bool] {
    switch self {
    case .exponential: [true]
    case .lognormal: [true, false]
    case .gamma, .weibull, .pareto: [false, true]
    }
  }

  /// The law of given parameters; a Pareto law, which has no end, is cut where 10^-12 is left.
  public func law(_ parameters: [Double]) throws(StatisticsError) -> Law {
    switch self {
    case .exponential: try .exponential(mean: parameters[0])
    case .lognormal: try .lognormal(median: parameters[0], sigma: parameters[1])
    case .gamma: try .gamma(shape: parameters[0], scale: parameters[1])
    case .weibull: try .weibull(shape: parameters[0], scale: parameters[1])
    case .pareto:
      try .boundedPareto(
        alpha: parameters[0], min: parameters[1],
        max: parameters[1] * exp(min(600, log(1e12) / parameters[0])))
    }
  }

  /// log P(X > `x`).
  func logSurvival(_ x: Double, _ parameters: [Double]) -> Double {
    switch self {
    case .exponential: return -x / parameters[0]
    case .lognormal:
      let z = log(x / parameters[0]) / parameters[1]
      return gsl_sf_log_erfc(z / 2.0.squareRoot()) - log(2)
    case .weibull: return -exp(parameters[0] * log(x / parameters[1]))
    case .gamma:
      let rest = gsl_cdf_gamma_Q(x, parameters[0], parameters[1])
      return rest > 1e-300 ? log(rest) : -x / parameters[1]
    case .pareto: return x <= parameters[1] ? 0 : -parameters[0] * log(x / parameters[1])
    }
  }

  /// The logarithm of the likelihood; -infinity outside the family's range.
  func logLikelihood(_ sample: CensoredSample, _ parameters: [Double]) -> Double {
    for parameter in parameters where !(parameter > 0 && parameter.isFinite) { return -.infinity }
    let sums = FitSums(sample)
    var result = CompensatedSum()
    switch self {
    case .exponential: result.add(-sums.count * log(parameters[0]) - sums.value / parameters[0])
    case .lognormal:
      let (mu, sigma) = (log(parameters[0]), parameters[1])
      let squares = sums.logSquare - 2 * mu * sums.log + sums.count * mu * mu
      result.add(
        -sums.log - sums.count * (log(sigma) + 0.5 * log(2 * Double.pi))
          - squares / (2 * sigma * sigma))
    case .gamma:
      let (shape, scale) = (parameters[0], parameters[1])
      result.add(
        (shape - 1) * sums.log - sums.value / scale
          - sums.count * (gsl_sf_lngamma(shape) + shape * log(scale)))
    case .weibull:
      let (shape, scale) = (parameters[0], parameters[1])
      result.add(sums.count * (log(shape) - shape * log(scale)) + (shape - 1) * sums.log)
      for row in sample.events { result.add(-row.count * exp(shape * log(row.value / scale))) }
    case .pareto:
      let (alpha, least) = (parameters[0], parameters[1])
      if sample.least < least { return -.infinity }
      result.add(sums.count * (log(alpha) + alpha * log(least)) - (alpha + 1) * sums.log)
    }
    for row in sample.censored where row.count > 0 {
      result.add(row.count * logSurvival(row.value, parameters))
    }
    return result.value
  }
}

/// Sums over what was seen to end.
struct FitSums {
  var count = 0.0
  var value = 0.0
  var log = 0.0
  var logSquare = 0.0

  init(_ sample: CensoredSample) {
    var (value, log, square) = (CompensatedSum(), CompensatedSum(), CompensatedSum())
    for row in sample.events where row.count > 0 {
      let logarithm = CGSL.log(row.value)
      count += row.count
      value.add(row.count * row.value)
      log.add(row.count * logarithm)
      square.add(row.count * logarithm * logarithm)
    }
    self.value = value.value
    self.log = log.value
    logSquare = square.value
  }
}
