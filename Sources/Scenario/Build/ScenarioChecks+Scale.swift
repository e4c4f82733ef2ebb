/// Keys that contradict a background audience or a sample.
extension ScenarioChecks {
  mutating func checkScale() {
    let audience = tree.at("audience")
    if let sampling = audience.optional("sampling") { checkSampling(sampling) }
    guard let background = audience.optional("background") else { return }
    if !audience.isNone("sampling") {
      problems.add(
        audience.problem(
          at: "sampling", expected: "none with a background audience: one of the two"))
    }
    if !tree.isNone("catalogue.newTitles") {
      problems.add(
        tree.problem(
          at: "catalogue.newTitles",
          expected: "none with a background audience, whose law knows no title that comes and goes")
      )
    }
    let retry = tree.at("client.retry")
    if case .shipped = ScenarioTable.retries.value(retry) {
    } else {
      problems.add(
        retry.problem(
          expected: "a rule of the program with a background audience, which asks again by it",
          got: retry.kind()))
    }
    for tier in ["edge", "regional", "shield"] {
      guard let part = tree.at("cdn").optional(tier) else { continue }
      if !["lru", "infinite"].contains(part.kind()) && !part.isNone("capacity") {
        problems.add(
          part.problem(
            expected: "lru, infinite or no limit of capacity with a background audience, whose law "
              + "is LRU's"))
      }
      if part.kind("admission") != "all" {
        problems.add(part.problem(at: "admission", expected: "all with a background audience"))
      }
    }
    checkShared(background, share: shareOfBackground)
  }

  private var shareOfBackground: Double {
    let own =
      tree.real("audience.viewsPerDayPerEdge") * Double(tree.integer("cdn.edgesBehindShield"))
    return own / (own + ScenarioBuilder.backgroundViews(tree))
  }

  private mutating func checkSampling(_ part: ResolvedTree) {
    let share = part.ratio("share")
    let stride = share > 0 ? (1 / share).rounded() : 0
    if !(share > 0) || stride > 10_000 || abs(share * stride - 1) > 1e-6 {
      problems.add(
        part.problem(
          at: "share", expected: "one over a whole number up to 10,000, such as 10 % or 0.01"))
    }
    checkShared(part, share: share)
  }

  /// What many viewers share has to be worth a share, too.
  private mutating func checkShared(_ part: ResolvedTree, share: Double) {
    if !tree.isNone("surface") {
      problems.add(part.problem(expected: "none with a surface: it has no caches"))
    }
    if tree.kind("cdn.start") == "everything" {
      problems.add(
        tree.problem(at: "cdn.start", expected: "stationary, cold or warmed: else nobody is missed")
      )
    }
    if !tree.isNone("cdn.origin.concurrency") {
      problems.add(
        tree.problem(
          at: "cdn.origin.concurrency",
          expected: "none where viewers are left out: a queue of few is not a queue of many"))
    }
    for access in tree.elements("network.access") {
      guard let cell = access.optional("cell") else { continue }
      let count = Double(cell.integer("count")) * share
      if abs(count - count.rounded()) > 0.05 * count {
        problems.add(
          cell.problem(
            at: "count",
            expected: "a number of cells whose simulated share, here \(share), is a whole number"))
      }
    }
  }
}
