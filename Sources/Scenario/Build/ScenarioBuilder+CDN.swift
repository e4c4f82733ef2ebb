import CachePolicy
import MediaUnits
import Models
import SimulationKernel

/// The CDN's part of a configuration.
extension ScenarioBuilder {
  mutating func cdn() -> CDNConfiguration {
    let part = tree.at("cdn")
    let start = ScenarioTable.starts.value(part, "start")
    let warmUp = max(span(tree, "audience.warmUp"), start.warmUp(part.at("start")))
    let floor = span(part, "backhaulFloor")
    let edgeUpstream = upstream(
      part.at("edge"), tables.table(part, "edgeToShield"), floor: floor)
    let shield = part.optional("shield")
    return CDNConfiguration(
      edges: Int(part.integer("edges")),
      edgesBehindShield: Int(part.integer("edgesBehindShield")),
      edge: tier(part.at("edge"), edgeUpstream),
      regional: part.optional("regional").map { regional($0, floor: floor) },
      shield: shield.map {
        tier($0, upstream($0, tables.table($0, "roundTrip"), floor: .zero))
      },
      shieldRegion: shield?.optionalInteger("inRegion").map { Int($0) },
      origin: origin(part, after: warmUp), start: start.start, warmUp: warmUp,
      assetTTL: assetTTL(part.at("ttl")), assetRules: assetRules(part.at("ttl")),
      cacheKey: ScenarioTable.cacheKeys.value(part, "cacheKey")(part.at("cacheKey")),
      purges: part.elements("purges").map { purge($0, after: warmUp) })
  }

  private mutating func regional(
    _ part: ResolvedTree, floor: TimeSpan
  ) -> RegionalConfiguration {
    RegionalConfiguration(
      count: Int(part.integer("count")),
      tier: tier(part, upstream(part, tables.table(part, "roundTrip"), floor: floor)),
      isSkippedInOriginRegion: part.boolean("skippedInOriginRegion"))
  }

  // MARK: A tier

  private mutating func tier(
    _ part: ResolvedTree, _ upstream: UpstreamConfiguration
  ) -> CacheTierConfiguration {
    CacheTierConfiguration(
      capacity: part.optionalBytes("capacity").map { ByteCount($0) } ?? .unlimited,
      eviction: ScenarioTable.evictions.value(part)(part),
      admission: ScenarioTable.admissions.value(part, "admission").build(part.at("admission")),
      collapsing: collapsing(part), ttl: ScenarioTable.tierTTLs.value(part, "ttl")(part.at("ttl")),
      inheritsAge: ScenarioTable.ages.value(part, "age"),
      serviceTime: tables.table(part, "serviceTime"), upstream: upstream)
  }

  private func collapsing(_ part: ResolvedTree) -> CollapsingMachine.Configuration {
    CollapsingMachine.Configuration(
      mode: ScenarioTable.collapsing.value(part, "collapsing")(part.at("lock")),
      revalidation: ScenarioTable.revalidations.value(part, "revalidation"),
      staleOnFailure: ScenarioTable.staleOnFailure.value(part, "staleOnFailure"),
      hitForMiss: span(part, "hitForMiss"))
  }

  private func upstream(
    _ part: ResolvedTree, _ roundTrip: QuantileTable, floor: TimeSpan
  ) -> UpstreamConfiguration {
    UpstreamConfiguration(
      roundTrip: roundTrip, floor: floor,
      keepAlive: part.optionalTime("keepAlive").map { TimeSpan(nanoseconds: $0) } ?? .max,
      handshakeRoundTrips: ScenarioTable.upstreamHandshakes.value(part, "handshake"),
      connectTimeout: span(part, "connectTimeout"),
      responseTimeout: span(part, "responseTimeout"), attempts: Int(part.integer("attempts")))
  }

  // MARK: Origin and rules

  private mutating func origin(
    _ part: ResolvedTree, after warmUp: TimeSpan
  ) -> OriginConfiguration {
    let outages = part.elements("origin.outages").map { outage -> OriginOutage in
      let begin = Instant.zero + warmUp + span(outage, "from")
      return OriginOutage(
        begin: begin, end: begin + span(outage, "length"),
        kind: ScenarioTable.originOutages.value(outage))
    }
    return OriginConfiguration(
      firstByte: tables.table(part, "originFirstByte"),
      concurrency: part.optionalInteger("origin.concurrency").map { Int($0) },
      requestRate: part.optionalReal("origin.requestsPerSecond"),
      slowDownTime: span(part, "origin.slowDownTime"), outages: outages)
  }

  private func purge(_ part: ResolvedTree, after warmUp: TimeSpan) -> CachePurge {
    CachePurge(
      at: Instant.zero + warmUp + span(part, "at"),
      classes: part.elements("classes").flatMap { ScenarioTable.assetClasses.value($0) })
  }

  private func assetRules(_ part: ResolvedTree) -> [AssetRule] {
    var rules = [AssetRule](repeating: AssetRule(), count: AssetClass.allCases.count)
    for row in ScenarioTable.assetClasses.rows {
      let asset = part.at(row.word.spelling)
      let rule = AssetRule(
        isCacheable: asset.boolean("cacheable"), jitter: asset.ratio("jitter"),
        synchronisedTo: ScenarioTable.expiries.value(asset, "expiry")(asset.at("expiry")))
      for name in row.value { rules[Int(name.rawValue)] = rule }
    }
    return rules
  }

  private func assetTTL(_ part: ResolvedTree) -> AssetTTL {
    func directives(_ key: String) -> CacheDirectives {
      let asset = part.at(key)
      var options: CacheDirectives.Options = [.isPublic]
      if asset.boolean("immutable") { options.insert(.immutable) }
      return CacheDirectives(
        maxAge: span(asset, "maxAge"),
        staleWhileRevalidate: span(asset, "staleWhileRevalidate"),
        staleIfError: span(asset, "staleIfError"), options: options)
    }
    var configuration = AssetTTL.Configuration()
    configuration.mediaManifest = directives("mediaManifest")
    configuration.masterPlaylist = directives("playlists")
    configuration.mediaPlaylist = directives("playlists")
    configuration.initSegment = directives("segments")
    configuration.segment = directives("segments")
    configuration.poster = directives("images")
    configuration.vtt = directives("images")
    configuration.sprite = directives("images")
    return AssetTTL(configuration)
  }
}
