import Foundation

/// Fits parameters of a simulation so that its numbers become those that were observed (the method
/// of simulated moments; D. McFadden 1989, DOI 10.2307/1913621).
///
/// What is least is the square of the errors over their noise, that of both sides (``ErrorNoise``).
/// Steps are those of Levenberg and Marquardt (D. Marquardt 1963, DOI 10.1137/0111030) over the
/// logarithms of the parameters, with slopes from simulations a step away. A simulation has to use
/// the same random numbers each time, so that what changes is the parameters' doing.
public struct MomentMatching: Sendable {
  /// A positive number that is looked for.
  public struct Parameter: Sendable, Equatable {
    public var lower, upper, start: Double

    /// - Precondition: 0 < lower <= start <= upper.
    public init(_ range: ClosedRange<Double>, start: Double) {
      precondition(range.lowerBound > 0 && range.contains(start), "a positive range has the start")
      lower = range.lowerBound
      upper = range.upperBound
      self.start = start
    }
  }

  /// A parameter that was found.
  public struct Estimate: Sendable, Equatable {
    public var value: Double
    /// At 95 %; an end of the range stands for all beyond it.
    public var interval: Interval
    /// Whether the interval ends inside the range on both sides.
    public var isTold: Bool
  }

  public struct Answer: Sendable, Equatable {
    public var estimates: [Estimate]
    /// Of the parameters' logarithms, by row.
    public var correlations: [[Double]]
    /// Of the simulation with the parameters found, and with those of the start.
    public var values, startValues: [Double]
    /// The errors' squares over their noise, at the start and with the parameters found.
    public var startSquares, squares: Double
    /// How many times larger than noise what is left is, 1 and more; intervals are as much wider.
    public var misfit: Double
    /// Simulations that were made.
    public var runs: Int
    /// What slopes still promise where it ended: steps of the parameters' logarithms, and the
    /// squares that they would take away.
    public var promisedSteps: [Double]
    public var promisedSquares: Double
    /// Whether that is less than a standard error in any direction; else the search was stuck,
    /// or long.
    public var hasConverged: Bool
  }

  /// Where the slopes are taken from, of logarithms.
  private static let slopeStep = 0.15
  private static let mostSteps = 12
  private static let (leastDamping, mostDamping) = (1e-6, 1e4)
  /// Of a logarithm.
  private static let longestStep = 1.5
  /// Steps below this, of logarithms, move nothing.
  private static let leastStep = 1e-4
  /// Squares that are nothing: a tenth of what the noise of one number makes.
  private static let leastGain = 0.1
  /// Squares that a standard error of a parameter makes, where nothing but noise is left.
  /// Simulations have noise of their own, and slopes of them promise this much at rest, too.
  private static let restGain = 1.0

  private let observed: SampledVector
  private let leastVariances: [Double]
  private let parameters: [Parameter]

  /// What the sample is for that is waited for.
  private enum Waiting {
    case start, trial
    /// The slope of a parameter, with the step of its logarithm.
    case slope(Int, step: Double)
  }

  /// The logarithms of what is asked for; nil when the search is over.
  private var place: [Double]?
  private var waiting = Waiting.start
  private var first, point: Point?
  private var slopes: [[Double]] = []
  private var damping = 0.01
  private var steps = 0
  private var runs = 0
  /// What slopes promise of the point, without damping.
  private var promise: (steps: [Double], squares: Double) = ([], .infinity)

  /// - Parameters:
  ///   - observed: the numbers to be met.
  ///   - leastVariances: of the errors: what a right simulation may be off by, squared.
  /// - Precondition: a least variance for each number.
  /// - Throws: `statistics.no-data` without parameters, or with no more numbers than parameters.
  public init(
    _ observed: SampledVector, leastVariances: [Double], parameters: [Parameter]
  ) throws(StatisticsError) {
    precondition(leastVariances.count == observed.values.count, "one for each number")
    if parameters.isEmpty { throw .noData("at least one parameter", got: 0) }
    if observed.values.count <= parameters.count {
      throw .noData(
        "more than \(parameters.count) numbers that were observed", got: observed.values.count)
    }
    self.observed = observed
    self.leastVariances = leastVariances
    self.parameters = parameters
    place = parameters.map { log($0.start) }
  }

  /// A simulation, and what its errors are in units of their noise.
  private struct Point {
    var place: [Double]
    var sample: SampledVector
    var factor: CovarianceFactor
    var errors: [Double]
    var squares: Double { errors.reduce(0) { $0 + $1 * $1 } }
  }

  // MARK: Search

  /// The parameters that are to be simulated next; nil when the search is over. The first are those
  /// of the start.
  public var asked: [Double]? { place.map { $0.map { exp($0) } } }

  /// What else is asked for before any of the answers decides something: where slopes are taken,
  /// those of the other parameters.
  public var askedBeside: [[Double]] {
    guard case .slope(let first, _) = waiting, place != nil, let point else { return [] }
    return ((first + 1)..<parameters.count).compactMap { number in
      slopeStep(of: number, at: point).map { step in
        var next = point.place
        next[number] += step
        return next.map { exp($0) }
      }
    }
  }

  /// Toward the farther end, so that there is room; nil where there is none.
  private func slopeStep(of number: Int, at point: Point) -> Double? {
    let (below, above) = (
      point.place[number] - log(parameters[number].lower),
      log(parameters[number].upper) - point.place[number]
    )
    let step = min(MomentMatching.slopeStep, max(below, above)) * (above >= below ? 1 : -1)
    return step == 0 ? nil : step
  }

  /// Takes the numbers of what was asked for.
  ///
  /// - Throws: `statistics.data` for another count of numbers, `statistics.numeric` where one has
  ///   no noise.
  /// - Precondition: something is asked for.
  public mutating func tell(_ sample: SampledVector) throws(StatisticsError) {
    guard let place else { preconditionFailure("nothing is asked for") }
    runs += 1
    switch waiting {
    case .start:
      let start = try point(place, sample, noiseOf: nil)
      first = start
      try move(to: start)
    case .slope(let number, let step):
      guard let point else { preconditionFailure("slopes are those of a point") }
      try Estimates.requireEqualCounts(sample.values, point.sample.values)
      let difference = zip(sample.values, point.sample.values).map { ($0 - $1) / step }
      slopes.append(try point.factor.whitened(difference))
      try askSlope(of: number + 1, at: point)
    case .trial:
      guard let point else { preconditionFailure("a step is made from a point") }
      let next = try self.point(place, sample, noiseOf: point.factor)
      if next.squares < point.squares - MomentMatching.leastGain {
        damping = max(MomentMatching.leastDamping, damping / 8)
        // With the noise of where it is now.
        try move(to: try self.point(place, sample, noiseOf: nil))
      } else {
        damping *= 8
        try askTrial(from: point)
      }
    }
  }

  private mutating func move(to next: Point) throws(StatisticsError) {
    point = next
    slopes = []
    try askSlope(of: 0, at: next)
  }

  private mutating func askSlope(of number: Int, at point: Point) throws(StatisticsError) {
    for number in number..<parameters.count {
      guard let step = slopeStep(of: number, at: point) else {
        slopes.append([Double](repeating: 0, count: observed.values.count))
        continue
      }
      var next = point.place
      next[number] += step
      (place, waiting) = (next, .slope(number, step: step))
      return
    }
    let whole = try step(from: point, damping: MomentMatching.leastDamping)
    promise = (whole.moved, max(0, point.squares - whole.rest))
    steps += 1
    if steps > MomentMatching.mostSteps {
      place = nil
    } else {
      try askTrial(from: point)
    }
  }

  private mutating func askTrial(from point: Point) throws(StatisticsError) {
    let step = try step(from: point, damping: damping)
    let largest = step.moved.map { abs($0) }.max() ?? 0
    let isOver =
      promise.squares < MomentMatching.leastGain || damping > MomentMatching.mostDamping
      || largest < MomentMatching.leastStep
      || point.squares - step.rest < MomentMatching.leastGain
    if isOver {
      place = nil
    } else {
      (place, waiting) = (zip(point.place, step.moved).map { $0 + $1 }, .trial)
    }
  }

  /// - Parameter factor: the noise to measure by; nil: its own.
  private func point(
    _ place: [Double], _ sample: SampledVector, noiseOf factor: CovarianceFactor?
  ) throws(StatisticsError) -> Point {
    try Estimates.requireEqualCounts(observed.values, sample.values)
    let own: CovarianceFactor
    if let factor {
      own = factor
    } else {
      own = try CovarianceFactor(
        ErrorNoise(
          [observed, sample], count: leastVariances.count, leastVariances: leastVariances
        ).covariance)
    }
    let errors = zip(observed.values, sample.values).map { $0 - $1 }
    return Point(
      place: place, sample: sample, factor: own, errors: try own.whitened(errors))
  }

  /// The step that slopes propose inside the ranges, and the squares that it would leave.
  ///
  /// What would go beyond an end of its range is held there, and the others are found anew for it.
  private func step(
    from point: Point, damping: Double
  ) throws(StatisticsError) -> (moved: [Double], rest: Double) {
    var moved = [Double](repeating: 0, count: parameters.count)
    var free = Array(parameters.indices)
    while !free.isEmpty {
      var right = point.errors.indices.map { row in
        slopes.indices.reduce(point.errors[row]) {
          free.contains($1) ? $0 : $0 - slopes[$1][row] * moved[$1]
        }
      }
      var rows = point.errors.indices.map { row in free.map { slopes[$0][row] } }
      for (column, number) in free.enumerated() {
        var row = [Double](repeating: 0, count: free.count)
        // What moves nothing stays where it is.
        let size = slopes[number].reduce(0) { $0 + $1 * $1 }
        row[column] = (damping * size + 1e-9).squareRoot()
        rows.append(row)
        right.append(0)
      }
      let found = try LeastSquares(rows).coefficients(right).map {
        min(MomentMatching.longestStep, max(-MomentMatching.longestStep, $0))
      }
      var isHeld = false
      for (number, step) in zip(free, found) {
        let (below, above) = (
          log(parameters[number].lower) - point.place[number],
          log(parameters[number].upper) - point.place[number]
        )
        moved[number] = min(max(step, below), above)
        if moved[number] != step {
          free.removeAll { $0 == number }
          isHeld = true
        }
      }
      if !isHeld { break }
    }
    let rest = point.errors.indices.reduce(0.0) { sum, row in
      let error = zip(slopes, moved).reduce(point.errors[row]) { $0 - $1.0[row] * $1.1 }
      return sum + error * error
    }
    return (moved, rest)
  }

  // MARK: Answer

  /// What was found.
  ///
  /// - Throws: `statistics.no-data` before the search is over.
  public func answer() throws(StatisticsError) -> Answer {
    guard let point, let first, place == nil else {
      throw .noData("a search that is over", got: 0)
    }
    var rows = point.errors.indices.map { row in slopes.map { $0[row] } }
    // A parameter that moves nothing could be anything in its range: the variance of that.
    for (number, parameter) in parameters.enumerated() {
      var row = [Double](repeating: 0, count: parameters.count)
      row[number] = 1 / max(1e-6, log(parameter.upper / parameter.lower))
      rows.append(row)
    }
    let covariance = try LeastSquares(rows).covariance
    let degrees = Double(max(1, point.errors.count - parameters.count))
    let misfit = max(1, point.squares / degrees)
    let z = try StandardNormal.quantile(upperTail: 0.025)
    var estimates: [Estimate] = []
    for (number, parameter) in parameters.enumerated() {
      // Where it would go on to is as good a place as where it is.
      let half =
        z * (max(0, covariance[number][number]) * misfit).squareRoot()
        + abs(promise.steps[number])
      let (low, high) = (point.place[number] - half, point.place[number] + half)
      let isTold = low > log(parameter.lower) && high < log(parameter.upper)
      estimates.append(
        Estimate(
          value: exp(point.place[number]),
          interval: Interval(
            lower: max(parameter.lower, exp(low)), upper: min(parameter.upper, exp(high)),
            level: 0.95),
          isTold: isTold))
    }
    let correlations = parameters.indices.map { row in
      parameters.indices.map { column in
        let product = covariance[row][row] * covariance[column][column]
        return product > 0 ? covariance[row][column] / product.squareRoot() : 0
      }
    }
    return Answer(
      estimates: estimates, correlations: correlations, values: point.sample.values,
      startValues: first.sample.values, startSquares: first.squares, squares: point.squares,
      misfit: misfit, runs: runs, promisedSteps: promise.steps, promisedSquares: promise.squares,
      // Rest is what slopes promise, and not that steps have become small.
      hasConverged: promise.squares < MomentMatching.restGain * misfit)
  }
}
