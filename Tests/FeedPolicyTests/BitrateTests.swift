import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private let ladder = Ladder.feedDefault

private func rate(_ kilobits: Int64) -> BitRate { .kilobits(kilobits) }

struct `Bit rate cap` {
  // SIG-026
  @Test func `the default caps at 600 kbps until two seconds were played`() {
    let cap = BitrateCap(.init())
    #expect(cap.cap(for: PlaybackSnapshot()) == rate(600))
    let almost = TimeSpan.seconds(2) - .nanoseconds(1)
    #expect(cap.cap(for: .init(hasFirstFrame: true, played: almost)) == rate(600))
    #expect(cap.cap(for: .init(hasFirstFrame: true, played: .seconds(2))) == nil)
  }

  @Test func `no rate is no cap`() {
    #expect(BitrateCap(.init(rate: nil)).cap(for: PlaybackSnapshot()) == nil)
  }

  static let rules: [(ReleaseRule, held: PlaybackSnapshot, released: PlaybackSnapshot)] = [
    (.firstFrame, .init(), .init(hasFirstFrame: true)),
    (
      .played(.seconds(2)), .init(hasFirstFrame: true, played: .milliseconds(1_999)),
      .init(hasFirstFrame: true, played: .milliseconds(2_000))
    ),
    (
      .buffer(.seconds(4)), .init(hasFirstFrame: true, bufferAhead: .milliseconds(3_999)),
      .init(hasFirstFrame: true, bufferAhead: .seconds(4))
    ),
    (
      .segments(2), .init(hasFirstFrame: true, segmentsDownloaded: 1),
      .init(hasFirstFrame: true, segmentsDownloaded: 2)
    ),
    (
      .stableThroughput(spread: 0.3), .init(hasFirstFrame: true, estimateSpread: 0.31),
      .init(hasFirstFrame: true, estimateSpread: 0.3)
    ),
  ]

  // SIG-028
  @Test func `every release rule turns exactly at its level and never before the first frame`() {
    for (rule, held, released) in Self.rules {
      let cap = BitrateCap(.init(rate: rate(400), release: rule))
      #expect(cap.cap(for: held) == rate(400), "\(rule)")
      #expect(cap.cap(for: released) == nil, "\(rule)")
      var early = released
      early.hasFirstFrame = false
      #expect(cap.cap(for: early) == rate(400), "\(rule)")
      var again = held
      again.isReleased = true
      #expect(cap.cap(for: again) == nil, "\(rule)")
      #expect(cap.cap(for: PlaybackSnapshot()) == rate(400), "\(rule): a prefetched item")
    }
  }
}

struct `Ladder and rules` {
  // SIG-027, SIG-043
  @Test func `a cap of 400 to 599 starts at 300 kbps and one of 600 to 700 at 600 kbps`() {
    for rule in [BitrateRule.throughput(.init()), .bola(.init()), .fixed(RungIndex(3))] {
      for cap in 400...700 {
        let snapshot = BitrateSnapshot(
          estimate: rate(50_000), bufferAhead: .seconds(17), cap: rate(Int64(cap)))
        #expect(ladder[rule.rung(for: snapshot, in: ladder)] == rate(cap < 600 ? 300 : 600))
      }
    }
  }

  @Test func `a cap below the ladder leaves the lowest rung`() {
    let snapshot = BitrateSnapshot(estimate: rate(50_000), cap: rate(100))
    #expect(BitrateRule.throughput(.init()).rung(for: snapshot, in: ladder) == RungIndex(0))
    #expect(ladder.highest(notAbove: .zero) == RungIndex(0))
    #expect(ladder.highest(notAbove: rate(1_100)) == RungIndex(2))
    #expect(ladder.highest(notAbove: BitRate(bitsPerSecond: 1_099_999)) == RungIndex(1))
  }

  @Test func `a fixed rung beyond the ladder is its top`() {
    #expect(
      BitrateRule.fixed(RungIndex(9)).rung(for: BitrateSnapshot(), in: ladder) == ladder.top)
  }

  @Test func `the first choice spends seven tenths of the estimate whatever the buffer`() {
    let rule = BitrateRule.throughput(.init())
    func first(_ kilobits: Int64) -> RungIndex {
      rule.rung(for: .init(estimate: rate(kilobits)), in: ladder)
    }
    #expect(first(857) == RungIndex(0))
    #expect(first(858) == RungIndex(1))
    #expect(first(1_571) == RungIndex(1))
    #expect(first(1_572) == RungIndex(2))
    #expect(first(4_000) == RungIndex(3))
    #expect(rule.rung(for: BitrateSnapshot(), in: ladder) == RungIndex(0))
  }

  @Test func `going up needs ten seconds and going down stops at twenty-five`() {
    let rule = BitrateRule.throughput(.init())
    func next(_ estimate: Int64, buffer: Int64, from: UInt32) -> RungIndex {
      rule.rung(
        for: .init(
          estimate: rate(estimate), bufferAhead: .milliseconds(buffer), current: RungIndex(from)),
        in: ladder)
    }
    #expect(next(9_000, buffer: 9_999, from: 1) == RungIndex(1))
    #expect(next(9_000, buffer: 10_000, from: 1) == RungIndex(3))
    #expect(next(500, buffer: 24_999, from: 2) == RungIndex(0))
    #expect(next(500, buffer: 25_000, from: 2) == RungIndex(2))
    #expect(next(1_000, buffer: 0, from: 1) == RungIndex(1))
  }

  @Test func `a cap forces a rung down in spite of a full buffer`() {
    let snapshot = BitrateSnapshot(
      estimate: rate(9_000), bufferAhead: .seconds(60), current: RungIndex(3), cap: rate(700))
    #expect(BitrateRule.throughput(.init()).rung(for: snapshot, in: ladder) == RungIndex(1))
    var unknown = snapshot
    unknown.estimate = nil
    #expect(BitrateRule.throughput(.init()).rung(for: unknown, in: ladder) == RungIndex(1))
    unknown.cap = nil
    #expect(BitrateRule.throughput(.init()).rung(for: unknown, in: ladder) == RungIndex(3))
  }

  @Test func `a short item may go up at three quarters of what it can still buffer`() {
    let rule = ThroughputRule()
    // 4 s buffered, 6 s to come in segments of 2 s: 0.75 · (4 + 6 - 2) = 6 s.
    var snapshot = BitrateSnapshot(
      estimate: rate(9_000), bufferAhead: .seconds(4), current: RungIndex(0),
      remaining: .seconds(6))
    #expect(rule.upThreshold(for: snapshot) == .seconds(6))
    #expect(BitrateRule.throughput(rule).rung(for: snapshot, in: ladder) == RungIndex(0))
    // 6 s buffered, 4 s to come: the same threshold, reached.
    snapshot.bufferAhead = .seconds(6)
    snapshot.remaining = .seconds(4)
    #expect(BitrateRule.throughput(rule).rung(for: snapshot, in: ladder) == RungIndex(3))
    snapshot.remaining = .seconds(600)
    #expect(rule.upThreshold(for: snapshot) == .seconds(10))
    snapshot.remaining = nil
    #expect(rule.upThreshold(for: snapshot) == .seconds(10))
    snapshot.bufferAhead = .zero
    snapshot.remaining = .seconds(1)
    #expect(rule.upThreshold(for: snapshot) == .zero)
  }
}

/// Spiteri et al. 2016, equation of BOLA-BASIC, with V and γp by two levels.
struct `BOLA rule` {
  private func rung(_ seconds: Double, _ rule: BolaRule = .init()) -> RungIndex {
    BitrateRule.bola(rule).rung(
      for: .init(bufferAhead: TimeSpan(seconds: seconds)), in: ladder)
  }

  @Test func `the steps stand where the objectives of neighbours are equal`() {
    // Equal for rates a < b at buffer Q: Q = 10 + V·(b·ua - a·ub) / (b - a), V = 8 / ln(2500/300).
    let v = 8 / PortableMath.log(2_500.0 / 300)
    for index in 0..<3 {
      let low = Double(ladder.rates[index].bitsPerSecond)
      let high = Double(ladder.rates[index + 1].bitsPerSecond)
      let lowUtility = PortableMath.log(low / 300_000)
      let highUtility = PortableMath.log(high / 300_000)
      let step = 10 + v * (high * lowUtility - low * highUtility) / (high - low)
      #expect(rung(step - 0.001) == RungIndex(UInt32(index)))
      #expect(rung(step + 0.001) == RungIndex(UInt32(index + 1)))
    }
  }

  @Test func `more buffer never lowers the rung`() {
    var last = RungIndex(0)
    for tenth in 0...300 {
      let now = rung(Double(tenth) / 10)
      #expect(now >= last, "at \(tenth) tenths of a second")
      last = now
    }
    #expect(rung(0) == RungIndex(0))
    #expect(rung(17.9) == RungIndex(3))
  }

  @Test func `a ladder of one rung has one answer`() {
    let single = Ladder([rate(500)])
    #expect(
      BitrateRule.bola(.init()).rung(for: .init(bufferAhead: .seconds(5)), in: single)
        == RungIndex(0))
  }
}

/// Media3's sliding percentile, all samples sorted anew each time.
private struct SlowMedian {
  var samples: [(weight: Int, rate: Int64)] = []
  var dropped = 0

  mutating func add(_ weight: Int, _ rate: Int64, limit: Int) -> Int64 {
    samples.append((weight, rate))
    var total = samples.reduce(0) { $0 + $1.weight }
    while total > limit {
      let excess = total - limit
      if samples[0].weight <= excess {
        total -= samples.removeFirst().weight
        dropped += 1
      } else {
        samples[0].weight -= excess
        total -= excess
      }
    }
    var sum = 0
    for sample in samples.sorted(by: { $0.rate < $1.rate }) {
      sum += sample.weight
      if Double(sum) >= Double(total) / 2 { return sample.rate }
    }
    return samples[0].rate
  }
}

struct `Throughput estimator` {
  @Test func `the initial estimate holds until two seconds or 512 KiB`() {
    var byTime = ThroughputEstimator(initial: rate(1_000))
    byTime.add(ByteCount(25_000), over: .milliseconds(1_999))
    #expect(byTime.estimate == rate(1_000))
    #expect(byTime.spread == .infinity)
    byTime.add(ByteCount(25_000), over: .milliseconds(1))
    #expect(byTime.isMeasured)
    var byBytes = ThroughputEstimator(initial: rate(1_000))
    byBytes.add(.kibibytes(512) - ByteCount(1), over: .milliseconds(100))
    #expect(!byBytes.isMeasured)
    byBytes.add(ByteCount(1), over: .milliseconds(100))
    #expect(byBytes.isMeasured)
    #expect(byBytes.estimate.bitsPerSecond == (512 * 1_024 - 1) * 80)
  }

  @Test func `the median is weighted by the root of the bytes`() {
    // Weights 100, 100 and 300: the big transfer has more than half.
    var estimator = ThroughputEstimator(initial: rate(1))
    estimator.add(ByteCount(10_000), over: .seconds(1))
    estimator.add(ByteCount(10_000), over: .seconds(2))
    estimator.add(ByteCount(90_000), over: .seconds(1))
    #expect(estimator.estimate == rate(720))
    #expect(abs(estimator.spread - (720.0 - 40) / 720) < 1e-12)
  }

  @Test func `empty and timeless transfers say nothing`() {
    var estimator = ThroughputEstimator(initial: rate(5))
    estimator.add(.zero, over: .seconds(10))
    estimator.add(.megabytes(10), over: .zero)
    #expect(!estimator.isMeasured)
    #expect(estimator.sampleCount == 0)
  }

  @Test func `the oldest weight leaves in parts`() {
    var estimator = ThroughputEstimator(initial: rate(1))
    // Weights 1500, 400 and 1000 of at most 2000: the first keeps 600, exactly not half.
    estimator.add(ByteCount(2_250_000), over: .seconds(1))
    estimator.add(ByteCount(160_000), over: .seconds(1))
    estimator.add(ByteCount(1_000_000), over: .seconds(1))
    #expect(estimator.sampleCount == 3)
    // By rate: 400 at 1280, then 1000 at 8000 kbps (sum 1400), then 600 at 18000 kbps.
    #expect(estimator.estimate == rate(8_000))
    estimator.add(.megabytes(100), over: .seconds(100))
    #expect(estimator.sampleCount == 1)
  }

  @Test(arguments: Array(0..<20 as Range<UInt64>))
  func `it agrees with a full sort`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    // Tiny transfers have weight 1 each: a small window keeps their number down.
    let limit = seed % 4 == 0 ? 200 : 2_000
    var estimator = ThroughputEstimator(
      initial: rate(1), configuration: .init(maximumWeight: limit))
    var slow = SlowMedian()
    let largest = [3, 1_000, 400_000, 9_000_000][Int(seed % 4)]
    for step in 0..<600 {
      let bytes = Int64(1 + generator.below(largest))
      let span = Int64(1 + generator.below(2_000_000_000))
      let bits = Int64(
        UInt64(span).dividingFullWidth(
          UInt64(bytes).multipliedFullWidth(by: 8_000_000_000)
        ).quotient)
      estimator.add(ByteCount(bytes), over: .nanoseconds(span))
      let weight = Int(Double(bytes).squareRoot())
      let expected = slow.add(weight, bits, limit: limit)
      if estimator.isMeasured {
        #expect(estimator.estimate.bitsPerSecond == expected, "seed \(seed) step \(step)")
      }
      #expect(estimator.sampleCount == slow.samples.count)
      if estimator.estimate.bitsPerSecond != expected && estimator.isMeasured { return }
    }
    #expect(estimator.isMeasured)
    #expect(slow.dropped > 0, "the window never filled")
  }
}
