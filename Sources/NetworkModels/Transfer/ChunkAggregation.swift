/// How much more than the bandwidth's worth arrives at a time: BBR's window leaves room for
/// acknowledgements that come in lumps (Linux tcp_bbr, ack aggregation).
struct ChunkAggregation: BitwiseCopyable {
  private static let windowRounds = 5
  private static let longest = 100_000_000.0

  var start: Int64 = 0
  private var acknowledged = 0.0
  /// The largest excess of this and of the last window of rounds.
  private var extra = (0.0, 0.0)
  private var rounds = 0

  mutating func restart(at now: Int64) {
    start = now
    acknowledged = 0
  }

  mutating func update(
    _ sample: ChunkBBR.Sample, bandwidth: Double, window: Double, isRoundStart: Bool
  ) {
    if sample.acknowledged <= 0 || sample.interval <= 0 { return }
    if isRoundStart {
      rounds += 1
      if rounds >= ChunkAggregation.windowRounds {
        rounds = 0
        extra = (0, extra.0)
      }
    }
    var expected = bandwidth * Double(sample.now - start)
    if acknowledged <= expected {
      restart(at: sample.now)
      expected = 0
    }
    acknowledged += Double(sample.acknowledged)
    let excess = acknowledged - expected
    let bounded = excess < window ? excess : window
    if bounded > extra.0 { extra.0 = bounded }
  }

  /// Packets to add to the window: at most what 100 ms carry.
  func allowance(bandwidth: Double) -> Double {
    let most = extra.0 > extra.1 ? extra.0 : extra.1
    let bound = bandwidth * ChunkAggregation.longest
    return most < bound ? most : bound
  }
}
