import FeedPolicy
import MediaUnits
import Models

/// Builds the policies' settings.
extension ScenarioBuilder {
  func policy() -> PolicyConfiguration {
    let part = tree.at("policy")
    let player = part.at("player")
    let row = ScenarioTable.players.value(player)
    let pool = PlayerPool.Configuration(
      size: Int(part.integer("pool.size")), ahead: Int(part.integer("pool.ahead")),
      behind: Int(part.integer("pool.behind")))
    var made = PolicyConfiguration(
      pool: row.pool ?? pool, prefetch: prefetch(part.at("prefetch"), pool),
      startupCap: BitrateCap.Configuration(
        rate: part.optionalBitRate("startupCap.rate").map { BitRate(bitsPerSecond: $0) },
        release: ScenarioTable.releases.value(part, "startupCap.release")(
          part.at("startupCap.release"))),
      bitrate: ScenarioTable.bitrateRules.value(part, "abr").build(part.at("abr")),
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
    made.player.isSetUpAnew = row.isSetUpAnew
    if part.hasKey("prefetch.rung") {
      made.prefetchRung = part.optionalInteger("prefetch.rung").map { RungIndex(UInt32($0)) }
    }
    return made
  }

  private func playerModel(_ part: ResolvedTree) -> PlayerModel {
    var model = PlayerModel()
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

  private func prefetch(
    _ part: ResolvedTree, _ pool: PlayerPool.Configuration
  ) -> PrefetchPolicy.Configuration {
    let family = ScenarioTable.prefetchFamilies.value(part)
    let segment = span(tree, "catalogue.segmentDuration")
    var made = PrefetchPolicy.Configuration(
      family: family, furtherLength: segment, segmentLength: segment)
    let row = family.row
    for setting in row.settings {
      let key = PrefetchKey.of(setting.key)
      key.set(&made, part.at(key.name))
    }
    row.fix(&made, pool)
    if family.readsHazard {
      made.curves = swipeCurves()
      made.viewsPerSession = tree.real("audience.viewsPerSession")
    }
    return made
  }

  /// What the app knows of its viewers: the curves of the scenario's personas, mixed by weight.
  private func swipeCurves() -> SwipeCurves {
    let personas = tree.elements("audience.personas")
    let total = personas.reduce(0) { $0 + $1.real("weight") }
    let audiences = personas.map { persona in
      let fits = ScenarioTable.bases.value(persona, "basis").map { row in
        SwipeCurves.Fit(
          below: .seconds(row.below),
          completion: min(1, row.completion * persona.real("completionScale")),
          shape: row.shape, scale: row.scale * persona.real("watchScale"))
      }
      return (share: persona.real("weight") / total, fits: fits)
    }
    return SwipeCurves(mixing: audiences)
  }
}
