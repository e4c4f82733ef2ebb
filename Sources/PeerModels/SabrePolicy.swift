/// The policies of ``SabreAlgorithm`` with their state.
enum SabrePolicy: Sendable {
  case bola(SabreBola)
  case bolaEnhanced(SabreBolaEnhanced)
  case throughput(SabreThroughputRule)
  case dynamic(SabreDynamic)
  case dynamicDash(SabreDynamicDash)

  init(_ options: SabreOptions, _ ladder: SabreLadder) {
    switch options.algorithm {
    case .bola: self = .bola(SabreBola(options, ladder))
    case .bolaEnhanced: self = .bolaEnhanced(SabreBolaEnhanced(options))
    case .throughput: self = .throughput(SabreThroughputRule(options))
    case .dynamic: self = .dynamic(SabreDynamic(options, ladder))
    case .dynamicDash: self = .dynamicDash(SabreDynamicDash(options))
    }
  }

  /// The level of the next segment, and how long to wait before asking for it.
  mutating func decide(_ view: SabreView, _ ladder: SabreLadder) -> SabreChoice {
    let choice: SabreChoice
    switch self {
    case .bola(var rule): (choice, self) = (rule.decide(view, ladder), .bola(rule))
    case .bolaEnhanced(var rule): (choice, self) = (rule.decide(view, ladder), .bolaEnhanced(rule))
    case .throughput(var rule): (choice, self) = (rule.decide(view, ladder), .throughput(rule))
    case .dynamic(var rule): (choice, self) = (rule.decide(view, ladder), .dynamic(rule))
    case .dynamicDash(var rule): (choice, self) = (rule.decide(view, ladder), .dynamicDash(rule))
    }
    return choice
  }

  /// Whether to give up a download, and for which level.
  mutating func check(
    _ progress: SabreProgress, _ view: SabreView, _ ladder: SabreLadder
  ) -> Int? {
    switch self {
    case .bola(var rule):
      let level = rule.check(progress, view, ladder)
      if level != nil { self = .bola(rule) }
      return level
    case .bolaEnhanced(let rule): return rule.check(progress, view, ladder)
    case .throughput(let rule): return rule.check(progress, view, ladder)
    case .dynamic(let rule): return rule.check(progress, view, ladder)
    case .dynamicDash(let rule): return rule.check(progress, view, ladder)
    }
  }

  /// The session has waited `time` ms because the buffer was full.
  mutating func delay(_ time: Double) {
    switch self {
    case .bolaEnhanced(var rule):
      rule.delay(time)
      self = .bolaEnhanced(rule)
    case .dynamicDash(var rule):
      rule.delay(time)
      self = .dynamicDash(rule)
    case .bola, .throughput, .dynamic: break
    }
  }

  /// A download has ended, complete or not; `buffer` is what is in the buffer now, ms.
  mutating func done(
    _ result: SabreResult, isReplacement: Bool, buffer: Double, _ ladder: SabreLadder
  ) {
    switch self {
    case .bolaEnhanced(var rule):
      rule.done(result, isReplacement: isReplacement, buffer: buffer, ladder)
      self = .bolaEnhanced(rule)
    case .dynamic(var rule):
      rule.done(isReplacement: isReplacement)
      self = .dynamic(rule)
    case .dynamicDash(var rule):
      rule.done(result, isReplacement: isReplacement, buffer: buffer, ladder)
      self = .dynamicDash(rule)
    case .bola, .throughput: break
    }
  }
}
