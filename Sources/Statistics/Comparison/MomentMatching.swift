import Foundation

/// Fits parameters of a simulation so that its numbers become those that were observed (the method
/// of simulated moments; D. McFadden 1989, DOI 10.2307/1913621).
///
/// What is least is the square of the errors over their noise, that of both sides (``ErrorNoise``).
/// Steps are those of Levenberg and Marquardt (D. Marquardt 1963, DOI 10.1137/0111030) over the
/// logarithms of the parameters, with slopes from simulations a step away. Where the search ends
/// they are taken anew, between the ends of each parameter's interval: what is far may be steeper
/// than what is near, and what hardly moves anything shows nothing near. By how much the slopes of
/// both sides differ tells what of them is the simulations' own noise. Intervals go as far as
/// simulations are no worse than noise makes them (``ProfileIntervals``), and at least as far as
/// slopes have them; where one is better, the search goes on from there. A simulation has to use
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
    /// Whether that is less than a standard error in any direction, and no better place was seen;
    /// else the search was stuck, or long.
    public var hasConverged: Bool
  }

  /// Where the search's slopes are taken from, of logarithms.
  private static let slopeStep = 0.15
  /// The least and the most of those where it ends.
  private static let (leastLook, mostLook) = (0.02, 1.0)
  /// Looks around where the search has ended, after which it may go on or look farther.
  private static let mostLooks = 4
  private static let mostSteps = 12
  private static let (leastDamping, firstDamping, mostDamping) = (1e-6, 0.01, 1e4)
  /// Of a logarithm.
  private static let longestStep = 1.5
  /// Steps below this, of logarithms, move nothing.
  private static let leastStep = 1e-4
  /// Squares that are nothing: a tenth of what the noise of one number makes.
  private static let leastGain = 0.1
  /// Squares that a standard error of a parameter makes, where nothing but noise is left.
  /// Simulations have noise of their own, and slopes of them promise this much at rest, too.
  private static let restGain = 1.0
  /// Times that the search goes on from a better place that it finds beside where it came to rest.
  private static let mostMoves = 3
  /// Times that the other parameters are found anew at one place of an interval's end.
  private static let mostAnew = 5
  /// Of what is too much at such a place, the share that another time has to promise.
  private static let leastAnew = 0.3

  private let observed: SampledVector
  private let leastVariances: [Double]
  private let parameters: [Parameter]

  /// What the sample is for that is waited for.
  private enum Waiting {
    case start, trial
    /// A probe by its place in the list.
    case probe(Int)
    /// A place that may be an interval's end.
    case end(ProfileIntervals.Place)
    /// The same with the other parameters moved.
    case anew(Visit, moved: [Double])
  }

  /// A place that may be an interval's end.
  private struct Visit {
    var end: ProfileIntervals.Place
    /// With the others as they are best so far.
    var best: Point
    /// Slopes, corrected by what was seen on this side (C. Broyden 1965,
    /// DOI 10.1090/S0025-5718-1965-0198670-6).
    var slopes: [[Double]]
    /// Times that the others may be found anew yet.
    var left = MomentMatching.mostAnew
  }

  /// A simulation beside a point, for the slope of a parameter.
  private struct Probe {
    let number: Int
    /// Of the parameter's logarithm.
    let step: Double
    var sample = SampledVector([], covariance: [], clusters: 0)
    var values: [Double] { sample.values }
  }

  /// The logarithms of what is asked for; nil when the search is over.
  private var place: [Double]?
  private var waiting = Waiting.start
  private var first, point: Point?
  private var probes: [Probe] = []
  /// Of each parameter, in units of noise.
  private var slopes: [[Double]] = []
  /// Of each parameter's slope, the root of the share that is not the simulations' own noise.
  private var keptSlopes: [Double] = []
  private var looks = 0
  /// The point that was looked around last.
  private var lookedAt: [Double]?
  private var ends: ProfileIntervals?
  /// What was visited last of them.
  private var visited: Visit?
  private var moves = 0
  /// Whether a better place was seen after the last move.
  private var isBeaten = false
  private var damping = MomentMatching.firstDamping
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
  /// the probes after this one.
  public var askedBeside: [[Double]] {
    guard case .probe(let first) = waiting, place != nil, let point else { return [] }
    return probes[(first + 1)...].map { self.place(of: $0, at: point).map { exp($0) } }
  }

  private func place(of probe: Probe, at point: Point) -> [Double] {
    var next = point.place
    next[probe.number] += probe.step
    return next
  }

  /// How far a parameter's logarithm is from the ends of its range.
  private func room(_ number: Int, at point: Point) -> (below: Double, above: Double) {
    let parameter = parameters[number]
    return (
      point.place[number] - log(parameter.lower), log(parameter.upper) - point.place[number]
    )
  }

  /// For the search: each parameter toward the farther end, so that there is room.
  private func probesAhead(of point: Point) -> [Probe] {
    parameters.indices.compactMap { number in
      let (below, above) = room(number, at: point)
      let step = min(MomentMatching.slopeStep, max(below, above)) * (above >= below ? 1 : -1)
      return step == 0 ? nil : Probe(number: number, step: step)
    }
  }

  /// Where it ends: to both sides, as far as the parameter's interval goes.
  private func probesAround(_ point: Point) throws(StatisticsError) -> [Probe] {
    let covariance = try covariance()
    let misfit = misfit(of: point)
    let z = try StandardNormal.quantile(upperTail: 0.025)
    var probes: [Probe] = []
    for number in parameters.indices {
      let half = z * (max(0, covariance[number][number]) * misfit).squareRoot()
      let step = min(max(half, MomentMatching.leastLook), MomentMatching.mostLook)
      let (below, above) = room(number, at: point)
      for (step, sign) in [(min(step, above), 1.0), (min(step, below), -1.0)]
      where step >= MomentMatching.leastLook {
        probes.append(Probe(number: number, step: sign * step))
      }
    }
    return probes
  }

  /// Takes the numbers of what was asked for.
  ///
  /// - Throws: `statistics.data` for another count of numbers or one that is not finite,
  ///   `statistics.numeric` where one has no noise.
  /// - Precondition: something is asked for.
  public mutating func tell(_ sample: SampledVector) throws(StatisticsError) {
    guard let place else { preconditionFailure("nothing is asked for") }
    try Require.finite(data: sample.values)
    runs += 1
    switch waiting {
    case .start:
      let start = try point(place, sample, noiseOf: nil)
      first = start
      try move(to: start)
    case .probe(let number):
      guard let point else { preconditionFailure("slopes are those of a point") }
      try Estimates.requireEqualCounts(sample.values, point.sample.values)
      probes[number].sample = sample
      try askProbe(number + 1, at: point)
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
    case .end(let end):
      guard let point else { preconditionFailure("ends are those of a point") }
      try visit(end, try self.point(place, sample, noiseOf: point.factor), of: point)
    case .anew(let visit, let moved):
      guard let point else { preconditionFailure("ends are those of a point") }
      let next = try self.point(place, sample, noiseOf: point.factor)
      if try !goesOn(to: next, from: point) { try take(next, moved, at: visit, of: point) }
    }
  }

  private mutating func move(to next: Point) throws(StatisticsError) {
    point = next
    probes = probesAhead(of: next)
    try askProbe(0, at: next)
  }

  private mutating func askProbe(_ number: Int, at point: Point) throws(StatisticsError) {
    if number < probes.count {
      (place, waiting) = (place(of: probes[number], at: point), .probe(number))
      return
    }
    slopes = []
    keptSlopes = []
    for number in parameters.indices {
      let own = probes.filter { $0.number == number }
      let slope = try own.isEmpty ? nil : slope(of: own, at: point)
      slopes.append(slope?.value ?? [Double](repeating: 0, count: observed.values.count))
      keptSlopes.append(slope?.kept ?? 1)
    }
    let whole = try step(from: point, damping: MomentMatching.leastDamping)
    promise = (whole.moved, max(0, point.squares - whole.rest))
    if lookedAt == point.place { return try askAfterLook(at: point) }
    steps += 1
    if steps > MomentMatching.mostSteps {
      try end(at: point)
    } else {
      try askTrial(from: point)
    }
  }

  /// - Parameter probes: one, or one on each side.
  private func slope(
    of probes: [Probe], at point: Point
  ) throws(StatisticsError) -> (value: [Double], kept: Double) {
    func slope(_ one: Probe, _ other: Probe) throws(StatisticsError) -> [Double] {
      try point.factor.whitened(
        zip(one.values, other.values).map { ($0 - $1) / (one.step - other.step) })
    }
    func squares(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    let here = Probe(number: probes[0].number, step: 0, sample: point.sample)
    if probes.count < 2 { return (try slope(probes[0], here), 1) }
    let value = try slope(probes[0], probes[1])
    let (above, below) = (try slope(probes[0], here), try slope(here, probes[1]))
    let bend = squares(zip(above, below).map { $0 - $1 })
    // Variances, of a simulation's noise of one: of the slope, and of how both sides differ.
    let (up, down) = (1 / probes[0].step, -1 / probes[1].step)
    let whole = probes[0].step - probes[1].step
    let noise = bend * (2 / (whole * whole)) / (up * up + down * down + (up + down) * (up + down))
    let all = squares(value)
    return (value, all > 0 ? max(0, 1 - noise / all).squareRoot() : 1)
  }

  /// With better slopes the search may go on, or what is in doubt farther than that is looked at.
  private mutating func askAfterLook(at point: Point) throws(StatisticsError) {
    let farther = try probesAround(point)
    let isNear = probes.contains { probe in
      farther.contains { $0.number == probe.number && $0.step / probe.step > 2 }
    }
    damping = MomentMatching.firstDamping
    let isLast = looks >= MomentMatching.mostLooks
    if isNear && !isLast {
      looks += 1
      probes = farther
      try askProbe(0, at: point)
    } else if isLast || isAtRest(point) {
      try askEnds(of: point)
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
      try end(at: point)
    } else {
      (place, waiting) = (zip(point.place, step.moved).map { $0 + $1 }, .trial)
    }
  }

  /// The search is over here, but for a look around.
  private mutating func end(at point: Point) throws(StatisticsError) {
    if lookedAt == point.place { return try askEnds(of: point) }
    looks += 1
    lookedAt = point.place
    probes = try probesAround(point)
    try askProbe(0, at: point)
  }

  // MARK: Ends of intervals

  private mutating func askEnds(of point: Point) throws(StatisticsError) {
    let z = try StandardNormal.quantile(upperTail: 0.025)
    let covariance = try covariance()
    let misfit = misfit(of: point)
    var ends = ProfileIntervals(growth: z * z * misfit)
    for number in parameters.indices {
      let half = (max(0, covariance[number][number]) * ends.growth).squareRoot()
      ends.add(number, half: half, room: room(number, at: point))
    }
    self.ends = ends
    try askEnd(of: point)
  }

  private mutating func askEnd(of point: Point) throws(StatisticsError) {
    guard let next = ends?.next() else {
      place = nil
      return
    }
    // What was simulated for slopes is not simulated again.
    let known = probes.firstIndex {
      next.beside.isEmpty && $0.number == next.number && abs($0.step / next.step - 1) < 0.1
    }
    if let known {
      let probe = probes.remove(at: known)
      let there = try self.point(
        self.place(of: probe, at: point), probe.sample, noiseOf: point.factor)
      return try visit(.init(number: probe.number, step: probe.step), there, of: point)
    }
    place = parameters.indices.map { number in
      let step = number == next.number ? next.step : next.beside.isEmpty ? 0 : next.beside[number]
      let (below, above) = room(number, at: point)
      return point.place[number] + min(max(step, -below), above)
    }
    waiting = .end(next)
  }

  /// - Parameter next: what was simulated there.
  private mutating func visit(
    _ end: ProfileIntervals.Place, _ next: Point, of point: Point
  ) throws(StatisticsError) {
    if try goesOn(to: next, from: point) { return }
    let isSameSide = visited.map { $0.end.number == end.number && $0.end.step * end.step > 0 }
    let own = isSameSide == true ? visited?.slopes : nil
    try askAnew(Visit(end: end, best: next, slopes: own ?? slopes), of: point)
  }

  /// Asks for the other parameters as slopes have them there, or takes what is known.
  private mutating func askAnew(_ visit: Visit, of point: Point) throws(StatisticsError) {
    guard let ends else { preconditionFailure("an end is that of an interval") }
    let others = parameters.indices.filter { $0 != visit.end.number }
    let anew = try step(
      from: visit.best, by: visit.slopes, damping: MomentMatching.leastDamping, free: others)
    let excess = visit.best.squares - point.squares - ends.growth
    let gain = visit.best.squares - anew.rest
    let isPromising =
      if excess <= 0 {
        isBetter(anew.rest, than: point)
      } else {
        gain >= excess
          || gain > MomentMatching.leastGain
            && (visit.left == MomentMatching.mostAnew || gain > MomentMatching.leastAnew * excess)
      }
    if isPromising && visit.left > 0 && !others.isEmpty {
      place = zip(visit.best.place, anew.moved).map { $0 + $1 }
      waiting = .anew(visit, moved: anew.moved)
      return
    }
    var end = visit.end
    end.beside = zip(visit.best.place, point.place).map { $0 - $1 }
    end.beside[end.number] = 0
    visited = visit
    // What slopes still promise is not simulated where it would change nothing.
    let squares = isPromising ? visit.best.squares : anew.rest
    self.ends?.take(grownBy: squares - point.squares, at: end)
    try askEnd(of: point)
  }

  /// - Parameter moved: what the others were moved by to the place that was simulated.
  private mutating func take(
    _ next: Point, _ moved: [Double], at visit: Visit, of point: Point
  ) throws(StatisticsError) {
    var visit = visit
    visit.left -= 1
    let length = moved.reduce(0) { $0 + $1 * $1 }
    if length > 1e-8 {
      for row in next.errors.indices {
        let seen = visit.best.errors[row] - next.errors[row]
        let missed = moved.indices.reduce(seen) { $0 - visit.slopes[$1][row] * moved[$1] }
        for number in moved.indices {
          visit.slopes[number][row] += missed * moved[number] / length
        }
      }
    }
    if next.squares < visit.best.squares { visit.best = next }
    try askAnew(visit, of: point)
  }

  /// Where a place is better than the one that the search has come to rest at, it goes on there.
  private mutating func goesOn(
    to next: Point, from point: Point
  ) throws(StatisticsError) -> Bool {
    guard isBetter(next.squares, than: point) else { return false }
    if moves == MomentMatching.mostMoves {
      isBeaten = true
      return false
    }
    moves += 1
    (looks, steps, ends, visited) = (0, 0, nil, nil)
    damping = MomentMatching.firstDamping
    // With the noise of where it is now.
    try move(to: try self.point(next.place, next.sample, noiseOf: nil))
    return true
  }

  /// Whether squares are fewer by more than what noise makes.
  private func isBetter(_ squares: Double, than point: Point) -> Bool {
    squares < point.squares - (ends?.growth ?? 0)
  }

  /// Whether slopes promise less than a standard error.
  private func isAtRest(_ point: Point) -> Bool {
    promise.squares < MomentMatching.restGain * misfit(of: point)
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
  ///
  /// - Parameters:
  ///   - own: slopes; nil: those of the search.
  ///   - free: which may move; nil: all.
  private func step(
    from point: Point, by own: [[Double]]? = nil, damping: Double, free which: [Int]? = nil
  ) throws(StatisticsError) -> (moved: [Double], rest: Double) {
    let slopes = own ?? self.slopes
    var moved = [Double](repeating: 0, count: parameters.count)
    var free = which ?? Array(parameters.indices)
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
    guard let point, let first, let ends, place == nil else {
      throw .noData("a search that is over", got: 0)
    }
    let covariance = try covariance()
    var estimates: [Estimate] = []
    for (number, parameter) in parameters.enumerated() {
      let value = exp(point.place[number])
      func factor(_ sign: Double) -> Double {
        guard let distance = ends.distance(of: number, sign: sign) else { return .infinity }
        // Where it would go on to is as good a place as where it is.
        return exp(distance + abs(promise.steps[number]))
      }
      let (low, high) = (value / factor(-1), value * factor(1))
      estimates.append(
        Estimate(
          value: value,
          interval: Interval(
            lower: max(parameter.lower, low), upper: min(parameter.upper, high), level: 0.95),
          isTold: low > parameter.lower && high < parameter.upper))
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
      misfit: misfit(of: point), runs: runs, promisedSteps: promise.steps,
      promisedSquares: promise.squares,
      // Rest is what slopes promise, and not that steps have become small.
      hasConverged: isAtRest(point) && !isBeaten)
  }

  /// Of the parameters' logarithms, by the slopes.
  private func covariance() throws(StatisticsError) -> [[Double]] {
    var rows = observed.values.indices.map { row in
      zip(slopes, keptSlopes).map { $0[row] * $1 }
    }
    // A parameter that moves nothing could be anything in its range: the variance of that.
    for (number, parameter) in parameters.enumerated() {
      var row = [Double](repeating: 0, count: parameters.count)
      row[number] = 1 / max(1e-6, log(parameter.upper / parameter.lower))
      rows.append(row)
    }
    return try LeastSquares(rows).covariance
  }

  /// How many times larger than noise what is left is, at least 1.
  private func misfit(of point: Point) -> Double {
    let degrees = Double(max(1, point.errors.count - parameters.count))
    return max(1, point.squares / degrees)
  }
}
