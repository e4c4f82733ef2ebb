import FeedPolicy
import MediaUnits
import Models

/// What prefetch knows of the scenario beside its own keys.
extension ScenarioBuilder {
  func prefetch(
    _ part: ResolvedTree, _ pool: PlayerPool.Configuration
  ) -> PrefetchPolicy.Configuration {
    let family = ScenarioTable.prefetchFamilies.value(part)
    let segment = tree.span("catalogue.segmentDuration")
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
