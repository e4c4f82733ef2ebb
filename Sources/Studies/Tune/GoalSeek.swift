import Foundation
import Scenario
import Statistics

/// What a search for the value of one key has found.
public struct GoalResult: Sendable {
  /// One value that was run.
  public struct Point: Sendable {
    public var value: FactorValue
    public var metric: MetricResult
    /// When it was run: with the first values, 1, or so many steps later.
    public var round = 1
  }

  /// How it ended.
  public enum Outcome: Sendable, Equatable {
    /// The metric has the target at a point, as far as could be looked.
    case reached(GoalAnswer)
    /// It does not between the least and the greatest value; the point that comes nearest.
    case outOfReach(nearest: Int)
    /// It rises from one point to the next and falls from another one: there may be several values.
    case notMonotone(rise: Int, fall: Int)
    /// The replications do not tell: why in a few words, and what they say all the same.
    case tooNoisy(String, GoalAnswer?)
  }

  public var scenario: StudyScenario
  public var target: TuningTarget
  /// The key that was varied.
  public var key: String
  public var replications: Int
  /// What was run, by ascending values of the key.
  public var points: [Point]
  public var outcome: Outcome
  /// What the scenario as it is has at the key; nil where it does not have it.
  public var today: String?
  /// Of the key's numbers: s, B, bit/s, or nothing.
  public var unit = ""
}

/// Where a metric has its target.
public struct GoalAnswer: Sendable, Equatable {
  /// The point whose metric is nearest to the target.
  public var point: Int
  /// The ends of the 95 % interval of the key: beyond them the metric's interval leaves the target
  /// out. Nil where it still holds it at the end of the range.
  public var lower: FactorValue?
  public var upper: FactorValue?
}

/// Searches the value of one key at which a metric has a target, with common random numbers.
public struct GoalSeek: Sendable {
  /// Values that are run at most beyond the first ones.
  private static let mostSteps = 12
  /// First values, when fewer are given.
  private static let firstValues = 5
  /// Most values that may be given.
  public static let mostValues = 33
  /// A key's interval over more of its range than this says too little.
  private static let widest = 0.5

  public let scenario: StudyScenario
  public let target: TuningTarget
  public let factor: SweepFactor
  public let replications: Int
  private let given: [FactorValue]
  private let isLogarithmic: Bool
  private let threads: Int
  private let store: ShardStore?
  private let pilots: Pilots

  /// - Throws: ``SweepDesign/Rejected`` unless the plan varies one key over numbers of one unit.
  public init(
    _ scenario: StudyScenario, plan: SweepPlan, target: TuningTarget, threads: Int,
    store: ShardStore?, pilots: Pilots = Pilots()
  ) throws(SweepDesign.Rejected) {
    let factors = plan.factors.filter { !plan.within.contains($0.key) }
    guard factors.count == 1, let factor = factors.first else {
      let got = factors.isEmpty ? "none" : factors.map(\.key).joined(separator: ", ")
      throw .init(
        description: "--target: expected one key to vary, such as "
          + "--vary 'audience.viewsPerDayPerEdge=[200000, 5000000]', got \(got)")
    }
    guard let given = factor.ascending, given.count >= 2, given.count <= GoalSeek.mostValues else {
      throw .init(
        description: "--target: expected 2 to \(GoalSeek.mostValues) different numbers of one unit "
          + "for \(factor.key), got [\(factor.values.joined(separator: ", "))]")
    }
    self.scenario = scenario
    self.target = target
    self.factor = factor
    self.given = given
    self.threads = threads
    self.store = store
    self.pilots = pilots
    replications = plan.replications
    let (least, greatest) = (given[0].magnitude, given[given.count - 1].magnitude)
    isLogarithmic = plan.isLogarithmic && least > 0 || least > 0 && greatest / least >= 10
  }

  /// Runs the search.
  ///
  /// - Throws: ``StudyStopped`` when `stop` was requested first; ``SimulationError``;
  ///   ``ScenarioRejected`` for a value that the scenario cannot have; ``SweepDesign/Rejected``
  ///   where the metric has no data.
  public func run(
    stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (VariantProgress) -> Void = { _ in }
  ) async throws -> GoalResult {
    var search = Search(curve: GoalCurve(target: target.value), points: [])
    try await measure(firstPoints, &search, stop, progress)
    var last: Double?
    for _ in 0..<GoalSeek.mostSteps {
      guard case .crossing(let crossing) = try search.curve.reading(),
        let next = next(crossing, last, search)
      else { break }
      last = crossing.at
      try await measure([next], &search, stop, progress)
    }
    // The ends of the interval, measured and not taken from lines between points far away.
    if case .crossing(let crossing) = try search.curve.reading() {
      for end in [crossing.lower, crossing.upper].compactMap(\.self) {
        guard let value = value(at: end), !search.has(value) else { continue }
        try await measure([value], &search, stop, progress)
      }
    }
    return GoalResult(
      scenario: scenario, target: target, key: factor.key, replications: replications,
      points: search.points.sorted { $0.value.magnitude < $1.value.magnitude },
      outcome: try outcome(search), today: today, unit: factor.unit)
  }

  private struct Search {
    var curve: GoalCurve
    var points: [GoalResult.Point]
    var rounds = 0

    func has(_ value: FactorValue) -> Bool {
      points.contains { $0.value.magnitude == value.magnitude }
    }
  }

  // MARK: Where to look

  /// What is given, and values between until there are enough to see a bend.
  private var firstPoints: [FactorValue] {
    var values = given
    for number in 1..<(GoalSeek.firstValues - 1) where values.count < GoalSeek.firstValues {
      let place = Double(number) / Double(GoalSeek.firstValues - 1)
      guard let value = value(at: place) else { continue }
      if !values.contains(where: { $0.magnitude == value.magnitude }) { values.append(value) }
    }
    return values.sorted { $0.magnitude < $1.magnitude }
  }

  /// The next value to run; nil when another one would not tell more.
  private func next(
    _ crossing: GoalCurve.Crossing, _ last: Double?, _ search: Search
  ) -> FactorValue? {
    let (low, high) = search.curve.bracket(crossing.at)
    if high - low < 1e-9 { return nil }
    let nearest = search.curve.points[search.curve.nearest]
    // Nearer than a twentieth of the interval is not worth a run.
    let isNear = abs(nearest.series.value - target.value) <= nearest.interval.halfWidth / 10
    if isNear && high - low < 0.25 { return nil }
    // Where a straight line leads to the same place again, half of the bracket is left out.
    let place =
      last.map { abs($0 - crossing.at) < (high - low) / 20 } == true
      ? (low + high) / 2 : crossing.at
    for candidate in [place, (low + high) / 2] {
      if let value = value(at: candidate), !search.has(value) { return value }
    }
    return nil
  }

  private func coordinate(_ magnitude: Double) -> Double {
    let (least, greatest) = (given[0].magnitude, given[given.count - 1].magnitude)
    return isLogarithmic
      ? log(magnitude / least) / log(greatest / least) : (magnitude - least) / (greatest - least)
  }

  private func value(at coordinate: Double) -> FactorValue? {
    let (least, greatest) = (given[0].magnitude, given[given.count - 1].magnitude)
    return factor.value(
      near: isLogarithmic
        ? least * pow(greatest / least, coordinate) : least + (greatest - least) * coordinate)
  }

  // MARK: Runs

  private func measure(
    _ values: [FactorValue], _ search: inout Search, _ stop: StopRequest,
    _ progress: @escaping @Sendable (VariantProgress) -> Void
  ) async throws {
    if values.isEmpty { return }
    search.rounds += 1
    let study = VariantStudy(
      try values.map { try variant($0) }, metrics: [target.metric], threads: threads, store: store,
      pilots: pilots)
    let records = try await study.run(0..<replications, stop: stop, progress: progress)
    for (value, list) in zip(values, records) {
      let samples = list.map { $0.samples[0] }
      let metric = MetricResult(target.metric, samples)
      guard let series = MetricSeries.of(target.metric, samples), let interval = metric.interval
      else {
        throw SweepDesign.Rejected(
          description: "\(target.metric): expected data in every replication of "
            + "\(factor.key)=\(value.text), got none, or so many views that never started that the "
            + "percentile is not reached")
      }
      search.points.append(.init(value: value, metric: metric, round: search.rounds))
      search.curve.add(
        .init(coordinate: coordinate(value.magnitude), series: series, interval: interval))
    }
  }

  private func variant(_ value: FactorValue) throws(ScenarioRejected) -> Variant {
    Variant(
      label: "\(factor.key)=\(value.text)",
      settings: [.init(key: factor.key, value: value.text)],
      scenario: try StudyScenario.rebuilt(
        scenario,
        overrides: [Override(option: "--vary", keyPath: factor.key, value: value.text)]))
  }

  /// What the key has in the scenario as it is.
  private var today: String? {
    guard let other = try? variant(given[0]) else { return nil }
    let changes = Variant.differences(scenario, other.scenario)
    return changes.isEmpty ? given[0].text : changes.first { $0.key == factor.key }?.before
  }

  // MARK: What it says

  private func outcome(_ search: Search) throws -> GoalResult.Outcome {
    let curve = search.curve
    switch try curve.reading() {
    case .outOfReach(let nearest): return .outOfReach(nearest: nearest)
    case .notMonotone(let rise, let fall): return .notMonotone(rise: rise, fall: fall)
    case .flat:
      return .tooNoisy(
        "\(replications) replications do not tell the metric at the least value from that at the "
          + "greatest", nil)
    case .atEnd(let nearest):
      return .tooNoisy(
        "the target is beyond all values, and within the interval of the nearest one",
        GoalAnswer(point: nearest))
    case .crossing(let crossing):
      let answer = GoalAnswer(
        point: curve.nearest, lower: crossing.lower.flatMap { value(at: $0) },
        upper: crossing.upper.flatMap { value(at: $0) })
      let nearest = curve.points[curve.nearest]
      if !nearest.interval.contains(target.value) {
        // Steps over it, such as those of a whole number: there may be no value between.
        let (low, high) = curve.bracket(crossing.at)
        let between = value(at: (low + high) / 2).map { !search.has($0) } ?? false
        return between
          ? .tooNoisy("it steps over the target between two values that were run", answer)
          : .outOfReach(nearest: curve.nearest)
      }
      let width = (crossing.upper ?? 1) - (crossing.lower ?? 0)
      return width <= GoalSeek.widest
        ? .reached(answer)
        : .tooNoisy("the interval of the key is most of its range", answer)
    }
  }
}
