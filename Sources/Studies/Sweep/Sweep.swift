import Models
import Scenario
import Statistics

/// What a factor does to a metric, by itself or together with others.
public enum FactorEffects: Sendable {
  /// By factor and level, the metric there minus its mean over the grid; and the share of the
  /// variance between points that single factors explain.
  case levels([[Estimate]], explained: Double)
  /// By factor, the change of the metric from the low end of its range to the high one.
  case slopes([Estimate], explained: Double)
  /// Morris: the mean size of the elementary effects, and their standard deviation.
  case screening([Estimate], deviation: [Double])
  /// Sobol's first-order and total indices.
  case indices(first: [Estimate], total: [Estimate])
  /// The metric has no data somewhere, or does not vary.
  case none(reason: String)
}

/// What a sweep found.
public struct SweepResult: Sendable {
  public var scenario: StudyScenario
  public var plan: SweepPlan
  public var design: SweepDesign
  public var metrics: [MetricReference]
  public var replications: Int
  /// By point, each metric.
  public var points: [[MetricResult]]
  /// By point, the one that it is compared with: the scenario as it is, or where the sweep does not
  /// hold it the first point; with fronts within keys the first of the same values of those keys.
  public var references: [Int]
  /// By point, each metric against its reference's; "worse" and "better" allow for all points.
  public var comparisons: [Comparison]
  /// By metric.
  public var effects: [FactorEffects]
  /// The metrics of the front, and how each point stands; empty without a front.
  public var front: [MetricReference]
  public var standings: [ParetoFront.Standing]
  /// Points on the front by their means, from the best in the first metric on; group after group
  /// where the plan has fronts within keys.
  public var frontPoints: [Int]
  /// The scenario's budgets whose metrics were measured; none where fronts are drawn within keys.
  public var budgets: [Budget] = []
  /// By point, what each of them says.
  public var verdicts: [[Verdict]] = []
}

/// Runs a sweep: every point of a design with the same random numbers.
public struct Sweep: Sendable {
  public let scenario: StudyScenario
  public let plan: SweepPlan
  public let design: SweepDesign
  public let metrics: [MetricReference]
  public let replications: Int
  public var study: VariantStudy

  /// Points whose scenarios are all held in memory.
  static let mostHeld = 256

  /// Builds the scenario of every point.
  ///
  /// - Throws: ``SweepDesign/Rejected``; ``ScenarioRejected`` for the first point whose scenario
  ///   cannot be built.
  public init(
    _ scenario: StudyScenario, plan: SweepPlan, threads: Int, store: ShardStore?,
    pilots: Pilots = Pilots()
  ) throws {
    self.scenario = scenario
    self.plan = plan
    design = try SweepDesign(plan)
    replications = plan.replications
    var wanted = plan.metrics.isEmpty ? scenario.plan.headline : plan.metrics
    for metric in plan.front where !wanted.contains(metric) { wanted.append(metric) }
    metrics = wanted
    var variants: [Variant] = []
    let family = ScenarioFamily(scenario)
    for point in 0..<design.count {
      let settings = design.settings(point)
      var overrides = settings.map {
        Override(option: "sweep", keyPath: $0.key, value: $0.value)
      }
      // A sweep judges nothing, and budgets may name a network that a point does not have.
      if !plan.within.isEmpty {
        overrides.append(Override(option: "sweep", keyPath: "budgets", value: "[]"))
      }
      let label = settings.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      let built = try family.member(overrides)
      let name = label.isEmpty ? "as it is" : label
      if design.count <= Sweep.mostHeld {
        variants.append(Variant(label: name, settings: settings, scenario: built))
        continue
      }
      variants.append(
        Variant(
          label: name, settings: settings, of: family, overrides: overrides,
          facts: Variant.Facts(built, metrics: metrics, store: store, base: scenario)))
    }
    study = VariantStudy(
      variants, metrics: metrics, threads: threads, store: store, pilots: pilots)
  }

  /// Runs what is not on disk yet and puts everything together.
  ///
  /// - Throws: ``StudyStopped`` when `stop` was requested first; ``SimulationError``; an error of
  ///   the file system.
  public func run(
    stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (VariantProgress) -> Void = { _ in }
  ) async throws -> SweepResult {
    let records = try await study.run(0..<replications, stop: stop, progress: progress)
    let references = references
    var result = SweepResult(
      scenario: scenario, plan: plan, design: design, metrics: metrics,
      replications: replications,
      points: records.map { point in
        metrics.enumerated().map { index, metric in
          MetricResult(metric, point.map { $0.samples[index] })
        }
      }, references: references,
      comparisons: records.indices.map { point in
        Comparison(
          metrics, baseline: records[references[point]], candidate: records[point], isPaired: true,
          thresholds: ChangeThresholds(scenario), together: design.count - 1)
      }, effects: [], front: plan.front, standings: [], frontPoints: [])
    let levels = levelDesign
    result.effects = metrics.indices.map { effects(metric: $0, records, levels) }
    if !plan.front.isEmpty { try addFront(&result, records) }
    if plan.within.isEmpty {
      let judge = try SweepVerdicts(scenario, metrics: metrics, replications: replications)
      result.budgets = judge.budgets
      result.verdicts = records.map { judge.verdicts($0) }
    }
    return result
  }

  private func series(_ index: Int, _ records: [ReplicationRecord]) -> MetricSeries? {
    MetricSeries.of(metrics[index], records.map { $0.samples[index] })
  }

  // MARK: Effects

  /// The levels of a grid, made ready once for all metrics; nil for another design.
  private var levelDesign: Result<LevelDesign, StatisticsError>? {
    guard case .grid = plan.design, case .levels(let levels) = design.places else { return nil }
    let sizes = plan.factors.map(\.values.count)
    return Result { () throws(StatisticsError) in try LevelDesign(levels, sizes: sizes) }
  }

  private func effects(
    metric: Int, _ records: [[ReplicationRecord]],
    _ levels: Result<LevelDesign, StatisticsError>?
  ) -> FactorEffects {
    let all = records.map { series(metric, $0) }
    let present = all.compactMap { $0 }
    guard present.count == all.count else { return .none(reason: "no data at some point") }
    if Set(present.map(\.value)).count < 2 { return .none(reason: "the same at every point") }
    do {
      return try effects(present, levels)
    } catch {
      return .none(reason: error.description)
    }
  }

  private func effects(
    _ series: [MetricSeries], _ levels: Result<LevelDesign, StatisticsError>?
  ) throws(StatisticsError) -> FactorEffects {
    let means = series.map(\.value)
    switch plan.design {
    case .grid:
      guard let levels else { break }
      let found = try levels.get().effects(series.map(\.parts))
      return .levels(found.effects, explained: found.explained)
    case .oneAtATime: break
    case .latinHypercube, .sobol:
      guard case .coordinates(let points) = design.places else { break }
      let found = try MainEffects.ofCoordinates(points, responses: series.map(\.parts))
      return .slopes(found.effects.map { $0[0] }, explained: found.explained)
    case .morris(let trajectories, let seed):
      let design = try MorrisDesign(
        factors: plan.factors.count, trajectories: trajectories, seed: seed)
      let found = try MorrisEffects(design, responses: means)
      return .screening(found.meanSize, deviation: found.deviation)
    case .sobolIndices(let rows):
      let design = try SaltelliDesign(factors: plan.factors.count, rows: rows)
      let found = try SobolIndices(
        design, responses: means, bootstrap: try Bootstrap(resamples: 1000, seed: 1))
      return .indices(first: found.first, total: found.total)
    }
    return .none(reason: "one factor at a time: see the points")
  }

  // MARK: Front

  private func addFront(
    _ result: inout SweepResult, _ records: [[ReplicationRecord]]
  ) throws {
    let places = plan.front.compactMap { metrics.firstIndex(of: $0) }
    let goals = plan.front.map { $0.isWorseWhenHigher ? Goal.minimise : .maximise }
    var series: [[MetricSeries]] = []
    for point in records {
      let row = places.compactMap { self.series($0, point) }
      guard row.count == places.count else { return }
      series.append(row)
    }
    result.standings = Array(repeating: .onFront, count: series.count)
    for group in groups {
      let members = group.map { series[$0] }
      let standings = try ParetoFront.standings(of: members, goals: goals)
      for (point, standing) in zip(group, standings) {
        if case .surelyDominated(let by) = standing {
          result.standings[point] = .surelyDominated(by: group[by])
        } else {
          result.standings[point] = standing
        }
      }
      let front = try ParetoFront.front(of: members.map { $0.map(\.value) }, goals: goals)
      result.frontPoints += front.map { group[$0] }
    }
  }

  private var references: [Int] {
    var references = [Int](repeating: 0, count: design.count)
    for group in groups {
      let today = group.first {
        study.variants[$0].isAsItIs(of: scenario)
      }
      for point in group { references[point] = today ?? group[0] }
    }
    return references
  }

  /// The points that are compared with each other: those with the same values of the keys within
  /// which fronts are drawn.
  private var groups: [[Int]] {
    var order: [[String]] = []
    var groups: [[Int]] = []
    for point in 0..<design.count {
      let values = zip(design.factors, design.values[point]).filter {
        plan.within.contains($0.0.key)
      }.map(\.1)
      if let place = order.firstIndex(of: values) {
        groups[place].append(point)
      } else {
        order.append(values)
        groups.append([point])
      }
    }
    return groups
  }
}
