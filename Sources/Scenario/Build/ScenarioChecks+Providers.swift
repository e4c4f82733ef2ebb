import Models

/// Several providers: names, shares and times; and what knows of one only.
extension ScenarioChecks {
  mutating func checkProviders() {
    let cdn = tree.at("cdn")
    let providers = cdn.elements("providers")
    if providers.isEmpty {
      if cdn.kind("switching") != "fixed" {
        problems.add(
          cdn.problem(at: "switching", expected: "fixed, unless there are cdn.providers"))
      }
      return
    }
    if providers.count == 1 {
      problems.add(cdn.problem(at: "providers", expected: "none, or two and more"))
    }
    var names: Set<String> = []
    for provider in providers {
      if !names.insert(provider.text("name")).inserted {
        problems.add(provider.problem(at: "name", expected: "each name once"))
      }
      if !provider.isNone("edgeCapacity") && cdn.kind("edge") == "infinite" {
        problems.add(
          provider.problem(
            at: "edgeCapacity", expected: "none with an infinite cdn.edge, which evicts nothing"))
      }
      checkOutages(provider.elements("outages"))
    }
    let sum = providers.reduce(0) { $0 + $1.ratio("share") }
    if abs(sum - 1) > 1e-6 {
      problems.add(
        cdn.problem(at: "providers", expected: "shares that are 1 together", got: "\(sum)"))
    }
    checkSizes(providers.count)
    refuseBesideProviders()
  }

  private mutating func checkSizes(_ count: Int) {
    let cdn = tree.at("cdn")
    let most = CacheHierarchy.maximumEdges / count
    if cdn.integer("edges") > most {
      problems.add(
        cdn.problem(at: "edges", expected: "at most \(most) with \(count) providers"))
    }
    let regions = RegionalConfiguration.maximumCount / count
    if let regional = cdn.optional("regional"), regional.integer("count") > regions {
      problems.add(
        regional.problem(at: "count", expected: "at most \(regions) with \(count) providers"))
    }
  }

  /// Keys whose meaning with several providers is not built.
  private mutating func refuseBesideProviders() {
    for key in ["background", "sampling"] where !tree.isNone("audience.\(key)") {
      problems.add(
        tree.problem(
          at: "audience.\(key)",
          expected: "none with cdn.providers: the law of who is not simulated knows of one"))
    }
    if tree.integer("audience.extraColdStarts") > 0 {
      problems.add(
        tree.problem(
          at: "audience.extraColdStarts", expected: "0 with cdn.providers: they choose none"))
    }
    if tree.word("network.sharing") == "turns" {
      problems.add(
        tree.problem(
          at: "network.sharing",
          expected: "weights with cdn.providers: turns know of one connection to an edge"))
    }
  }
}
