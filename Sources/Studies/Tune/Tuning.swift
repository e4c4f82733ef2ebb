import Models
import Scenario
import Statistics

/// A limit that a tuned configuration must keep: `wasted_ratio < 0.35`.
public struct TuningConstraint: Sendable, Equatable {
  public var metric: MetricReference
  public var limit: BudgetLimit
  /// The limit as written.
  public var text: String

  /// Reads `metric < value`.
  ///
  /// - Returns: the constraint, or what was expected instead.
  public static func parse(_ text: String) -> Result<TuningConstraint, MetricReference.Fault> {
    guard let place = text.firstIndex(where: { "<>".contains($0) }) else {
      return .failure(.init("a metric, one of <, <=, >, >= and a value"))
    }
    let name = text[..<place].trimmed
    switch MetricReference.parse(name) {
    case .failure(let fault): return .failure(fault)
    case .success(let metric):
      return BudgetLimit.parse(String(text[place...]), unit: metric.unit).map {
        TuningConstraint(metric: metric, limit: $0, text: text)
      }
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// How a tuning ended.
public struct TuningResult: Sendable {
  /// The candidates; number 0 is the scenario as it is.
  public var candidates: [Variant]
  public var objective: MetricReference
  public var constraints: [TuningConstraint]
  /// Replications after each rung.
  public var rungs: [Int]
  /// By candidate, the rung at which it was dropped and why; nil for those that stayed.
  public var drops: [Race.Drop?]
  public var dropRungs: [Int?]
  /// By candidate, the objective and the constrained metrics at its last rung.
  public var values: [[MetricResult]]
  /// By candidate, its objective and constrained metrics against the scenario as it is, over the
  /// replications that both have; "worse" and "better" allow for all candidates.
  public var comparisons: [Comparison]
  public var race: Race.Result
  /// Keys that the winner has otherwise than the scenario as it is.
  public var changes: [ConfigurationChange]
  /// The candidate that comes nearest to the limits without keeping all; nil where there is none.
  public var nearestMiss: NearestMiss?

  /// What a difference of the race says of the objective, beside what matters in practice.
  ///
  /// Its interval allows for all candidates, because the winner was chosen by these very data.
  public func outcome(of gain: PairedComparison) -> ComparisonOutcome {
    let goal: Goal = objective.isWorseWhenHigher ? .minimise : .maximise
    let threshold = ChangeThresholds(candidates[0].scenario).threshold(of: objective)
    do {
      return ComparisonOutcome(
        try RegressionRule(goal: goal, threshold: threshold).decide(gain).outcome)
    } catch {
      preconditionFailure("a comparison has an interval: \(error)")
    }
  }
}

/// Searches a sweep's points for the best value of one metric: a race with common random numbers,
/// in which what is surely worse or surely breaks a limit is run no further.
public struct Tuning: Sendable {
  public let sweep: Sweep
  public let objective: MetricReference
  public let constraints: [TuningConstraint]
  public let rungs: [Int]
  public let rule: Race.Rule
  private let study: VariantStudy

  /// - Parameters:
  ///   - rungs: replications after each rung, ascending.
  public init(
    _ scenario: StudyScenario, plan: SweepPlan, objective: MetricReference,
    constraints: [TuningConstraint], rungs: [Int], rule: Race.Rule, threads: Int,
    store: ShardStore?, pilots: Pilots = Pilots()
  ) throws {
    var plan = plan
    plan.metrics = [objective] + constraints.map(\.metric)
    plan.front = []
    // Keys within which fronts are drawn are no choice: they stay as the scenario has them.
    plan.factors.removeAll { plan.within.contains($0.key) }
    plan.within = []
    sweep = try Sweep(scenario, plan: plan, threads: threads, store: store)
    self.objective = objective
    self.constraints = constraints
    self.rungs = rungs
    self.rule = rule
    let today = Variant(label: "as it is", settings: [], scenario: scenario)
    study = VariantStudy(
      [today]
        + sweep.study.variants.filter { !$0.isAsItIs(of: scenario) },
      metrics: sweep.metrics, threads: threads, store: store, pilots: pilots)
  }

  /// Runs the race.
  ///
  /// - Throws: ``StudyStopped`` when `stop` was requested first; ``SimulationError``.
  public func run(
    stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (VariantProgress) -> Void = { _ in }
  ) async throws -> TuningResult {
    let count = study.variants.count
    let race = try Race(
      candidates: count, rungs: rungs.count,
      goal: objective.isWorseWhenHigher ? .minimise : .maximise,
      constraints: try constraints.map {
        try Constraint(limit: $0.limit.value, isUpper: $0.limit.isUpper)
      }, rule: rule)
    var records = [[ReplicationRecord]](repeating: [], count: count)
    var alive = Set(0..<count)
    var drops = [Race.Drop?](repeating: nil, count: count)
    var dropRungs = [Int?](repeating: nil, count: count)
    var done = 0
    for (index, rung) in rungs.enumerated() {
      // The scenario as it is runs to the end, whatever its place: gains are told against it.
      let members = (0..<count).filter { alive.contains($0) || $0 == 0 }
      let added = try await study.run(
        done..<rung, members: members, stop: stop, progress: progress)
      for (place, member) in members.enumerated() { records[member] += added[place] }
      done = rung
      let judged = try race.rung(index, entries(records, alive))
      for drop in judged.dropped {
        drops[drop.candidate] = drop
        dropRungs[drop.candidate] = index
        alive.remove(drop.candidate)
      }
      // Every candidate surely breaks a limit.
      if alive.isEmpty { break }
    }
    let today = MetricSeries.of(objective, records[0].map { $0.samples[0] })
    let finish =
      alive.isEmpty ? .none : try race.finish(entries(records, alive), today: today)
    let values = records.map { list in
      sweep.metrics.enumerated().map { index, metric in
        MetricResult(metric, list.map { $0.samples[index] })
      }
    }
    return TuningResult(
      candidates: study.variants, objective: objective, constraints: constraints, rungs: rungs,
      drops: drops, dropRungs: dropRungs, values: values,
      comparisons: records.map { list in
        Comparison(
          sweep.metrics, baseline: Array(records[0].prefix(list.count)), candidate: list,
          isPaired: true, thresholds: ChangeThresholds(study.variants[0].scenario),
          together: count - 1)
      }, race: finish,
      changes: finish.winner.map {
        Variant.differences(study.variants[0].scenario, study.variants[$0].scenario)
      } ?? [], nearestMiss: try nearestMiss(values, records))
  }

  private func nearestMiss(
    _ values: [[MetricResult]], _ records: [[ReplicationRecord]]
  ) throws(StatisticsError) -> NearestMiss? {
    let limited = constraints.indices.map { $0 + 1 }
    return try NearestMissSearch(
      candidates: study.variants, constraints: constraints, factors: sweep.plan.factors,
      values: values.map { Array($0.dropFirst()) },
      samples: records.map { list in
        limited.map { place in list.map { $0.samples[place] } }
      }
    ).find()
  }

  private func entries(
    _ records: [[ReplicationRecord]], _ alive: Set<Int>
  ) throws -> [Race.Entry?] {
    try records.enumerated().map { candidate, list in
      guard alive.contains(candidate) else { return nil }
      let series = try sweep.metrics.enumerated().map { index, metric in
        guard let series = MetricSeries.of(metric, list.map { $0.samples[index] }) else {
          throw SweepDesign.Rejected(
            description: "\(metric): expected data in every replication of "
              + "\(study.variants[candidate].label), got none, or so many views that never started "
              + "that the percentile is not reached")
        }
        return series
      }
      return Race.Entry(objective: series[0], constrained: Array(series.dropFirst()))
    }
  }
}
