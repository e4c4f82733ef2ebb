import MediaUnits

/// Throughput as the smaller of two exponentially weighted means, one fast and one slow.
///
/// A sample weighs as long as its transfer took; after a half-life it counts half. Both means are
/// freed of their start at zero (divided by the weight that has come together). Until there was
/// `minimumTime` of transfers the estimate is the initial one.
///
/// Leaves out: transfers in parallel (the host adds them up as one), and dash.js's choice between
/// several kinds of mean.
///
/// Source: hls.js `EwmaBandWidthEstimator`, dash.js and Shaka alike; `parameters.md` sections 4.3
/// to 4.5.
public struct EWMAEstimator: Sendable {
  /// The half-lives and the start of the estimate.
  public struct Configuration: Sendable, Equatable {
    /// Half-life of the fast mean, in time of transfers. Default 3 s (`parameters.md` section 4.3).
    public var fast: TimeSpan
    /// Half-life of the slow mean. Default 9 s (`parameters.md` section 4.3).
    public var slow: TimeSpan
    /// Time in transfers from which the estimate is used. Default 1 ms: from the first sample on.
    public var minimumTime: TimeSpan

    public init(
      fast: TimeSpan = .seconds(3), slow: TimeSpan = .seconds(9),
      minimumTime: TimeSpan = .milliseconds(1)
    ) {
      self.fast = fast
      self.slow = slow
      self.minimumTime = minimumTime
    }
  }

  public let configuration: Configuration
  /// The estimate while there are too few samples.
  public let initial: BitRate
  /// Weighted sums of rates (bit/s) and of weights.
  private var fast = (rate: 0.0, weight: 0.0)
  private var slow = (rate: 0.0, weight: 0.0)
  private var time = 0.0

  /// - Precondition: the half-lives are positive.
  public init(_ configuration: Configuration = Configuration(), initial: BitRate) {
    precondition(
      configuration.fast > .zero && configuration.slow > .zero, "half-lives are positive")
    self.configuration = configuration
    self.initial = initial
  }

  /// Adds a transfer; one of no bytes or no time says nothing.
  public mutating func add(_ bytes: ByteCount, over span: TimeSpan) {
    if bytes.bytes <= 0 || span <= .zero { return }
    let seconds = span.seconds
    let rate = Double(bytes.bytes) * 8 / seconds
    mix(&fast, rate, seconds, configuration.fast)
    mix(&slow, rate, seconds, configuration.slow)
    time += seconds
  }

  private func mix(
    _ mean: inout (rate: Double, weight: Double), _ rate: Double, _ seconds: Double,
    _ halfLife: TimeSpan
  ) {
    let kept = PortableMath.power(0.5, seconds / halfLife.seconds)
    mean.rate = rate * (1 - kept) + mean.rate * kept
    mean.weight = 1 - kept + mean.weight * kept
  }

  /// The throughput; never above the smaller of the two means.
  public var estimate: BitRate {
    // A weight is zero when the samples are too short for its half-life.
    if time < configuration.minimumTime.seconds || fast.weight <= 0 || slow.weight <= 0 {
      return initial
    }
    let (a, b) = (fast.rate / fast.weight, slow.rate / slow.weight)
    let least = a < b ? a : b
    return BitRate(bitsPerSecond: least >= 9.2e18 ? .max : Int64(least))
  }
}
