import CachePolicy
import MediaUnits
import Models

extension ScenarioTable {
  private static let edge = tier(
    "edge", capacity: "4 TB", service: "{kind: lognormal, median: 5 ms, sigma: 0.8}",
    serviceSource: "parameters.md section 7", in: \CacheTierConfiguration.self,
    extra: [
      .elsewhere(
        "slowStartAfterIdle", .boolean, default: "true",
        "Whether the window that an edge's server keeps for a connection decays while it idles",
        source: "RFC 2861; Linux's default (tcp_slow_start_after_idle), which servers may turn off")
    ])

  private static let regionalCache = tier(
    "regional cache", capacity: "20 TB", service: "5 ms", serviceSource: "assumed",
    in: \RegionalConfiguration.tier, extra: regional)

  private static let originShield = tier(
    "shield", capacity: "40 TB", service: "5 ms", serviceSource: "assumed",
    in: \CacheTierConfiguration.self, extra: shield)

  static let cdn = Section<CDNConfiguration>([
    .key("edges", .integer(1...1000), default: "1", "Edge POPs that are simulated", to: \.edges),
    .key(
      "edgesBehindShield", .integer(1...100_000), default: "10",
      "Edge POPs of the same size behind the shared tiers, the simulated ones included",
      to: \.edgesBehindShield),
    .built("edge", .kinds(edge.kinds), default: "{kind: lru}", "Cache of an edge POP") {
      $0.edge = edge.filled(.unread, from: $1, by: &$2)
    },
    .built(
      "regional", .optional(.kinds(regionalCache.kinds)), default: "none",
      "Regional caches between the edges and the shield or origin", source: "SIG-021"
    ) { made, part, builder in
      if part.isNone() { return }
      made.regional = regionalCache.filled(
        RegionalConfiguration(count: 1, tier: .unread), from: part, by: &builder)
    },
    .built(
      "shield", .optional(.kinds(originShield.kinds)), default: "{kind: lru}",
      "Origin shield; none: the tier before goes to the origin", source: "SIG-021"
    ) { made, part, builder in
      if part.isNone() { return }
      made.shield = originShield.filled(.unread, from: part, by: &builder)
      made.shieldRegion = .read(part.at("inRegion"), by: &builder)
    },
    .key(
      "edgeToShield", .law(.time), default: "{kind: uniform, min: 20 ms, max: 60 ms}",
      "Round trip between an edge and the next tier", source: "parameters.md section 7",
      to: \.edge.upstream.roundTrip),
    .key(
      "backhaulFloor", .time(times), default: "10 ms",
      "Least round trip from an edge or a regional cache to the next tier",
      source: "contract.md section 8: a constant propagation floor; value assumed"
    ) { made, value in
      made.edge.upstream.floor = value.span()
      made.regional?.tier.upstream.floor = value.span()
    },
    .key(
      "originFirstByte", .law(.time), default: "{kind: lognormal, median: 120 ms, sigma: 0.35}",
      "Origin's time to first byte", source: "parameters.md section 7", to: \.origin.firstByte),
    .part("origin", origin, "The origin's limits and failures", to: \.origin),
    .built(
      "start", .kinds(starts.kinds), default: "{kind: stationary}", "How the caches start"
    ) { made, part, builder in
      made.start = starts.value(part).start
      made.warmUp = builder.warmUp
    },
    .part("ttl", ttl, "Cache-Control by asset class (SIG section 6)", to: \.self),
    .kind(
      "cacheKey", cacheKeys, default: "{kind: path}", "What caches tell objects apart by",
      source: "SIG-040, SIG-041", to: \.cacheKey),
    .built(
      "purges", .list(.object(purge), count: 0...1000), default: "[]",
      "Times at which every tier loses its copies"
    ) { made, part, builder in made.purges = builder.purges(part) },
    .built(
      "providers", .list(.object(provider.object), count: 0...CDNProvider.maximumCount),
      default: "[]",
      "Several providers, each with edges and shared tiers of its own before the one origin; none:"
        + " one"
    ) { made, part, builder in
      made.providers = part.elements().map {
        provider.filled(CDNProvider(share: 0), from: $0, by: &builder)
      }
    },
    .built(
      "switching", .kinds(switching.kinds), default: "{kind: fixed}",
      "How viewers choose among providers"
    ) { made, part, builder in
      made.switching = switching.filled(ProviderSwitching(), from: part, by: &builder)
    },
  ])

  /// How caches start, and how long an audience warms them.
  static let starts = PluginFamily<
    (start: CacheStart, warmUp: @Sendable (ResolvedTree) -> TimeSpan)
  >([
    .init(
      "stationary", "Contents and ages as a long run would have left them",
      value: (.stationary, { _ in .zero })),
    .init("cold", "Empty", value: (.cold, { _ in .zero })),
    .init(
      "warmed", "Empty, with an audience for a while before anything is measured",
      [Field("period", .time(1...longest), default: "2 h", "Length of the warm-up")],
      value: (.cold, { $0.span("period") })),
    .init(
      "everything", "All objects present and fresh: a bound", value: (.everything, { _ in .zero })),
  ])

  static let cacheKeys = PluginFamily<@Sendable (ResolvedTree) -> CacheKeyRule>([
    .init("path", "The path alone") { _ in .path },
    .init(
      "query", "The path and a query",
      [
        Field(
          "values", .integer(1...1_000_000), default: "8",
          "How many values the query has, such as versions of the app")
      ]
    ) { .query(values: UInt32($0.integer("values"))) },
    .init("session", "The path and what no two sessions share, such as a signature") { _ in
      .session
    },
  ])

  // MARK: Origin

  private static let origin = Section<OriginConfiguration>([
    .key(
      "concurrency", .optional(.integer(1...1_000_000)), default: "none",
      "Requests served at once; the others wait in order of arrival", to: \.concurrency),
    .key(
      "requestsPerSecond", .optional(.real(.positive)), default: "5500",
      "Beyond it the origin answers 503 Slow Down",
      source: "Amazon S3: 5,500 GET a second and prefix; the feed's objects taken as one prefix",
      to: \.requestRate),
    .key(
      "slowDownTime", .time(times), default: "10 ms", "How soon that 503 comes",
      to: \.slowDownTime),
    .built(
      "outages", .list(.kinds(originOutages.kinds), count: 0...100), default: "[]",
      "Times at which the origin fails", source: "SIG-067"
    ) { made, part, builder in made.outages = builder.outages(part) },
  ])

  static let originOutages = PluginFamily<OriginOutage.Kind>([
    outage("error", "Answers 503 after its usual time", .error),
    outage("timeout", "Takes requests and does not answer", .timeout),
    outage("unreachable", "Takes no connections", .unreachable),
  ])

  private static func outage(
    _ word: String, _ summary: String, _ kind: OriginOutage.Kind
  ) -> PluginFamily<OriginOutage.Kind>.Row {
    .init(word, summary, outageTimes, value: kind)
  }

  /// When an outage is, of the origin or of a provider.
  static let outageTimes = [
    Field(
      "from", .time(0...longest), default: .required, "Its begin, from the end of the warm-up",
      source: "the file"),
    Field(
      "length", .time(1...longest), default: .required, "How long it lasts", source: "the file"),
  ]

  // MARK: Lifetimes

  private static let purge = ObjectShape([
    Field(
      "at", .time(0...longest), default: .required, "When, from the end of the warm-up",
      source: "the file"),
    Field(
      "classes", .list(.word(assetClasses.words), count: 1...4),
      default: "[mediaManifest, playlists, segments, images]", "Whose copies"),
  ])

  /// The keys of `cdn.ttl` and the classes that each stands for.
  static let assetClasses = Choice<[AssetClass]>([
    .init("mediaManifest", "media_manifest.json", value: [.mediaManifest]),
    .init("playlists", "master and media playlists", value: [.masterPlaylist, .mediaPlaylist]),
    .init("segments", "init and media segments", value: [.initSegment, .segment]),
    .init("images", "posters, sprites and storyboards", value: [.poster, .vtt, .sprite]),
  ])

  /// The period at whose multiples copies expire together; zero for none.
  static let expiries = PluginFamily<@Sendable (ResolvedTree) -> TimeSpan>([
    .init("relative", "A copy expires max-age after it left the origin") { _ in .zero },
    .init(
      "synchronised", "Copies expire together, whatever max-age says",
      [
        Field(
          "period", .time(1...longest), default: "60 s",
          "At multiples of this on the simulation's clock")
      ]
    ) { $0.span("period") },
  ])

  /// What the keys of a class of objects say.
  private struct Lifetime: Sendable {
    var directives = CacheDirectives(options: .isPublic)
    var rule = AssetRule()
  }

  private static func lifetime(
    maxAge: String, stale: String, immutable: String, _ source: String
  ) -> Section<Lifetime> {
    Section([
      .key(
        "maxAge", .time(times), default: .text(maxAge), "max-age", source: source,
        to: \.directives.maxAge),
      .key(
        "staleWhileRevalidate", .time(times), default: .text(stale),
        "stale-while-revalidate; zero for none", source: source,
        to: \.directives.staleWhileRevalidate),
      .key(
        "staleIfError", .time(times), default: .text(stale), "stale-if-error; zero for none",
        source: source, to: \.directives.staleIfError),
      .key("immutable", .boolean, default: .text(immutable), "immutable", source: source) {
        if $1.boolean() { $0.directives.options.insert(.immutable) }
      },
      .key(
        "cacheable", .boolean, default: "true",
        "false: the answers are no-store, whatever else is said here", to: \.rule.isCacheable),
      .key(
        "jitter", .ratio, default: "0",
        "Spreads max-age uniformly by this share to both sides, for each fetch from the origin",
        to: \.rule.jitter),
      .kind(
        "expiry", expiries, default: "{kind: relative}", "When copies expire",
        to: \.rule.synchronisedTo),
    ])
  }

  /// The lifetimes of classes of objects, as the word of ``assetClasses`` has them.
  private static func asset(
    _ word: String, _ summary: String, _ section: Section<Lifetime>,
    in places: [Section<AssetTTL.Configuration>.Place<CacheDirectives>]
  ) -> Section<CDNConfiguration>.Row {
    .built(word, .object(section.object), default: "{}", summary) { made, part, builder in
      let said = section.filled(Lifetime(), from: part, by: &builder)
      for name in assetClasses.value(of: word) { made.assetRules[Int(name.rawValue)] = said.rule }
      for place in places { made.assetTTL.configuration[keyPath: place] = said.directives }
    }
  }

  private static let ttl = Section<CDNConfiguration>([
    asset(
      "mediaManifest", "media_manifest.json",
      lifetime(maxAge: "60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-065"),
      in: [\.mediaManifest]),
    asset(
      "playlists", "Master and media playlists",
      lifetime(maxAge: "60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-066"),
      in: [\.masterPlaylist, \.mediaPlaylist]),
    asset(
      "segments", "Init and media segments",
      lifetime(maxAge: "30 d", stale: "0", immutable: "true", "SIG-063"),
      in: [\.initSegment, \.segment]),
    asset(
      "images", "Posters, sprites and storyboards",
      lifetime(maxAge: "365 d", stale: "0", immutable: "true", "SIG-062"),
      in: [\.poster, \.vtt, \.sprite]),
  ])
}
