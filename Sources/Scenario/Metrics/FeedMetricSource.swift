import CachePolicy
import Models

/// What the metrics of a feed are read from: the measures of one replication, cut to the cohorts
/// and the window that a reference names.
public struct FeedMetricSource: Sendable {
  public let reference: MetricReference
  /// Of the whole replication. Its list of views is empty where they were only summed up.
  public let measures: FeedMeasures
  /// The rates of the ladder's top rung and of its lowest, bit/s.
  public let topRate, lowestRate: Double
  /// By network x devices + device: of the window.
  private let cohorts: [CohortSums]
  /// The cohorts that the reference's labels leave.
  private let cells: [Int]
  /// The place of the reference's window in the measures; nil: the whole run.
  private let window: Int?
  /// The place of the reference's provider in the measures; nil: all.
  private let provider: Int?

  /// - Parameter cohorts: sums over the views of the window by network x devices + device.
  public init(
    _ reference: MetricReference, of measures: FeedMeasures, cohorts: [CohortSums], cells: [Int],
    window: Int? = nil, provider: Int? = nil, topRate: Double, lowestRate: Double
  ) {
    self.provider = provider
    self.reference = reference
    self.measures = measures
    self.cohorts = cohorts
    self.cells = cells
    self.window = window
    self.topRate = topRate
    self.lowestRate = lowestRate
  }

  // MARK: Cut by network, device and window

  /// Sums over the views.
  public var views: CohortSums {
    cells.reduce(into: CohortSums()) { $0.add(cohorts[$1]) }
  }

  // MARK: Cut by network and device

  /// Bytes of media; the samples behind them are ``views``.
  public var bytes: ByteBalance {
    cells.reduce(into: ByteBalance()) { $0.add(measures.balances[$1]) }
  }

  /// The quality of what was shown.
  public var shown: ShownMedia {
    cells.reduce(into: ShownMedia()) { $0.add(measures.shown[$1]) }
  }

  /// What swipes met with.
  public var swipes: SwipeSums {
    cells.reduce(into: SwipeSums()) { $0.add(measures.swipes[$1]) }
  }

  /// How long swipes waited for the item's turn and its frame together.
  public var swipeWaits: DelayHistogram {
    cells.reduce(into: DelayHistogram()) { $0.add(measures.swipeWaits[$1]) }
  }

  // MARK: Cut by window

  /// What passed between viewers, tiers and origin.
  public var traffic: WindowMeasures {
    if let window { return measures.windows[window] }
    var whole = WindowMeasures()
    whole.client = measures.client
    whole.edge = measures.edge
    whole.regional = measures.regional
    whole.shield = measures.shield
    whole.requests = measures.counts.requests
    whole.originRequests = measures.counts.originRequests
    whole.originBytes = measures.counts.originBytes
    whole.deliveredBytes = measures.counts.deliveredBytes
    return whole
  }

  // MARK: Cut by provider

  /// What viewers had of the provider that the reference names, or of each.
  public var providers: [ProviderMeasures] {
    let all = measures.providers.each
    return provider.map { $0 < all.count ? [all[$0]] : [] } ?? all
  }

  // MARK: Cut by tier, class and window

  /// Some outcomes of a tier's requests over others, by requests or by bytes as the reference says;
  /// the samples are requests.
  public func outcomes(_ part: [CacheOutcome], of whole: [CacheOutcome]) -> MetricReading {
    let traffic = traffic
    let tier =
      switch reference.label("tier") {
      case "regional": traffic.regional
      case "shield": traffic.shield
      case "client": traffic.client
      default: traffic.edge
      }
    return outcomes(part, of: whole, at: [tier])
  }

  /// The same of some caches together.
  func outcomes(
    _ part: [CacheOutcome], of whole: [CacheOutcome], at tiers: [TierCounters]
  ) -> MetricReading {
    let classes: [AssetClass]
    if let name = reference.label("class") {
      classes = AssetClass.allCases.filter { $0.label == name }
    } else {
      classes = TrafficTotals.media
    }
    func sum(_ outcomes: [CacheOutcome], bytes: Bool) -> Int64 {
      var total: Int64 = 0
      for asset in classes {
        for outcome in outcomes {
          for tier in tiers {
            total += bytes ? tier.bytes(asset, outcome) : tier.requests(asset, outcome)
          }
        }
      }
      return total
    }
    let byBytes = reference.label("by") == "bytes"
    return .quotient(
      Double(sum(part, bytes: byBytes)), over: Double(sum(whole, bytes: byBytes)),
      samples: sum(whole, bytes: false))
  }

  // MARK: Cut by part

  /// The part of the startup that the reference names.
  ///
  /// - Precondition: the reference has the label `part`, which parsing requires.
  public var part: StartupPart {
    guard let name = reference.label("part"),
      let place = MetricReference.parts.firstIndex(of: name)
    else { preconditionFailure("\(reference) names a part of the startup") }
    return StartupPart.allCases[place]
  }
}

extension AssetClass {
  /// The value of the label `class`.
  public var label: String { MetricReference.classes[Int(rawValue)] }
}
