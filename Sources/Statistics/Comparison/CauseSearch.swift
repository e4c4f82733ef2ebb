import Foundation

/// Which one of several causes explains a vector of errors best: generalised least squares, with
/// the noise of the errors and that of what each cause does to them.
///
/// A cause moves the numbers by a known amount at two of its powers, one below and one above zero;
/// between them and zero, and beyond, in proportion. A power is as good as what it takes of the
/// errors' squares, over a noise that is theirs and, as the power grows, that of what the cause
/// moves: so a cause that moves nothing but noise does not explain what is sure. With and without
/// the cause squares are over the same noise, so that noise alone is no explanation.
///
/// Correlations of few clusters are noise themselves and shrunk (``ErrorNoise``).
///
/// Where the best cause leaves more than noise, all differences count as much less
/// (quasi-likelihood: P. McCullagh, J. Nelder, "Generalized Linear Models", 2nd edition, 1989,
/// section 9.2).
public struct CauseSearch: Sendable {
  /// What a cause does at a power: how far the numbers move, with that difference's own noise.
  public struct Move: Sendable, Equatable {
    public var power: Double
    public var difference: SampledVector

    public init(power: Double, _ difference: SampledVector) {
      self.power = power
      self.difference = difference
    }
  }

  /// What a cause explains.
  public struct Explanation: Sendable, Equatable {
    /// The likeliest power.
    public var power: Double
    /// At 95 %; its ends are those of the search where it goes beyond.
    public var interval: Interval
    /// Of the errors' squares over their noise, 0 to 1.
    public var share: Double
    /// Twice the logarithm of how much likelier the errors are with it than without, both with the
    /// noise that it has.
    public var gain: Double
    /// The squares that it leaves, over their noise.
    public var rest: Double
  }

  /// Powers that are looked at, on either side of zero.
  public let most: Double
  private static let step = 0.0025

  private let errors: [Double]
  private let noise: [[Double]]
  /// What is left of correlations.
  private let kept: Double
  private let clusters: Int
  /// The errors' squares over their noise.
  public let whole: Double

  /// - Parameters:
  ///   - errors: what is to be explained, such as observed minus predicted.
  ///   - samples: the independent samples that they are made of, whose covariances add up.
  ///   - leastVariances: of the errors, where more is known than samples show.
  ///   - most: powers are looked for from -`most` to `most`.
  /// - Throws: `statistics.no-data` without errors, `statistics.numeric` where one has no noise.
  public init(
    _ errors: [Double], samples: [SampledVector], leastVariances: [Double] = [], most: Double
  ) throws(StatisticsError) {
    if errors.isEmpty { throw .noData("at least one error", got: 0) }
    try Require.finite(data: errors)
    self.errors = errors
    self.most = most
    let noise = ErrorNoise(samples, count: errors.count, leastVariances: leastVariances)
    clusters = noise.clusters
    kept = noise.kept
    self.noise = noise.covariance
    whole = try CauseSearch.squares(errors, noise.covariance)
  }

  /// What a cause explains.
  ///
  /// - Parameters:
  ///   - moves: one at a power below zero and one above.
  ///   - scale: how many times larger what is left may be than noise (1 and more): intervals widen.
  public func explanation(_ moves: [Move], scale: Double = 1) throws(StatisticsError) -> Explanation
  {
    let steps = Int((most / CauseSearch.step).rounded(.down))
    var best = (power: 0.0, gain: 0.0)
    var gains = [best]
    for number in -steps...steps where number != 0 {
      let power = Double(number) * CauseSearch.step
      guard let gain = try gain(moves, at: power) else { continue }
      gains.append((power, gain))
      if gain > best.gain { best = (power, gain) }
    }
    let z = try StandardNormal.quantile(upperTail: 0.025)
    let likely = gains.filter { best.gain - $0.gain <= z * z * scale }.map(\.power)
    let rest = try CauseSearch.squares(errors(moves, at: best.power), noise)
    return Explanation(
      power: best.power,
      interval: Interval(
        lower: likely.min() ?? best.power, upper: likely.max() ?? best.power, level: 0.95),
      share: whole > 0 ? max(0, 1 - rest / whole) : 0, gain: best.gain, rest: rest)
  }

  /// How many times larger than noise what an explanation leaves is: 1 and more.
  public func misfit(_ explanation: Explanation) -> Double {
    max(1, explanation.rest / Double(max(1, errors.count - 1)))
  }

  /// What a gain has to be to be told from none, where the best of so many causes is looked at
  /// (Bonferroni): so far out Student's law is farther from a normal one than where widths are
  /// taken from it.
  public func leastGain(of causes: Int) throws(StatisticsError) -> Double {
    let tail = 0.025 / Double(max(1, causes))
    let degrees = Double(max(1, clusters - 1))
    let root =
      try StudentT.quantile(upperTail: tail, degreesOfFreedom: degrees)
      / StudentT.quantile(upperTail: 0.025, degreesOfFreedom: degrees)
      * StandardNormal.quantile(upperTail: 0.025)
    return root * root
  }

  /// How far gains are apart where one cause is told from another: it is twenty times likelier.
  public static let leastDifference = 2 * log(20.0)

  // MARK: Likelihood

  private func move(_ moves: [Move], at power: Double) -> (Move, share: Double)? {
    moves.first { $0.power * power > 0 }.map { ($0, power / $0.power) }
  }

  private func errors(_ moves: [Move], at power: Double) -> [Double] {
    guard let (move, share) = move(moves, at: power) else { return errors }
    return zip(errors, move.difference.values).map { $0 - share * $1 }
  }

  /// What a power takes of the errors' squares, under its own noise.
  private func gain(_ moves: [Move], at power: Double) throws(StatisticsError) -> Double? {
    guard let (move, share) = move(moves, at: power) else { return nil }
    let own = ErrorNoise.shrunk(move.difference.covariance, kept: kept)
    var sum = noise
    for row in errors.indices {
      for column in errors.indices { sum[row][column] += share * share * own[row][column] }
    }
    return try CauseSearch.squares(errors, sum)
      - CauseSearch.squares(errors(moves, at: power), sum)
  }

  /// The squares of errors over their noise.
  private static func squares(
    _ errors: [Double], _ covariance: [[Double]]
  ) throws(StatisticsError) -> Double {
    try CovarianceFactor(covariance).whitened(errors).reduce(0) { $0 + $1 * $1 }
  }
}
