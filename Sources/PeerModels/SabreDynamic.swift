/// Throughput while the buffer is low, BOLA above; both decide every time.
struct SabreDynamic: Sendable {
  private static let switchLevel = 10_000.0

  private var bola: SabreBola
  private var throughput: SabreThroughputRule
  private var isInBola = false

  init(_ options: SabreOptions, _ ladder: SabreLadder) {
    bola = SabreBola(options, ladder)
    throughput = SabreThroughputRule(options)
  }

  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    let byBuffer = bola.decide(view, ladder)
    let byRate = throughput.decide(view, ladder)
    if isInBola {
      if view.buffer < SabreDynamic.switchLevel && byBuffer.level < byRate.level {
        isInBola = false
      }
    } else if view.buffer > SabreDynamic.switchLevel && byBuffer.level >= byRate.level {
      isInBola = true
    }
    return isInBola ? byBuffer : byRate
  }

  mutating func done(isReplacement: Bool) { if isReplacement { isInBola = false } }

  func check(_ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder) -> Int? {
    throughput.check(progress, view, ladder)
  }
}

/// Throughput while the buffer is low, BOLA-E above; only the one in charge decides.
struct SabreDynamicDash: Sendable {
  private static let leaveLevel = 5000.0
  private static let enterLevel = 10_000.0

  private var bola: SabreBolaEnhanced
  private var throughput: SabreThroughputRule
  private var isInBola = false

  init(_ options: SabreOptions) {
    bola = SabreBolaEnhanced(options)
    throughput = SabreThroughputRule(options)
  }

  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    if isInBola {
      if view.buffer < SabreDynamicDash.leaveLevel { isInBola = false }
    } else if view.buffer > SabreDynamicDash.enterLevel {
      isInBola = true
    }
    return isInBola ? bola.decide(view, ladder) : throughput.decide(view, ladder)
  }

  mutating func delay(_ time: Double) { bola.delay(time) }

  mutating func done(
    _ result: SabreResult, isReplacement: Bool, buffer: Double, _ ladder: SabreLadder
  ) {
    bola.done(result, isReplacement: isReplacement, buffer: buffer, ladder)
  }

  func check(_ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder) -> Int? {
    isInBola
      ? bola.check(progress, view, ladder) : throughput.check(progress, view, ladder)
  }
}
