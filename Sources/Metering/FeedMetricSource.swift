import CacheModel
import CachePolicy
import FeedModel
import MediaUnits
import ModelBasics

/// What the metrics of a feed are read from: the measures of one replication, cut to the cohorts
/// and the window that a cut names.
public struct FeedMetricSource: Sendable {
  public let cut: MetricCut
  /// Of the whole replication. Its list of views is empty where they were only summed up.
  public let measures: FeedMeasures
  private let feed: MeteredFeed
  /// By network x devices + device: of the window.
  private let cohorts: [CohortSums]
  /// The cohorts that the cut leaves.
  private let cells: [Int]

  /// - Parameter cohorts: sums over the views of the cut's window by network x devices + device.
  public init(
    _ cut: MetricCut, of measures: FeedMeasures, cohorts: [CohortSums], feed: MeteredFeed
  ) {
    self.cut = cut
    self.measures = measures
    self.cohorts = cohorts
    self.feed = feed
    cells = feed.cohorts(in: cut)
  }

  /// The rate of the ladder's top rung, bit/s.
  public var topRate: Double { feed.topRate }
  /// The rate of the ladder's lowest rung, bit/s.
  public var lowestRate: Double { feed.lowestRate }

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
    if let window = cut.window { return measures.windows[window] }
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

  /// What viewers had of the provider that the cut names, or of each.
  public var providers: [ProviderMeasures] {
    let all = measures.providers.each
    return cut.provider.map { $0 < all.count ? [all[$0]] : [] } ?? all
  }

  // MARK: Cut by tier, class and window

  /// Some outcomes of a tier's requests over others, by requests or by bytes as the cut says;
  /// the samples are requests.
  public func outcomes(_ part: [CacheOutcome], of whole: [CacheOutcome]) -> MetricReading {
    let traffic = traffic
    let tier =
      switch cut.tier {
      case .edge: traffic.edge
      case .regional: traffic.regional
      case .shield: traffic.shield
      case .client: traffic.client
      }
    return outcomes(part, of: whole, at: [tier])
  }

  /// The same of some caches together.
  func outcomes(
    _ part: [CacheOutcome], of whole: [CacheOutcome], at tiers: [TierCounters]
  ) -> MetricReading {
    let classes = cut.asset.map { [$0] } ?? TrafficTotals.media
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
    return .quotient(
      Double(sum(part, bytes: cut.isByBytes)), over: Double(sum(whole, bytes: cut.isByBytes)),
      samples: sum(whole, bytes: false))
  }

  // MARK: Cut by part

  /// The part of the startup that the cut names.
  ///
  /// - Precondition: it names one, which parsing requires.
  public var part: StartupPart {
    guard let part = cut.part else { preconditionFailure("the metric names a part of the startup") }
    return part
  }
}
