/// BOLA (Spiteri, Urgaonkar and Sitaraman 2016), with or without its rules for finite films and
/// against oscillation.
struct SabreBola: Sendable {
  private static let smoothness = SabreOptions.stallWeight

  private let bufferLimit: Double
  private let isBasic: Bool
  private let avoidsOscillation: Bool
  /// The weight of utility against the buffer, ms.
  private var weight: Double
  private var last = 0

  init(_ options: SabreOptions, _ ladder: SabreLadder) {
    bufferLimit = options.bufferLimit
    isBasic = options.isBasic
    avoidsOscillation = options.avoidsOscillation
    weight = SabreBola.weight(buffer: options.bufferLimit, ladder)
  }

  private static func weight(buffer: Double, _ ladder: SabreLadder) -> Double {
    (buffer - ladder.segmentDuration) / (ladder.utilities[ladder.top] + smoothness)
  }

  /// The buffer at which a level is worth nothing, ms.
  private func worth(_ level: Int, _ ladder: SabreLadder) -> Double {
    weight * (SabreBola.smoothness + ladder.utilities[level])
  }

  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    if !isBasic {
      // Near the ends of the film a smaller buffer will do.
      let nearest = Double(min(view.segment, view.segmentCount - view.segment))
      let time = max(nearest / 2, 3) * ladder.segmentDuration
      weight = SabreBola.weight(buffer: min(bufferLimit, time), ladder)
    }
    var choice = SabreChoice(level: ladder.best { worth($0, ladder) - view.buffer })
    if choice.level > last {
      let sustained = ladder.sustained(throughput: view.throughput, latency: view.latency)
      if choice.level > sustained {
        if last > sustained {
          choice.level = last
        } else if !avoidsOscillation {
          choice.level = sustained + 1
        } else {
          choice.level = sustained
          if sustained < ladder.top {
            choice.delay = max(0, view.buffer - worth(sustained, ladder))
          }
        }
      }
    }
    last = choice.level
    return choice
  }

  /// The level to give the download up for; nil to go on.
  mutating func check(
    _ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder
  ) -> Int? {
    if isBasic { return nil }
    let rest = progress.size - progress.got
    if progress.got <= 0 || rest <= 0 { return nil }
    let score = (worth(progress.level, ladder) - view.buffer) / rest
    if score < 0 { return nil }
    let picked = progress.betterLevel(thanScore: score, rest: rest, ladder) {
      worth($0, ladder) - view.buffer
    }
    if let picked { last = picked }
    return picked
  }
}

extension SabreProgress {
  /// The lower level with the most value for each bit, when that beats `score` and the level has
  /// fewer bits than `rest`.
  func betterLevel(
    thanScore score: Double, rest: Double, _ ladder: SabreLadder, value: (Int) -> Double
  ) -> Int? {
    var best = score
    var picked: Int?
    for lower in 0..<level {
      let bits = size * ladder.bitrates[lower] / ladder.bitrates[level]
      if bits >= rest { break }
      let gain = value(lower) / bits
      if gain > best { (best, picked) = (gain, lower) }
    }
    return picked
  }
}
