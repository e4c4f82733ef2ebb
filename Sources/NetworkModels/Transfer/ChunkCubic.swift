/// Congestion avoidance of CUBIC (RFC 9438) and NewReno (RFC 5681) per acknowledgement, in whole
/// segments as Linux counts them (tcp_cubic, tcp_cong).
///
/// Whole segments matter: with a dozen of them in the window, rounding decides how fast the curve
/// is followed.
struct ChunkCubic: BitwiseCopyable {
  /// β = 717/1024 and C = 410/1024 of Linux; 15/8 windows per segment of the Reno-friendly growth,
  /// which is 8/15 a round trip.
  private static let beta: Int64 = 717
  private static let scale: Int64 = 1024
  private static let growth = 410.0 / 1024
  /// The curve is worked out anew this often while the window stays the same: 1/32 s.
  private static let pause: Int64 = 31_250_000
  /// At most 5 % growth per round trip before the first loss.
  private static let mostBeforeLoss: Int64 = 20

  private var lastMaximum: Int64 = 0
  private var epochStart: Int64 = -1
  private var origin: Int64 = 0
  /// Time to the origin, seconds.
  private var timeToOrigin = 0.0
  private var friendly: Int64 = 0
  private var acknowledged: Int64 = 0
  private var lastWindow: Int64 = -1
  private var lastAt: Int64 = 0
  /// Acknowledged packets per segment of growth.
  private var packetsPerSegment: Int64 = 1
  /// Acknowledged packets that have not made a segment yet.
  private var credit: Int64 = 0

  /// The window after `count` more packets in CUBIC's congestion avoidance.
  ///
  /// - Parameters:
  ///   - leastRoundTrip: of the path, nanoseconds; the curve is followed this much ahead.
  mutating func growCubic(
    _ window: Int64, by count: Int64, at now: Int64, leastRoundTrip: Int64
  ) -> Int64 {
    acknowledged += count
    if lastWindow != window || now - lastAt > ChunkCubic.pause {
      lastWindow = window
      lastAt = now
      follow(window, count, at: now, leastRoundTrip: leastRoundTrip)
    }
    return grow(window, by: count, per: packetsPerSegment)
  }

  /// The window after `count` more packets in NewReno's congestion avoidance.
  mutating func growReno(_ window: Int64, by count: Int64) -> Int64 {
    grow(window, by: count, per: window)
  }

  /// CUBIC's threshold after a loss, with fast convergence.
  mutating func reduce(_ window: Int64) -> Int64 {
    let isLower = window < lastMaximum
    lastMaximum =
      isLower
      ? window * (ChunkCubic.scale + ChunkCubic.beta) / (2 * ChunkCubic.scale) : window
    epochStart = -1
    let threshold = window * ChunkCubic.beta / ChunkCubic.scale
    return threshold > 2 ? threshold : 2
  }

  /// A timeout: everything learned is forgotten.
  mutating func reset() { self = ChunkCubic() }

  /// The curve does not run on while the application sends nothing (RFC 9438 section 5.8).
  mutating func shift(by span: Int64) {
    if epochStart >= 0 { epochStart += span }
  }

  private mutating func follow(
    _ window: Int64, _ count: Int64, at now: Int64, leastRoundTrip: Int64
  ) {
    if epochStart < 0 {
      epochStart = now
      acknowledged = count
      friendly = window
      let isBelow = lastMaximum > window
      origin = isBelow ? lastMaximum : window
      timeToOrigin =
        isBelow
        ? CongestionState.cubeRoot(Double(lastMaximum - window) / ChunkCubic.growth) : 0
    }
    let ahead = leastRoundTrip < .max ? leastRoundTrip : 0
    let time = Double(now - epochStart + ahead) * 1e-9 - timeToOrigin
    let exact = ChunkCubic.growth * (time < 0 ? -time : time) * time * time
    let distance = exact < 1e9 ? Int64(exact) : 1_000_000_000
    let target = time < 0 ? origin - distance : origin + distance
    var packets = target > window ? window / (target - window) : 100 * window
    if lastMaximum == 0 && packets > ChunkCubic.mostBeforeLoss {
      packets = ChunkCubic.mostBeforeLoss
    }
    let span = window * 15 / 8
    while acknowledged > span {
      acknowledged -= span
      friendly += 1
    }
    if friendly > window && window / (friendly - window) < packets {
      packets = window / (friendly - window)
    }
    packetsPerSegment = packets > 2 ? packets : 2
  }

  /// One segment for every `packets` acknowledged (Linux: tcp_cong_avoid_ai).
  private mutating func grow(_ window: Int64, by count: Int64, per packets: Int64) -> Int64 {
    var next = window
    if credit >= packets {
      credit = 0
      next += 1
    }
    credit += count
    let segments = credit / packets
    credit -= segments * packets
    return next + segments
  }
}
