/// What extra cold starts would bias, or be biased by.
extension ScenarioChecks {
  /// Refuses them where nobody could come without being noticed, or where cold starts at random
  /// times are others than the audience's.
  mutating func checkExtraColdStarts() {
    // A mixed feed refuses the key by itself.
    guard tree.integer("audience.extraColdStarts") > 0, tree.isNone("surface") else { return }
    for reason in reasonsAgainstExtraColdStarts {
      problems.add(tree.problem(at: "audience.extraColdStarts", expected: "0 with \(reason)"))
    }
  }

  private var reasonsAgainstExtraColdStarts: [String] {
    let audience = tree.at("audience")
    var reasons: [String] = []
    if !audience.isNone("diurnal") {
      reasons.append("audience.diurnal: cold starts come when sessions do")
    }
    if !audience.elements("crowds").isEmpty {
      reasons.append("audience.crowds, whose sessions have other titles")
    }
    for key in ["background", "sampling"] where !audience.isNone(key) {
      reasons.append("audience.\(key), whose law every request moves")
    }
    if tree.elements("network.access").contains(where: { !$0.isNone("cell") }) {
      reasons.append("a cell, which they would load")
    }
    let origin = tree.at("cdn.origin")
    if !origin.elements("outages").isEmpty {
      reasons.append("cdn.origin.outages: caches remember failures of any request")
    }
    if !origin.isNone("concurrency") {
      reasons.append("cdn.origin.concurrency, in whose queue they would stand")
    }
    let tiers = ["edge", "regional", "shield"].compactMap { tree.at("cdn").optional($0) }
    if tiers.contains(where: { $0.word("collapsing") == "absent-only" }) {
      reasons.append("collapsing: absent-only, whose lock they would have to take")
    }
    return reasons
  }
}
