import AudienceModel
import CacheModel
import FeedModel
import FeedPolicy
import MediaUnits

/// What of a feed's configuration metrics need beside what was measured.
public struct MeteredFeed: Sendable {
  /// How many there are.
  public let networks, devices: Int
  /// From when to when, on the simulation's clock.
  public let windows: [(from: Instant, to: Instant)]
  /// The rates of the ladder's top rung and of its lowest, bit/s.
  public let topRate, lowestRate: Double
  /// Whether it is a mixed feed, whose views do not say which of them is a session's last.
  public let isMixed: Bool

  public init(_ configuration: FeedConfiguration) {
    networks = configuration.networks.count
    devices = configuration.devices.count
    let begin = Instant.zero + configuration.cdn.warmUp
    windows = configuration.windows.map { (begin + $0.from, begin + $0.to) }
    let ladder = configuration.catalogue.ladder
    topRate = Double(ladder[ladder.top].bitsPerSecond)
    lowestRate = Double(ladder[RungIndex(0)].bitsPerSecond)
    isMixed = configuration.surface != nil
  }

  /// Pairs of a network and a device.
  public var cohorts: Int { networks * devices }

  /// The place of a view's pair: network x devices + device.
  public func cohort(of view: ViewRecord) -> Int {
    Int(view.network) * devices + Int(view.device)
  }

  /// The pairs that a cut leaves.
  public func cohorts(in cut: MetricCut) -> [Int] {
    (0..<cohorts).filter { cohort in
      let isNetwork = cut.network == nil || cohort / devices == cut.network
      return isNetwork && (cut.device == nil || cohort % devices == cut.device)
    }
  }

  /// Whether a view's clock started in a window; without one always.
  public func contains(_ view: ViewRecord, in window: Int?) -> Bool {
    guard let window else { return true }
    return view.settledAt >= windows[window].from && view.settledAt < windows[window].to
  }

  /// Whether views say what a metric is about.
  public func knows(_ metric: FeedMetric) -> Bool {
    !isMixed || metric.presence != .fullScreen
  }

  /// Sums over views by cohort.
  public func sums(over views: [ViewRecord], in window: Int? = nil) -> [CohortSums] {
    var sums = [CohortSums](repeating: CohortSums(), count: cohorts)
    for view in views where contains(view, in: window) { sums[cohort(of: view)].count(view) }
    return sums
  }
}
