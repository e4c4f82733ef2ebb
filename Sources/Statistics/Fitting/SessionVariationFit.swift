internal import CGSL

/// How a rate differs between sessions, and how it varies inside one: the laws of a link's
/// `sessionRate`, `rateSigma` and `rateCorrelation`.
///
/// The logarithm of a value is a session's own level, which is normal, plus a first-order
/// autoregression over seconds. The likelihood is that of a Kalman filter over both (J. Durbin, S.
/// Koopman, "Time Series Analysis by State Space Methods", 2nd edition, 2012, sections 4.3 and
/// 7.2), so that seconds without a value cost nothing; the mean and one of the variances are
/// profiled out. Intervals are those of a jackknife over groups of sessions (B. Efron, C. Stein
/// 1981, DOI 10.1214/aos/1176345462), which holds whatever the law of sessions is.
public struct SessionVariationFit: Sendable, Equatable {
  /// What of the model there is.
  public enum Form: String, Sendable, CaseIterable {
    /// Sessions differ, and seconds of one are alike the nearer they are.
    case correlated
    /// Sessions differ, and seconds of one are independent.
    case independent
  }

  /// A number with its interval.
  public struct Number: Sendable, Equatable {
    public let value: Double
    public let interval: Interval
  }

  /// A form that was tried, and Akaike's criterion of it.
  public struct Candidate: Sendable, Equatable {
    public let form: Form
    public let aic: Double
  }

  public let form: Form
  /// The median over sessions of what a second's median is; in the unit of the values.
  public let median: Number
  /// The median over sessions of their means: the law of seconds has a longer tail to the right.
  public let medianOfMeans: Number
  /// Standard deviation of the logarithms between sessions; 0 where they are alike.
  public let between: Number
  /// The same inside a session.
  public let within: Number
  /// From second to second; 0 where they are independent.
  public let correlation: Number
  public let logLikelihood: Double
  /// Akaike's criterion.
  public let aic: Double
  /// Criteria of all forms that were tried, this one's among them, the least first.
  public let candidates: [Candidate]
  /// The largest difference between the sessions' levels and the normal law, in probability.
  public let sessionDistance: Double
  /// The same of what each value adds to what its session's earlier ones say.
  public let stepDistance: Double
  public let sessions: Int
  public let count: Int

  /// The most values that a fit takes: of more, whole sessions are left out evenly.
  static let limit = 1 << 16
  /// Groups of the jackknife.
  static let groups = 20
  /// The length that sessions are cut to at the least, values.
  static let leastLength = 64

  /// - Parameter forms: of which the one of the least criterion is taken.
  /// - Throws: `statistics.no-data` with fewer than 40 sessions; `statistics.numeric` for values
  ///   that do not differ.
  public init(
    _ all: SessionSeries, forms: [Form] = [.correlated, .independent], level: Double = 0.95
  ) throws(StatisticsError) {
    try Require.level(level)
    if all.sessions < 2 * Self.groups {
      throw .noData("at least \(2 * Self.groups) sessions", got: all.sessions)
    }
    // Sessions tell more than seconds of one: long ones are cut before some are left out.
    var series = all
    if series.count > Self.limit {
      series = all.shortened(to: max(Self.leastLength, Self.limit / all.sessions))
    }
    if series.count > Self.limit {
      series = series.thinned(by: (series.count - 1) / Self.limit + 1)
    }
    if let first = series.logs.first, series.logs.allSatisfy({ abs($0 - first) < 1e-9 }) {
      throw .numeric("values that differ", got: "one value")
    }
    var found: [(form: Form, point: SessionVariationPoint)] = []
    for form in forms { found.append((form, try SessionVariationPoint(series, form))) }
    found.sort { $0.point.aic($0.form) < $1.point.aic($1.form) }
    guard let best = found.first else { throw .parameter("at least one form", got: "none") }
    form = best.form
    let point = best.point
    let jackknife = try SessionJackknife(series, best.form, level: level)
    median = jackknife.positive(exp(point.mean)) { exp($0.mean) }
    medianOfMeans = jackknife.positive(exp(point.mean + point.within * point.within / 2)) {
      exp($0.mean + $0.within * $0.within / 2)
    }
    between = jackknife.positive(point.between) { $0.between }
    within = jackknife.positive(point.within) { $0.within }
    correlation = jackknife.correlation(point.correlation) { $0.correlation }
    logLikelihood = point.logLikelihood
    aic = point.aic(best.form)
    candidates = found.map { Candidate(form: $0.form, aic: $0.point.aic($0.form)) }
    (sessionDistance, stepDistance) = point.distances(series)
    sessions = series.sessions
    count = series.count
  }
}

/// Parameters of the largest likelihood.
struct SessionVariationPoint {
  var mean = 0.0
  var between = 0.0
  var within = 1.0
  var correlation = 0.0
  var logLikelihood = -Double.infinity

  /// Parameters of each form: mean, the two variances, correlation.
  private static func parameters(_ form: SessionVariationFit.Form) -> Int {
    switch form {
    case .correlated: 4
    case .independent: 3
    }
  }

  func aic(_ form: SessionVariationFit.Form) -> Double {
    2 * Double(SessionVariationPoint.parameters(form)) - 2 * logLikelihood
  }

  /// - Parameter start: where the search begins; nil: at equal variances.
  init(
    _ series: SessionSeries, _ form: SessionVariationFit.Form, start: SessionVariationPoint? = nil
  ) throws(StatisticsError) {
    func point(_ place: [Double]) -> SessionVariationPoint {
      let filter =
        switch form {
        case .correlated:
          SessionFilter(ratio: exp(place[0]), correlation: Self.correlation(place[1]))
        case .independent: SessionFilter(ratio: exp(place[0]), correlation: 0)
        }
      return filter.point(series)
    }
    let ratio = start.map { log(max(1e-3, $0.between) / max(1e-9, $0.within)) } ?? 0
    let place = start.map { Self.place(of: $0.correlation) } ?? 0
    let begin: [Double] =
      switch form {
      case .correlated: [ratio, place]
      case .independent: [ratio]
      }
    let best = try Simplex.minimum(from: begin, step: start == nil ? 0.5 : 0.1) {
      -point($0).logLikelihood
    }
    self = point(best)
    if !logLikelihood.isFinite { throw .numeric("a finite likelihood", got: "none") }
  }

  fileprivate init() {}

  /// From all numbers into 0 ..< 0.9999.
  private static func correlation(_ place: Double) -> Double { 0.9999 / (1 + exp(-place)) }

  private static func place(of correlation: Double) -> Double {
    let share = min(max(correlation / 0.9999, 1e-4), 1 - 1e-4)
    return log(share / (1 - share))
  }

  /// Distances of the sessions' levels, and of what values add to earlier ones, to a normal law.
  func distances(_ series: SessionSeries) -> (sessions: Double, steps: Double) {
    let ratio = between / within
    let filter = SessionFilter(ratio: ratio, correlation: correlation)
    var (levels, steps): ([Double], [Double]) = ([], [])
    let alone = SessionFilter(ratio: 0, correlation: correlation)
    for session in 0..<series.sessions {
      var (weight, sum) = (0.0, 0.0)
      alone.run(series, session) { value, one, variance in
        weight += one * one / variance
        sum += one * (value - mean * one) / variance
      }
      let spread = within * within / weight + between * between
      levels.append(sum / weight / spread.squareRoot())
      filter.run(series, session) { value, one, variance in
        steps.append((value - mean * one) / (within * variance.squareRoot()))
      }
    }
    return (Self.distance(levels), Self.distance(steps))
  }

  /// Kolmogorov's, to the standard normal law.
  private static func distance(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let n = Double(sorted.count)
    var result = 0.0
    for (place, value) in sorted.enumerated() {
      let p = StandardNormal.cdf(value)
      result = max(result, p - Double(place) / n, Double(place + 1) / n - p)
    }
    return result
  }
}

/// The filter over a session's level and its autoregression, at a variance of 1 inside a session.
struct SessionFilter {
  /// The level's standard deviation over that inside a session.
  let ratio: Double
  let correlation: Double
  /// Powers of the correlation; beyond them it is 0.
  private let powers: [Double]

  init(ratio: Double, correlation: Double) {
    self.ratio = ratio
    self.correlation = correlation
    var powers = [1.0]
    while powers.count < 1 << 12, let last = powers.last, last > 1e-12 {
      powers.append(last * correlation)
    }
    self.powers = powers
  }

  /// Calls `body` with what each value of a session adds, what a mean of one would, and the
  /// variance of that.
  @inline(__always)
  func run(
    _ series: SessionSeries, _ session: Int, _ body: (Double, Double, Double) -> Void
  ) {
    // The level and the autoregression, of the values and of a mean of one, and their variances.
    var (level, state, levelOfOne, stateOfOne) = (0.0, 0.0, 0.0, 0.0)
    var (v1, v12, v2) = (ratio * ratio, 0.0, 1.0)
    let (start, end) = (series.starts[session], series.starts[session + 1])
    for place in start..<end {
      if place > start {
        let gap = Int(min(series.seconds[place] - series.seconds[place - 1], 1 << 20))
        let power = gap < powers.count ? powers[gap] : 0
        state *= power
        stateOfOne *= power
        v12 *= power
        v2 = power * power * v2 + 1 - power * power
      }
      let variance = v1 + 2 * v12 + v2
      let value = series.logs[place] - level - state
      let one = 1 - levelOfOne - stateOfOne
      body(value, one, variance)
      let (gain1, gain2) = ((v1 + v12) / variance, (v12 + v2) / variance)
      level += gain1 * value
      state += gain2 * value
      levelOfOne += gain1 * one
      stateOfOne += gain2 * one
      (v1, v12, v2) = (
        v1 - gain1 * (v1 + v12), v12 - gain1 * (v12 + v2), v2 - gain2 * (v12 + v2)
      )
    }
  }

  /// The mean and the variance of the largest likelihood at this ratio and correlation.
  func point(_ series: SessionSeries) -> SessionVariationPoint {
    var (squares, products, ones, logs) = (0.0, 0.0, 0.0, 0.0)
    for session in 0..<series.sessions {
      run(series, session) { value, one, variance in
        squares += value * value / variance
        products += value * one / variance
        ones += one * one / variance
        logs += log(variance)
      }
    }
    var point = SessionVariationPoint()
    let n = Double(series.count)
    point.mean = products / ones
    let rest = max(squares - products * point.mean, 1e-300)
    point.within = (rest / n).squareRoot()
    point.between = ratio * point.within
    point.correlation = correlation
    point.logLikelihood = -0.5 * (n * (log(2 * Double.pi * rest / n) + 1) + logs)
    return point
  }
}

/// The fit without each of some groups of sessions.
private struct SessionJackknife {
  /// Half an interval on the logarithm that says nothing.
  private static let widest = 3.0

  let points: [SessionVariationPoint]
  let t: Double
  let level: Double

  init(
    _ series: SessionSeries, _ form: SessionVariationFit.Form, level: Double
  ) throws(StatisticsError) {
    let parts = SessionVariationFit.groups
    let whole = try SessionVariationPoint(series, form)
    var points: [SessionVariationPoint] = []
    for part in 0..<parts {
      points.append(
        try SessionVariationPoint(series.without(part, of: parts), form, start: whole))
    }
    self.points = points
    self.level = level
    t = try StudentT.quantile(
      upperTail: (1 - level) / 2, degreesOfFreedom: Double(parts - 1))
  }

  /// Half the interval of something that is normal by and large.
  private func half(_ values: [Double]) -> Double {
    let n = Double(values.count)
    let mean = values.reduce(0, +) / n
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return t * ((n - 1) / n * squares).squareRoot()
  }

  /// On the logarithm, or, of what is nothing in some groups, as it is; nothing has an interval of
  /// nothing.
  func positive(
    _ value: Double, _ of: (SessionVariationPoint) -> Double
  ) -> SessionVariationFit.Number {
    if value <= 0 {
      return SessionVariationFit.Number(
        value: 0, interval: Interval(lower: 0, upper: 0, level: level))
    }
    let half = half(points.map { log(max(of($0), 1e-300)) })
    if half > SessionJackknife.widest {
      let plain = self.half(points.map(of))
      return SessionVariationFit.Number(
        value: value,
        interval: Interval(lower: max(0, value - plain), upper: value + plain, level: level))
    }
    return SessionVariationFit.Number(
      value: value,
      interval: Interval(lower: value * exp(-half), upper: value * exp(half), level: level))
  }

  func correlation(
    _ value: Double, _ of: (SessionVariationPoint) -> Double
  ) -> SessionVariationFit.Number {
    let half = half(points.map(of))
    return SessionVariationFit.Number(
      value: value,
      interval: Interval(
        lower: max(0, value - half), upper: min(1, value + half), level: level))
  }
}
