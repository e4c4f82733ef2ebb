/// BBR's guess that a policer limits the path (Linux tcp_bbr, long-term bandwidth): two sampling
/// intervals in a row with a fifth of the packets lost and about the same delivery rate. The sender
/// then keeps to that rate for 48 round trips instead of probing for more.
///
/// A short drop-tail queue with several senders looks the same to it.
struct ChunkPolicer: BitwiseCopyable {
  /// Round trips of an interval, at least, and of using the rate, at most.
  private static let leastRounds = 4
  private static let mostRounds = 16
  private static let roundsInUse = 48
  /// Lost packets per delivered one, and how far two intervals may differ.
  private static let lossShare = 50.0 / 256
  private static let likeness = 1.0 / 8
  /// Rates that differ by no more than this are alike anyway: 4 kbit/s, in bytes per nanosecond.
  private static let smallDifference = 500e-9

  private(set) var isInUse = false
  /// Packets per nanosecond; of the interval before while it is not in use.
  private(set) var rate = 0.0
  private var isSampling = false
  private var rounds = 0
  private var lost: Int64 = 0
  private var startDelivered: Int64 = 0
  private(set) var start: Int64 = 0

  mutating func reset(delivered: Int64, at now: Int64) {
    isInUse = false
    isSampling = false
    rate = 0
    restart(delivered: delivered, at: now)
  }

  mutating func turnBack(by span: Int64) { start -= span }

  private mutating func restart(delivered: Int64, at now: Int64) {
    rounds = 0
    lost = 0
    startDelivered = delivered
    start = now
  }

  /// - Returns: whether a rate that was in use has been given up, so that probing starts anew.
  mutating func update(
    _ sample: ChunkBBR.Sample, isRoundStart: Bool, isProbing: Bool
  ) -> Bool {
    if isInUse {
      if isProbing && isRoundStart { rounds += 1 }
      if rounds < ChunkPolicer.roundsInUse { return false }
      reset(delivered: sample.delivered, at: sample.now)
      return true
    }
    if !isSampling {
      if sample.lost == 0 { return false }
      restart(delivered: sample.delivered, at: sample.now)
      isSampling = true
    } else {
      lost += sample.lost
    }
    if sample.isLimited {
      reset(delivered: sample.delivered, at: sample.now)
      return false
    }
    if isRoundStart { rounds += 1 }
    if rounds < ChunkPolicer.leastRounds { return false }
    if rounds > ChunkPolicer.mostRounds {
      reset(delivered: sample.delivered, at: sample.now)
      return false
    }
    let delivered = sample.delivered - startDelivered
    let span = sample.now - start
    let isLossy = Double(lost) >= ChunkPolicer.lossShare * Double(delivered)
    if sample.lost > 0 && delivered > 0 && isLossy && span >= 1_000_000 {
      finish(Double(delivered) / Double(span), sample)
    }
    return false
  }

  private mutating func finish(_ found: Double, _ sample: ChunkBBR.Sample) {
    let difference = found > rate ? found - rate : rate - found
    let isSmall = difference * Double(sample.segmentSize) <= ChunkPolicer.smallDifference
    if rate > 0 && (difference <= ChunkPolicer.likeness * rate || isSmall) {
      rate = (found + rate) / 2
      isInUse = true
      rounds = 0
      return
    }
    rate = found
    restart(delivered: sample.delivered, at: sample.now)
  }
}
