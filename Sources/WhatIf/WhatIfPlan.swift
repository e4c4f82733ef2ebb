import CacheModel
import CachePolicy
import Estimation
import FeedImage
import FeedModel
import Metering

/// What a page is asked of a feed: metrics, budgets, when to look, prices, and what the base had.
public struct WhatIfPlan: Sendable {
  /// A metric, as its name and the scenario say.
  public struct Metric: Sendable {
    /// Its place in ``Metering/FeedMetrics/all``.
    public var row: Int
    public var cut: MetricCut
    public var traits: MetricTraits
    public var isWorseWhenHigher: Bool
    /// From which change on it matters: a share of the base, and an amount in the metric's unit.
    public var relative, absolute: Double
    /// Whether a comparison of two runs looks at it: those are judged together.
    public var isCompared: Bool

    public init(
      row: Int, cut: MetricCut, traits: MetricTraits, isWorseWhenHigher: Bool, relative: Double,
      absolute: Double, isCompared: Bool
    ) {
      self.row = row
      self.cut = cut
      self.traits = traits
      self.isWorseWhenHigher = isWorseWhenHigher
      self.relative = relative
      self.absolute = absolute
      self.isCompared = isCompared
    }
  }

  /// A budget of the metric at a place of ``metrics``.
  public struct Budget: Sendable {
    public var metric: Int
    public var limit: BudgetLimit
    public var minimumSamples: Int

    public init(metric: Int, limit: BudgetLimit, minimumSamples: Int) {
      self.metric = metric
      self.limit = limit
      self.minimumSamples = minimumSamples
    }
  }

  /// After how many replications budgets are looked at, and the look's level, two-sided.
  public struct Look: Sendable {
    public var replications: Int
    public var nominalLevel: Double

    public init(replications: Int, nominalLevel: Double) {
      self.replications = replications
      self.nominalLevel = nominalLevel
    }
  }

  /// One replication of the base.
  public struct Base: Sendable {
    public var fingerprint: UInt64
    public var sessions: SessionSpread
    /// In the order of the plan's metrics, without times.
    public var samples: [MetricSample]
    /// What a month of its traffic costs; nil without prices, and without views.
    public var bill: CDNBill?

    public init(
      fingerprint: UInt64, sessions: SessionSpread, samples: [MetricSample], bill: CDNBill? = nil
    ) {
      self.fingerprint = fingerprint
      self.sessions = sessions
      self.samples = samples
      self.bill = bill
    }
  }

  /// How traffic is priced, and for how many views a day the base's was.
  public struct Cost: Sendable {
    public var terms: CostTerms
    public var viewsPerDay: Double

    public init(terms: CostTerms, viewsPerDay: Double) {
      self.terms = terms
      self.viewsPerDay = viewsPerDay
    }
  }

  public let metrics: [Metric]
  public let budgets: [Budget]
  public let looks: [Look]
  public let base: [Base]
  /// Nil: traffic is not priced.
  public let cost: Cost?
  /// Clocks of percentiles.
  let clocks: [Clock]

  public init(
    metrics: [Metric], budgets: [Budget], looks: [Look], base: [Base], cost: Cost? = nil
  ) {
    self.metrics = metrics
    self.budgets = budgets
    self.looks = looks
    self.base = base
    self.cost = cost
    clocks = WhatIfPlan.clocks(of: metrics)
  }

  /// The rule of a budget.
  func rule(_ budget: Budget) -> BudgetRule {
    let metric = metrics[budget.metric]
    return BudgetRule(
      limit: budget.limit, minimumSamples: budget.minimumSamples, traits: metric.traits,
      leastChange: metric.absolute)
  }

  /// The plan as bytes.
  public var bytes: [UInt8] {
    var coder = ImageCoder()
    _ = coder(self)
    return coder.bytes
  }

  /// Reads ``bytes``; nil when they are of no plan.
  public init?(_ bytes: [UInt8]) {
    var coder = ImageCoder(reading: bytes)
    let plan = WhatIfPlan.image(nil, &coder)
    if coder.isBroken || !coder.isAtEnd || !plan.isSound { return nil }
    self = plan
  }

  private var isSound: Bool {
    let count = metrics.count
    return metrics.allSatisfy { $0.row < FeedMetrics.all.count && $0.row >= 0 }
      && budgets.allSatisfy { $0.metric < count && $0.metric >= 0 }
      && base.allSatisfy { $0.samples.count == count }
  }
}
