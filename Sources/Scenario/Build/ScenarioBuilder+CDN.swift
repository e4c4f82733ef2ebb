import CachePolicy
import MediaUnits
import Models
import SimulationKernel

/// The CDN's part of a configuration.
extension ScenarioBuilder {
  mutating func cdn() -> CDNConfiguration {
    let part = tree.at("cdn")
    let start: CacheStart =
      switch part.kind("start") {
      case "cold", "warmed": .cold
      case "everything": .everything
      default: .stationary
      }
    let warmUp = max(
      span(tree, "audience.warmUp"),
      part.kind("start") == "warmed" ? span(part, "start.period") : .zero)
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
      origin: origin(part, after: warmUp), start: start, warmUp: warmUp,
      assetTTL: assetTTL(part.at("ttl")), assetRules: assetRules(part.at("ttl")),
      cacheKey: cacheKey(part.at("cacheKey")),
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
      eviction: eviction(part), admission: admission(part.at("admission")),
      collapsing: collapsing(part), ttl: tierTTL(part.at("ttl")),
      inheritsAge: part.word("age") == "inherited",
      serviceTime: tables.table(part, "serviceTime"), upstream: upstream)
  }

  private func eviction(_ part: ResolvedTree) -> EvictionKind {
    switch part.kind() {
    case "fifo": .fifo
    case "clock": .clock(bits: Int(part.integer("bits")))
    case "sieve": .sieve
    case "s3-fifo": .s3FIFO(part.word("drain") == "paper" ? .paper : .libCacheSim)
    case "lfu": .lfu
    case "arc": .arc
    case "2q": .twoQ
    case "slru": .slru(segments: Int(part.integer("segments")))
    case "gdsf": .gdsf
    case "w-tinylfu": .wTinyLFUWide
    case "infinite": .infinite
    default: .lru
    }
  }

  private func admission(_ part: ResolvedTree) -> CacheAdmission {
    switch part.kind() {
    case "size": .size(atMost: part.bytes("atMost"))
    case "second-miss": .bloom
    case "probability": .probability(part.ratio("share"))
    default: .all
    }
  }

  private func collapsing(_ part: ResolvedTree) -> CollapsingMachine.Configuration {
    let lock = part.at("lock")
    let mode: CollapsingMachine.Mode =
      switch part.word("collapsing") {
      case "none": .none
      case "absent-only":
        .absentOnly(
          CollapsingMachine.Lock(
            timeout: span(lock, "timeout"), age: span(lock, "age"), poll: span(lock, "poll")))
      default: .full
      }
    let staleOnFailure: CacheFreshness.StaleOnFailure =
      switch part.word("staleOnFailure") {
      case "never": .never
      case "when-unreachable": .whenUnreachable
      case "always": .always
      default: .withinWindow
      }
    return CollapsingMachine.Configuration(
      mode: mode,
      revalidation: part.word("revalidation") == "foreground" ? .foreground : .background,
      staleOnFailure: staleOnFailure, hitForMiss: span(part, "hitForMiss"))
  }

  private func tierTTL(_ part: ResolvedTree) -> TierTTL {
    guard part.kind() == "cloudfront" else { return .rfc9111 }
    return .cloudFront(
      CloudFrontProfile(
        minimumTTL: span(part, "minimum"), defaultTTL: span(part, "default"),
        maximumTTL: span(part, "maximum"), errorCachingMinimumTTL: span(part, "error")))
  }

  private func upstream(
    _ part: ResolvedTree, _ roundTrip: QuantileTable, floor: TimeSpan
  ) -> UpstreamConfiguration {
    let handshakes: Int64 =
      switch part.word("handshake") {
      case "none": 0
      case "tcp": 1
      case "tcp+tls12": 3
      default: 2
      }
    return UpstreamConfiguration(
      roundTrip: roundTrip, floor: floor,
      keepAlive: part.optionalTime("keepAlive").map { TimeSpan(nanoseconds: $0) } ?? .max,
      handshakeRoundTrips: handshakes, connectTimeout: span(part, "connectTimeout"),
      responseTimeout: span(part, "responseTimeout"), attempts: Int(part.integer("attempts")))
  }

  // MARK: Origin and rules

  private mutating func origin(
    _ part: ResolvedTree, after warmUp: TimeSpan
  ) -> OriginConfiguration {
    let outages = part.elements("origin.outages").map { outage -> OriginOutage in
      let begin = Instant.zero + warmUp + span(outage, "from")
      let kind: OriginOutage.Kind =
        switch outage.kind() {
        case "timeout": .timeout
        case "unreachable": .unreachable
        default: .error
        }
      return OriginOutage(begin: begin, end: begin + span(outage, "length"), kind: kind)
    }
    return OriginConfiguration(
      firstByte: tables.table(part, "originFirstByte"),
      concurrency: part.optionalInteger("origin.concurrency").map { Int($0) },
      requestRate: part.optionalReal("origin.requestsPerSecond"),
      slowDownTime: span(part, "origin.slowDownTime"), outages: outages)
  }

  /// The classes that a key of `cdn.ttl` stands for.
  private static func classes(_ key: String) -> [AssetClass] {
    switch key {
    case "mediaManifest": [.mediaManifest]
    case "playlists": [.masterPlaylist, .mediaPlaylist]
    case "segments": [.initSegment, .segment]
    default: [.poster, .vtt, .sprite]
    }
  }

  private static let assetKeys = ["mediaManifest", "playlists", "segments", "images"]

  private func purge(_ part: ResolvedTree, after warmUp: TimeSpan) -> CachePurge {
    CachePurge(
      at: Instant.zero + warmUp + span(part, "at"),
      classes: part.elements("classes").flatMap { ScenarioBuilder.classes($0.word()) })
  }

  private func cacheKey(_ part: ResolvedTree) -> CacheKeyRule {
    switch part.kind() {
    case "query": .query(values: UInt32(part.integer("values")))
    case "session": .session
    default: .path
    }
  }

  private func assetRules(_ part: ResolvedTree) -> [AssetRule] {
    var rules = [AssetRule](repeating: AssetRule(), count: AssetClass.allCases.count)
    for key in ScenarioBuilder.assetKeys {
      let asset = part.at(key)
      let rule = AssetRule(
        isCacheable: asset.boolean("cacheable"), jitter: asset.ratio("jitter"),
        synchronisedTo: asset.kind("expiry") == "synchronised"
          ? span(asset, "expiry.period") : .zero)
      for name in ScenarioBuilder.classes(key) { rules[Int(name.rawValue)] = rule }
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
