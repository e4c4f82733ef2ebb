/// Keys of the CDN that contradict each other.
extension ScenarioChecks {
  mutating func checkCDN() {
    let cdn = tree.at("cdn")
    if cdn.integer("edgesBehindShield") < cdn.integer("edges") {
      problems.add(cdn.problem(at: "edgesBehindShield", expected: "at least cdn.edges"))
    }
    if let shield = cdn.optional("shield"), let region = shield.optionalInteger("inRegion"),
      region >= cdn.optional("regional")?.integer("count") ?? 0
    {
      problems.add(
        shield.problem(
          at: "inRegion",
          expected: cdn.isNone("regional")
            ? "none, unless there are regional caches" : "a region below cdn.regional.count"))
    }
    for tier in ["edge", "regional", "shield"] {
      if let part = cdn.optional(tier) { checkTier(part) }
    }
    checkOutages(cdn.elements("origin.outages"))
    var last: Int64 = 0
    for purge in cdn.elements("purges") {
      if purge.time("at") < last {
        problems.add(purge.problem(at: "at", expected: "a time not before the purge before it"))
      }
      last = purge.time("at")
    }
  }

  /// They come one after the other.
  mutating func checkOutages(_ outages: [ResolvedTree]) {
    var end: Int64 = 0
    for outage in outages {
      if outage.time("from") < end {
        problems.add(
          outage.problem(at: "from", expected: "a time after the end of the outage before it"))
      }
      end = outage.time("from") + outage.time("length")
    }
  }

  private mutating func checkTier(_ part: ResolvedTree) {
    let ttl = part.at("ttl")
    if ttl.kind() == "cloudfront", ttl.time("maximum") < ttl.time("minimum") {
      problems.add(ttl.problem(at: "maximum", expected: "at least the minimum"))
    }
  }
}
