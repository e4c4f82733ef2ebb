/// BOLA-E (Spiteri, Sitaraman and Sparacio 2018): BOLA on the buffer plus a placeholder, which
/// stands for what could have been buffered but was not.
struct SabreBolaEnhanced: Sendable {
  /// What an abandoned download leaves of the placeholder when it falls to the lowest level, ms.
  private static let leastBuffer = 10_000.0

  private let avoidsOscillation: Bool
  private let keepsBufferRule: Bool
  private var bufferRule = SabreInsufficientBufferRule()
  private var isStarted = false
  private(set) var placeholder = 0.0
  private var last = 0

  init(_ options: SabreOptions) {
    avoidsOscillation = options.avoidsOscillation
    keepsBufferRule = options.keepsInsufficientBufferRule
  }

  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    let sustained = ladder.sustained(throughput: view.throughput, latency: view.latency)
    if !isStarted {
      isStarted = true
      placeholder = max(0, ladder.lowestBuffer[sustained] - view.buffer)
      return SabreChoice(level: sustained)
    }
    let buffer = view.buffer + placeholder
    var level = ladder.best { ladder.highestBuffer[$0] - buffer }
    if level > last && level > sustained {
      level = max(last, sustained)
      if !avoidsOscillation { level += 1 }
    }
    var choice = SabreChoice(level: level)
    let excess = buffer - ladder.highestBuffer[level]
    if excess > 0 {
      if excess <= placeholder {
        placeholder -= excess
      } else {
        choice.delay = level == ladder.top ? 0 : excess - placeholder
        placeholder = 0
      }
    }
    if keepsBufferRule {
      let safe = bufferRule.lower(level, view, ladder)
      if safe < level {
        choice = SabreChoice(level: safe)
        placeholder = min(placeholder, max(0, ladder.lowestBuffer[safe] - view.buffer))
      }
    }
    return choice
  }

  /// The session has waited `time` ms because the buffer was full.
  mutating func delay(_ time: Double) { placeholder += time }

  /// A download has ended; `buffer` is what is in the buffer now, ms.
  mutating func done(
    _ result: SabreResult, isReplacement: Bool, buffer: Double, _ ladder: SabreLadder
  ) {
    let level = result.progress.level
    last = level
    if let lower = result.abandonedTo {
      if isReplacement { return }
      let wanted = lower > 0 ? ladder.lowestBuffer[lower] : SabreBolaEnhanced.leastBuffer
      placeholder = min(placeholder, max(0, wanted - buffer))
    } else if isReplacement {
      placeholder += ladder.segmentDuration
    } else {
      let before = buffer + result.progress.time
      placeholder = min(placeholder, max(0, ladder.highestBuffer[level] - before))
      if buffer > 0 { placeholder = max(placeholder, ladder.lowestBuffer[level] - before) }
    }
  }

  /// The level to give the download up for; nil to go on.
  func check(_ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder) -> Int? {
    let bits = progress.size - progress.got
    if progress.got <= 0 || bits <= 0 { return nil }
    let buffer = max(0, view.buffer + placeholder - progress.timeToFirstByte)
    let rate = progress.got / (progress.time - progress.timeToFirstByte)
    // What another request would wait for is as good as got already.
    let rest = bits - progress.timeToFirstByte * rate
    if rest <= 0 { return nil }
    let score = (ladder.highestBuffer[progress.level] - buffer) / rest
    return progress.betterLevel(thanScore: score, rest: rest, ladder) {
      ladder.highestBuffer[$0] - buffer
    }
  }
}
