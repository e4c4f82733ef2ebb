/// Sabre's estimator of throughput and latency: exponentially weighted means with two half lives,
/// corrected for their start at 0; the lower throughput and the higher latency count.
///
/// Throughput ages by the time of transfer, latency by the number of samples. The half lives are
/// those of dash.js (3 and 8 s).
struct SabreEstimator: Sendable {
  private static let halfLives = (fast: 3000.0, slow: 8000.0)

  /// A mean that starts at 0 and forgets with a half life.
  private struct FadingMean: Sendable {
    let halfLife: Double
    /// What is kept when one unit has passed.
    let keptAfterOne: Double
    var value = 0.0

    init(halfLife: Double) {
      self.halfLife = halfLife
      keptAfterOne = SabreMath.powerOfHalf(1 / halfLife)
    }

    mutating func add(_ sample: Double, weight: Double) {
      let kept = weight == 1 ? keptAfterOne : SabreMath.powerOfHalf(weight / halfLife)
      value = kept * value + (1 - kept) * sample
    }

    func corrected(total: Double) -> Double {
      let age = total / halfLife
      // Beyond 60 half lives nothing of the start is left in a Double.
      return age > 60 ? value : value / (1 - SabreMath.powerOfHalf(age))
    }
  }

  private var fastRate = FadingMean(halfLife: halfLives.fast)
  private var slowRate = FadingMean(halfLife: halfLives.slow)
  private var fastDelay: FadingMean
  private var slowDelay: FadingMean
  private var time = 0.0
  private var samples = 0.0

  /// kbit/s; 0 before the first sample.
  private(set) var throughput = 0.0
  /// ms; 0 before the first sample.
  private(set) var latency = 0.0

  /// - Parameter segmentDuration: ms; a sample of latency ages the earlier ones by as much.
  init(segmentDuration: Double) {
    fastDelay = FadingMean(halfLife: SabreEstimator.halfLives.fast / segmentDuration)
    slowDelay = FadingMean(halfLife: SabreEstimator.halfLives.slow / segmentDuration)
  }

  /// Adds a download: ms of transfer (greater than 0), kbit/s, ms until the first byte.
  mutating func add(time: Double, throughput rate: Double, latency delay: Double) {
    fastRate.add(rate, weight: time)
    slowRate.add(rate, weight: time)
    fastDelay.add(delay, weight: 1)
    slowDelay.add(delay, weight: 1)
    self.time += time
    samples += 1
    throughput = min(fastRate.corrected(total: self.time), slowRate.corrected(total: self.time))
    latency = max(fastDelay.corrected(total: samples), slowDelay.corrected(total: samples))
  }
}
