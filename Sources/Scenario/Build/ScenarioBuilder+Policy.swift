import FeedPolicy
import MediaUnits
import Models

/// Builds the policies' settings.
extension ScenarioBuilder {
  func policy() -> PolicyConfiguration {
    let part = tree.at("policy")
    let player = part.at("player")
    let pool =
      player.kind() == "media3-single"
      ? PlayerPool.Configuration(size: 1, ahead: 0, behind: 0)
      : PlayerPool.Configuration(
        size: Int(part.integer("pool.size")), ahead: Int(part.integer("pool.ahead")),
        behind: Int(part.integer("pool.behind")))
    var made = PolicyConfiguration(
      pool: pool,
      prefetch: prefetch(part),
      startupCap: BitrateCap.Configuration(
        rate: part.optionalBitRate("startupCap.rate").map { BitRate(bitsPerSecond: $0) },
        release: release(part.at("startupCap.release"))),
      bitrate: bitrate(part.at("abr")),
      initialEstimate: BitRate(
        bitsPerSecond: player.hasKey("initialEstimate")
          ? player.bitRate("initialEstimate") : part.bitRate("initialEstimate")),
      startThreshold: span(player, "startThreshold"),
      resumeThreshold: span(player, "resumeThreshold"),
      forwardBuffer: span(player, "forwardBuffer"),
      pageSize: UInt32(part.integer("feed.pageSize")),
      pageTrigger: UInt32(part.integer("feed.pageTrigger")),
      fetchesPosters: player.boolean("posters"))
    made.player = playerModel(player)
    if part.hasKey("prefetch.rung") {
      made.prefetchRung = part.optionalInteger("prefetch.rung").map { RungIndex(UInt32($0)) }
    }
    return made
  }

  private func playerModel(_ part: ResolvedTree) -> PlayerModel {
    var model = PlayerModel()
    model.isSetUpAnew = part.kind() == "media3-single"
    if part.hasKey("minimumBuffer") { model.minimumBuffer = span(part, "minimumBuffer") }
    if part.hasKey("topBuffer") { model.topBuffer = span(part, "topBuffer") }
    if part.hasKey("plenty") {
      model.keepUp = PlayerModel.KeepUp(
        plenty: part.real("plenty"), shorter: span(part, "startThreshold"),
        longer: span(part, "resumeThreshold"))
    }
    if part.hasKey("fastHalfLife") {
      model.estimator = .means(
        EWMAEstimator.Configuration(
          fast: span(part, "fastHalfLife"), slow: span(part, "slowHalfLife")))
    }
    return model
  }

  // MARK: Prefetch

  private func prefetch(_ policy: ResolvedTree) -> PrefetchPolicy.Configuration {
    let part = policy.at("prefetch")
    let segment = span(tree, "catalogue.segmentDuration")
    var made = PrefetchPolicy.Configuration(
      family: family(part.kind()), furtherLength: segment, segmentLength: segment)
    if part.hasKey("headLength") { made.headLength = span(part, "headLength") }
    if part.hasKey("itemsAhead") { made.itemsAhead = Int(part.integer("itemsAhead")) }
    if part.hasKey("furtherLength") { made.furtherLength = span(part, "furtherLength") }
    if part.hasKey("previousLength") { made.previousLength = span(part, "previousLength") }
    if part.hasKey("previousThreshold") {
      made.previousThreshold = part.real("previousThreshold")
    }
    if part.hasKey("concurrency") { made.concurrency = Int(part.integer("concurrency")) }
    if part.hasKey("pauseBelowBuffer") { made.pauseBelowBuffer = span(part, "pauseBelowBuffer") }
    if part.hasKey("suspendOnStall") { made.suspendsOnStall = part.boolean("suspendOnStall") }
    if part.hasKey("cover") { made.cover = part.optionalReal("cover") }
    if part.hasKey("bufferCover") { made.bufferCover = part.real("bufferCover") }
    if part.hasKey("leastWatched") { made.leastWatched = part.ratio("leastWatched") }
    switch made.family {
    case .firstSegments: made.furtherLength = segment * part.integer("segments")
    case .playerKnob:
      made.headLength = span(part, "near")
      made.furtherLength = span(part, "far")
      made.previousLength = policy.integer("pool.behind") > 0 ? span(part, "behind") : .zero
      made.itemsAhead = Int(policy.integer("pool.ahead"))
      made.concurrency = Int(policy.integer("pool.size"))
    case .connection:
      made.itemsAhead = 1
      made.concurrency = 1
    default: break
    }
    if made.family.readsHazard {
      made.curves = swipeCurves()
      made.viewsPerSession = tree.real("audience.viewsPerSession")
    }
    return made
  }

  /// The word of a family in scenario files.
  static func word(of family: PrefetchFamily) -> String {
    switch family {
    case .head: "head"
    case .firstSegments: "first-segments"
    case .playerKnob: "player-knob"
    case .staged: "staged"
    case .connection: "connection"
    case .playlists: "playlists"
    case .dashlet: "dashlet"
    case .pdas: "pdas"
    case .hazard: "hazard"
    }
  }

  private func family(_ word: String) -> PrefetchFamily {
    PrefetchFamily.allCases.first { ScenarioBuilder.word(of: $0) == word } ?? .head
  }

  /// What the app knows of its viewers: the curves of the scenario's personas, mixed by weight.
  private func swipeCurves() -> SwipeCurves {
    let personas = tree.elements("audience.personas")
    let total = personas.reduce(0) { $0 + $1.real("weight") }
    let audiences = personas.map { persona in
      let fits = ScenarioBuilder.dwellRows(persona.word("basis")).map { row in
        SwipeCurves.Fit(
          below: .seconds(row.below),
          completion: min(1, row.completion * persona.real("completionScale")),
          shape: row.shape, scale: row.scale * persona.real("watchScale"))
      }
      return (share: persona.real("weight") / total, fits: fits)
    }
    return SwipeCurves(mixing: audiences)
  }

  // MARK: Rungs

  private func release(_ part: ResolvedTree) -> ReleaseRule {
    switch part.kind() {
    case "first-frame": .firstFrame
    case "buffer": .buffer(span(part, "length"))
    case "segments": .segments(Int(part.integer("count")))
    case "stable-throughput": .stableThroughput(spread: part.real("spread"))
    default: .played(span(part, "length"))
    }
  }

  private func bitrate(_ part: ResolvedTree) -> BitrateRule {
    switch part.kind() {
    case "fixed": .fixed(RungIndex(UInt32(part.integer("rung"))))
    case "bola":
      .bola(
        BolaRule(minimumBuffer: span(part, "minimumBuffer"), target: span(part, "target")))
    default:
      .throughput(
        ThroughputRule(
          fraction: part.real("fraction"),
          minimumBufferToSwitchUp: span(part, "minimumBufferToSwitchUp"),
          maximumBufferToSwitchDown: span(part, "maximumBufferToSwitchDown")))
    }
  }
}
