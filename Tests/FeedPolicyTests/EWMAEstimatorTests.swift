import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

struct `An estimator of two means` {
  @Test func `the initial estimate holds until there is a sample`() {
    var estimator = EWMAEstimator(initial: .kilobits(500))
    #expect(estimator.estimate == .kilobits(500))
    estimator.add(.kibibytes(100), over: .zero)
    estimator.add(ByteCount(0), over: .seconds(1))
    #expect(estimator.estimate == .kilobits(500))
    estimator.add(ByteCount(125_000), over: .seconds(1))
    #expect(estimator.estimate == .kilobits(1_000))
  }

  /// After a half-life an old sample counts half: 3 s at 2 Mbps and then 3 s at 1 Mbps make
  /// (1 + 2/2)/(1 + 1/2) = 4/3 Mbps in the fast mean; the slow one is above it.
  @Test func `a sample counts half after a half-life, and the smaller mean is taken`() {
    var estimator = EWMAEstimator(initial: .zero)
    estimator.add(ByteCount(750_000), over: .seconds(3))
    estimator.add(ByteCount(375_000), over: .seconds(3))
    #expect(abs(estimator.estimate.bitsPerSecond - 1_333_333) <= 1)
    // A rise reaches the slow mean later: (2/2^(1/3) + …) stays below the fast one's 5/3.
    var rising = EWMAEstimator(initial: .zero)
    rising.add(ByteCount(375_000), over: .seconds(3))
    rising.add(ByteCount(750_000), over: .seconds(3))
    let kept = PortableMath.power(0.5, 1.0 / 3)
    let slow = (2e6 * (1 - kept) + 1e6 * (1 - kept) * kept) / (1 - kept * kept)
    #expect(abs(Double(rising.estimate.bitsPerSecond) - slow) <= 1)
  }

  @Test func `the estimate stays within its samples`() {
    var generator = SeededGenerator(7)
    var estimator = EWMAEstimator(initial: .kilobits(1))
    var (least, most) = (Int64.max, Int64.min)
    for _ in 0..<5_000 {
      let bytes = ByteCount(Int64(generator.below(1_000_000) + 1))
      let span = TimeSpan.milliseconds(Int64(generator.below(5_000) + 1))
      estimator.add(bytes, over: span)
      let rate = Int64(Double(bytes.bytes) * 8 / span.seconds)
      (least, most) = (min(least, rate), max(most, rate))
      #expect(estimator.estimate.bitsPerSecond >= least - 1)
      #expect(estimator.estimate.bitsPerSecond <= most + 1)
    }
  }
}
