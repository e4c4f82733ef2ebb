import Models

/// Background audience and sampling.
extension ScenarioBuilder {
  /// Views a day of the viewers who are not simulated, over all edges.
  static func backgroundViews(_ tree: ResolvedTree) -> Double {
    guard let part = tree.optional("audience.background") else { return 0 }
    return part.real("viewers") * part.real("viewsPerDay")
  }

  /// One over the share of a sample; 1 without sampling.
  static func sampleStride(_ tree: ResolvedTree) -> Double {
    guard let part = tree.optional("audience.sampling") else { return 1 }
    return (1 / part.ratio("share")).rounded()
  }

  /// Leaves viewers out: of the sessions, of what shared links carry, and of what the origin may be
  /// asked for.
  func scale(_ configuration: inout FeedConfiguration) {
    let stride = ScenarioBuilder.sampleStride(tree)
    let others = ScenarioBuilder.backgroundViews(tree)
    if stride > 1 {
      configuration.audience.viewsPerDayPerEdge /= stride
      configuration.scale = .sampling(
        oneOf: UInt32(stride), probabilities: configuration.catalogue.probabilities)
    } else if others > 0 {
      let own =
        configuration.audience.viewsPerDayPerEdge
        * Double(configuration.cdn.edgesBehindShield)
      configuration.scale = .background(factor: 1 + others / own)
    }
    if configuration.scale.isWhole { return }
    var factor = configuration.scale.factor
    if !configuration.scale.isSample {
      factor *= Double(configuration.cdn.edgesBehindShield) / Double(configuration.cdn.edges)
    }
    configuration.cdn.origin.requestRate = configuration.cdn.origin.requestRate.map { $0 / factor }
    for index in configuration.networks.indices {
      guard let cell = configuration.networks[index].cell else { continue }
      let count = (Double(cell.count) / configuration.scale.factor).rounded()
      configuration.networks[index].cell?.count = max(1, Int(count))
    }
  }
}
