import FeedPolicy
import MediaUnits

/// What a viewer's players know of the throughput: Media3's sliding median, and the player's own
/// estimate where its player has another kind.
struct PlayerEstimator {
  private(set) var median: ThroughputEstimator
  private var means: EWMAEstimator?

  init(_ kind: PlayerModel.Estimator, initial: BitRate) {
    median = ThroughputEstimator(initial: initial)
    switch kind {
    case .median: means = nil
    case .means(let configuration): means = EWMAEstimator(configuration, initial: initial)
    }
  }

  /// The throughput as the player sees it.
  var estimate: BitRate { means?.estimate ?? median.estimate }

  /// Whether it rests on transfers rather than on the initial value.
  var isMeasured: Bool { median.isMeasured }

  /// A segment came in this time, counted from its first byte.
  mutating func add(_ bytes: ByteCount, over time: TimeSpan) {
    median.add(bytes, over: time)
    means?.add(bytes, over: time)
  }
}
