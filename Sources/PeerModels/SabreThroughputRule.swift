/// The rule that a segment must not outlast the buffer: 90 % of the bits that the estimate brings
/// until the buffer is empty, less with every decision down to 50 %.
struct SabreInsufficientBufferRule: Sendable {
  private static let least = 0.5
  private static let first = 0.9
  private var safety = first

  /// `level`, or the one below the first that is too large.
  mutating func lower(_ level: Int, _ view: SabreView, _ ladder: SabreLadder) -> Int {
    let safe = safety * (view.buffer - view.latency) * view.throughput
    safety = max(
      SabreInsufficientBufferRule.first * safety, SabreInsufficientBufferRule.least)
    for lower in 0..<level
    where ladder.bitrates[lower + 1] * ladder.segmentDuration > safe {
      return lower
    }
    return level
  }
}

/// Chooses by the estimated throughput, and gives up what would take far longer than it plays.
struct SabreThroughputRule: Sendable {
  private static let share = 0.9
  private static let abandonMultiple = 1.8
  private static let graceTime = 500.0

  private var bufferRule = SabreInsufficientBufferRule()
  private let keepsBufferRule: Bool

  init(_ options: SabreOptions) { keepsBufferRule = options.keepsInsufficientBufferRule }

  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    let level = ladder.sustained(
      throughput: SabreThroughputRule.share * view.throughput, latency: view.latency)
    return SabreChoice(level: keepsBufferRule ? bufferRule.lower(level, view, ladder) : level)
  }

  /// The level to give the download up for; nil to go on.
  func check(_ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder) -> Int? {
    let transferTime = progress.time - progress.timeToFirstByte
    if progress.time < SabreThroughputRule.graceTime || transferTime <= 0 { return nil }
    let rate = progress.got / transferTime
    let rest = progress.size - progress.got
    let estimate = progress.time + rest / rate
    if estimate <= ladder.segmentDuration * SabreThroughputRule.abandonMultiple { return nil }
    let level = ladder.sustained(
      throughput: SabreThroughputRule.share * rate, latency: view.latency)
    let size = progress.size * ladder.bitrates[level] / ladder.bitrates[progress.level]
    return level >= progress.level || size >= rest ? nil : level
  }
}
