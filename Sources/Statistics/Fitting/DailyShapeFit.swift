internal import CGSL

/// How the rate of arrivals changes with the time of day: a cosine of one day, fitted to counts by
/// time of day.
///
/// Arrivals are those of a Poisson process, so that the likelihood is that of a multinomial law
/// over the cells, each with the time it was looked at. Intervals are those of a bootstrap over the
/// arrivals (B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13).
public struct DailyShapeFit: Sendable, Equatable {
  /// Cells of a day.
  public static let cells = 96
  /// Largest rate over the smallest.
  public let peakToTrough: Estimate
  /// Hours since the day's beginning.
  public let peakHour: Estimate
  /// Akaike's criterion of the cosine less that of a constant rate: below 0 the day shows.
  public let aicOverConstant: Double
  /// The largest difference between the law and the data over the day, in probability.
  public let distance: Double
  public let count: Int

  /// - Parameters:
  ///   - counts: arrivals in each of ``cells`` cells of a day.
  ///   - exposures: how long each cell was looked at, in any unit.
  /// - Throws: `statistics.no-data` with fewer than 100 arrivals, or where a part of the day was
  ///   not looked at.
  public init(
    counts: [Double], exposures: [Double], resamples: Int = 200, seed: UInt64,
    level: Double = 0.95
  ) throws(StatisticsError) {
    try Require.level(level)
    if counts.count != Self.cells || exposures.count != Self.cells {
      throw .data("\(Self.cells) cells of a day", got: "\(counts.count) and \(exposures.count)")
    }
    let total = counts.reduce(0, +)
    if total < 100 { throw .noData("at least 100 arrivals", got: Int(total)) }
    let seen = exposures.count { $0 > 0 }
    if seen < Self.cells {
      throw .noData("all \(Self.cells) quarters of an hour of a day", got: seen)
    }
    let whole = try DailyCosine(counts, exposures, start: nil)
    let generator = try FitRandom(seed: seed)
    var (swings, shifts): ([Double], [Double]) = ([], [])
    for _ in 0..<max(50, resamples) {
      let drawn = generator.multinomial(Int(total), weights: counts)
      let again = try DailyCosine(drawn, exposures, start: whole)
      swings.append(log(again.peakToTrough))
      // Around the clock.
      let shift = again.peakHour - whole.peakHour
      shifts.append(shift - 24 * (shift / 24).rounded())
    }
    let z = try StandardNormal.quantile(1 - (1 - level) / 2)
    let swing = try Summary(swings).standardDeviation ?? 0
    let shift = try Summary(shifts).standardDeviation ?? 0
    count = Int(total)
    peakToTrough = Estimate(
      value: whole.peakToTrough,
      interval: Interval(
        lower: max(1, whole.peakToTrough * exp(-z * swing)),
        upper: whole.peakToTrough * exp(z * swing), level: level),
      standardError: whole.peakToTrough * swing, n: count)
    peakHour = Estimate(
      value: whole.peakHour,
      interval: Interval(
        lower: whole.peakHour - z * shift, upper: whole.peakHour + z * shift, level: level),
      standardError: shift, n: count)
    let flat = DailyCosine.logLikelihood(counts, exposures, 0, 0)
    aicOverConstant = 2 * 2 - 2 * (whole.logLikelihood - flat)
    distance = whole.distance(counts, exposures)
  }
}

/// 1 + a cos + b sin of the time of day.
private struct DailyCosine {
  var a = 0.0
  var b = 0.0
  var logLikelihood = 0.0

  init(_ counts: [Double], _ exposures: [Double], start: DailyCosine?) throws(StatisticsError) {
    let begin: [Double] = start.map { [$0.a, $0.b] } ?? [0, 0]
    let best = try Simplex.minimum(from: begin, step: 0.05) { place in
      -Self.logLikelihood(counts, exposures, place[0], place[1])
    }
    (a, b) = (best[0], best[1])
    logLikelihood = Self.logLikelihood(counts, exposures, a, b)
  }

  var swing: Double { (a * a + b * b).squareRoot() }
  var peakToTrough: Double { (1 + swing) / (1 - swing) }
  var peakHour: Double {
    let hour = atan2(b, a) / (2 * Double.pi) * 24
    return hour < 0 ? hour + 24 : hour
  }

  /// Up to what does not depend on the parameters.
  static func logLikelihood(
    _ counts: [Double], _ exposures: [Double], _ a: Double, _ b: Double
  ) -> Double {
    if a * a + b * b > 0.999 { return -1e300 * (a * a + b * b) }
    var (result, mass, total) = (0.0, 0.0, 0.0)
    for cell in counts.indices {
      let weight = exposures[cell] * rate(cell, a, b)
      mass += weight
      total += counts[cell]
      if counts[cell] > 0 { result += counts[cell] * log(weight) }
    }
    return result - total * log(mass)
  }

  private static func rate(_ cell: Int, _ a: Double, _ b: Double) -> Double {
    let angle = 2 * Double.pi * (Double(cell) + 0.5) / Double(DailyShapeFit.cells)
    return 1 + a * cos(angle) + b * sin(angle)
  }

  func distance(_ counts: [Double], _ exposures: [Double]) -> Double {
    let total = counts.reduce(0, +)
    let weights = counts.indices.map { exposures[$0] * Self.rate($0, a, b) }
    let mass = weights.reduce(0, +)
    var (seen, expected, result) = (0.0, 0.0, 0.0)
    for cell in counts.indices {
      seen += counts[cell] / total
      expected += weights[cell] / mass
      result = max(result, abs(seen - expected))
    }
    return result
  }
}
