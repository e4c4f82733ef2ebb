internal import CGSL

/// How long something that has an end is watched: a share watches to the end whatever comes, and
/// the others leave by a law that the end cuts.
///
/// Who left before the end is of the law; who reached it is of the share or of the law's tail, and
/// the likelihood weighs the two (a model of cure, whose censoring is the end: J. Boag, Journal of
/// the Royal Statistical Society B 11, 1949, pages 15-53). Share and tail trade off where the ends
/// lie inside the law, and there the families differ most: the share's interval has every share at
/// which some family is as likely as the best (a ratio of likelihoods, by Akaike's criterion). The
/// law's intervals are from a bootstrap, as those of ``LawFit``. Leaves out: that who stays depends
/// on how long the thing is.
public struct CompletionFit: Sendable, Equatable {
  /// A Pareto law, which begins with the least value, is none of watch times.
  static let families: [FittedFamily] = [.exponential, .lognormal, .gamma, .weibull]

  /// The share that watches to the end whatever comes.
  public let completion: Estimate
  public let family: FittedFamily
  /// Of the law of the others.
  public let parameters: [LawFit.Parameter]
  /// Akaike's criterion.
  public let aic: Double
  /// The other families, the nearest first.
  public let alternatives: [Alternative]
  /// The largest difference between the product-limit curve and the fit, in probability.
  public let distance: Double

  /// Another family.
  public struct Alternative: Sendable, Equatable {
    public let family: FittedFamily
    /// Its criterion less that of the best.
    public let aicAbove: Double
  }

  /// - Parameter sample: who left, and as censored the ends that were reached.
  /// - Throws: `statistics.numeric` when no family can be fitted or the bootstrap has no spread.
  public init(
    _ sample: CensoredSample, resamples: Int = 200, seed: UInt64, level: Double = 0.95
  ) throws(StatisticsError) {
    try Require.level(level)
    var found: [(family: FittedFamily, point: CompletionPoint)] = []
    for family in Self.families {
      guard let point = try? CompletionPoint(family, sample) else { continue }
      found.append((family, point))
    }
    found.sort { $0.point.aic < $1.point.aic }
    guard let best = found.first else { throw .numeric("values that a law fits", got: "none") }
    let point = best.point
    family = best.family
    aic = point.aic
    alternatives = found.dropFirst().map {
      Alternative(family: $0.family, aicAbove: $0.point.aic - best.point.aic)
    }
    let spread = try CompletionSpread(best.family, point, sample, resamples, seed)
    let z = try StandardNormal.quantile(1 - (1 - level) / 2)
    var (lower, upper) = (point.share, point.share)
    for (family, other) in found {
      let room = (best.point.aic + z * z - other.aic) / 2
      if room <= 0 { continue }
      let ends = other.ends(family, sample, within: room)
      (lower, upper) = (min(lower, ends.lower), max(upper, ends.upper))
    }
    completion = Estimate(
      value: point.share, interval: Interval(lower: lower, upper: upper, level: level),
      standardError: spread.share, n: sample.count)
    parameters = point.parameters.indices.map { index in
      let (value, half) = (point.parameters[index], z * spread.logs[index])
      return LawFit.Parameter(
        name: best.family.parameterNames[index], value: value,
        interval: Interval(lower: value * exp(-half), upper: value * exp(half), level: level))
    }
    distance = point.distance(best.family, sample)
  }
}

/// Share and law of the largest likelihood.
private struct CompletionPoint {
  var share: Double
  var parameters: [Double]
  var logLikelihood: Double

  /// One parameter more than the law has: the share.
  var aic: Double { 2 * Double(parameters.count + 1) - 2 * logLikelihood }

  /// - Parameter start: where the search begins; nil: with half of those who reached the end.
  init(
    _ family: FittedFamily, _ sample: CensoredSample, start: CompletionPoint? = nil
  ) throws(StatisticsError) {
    let none = sample.censored.map { _ in 0.0 }
    let left = CensoredSample(sample, events: sample.events.map(\.count), censored: none)
    if left.isConstant { throw .numeric("values that differ", got: "one value") }
    let ended = Double(sample.censoredCount) / Double(max(1, sample.count))
    let begin: [Double]
    if let start { begin = start.parameters } else { begin = try family.estimate(left) }
    let place = Self.place(of: start?.share ?? ended / 2)
    let best = try Simplex.minimum(
      from: [place] + begin.map { log($0) }, step: start == nil ? 0.3 : 0.1
    ) { point in
      -Self.logLikelihood(
        family, left, sample, share: Self.share(at: point[0]),
        point.dropFirst().map { exp($0) })
    }
    share = Self.share(at: best[0])
    parameters = best.dropFirst().map { exp($0) }
    logLikelihood = Self.logLikelihood(family, left, sample, share: share, parameters)
    if !(logLikelihood > -1e299) { throw .numeric("a finite likelihood", got: "none") }
  }

  /// The shares whose likelihood, at the best law for each, is at most `room` below the largest, by
  /// halving on both sides.
  func ends(
    _ family: FittedFamily, _ sample: CensoredSample, within room: Double
  ) -> (lower: Double, upper: Double) {
    let none = sample.censored.map { _ in 0.0 }
    let left = CensoredSample(sample, events: sample.events.map(\.count), censored: none)
    func isInside(_ other: Double) -> Bool {
      let best = try? Simplex.minimum(from: parameters.map { log($0) }, step: 0.1) { point in
        -Self.logLikelihood(family, left, sample, share: other, point.map { exp($0) })
      }
      guard let best else { return false }
      let found = Self.logLikelihood(family, left, sample, share: other, best.map { exp($0) })
      return found >= logLikelihood - room
    }
    func end(beyond limit: Double) -> Double {
      if isInside(limit) { return limit }
      var (inside, outside) = (share, limit)
      for _ in 0..<12 {
        let middle = (inside + outside) / 2
        if isInside(middle) { inside = middle } else { outside = middle }
      }
      return outside
    }
    return (end(beyond: 0), end(beyond: 1 - 1e-9))
  }

  private static func share(at place: Double) -> Double { 1 / (1 + exp(-place)) }

  private static func place(of share: Double) -> Double {
    let inside = min(max(share, 1e-4), 1 - 1e-4)
    return log(inside / (1 - inside))
  }

  private static func logLikelihood(
    _ family: FittedFamily, _ left: CensoredSample, _ sample: CensoredSample, share: Double,
    _ parameters: [Double]
  ) -> Double {
    var result = CompensatedSum()
    result.add(family.logLikelihood(left, parameters))
    result.add(Double(left.count) * log(1 - share))
    for row in sample.censored where row.count > 0 {
      let tail = exp(family.logSurvival(row.value, parameters))
      result.add(row.count * log(share + (1 - share) * tail))
    }
    return result.value.isFinite ? result.value : -1e300
  }

  /// Where at least 1 % of the sample, and 10 values, are at risk, as ``FitDistance`` has it.
  func distance(_ family: FittedFamily, _ sample: CensoredSample) -> Double {
    func stays(_ time: Double) -> Double {
      if time <= 0 { return 1 }
      return share + (1 - share) * exp(family.logSurvival(time, parameters))
    }
    var curve = ProductLimit(atRisk: Double(sample.count))
    let enough = max(10, 0.01 * curve.atRisk)
    var cut = 0
    var result = 0.0
    for row in sample.events where row.count > 0 {
      while cut < sample.censored.count && sample.censored[cut].value < row.value {
        curve.censor(sample.censored[cut].count)
        cut += 1
      }
      if curve.atRisk < enough { break }
      result = max(result, abs(curve.survival - stays(row.lower)))
      curve.fall(by: row.count)
      result = max(result, abs(curve.survival - stays(row.upper)))
    }
    return result
  }
}

/// Standard deviations over samples drawn anew from the sample.
private struct CompletionSpread {
  let share: Double
  /// Of the logarithms of the law's parameters.
  let logs: [Double]

  init(
    _ family: FittedFamily, _ point: CompletionPoint, _ sample: CensoredSample, _ resamples: Int,
    _ seed: UInt64
  ) throws(StatisticsError) {
    let generator = try FitRandom(seed: seed)
    let counts = (sample.events + sample.censored).map(\.count)
    var shares: [Double] = []
    var found = point.parameters.map { _ in [Double]() }
    for _ in 0..<max(50, resamples) {
      let drawn = generator.multinomial(sample.count, weights: counts)
      let again = CensoredSample(
        sample, events: Array(drawn[..<sample.events.count]),
        censored: Array(drawn[sample.events.count...]))
      guard let other = try? CompletionPoint(family, again, start: point) else { continue }
      shares.append(other.share)
      for index in found.indices { found[index].append(log(other.parameters[index])) }
    }
    guard shares.count >= 25, let spread = try Summary(shares).standardDeviation else {
      throw .numeric("resamples that can be fitted", got: "\(shares.count) of them")
    }
    share = spread
    var logs: [Double] = []
    for values in found { logs.append(try Summary(values).standardDeviation ?? 0) }
    self.logs = logs
  }
}
