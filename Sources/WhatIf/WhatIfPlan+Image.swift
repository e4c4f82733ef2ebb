import CacheModel
import CachePolicy
import FeedImage
import FeedModel
import Metering

extension WhatIfPlan: Imaged {
  public static func image(_ value: WhatIfPlan?, _ coder: inout ImageCoder) -> WhatIfPlan {
    WhatIfPlan(
      metrics: coder.list(value?.metrics), budgets: coder.list(value?.budgets),
      looks: coder.list(value?.looks), base: coder.list(value?.base),
      cost: coder.optional(value?.cost))
  }
}

extension WhatIfPlan.Metric: Imaged {
  public static func image(
    _ value: WhatIfPlan.Metric?, _ coder: inout ImageCoder
  ) -> WhatIfPlan.Metric {
    WhatIfPlan.Metric(
      row: coder(value?.row), cut: coder(value?.cut), traits: coder(value?.traits),
      isWorseWhenHigher: coder(value?.isWorseWhenHigher), relative: coder(value?.relative),
      absolute: coder(value?.absolute), isCompared: coder(value?.isCompared))
  }
}

extension WhatIfPlan.Budget: Imaged {
  public static func image(
    _ value: WhatIfPlan.Budget?, _ coder: inout ImageCoder
  ) -> WhatIfPlan.Budget {
    let all: [BudgetLimit.Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    return WhatIfPlan.Budget(
      metric: coder(value?.metric),
      limit: BudgetLimit(
        comparison: coder.one(of: all, value?.limit.comparison), value: coder(value?.limit.value)),
      minimumSamples: coder(value?.minimumSamples))
  }
}

extension WhatIfPlan.Look: Imaged {
  public static func image(
    _ value: WhatIfPlan.Look?, _ coder: inout ImageCoder
  ) -> WhatIfPlan.Look {
    WhatIfPlan.Look(
      replications: coder(value?.replications), nominalLevel: coder(value?.nominalLevel))
  }
}

extension WhatIfPlan.Base: Imaged {
  public static func image(
    _ value: WhatIfPlan.Base?, _ coder: inout ImageCoder
  ) -> WhatIfPlan.Base {
    WhatIfPlan.Base(
      fingerprint: UInt64(bitPattern: coder(value.map { Int64(bitPattern: $0.fingerprint) })),
      sessions: coder(value?.sessions), samples: coder.list(value?.samples),
      bill: coder.optional(value?.bill))
  }
}

// MARK: Parts of a metric

extension MetricCut: Imaged {
  public static func image(_ value: MetricCut?, _ coder: inout ImageCoder) -> MetricCut {
    var cut = MetricCut()
    cut.network = coder.optional(value?.network)
    cut.device = coder.optional(value?.device)
    cut.window = coder.optional(value?.window)
    cut.provider = coder.optional(value?.provider)
    cut.tier = coder.word(value?.tier, else: .edge)
    if coder(value.map { $0.asset != nil }) {
      cut.asset = coder.word(value?.asset, else: .segment)
    }
    cut.isByBytes = coder(value?.isByBytes)
    if coder(value.map { $0.part != nil }) { cut.part = coder.word(value?.part, else: .launch) }
    if coder(value.map { $0.after != nil }) { cut.after = coder.word(value?.after, else: .stall) }
    return cut
  }
}

extension MetricStat: Imaged {
  public static func image(_ value: MetricStat?, _ coder: inout ImageCoder) -> MetricStat {
    let number: Int? = value.map {
      switch $0 {
      case .itself: 0
      case .mean: 1
      case .largest: 2
      case .percentile(_, false): 3
      case .percentile(_, true): 4
      }
    }
    var percent: Int?
    if case .percentile(let found, _) = value { percent = found }
    switch coder.tag(number, below: 5) {
    case 1: return .mean
    case 2: return .largest
    case 3: return .percentile(coder(percent), ofStarted: false)
    case 4: return .percentile(coder(percent), ofStarted: true)
    default: return .itself
    }
  }
}

extension MetricTraits: Imaged {
  public static func image(_ value: MetricTraits?, _ coder: inout ImageCoder) -> MetricTraits {
    let unit = coder.one(of: [.milliseconds, .ratio, .number], value?.unit)
    let stat = coder(value?.stat)
    let isQuotient = coder(value?.isQuotient)
    let (lower, upper) = (coder(value?.bounds.lowerBound), coder(value?.bounds.upperBound))
    if !(lower <= upper) { coder.fail() }
    return MetricTraits(
      unit: unit, stat: stat, isQuotient: isQuotient,
      bounds: lower <= upper ? lower...upper : 0...0,
      isShare: coder(value?.isShare), isOfViews: coder(value?.isOfViews),
      isCount: coder(value?.isCount))
  }
}

// MARK: What a replication had

extension SessionSpread: Imaged {
  public static func image(_ value: SessionSpread?, _ coder: inout ImageCoder) -> SessionSpread {
    SessionSpread(
      views: coder(value?.views), waited: coder(value?.waited), squares: coder(value?.squares),
      products: coder(value?.products), sizes: coder(value?.sizes))
  }
}

/// Without its times, which several samples share.
extension MetricSample: Imaged {
  public static func image(_ value: MetricSample?, _ coder: inout ImageCoder) -> MetricSample {
    var sample = MetricSample()
    sample.value = coder.optional(value?.value)
    sample.isLowerBound = coder(value?.isLowerBound)
    sample.samples = coder(value?.samples)
    sample.numerator = coder(value?.numerator)
    sample.denominator = coder(value?.denominator)
    return sample
  }
}
