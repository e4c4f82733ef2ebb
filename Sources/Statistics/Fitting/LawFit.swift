internal import CGSL

/// A law fitted to a sample by maximum likelihood.
public struct LawFit: Sendable, Equatable {
  public struct Parameter: Sendable, Equatable {
    public let name: String
    public let value: Double
    /// 95 % from the bootstrap, on the logarithm of the parameter; nil for a Pareto law's minimum,
    /// which is the least value seen and has no interval of this kind.
    public let interval: Interval?
  }

  public let family: FittedFamily
  public let parameters: [Parameter]
  public let logLikelihood: Double
  /// Akaike's criterion, 2k - 2 log L (H. Akaike 1974, DOI 10.1109/TAC.1974.1100705).
  public let aic: Double
  public let law: Law

  public var values: [Double] { parameters.map(\.value) }

  /// Fits every family that can be, the best by Akaike's criterion first, without intervals.
  ///
  /// - Returns: empty when no family can be fitted.
  public static func candidates(
    _ sample: CensoredSample, families: [FittedFamily] = FittedFamily.allCases
  ) -> [LawFit] {
    var fits: [LawFit] = []
    for family in families {
      if let fit = try? LawFit(family, sample) { fits.append(fit) }
    }
    return fits.enumerated().sorted {
      $0.element.aic != $1.element.aic
        ? $0.element.aic < $1.element.aic : $0.offset < $1.offset
    }.map(\.element)
  }

  /// The fit of one family, without intervals.
  public init(_ family: FittedFamily, _ sample: CensoredSample) throws(StatisticsError) {
    let found = try family.estimate(sample)
    try self.init(family, found, intervals: found.map { _ in nil }, sample)
  }

  private init(
    _ family: FittedFamily, _ found: [Double], intervals: [Interval?], _ sample: CensoredSample
  ) throws(StatisticsError) {
    self.family = family
    parameters = found.indices.map {
      Parameter(name: family.parameterNames[$0], value: found[$0], interval: intervals[$0])
    }
    logLikelihood = family.logLikelihood(sample, found)
    if !logLikelihood.isFinite { throw .numeric("a finite likelihood", got: "\(logLikelihood)") }
    aic = 2 * Double(found.count) - 2 * logLikelihood
    law = try family.law(found)
  }

  /// The same fit with intervals from the bootstrap.
  ///
  /// The sample is drawn anew from itself and fitted again; the interval is the estimate times
  /// exp(± z · the standard deviation of the logarithms), for B. Efron and R. Tibshirani, "An
  /// Introduction to the Bootstrap", 1993, section 13.2.
  public func withIntervals(
    _ sample: CensoredSample, resamples: Int = 200, seed: UInt64, level: Double = 0.95
  ) throws(StatisticsError) -> LawFit {
    try Require.level(level)
    let generator = try FitRandom(seed: seed)
    let z = try StandardNormal.quantile(1 - (1 - level) / 2)
    var logs = values.map { _ in [Double]() }
    let counts = (sample.events + sample.censored).map(\.count)
    for _ in 0..<max(50, resamples) {
      let drawn = generator.multinomial(sample.count, weights: counts)
      let again = CensoredSample(
        sample, events: Array(drawn[..<sample.events.count]),
        censored: Array(drawn[sample.events.count...]))
      guard let found = try? family.estimate(again, start: values) else { continue }
      for index in found.indices { logs[index].append(log(found[index])) }
    }
    var intervals: [Interval?] = []
    for index in values.indices {
      if family == .pareto && index == 1 {
        intervals.append(nil)
        continue
      }
      guard logs[index].count >= 25, let spread = try Summary(logs[index]).standardDeviation else {
        throw .numeric("resamples that can be fitted", got: "\(logs[index].count) of them")
      }
      let value = values[index]
      intervals.append(
        Interval(lower: value * exp(-z * spread), upper: value * exp(z * spread), level: level))
    }
    return try LawFit(family, values, intervals: intervals, sample)
  }
}

/// GSL's generator MT19937; equal seeds give equal numbers.
final class FitRandom {
  private let generator: UnsafeMutablePointer<gsl_rng>

  init(seed: UInt64) throws(StatisticsError) {
    generator = try GSLBoundary.allocated("generator") { firstframe_gsl_generator(UInt(seed)) }
  }

  deinit { gsl_rng_free(generator) }

  /// How often each cell is hit by so many draws: conditional binomials, one cell after another.
  func multinomial(_ count: Int, weights: [Double]) -> [Double] {
    var rest = CompensatedSum.of(weights)
    var left = count
    return weights.map { weight in
      if left == 0 || weight <= 0 { return 0 }
      let share = rest > weight ? min(1, weight / rest) : 1
      rest -= weight
      let hits = Int(gsl_ran_binomial(generator, share, UInt32(left)))
      left -= hits
      return Double(hits)
    }
  }
}
