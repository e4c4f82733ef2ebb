import FeedImage
import MediaUnits
import Metering
import Models
import Scenario
import SimulationKernel
import Statistics
import WhatIf

/// A run as a page needs it that goes on from there: what is asked, what the run answered, and its
/// configuration as bytes.
public struct WhatIfBase: Sendable {
  /// What the plan asks, in its order.
  public let metrics: [MetricResult]
  /// In the scenario's order, and the places of their metrics among ``metrics``.
  public let budgets: [BudgetResult]
  public let budgetMetrics: [Int]
  /// By replication.
  public let fingerprints: [Fingerprint]
  /// What is asked, for the page's module.
  public let plan: [UInt8]
  /// The configuration, for the page's module.
  public let image: [UInt8]
  /// Share of the started views that had their first frame by then.
  public let curve: [(milliseconds: Double, share: Double)]
  /// What a month costs; nil where the scenario has no prices.
  public let cost: CDNCost?

  /// Runs a scenario as `run` does.
  ///
  /// - Throws: ``WhatIfRefusal`` for what no page can go on with; what ``Study/run`` throws.
  public static func run(
    _ scenario: FeedStudy, options: StudyOptions, stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (StudyProgress) -> Void = { _ in }
  ) async throws -> WhatIfBase {
    var asked = options
    asked.also = parts
    let result = try await Study.run(
      scenario.scenario, options: asked, stop: stop, progress: progress)
    let compared = scenario.feed.headline + result.budgets.map(\.metric.reference)
    return try WhatIfBase(result, scenario, compared: compared)
  }

  /// The mean times of the parts of a start.
  private static let parts = MetricReference.parts.map {
    MetricReference("startup_ms", labels: [(name: "part", value: $0)], stat: "mean")
  }

  /// - Parameters:
  ///   - result: of the scenario, with the records of its replications.
  ///   - compared: what a comparison of two such runs looks at.
  /// - Throws: ``WhatIfRefusal`` for what no page can go on with.
  init(
    _ result: StudyResult, _ scenario: FeedStudy, compared: [MetricReference]
  ) throws(WhatIfRefusal) {
    guard let image = FeedImage.bytes(of: scenario.configuration) else { throw .foreignPolicy }
    if result.isFolded { throw .tooManyViews }
    if result.records.contains(where: { $0.sessions == nil }) || result.records.isEmpty {
      throw .noReplications
    }
    self.image = image
    let references = result.recordMetrics
    // A budget's metric that the result holds as well is there once.
    var places: [MetricReference: Int] = [:]
    var kept: [Int] = []
    for (place, reference) in references.enumerated() where places[reference] == nil {
      places[reference] = kept.count
      kept.append(place)
    }
    let effect = SessionSpread.designEffect(result.records)
    metrics = kept.map { place in
      result.metrics.first { $0.reference == references[place] }
        ?? result.budgets.first { $0.metric.reference == references[place] }?.metric
        ?? MetricResult(
          references[place], result.records.map { $0.samples[place] }, designEffect: effect)
    }
    budgets = result.budgets
    budgetMetrics = result.budgets.map { places[$0.metric.reference] ?? 0 }
    fingerprints = result.records.map(\.sum)
    cost = result.cost
    curve =
      result.histograms.reduce(into: TimeHistogram()) {
        $0.add($1[ReplicationDigest.Clock.all.rawValue].started)
      }.curve
    plan = WhatIfBase.plan(result, scenario, kept, budgetMetrics, compared: Set(compared)).bytes
  }

  private static func plan(
    _ result: StudyResult, _ scenario: FeedStudy, _ kept: [Int], _ budgetMetrics: [Int],
    compared: Set<MetricReference>
  ) -> WhatIfPlan {
    let thresholds = ChangeThresholds(scenario.scenario)
    let labels = scenario.feed.labels
    return WhatIfPlan(
      metrics: kept.map { place in
        let reference = result.recordMetrics[place]
        let threshold = thresholds.threshold(of: reference)
        return WhatIfPlan.Metric(
          row: reference.feedMetric.place, cut: reference.cut(labels), traits: reference.traits,
          isWorseWhenHigher: reference.isWorseWhenHigher, relative: threshold.relative,
          absolute: threshold.absolute, isCompared: compared.contains(reference))
      },
      budgets: zip(result.budgets, budgetMetrics).map { result, metric in
        WhatIfPlan.Budget(
          metric: metric, limit: result.budget.limit,
          minimumSamples: result.budget.minimumSamples)
      },
      looks: looks(result),
      base: result.records.enumerated().map { place, record in
        WhatIfPlan.Base(
          fingerprint: record.sum.value,
          sessions: record.sessions ?? SessionSpread(),
          samples: kept.map { record.samples[$0] }, bill: result.cost?.bills[place])
      }, cost: cost(result, scenario))
  }

  /// Nil where the run was not priced.
  private static func cost(_ result: StudyResult, _ scenario: FeedStudy) -> WhatIfPlan.Cost? {
    guard let cost = result.cost, let plan = scenario.scenario.cost else { return nil }
    return WhatIfPlan.Cost(terms: plan.terms, viewsPerDay: cost.viewsPerDay)
  }

  /// As the run looked.
  private static func looks(_ result: StudyResult) -> [WhatIfPlan.Look] {
    do {
      let boundaries = try GroupSequentialBoundaries(
        fractions: result.looks.map { Double($0) / Double(result.cap) }, level: 0.05)
      return zip(result.looks, boundaries.looks).map {
        WhatIfPlan.Look(replications: $0, nominalLevel: $1.nominalLevel)
      }
    } catch {
      preconditionFailure("the run has looked at these: \(error)")
    }
  }
}

/// Why no page can be made of a run.
public enum WhatIfRefusal: Error, Sendable, Equatable, CaseIterable {
  /// A process or a package decides, which has no bytes.
  case foreignPolicy
  /// Views were folded into sums as they ended.
  case tooManyViews
  case noReplications

  /// What was expected and found, in a few words.
  public var text: String {
    switch self {
    case .foreignPolicy:
      "expected policies of FirstFrame's own, which a page can hold, got one of somebody else's"
    case .tooManyViews:
      "expected replications of fewer views, got so many that a browser cannot keep them"
    case .noReplications: "expected replications with their views, got none"
    }
  }
}
