import MediaUnits

/// A sliding weighted median of transfer rates, as Media3's bandwidth meter computes it.
///
/// Each transfer is a sample: its rate, weighted by the square root of its bytes. When the weights
/// sum to more than `maximumWeight` the oldest weight goes, in parts if need be. The median is the
/// smallest rate at which the weights of all samples up to it reach half of their sum. Until there
/// were `minimumTime` or `minimumBytes` of transfers the estimate is the initial one.
///
/// Leaves out: transfers in parallel (the host adds them up as one), network changes (the host
/// starts a new estimator), and Media3's table of initial estimates by country (`parameters.md`
/// section 1.4).
///
/// Source: androidx/media `DefaultBandwidthMeter` and `SlidingPercentile`, commit 2bc20785 (2026);
/// `parameters.md` section 1.4.
public struct ThroughputEstimator: Sendable {
  /// The window and the start of the estimate.
  public struct Configuration: Sendable, Equatable {
    /// Sum of the weights that are kept. Default 2000 (`parameters.md` section 1.4).
    public var maximumWeight: Int
    /// Time in transfers from which the estimate is used. Default 2 s (`parameters.md` section
    /// 1.4).
    public var minimumTime: TimeSpan
    /// Bytes in transfers from which the estimate is used. Default 512 KiB (`parameters.md` section
    /// 1.4).
    public var minimumBytes: ByteCount

    public init(
      maximumWeight: Int = 2_000, minimumTime: TimeSpan = .seconds(2),
      minimumBytes: ByteCount = .kibibytes(512)
    ) {
      self.maximumWeight = maximumWeight
      self.minimumTime = minimumTime
      self.minimumBytes = minimumBytes
    }

    /// The values of Media3.
    public static var media3: Configuration { Configuration() }
  }

  struct Sample: Sendable {
    var sequence: UInt32
    var weight: Int
    var bitsPerSecond: Int64
  }

  public let configuration: Configuration
  /// By rate and then by arrival; only the one that came first may have lost a part of its weight.
  var sorted: [Sample] = []
  /// The place of that one.
  private var oldest = 0
  var totalWeight = 0
  var nextSequence: UInt32 = 0
  var transferTime = TimeSpan.zero
  var transferBytes = ByteCount.zero

  /// The estimate of the next transfer's rate.
  public private(set) var estimate: BitRate
  /// Whether the estimate rests on transfers rather than on the initial value.
  public private(set) var isMeasured = false

  /// - Precondition: `maximumWeight` is positive.
  public init(initial: BitRate, configuration: Configuration = .media3) {
    precondition(
      configuration.maximumWeight > 0,
      "maximumWeight is positive, got \(configuration.maximumWeight)")
    self.configuration = configuration
    estimate = initial
  }

  /// Takes a finished transfer. One without bytes or without time says nothing and is left out.
  /// - Complexity: O(n) for n samples in the window; about 5 for segments of 150 kB.
  public mutating func add(_ bytes: ByteCount, over span: TimeSpan) {
    if bytes <= .zero || span <= .zero { return }
    transferTime = saturatingSum(transferTime, span)
    let (sum, overflow) = transferBytes.bytes.addingReportingOverflow(bytes.bytes)
    transferBytes = ByteCount(overflow ? .max : sum)
    insert(
      Sample(
        sequence: nextSequence, weight: rootOf(bytes),
        bitsPerSecond: bitsPerSecond(bytes, over: span)))
    nextSequence &+= 1
    trim()
    let isEnough =
      transferTime >= configuration.minimumTime || transferBytes >= configuration.minimumBytes
    if !isEnough { return }
    isMeasured = true
    estimate = BitRate(bitsPerSecond: median())
  }

  /// (largest - smallest) / median of the samples in the window; infinity with fewer than two
  /// samples or before the estimate is measured.
  public var spread: Double {
    if !isMeasured || sorted.count < 2 || estimate == .zero { return .infinity }
    let range = Double(sorted[sorted.count - 1].bitsPerSecond) - Double(sorted[0].bitsPerSecond)
    return range / Double(estimate.bitsPerSecond)
  }

  /// How many samples are in the window.
  public var sampleCount: Int { sorted.count }

  /// Where its samples lie: a host with very many estimators may ask the processor for that memory
  /// in advance. Not for reading.
  public var memory: UnsafeRawPointer? { sorted.memory }

  private mutating func insert(_ sample: Sample) {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].bitsPerSecond <= sample.bitsPerSecond {
        low = middle + 1
      } else {
        high = middle
      }
    }
    sorted.append(sample)
    var place = sorted.count - 1
    while place > low {
      sorted[place] = sorted[place - 1]
      place -= 1
    }
    sorted[low] = sample
    if sorted.count > 1 && low <= oldest { oldest += 1 }
    totalWeight += sample.weight
  }

  private mutating func trim() {
    while totalWeight > configuration.maximumWeight {
      let excess = totalWeight - configuration.maximumWeight
      if sorted[oldest].weight > excess {
        sorted[oldest].weight -= excess
        totalWeight -= excess
      } else {
        totalWeight -= sorted[oldest].weight
        removeOldest()
      }
    }
  }

  private mutating func removeOldest() {
    for place in oldest + 1..<sorted.count { sorted[place - 1] = sorted[place] }
    sorted.removeLast()
    oldest = 0
    for place in 0..<sorted.count
    where Self.isBefore(sorted[place].sequence, sorted[oldest].sequence) {
      oldest = place
    }
  }

  /// Whether `a` was given before `b`; sequences wrap around.
  private static func isBefore(_ a: UInt32, _ b: UInt32) -> Bool { a &- b >= 0x8000_0000 }

  private func median() -> Int64 {
    let half = Double(totalWeight) * 0.5
    var accumulated = 0
    for sample in sorted {
      accumulated += sample.weight
      if Double(accumulated) >= half { return sample.bitsPerSecond }
    }
    return sorted[sorted.count - 1].bitsPerSecond
  }

  /// The square root rounded down, exactly: by way of a `Double` where that holds every whole
  /// number, else by Newton's method on integers from above.
  private func rootOf(_ bytes: ByteCount) -> Int {
    if bytes.bytes < 1 << 50 {
      var root = Int64(Double(bytes.bytes).squareRoot())
      while root * root > bytes.bytes { root -= 1 }
      while (root + 1) * (root + 1) <= bytes.bytes { root += 1 }
      return Int(root)
    }
    var root = Int64(1) << Int64((64 - bytes.bytes.leadingZeroBitCount + 1) / 2)
    while true {
      let next = (root + bytes.bytes / root) / 2
      if next >= root { return Int(root) }
      root = next
    }
  }

  /// The rate rounded down, saturating. Exact: the product is 128 bits wide.
  private func bitsPerSecond(_ bytes: ByteCount, over span: TimeSpan) -> Int64 {
    let divisor = UInt64(span.nanoseconds)
    let product = UInt64(bytes.bytes).multipliedFullWidth(by: 8_000_000_000)
    if product.high >= divisor { return .max }
    let quotient = divisor.dividingFullWidth(product).quotient
    return quotient >= UInt64(Int64.max) ? .max : Int64(quotient)
  }

  private func saturatingSum(_ a: TimeSpan, _ b: TimeSpan) -> TimeSpan {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? .max : sum)
  }
}
