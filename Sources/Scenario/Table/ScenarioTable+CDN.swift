import CachePolicy
import MediaUnits
import Models

extension ScenarioTable {
  /// The longest time that a scenario may name: 100 days.
  private static let longest: Int64 = 8_640_000_000_000_000

  static let cdn = ObjectShape([
    Field("edges", .integer(1...1000), default: "1", "Edge POPs that are simulated"),
    Field(
      "edgesBehindShield", .integer(1...100_000), default: "10",
      "Edge POPs of the same size behind the shared tiers, the simulated ones included"),
    Field(
      "edge",
      .kinds(
        tier(
          "edge", capacity: "4 TB", service: "{kind: lognormal, median: 5 ms, sigma: 0.8}",
          serviceSource: "parameters.md section 7")), default: "{kind: lru}",
      "Cache of an edge POP"),
    Field(
      "regional",
      .optional(
        .kinds(
          tier(
            "regional cache", capacity: "20 TB", service: "5 ms", serviceSource: "assumed",
            extra: regional))), default: "none",
      "Regional caches between the edges and the shield or origin", source: "SIG-021"),
    Field(
      "shield",
      .optional(
        .kinds(
          tier(
            "shield", capacity: "40 TB", service: "5 ms", serviceSource: "assumed",
            extra: shield))), default: "{kind: lru}",
      "Origin shield; none: the tier before goes to the origin", source: "SIG-021"),
    Field(
      "edgeToShield", .law(.time), default: "{kind: uniform, min: 20 ms, max: 60 ms}",
      "Round trip between an edge and the next tier", source: "parameters.md section 7"),
    Field(
      "backhaulFloor", .time(times), default: "10 ms",
      "Least round trip from an edge or a regional cache to the next tier",
      source: "contract.md section 8: a constant propagation floor; value assumed"),
    Field(
      "originFirstByte", .law(.time), default: "{kind: lognormal, median: 120 ms, sigma: 0.35}",
      "Origin's time to first byte", source: "parameters.md section 7"),
    Field("origin", .object(origin), default: "{}", "The origin's limits and failures"),
    Field("start", .kinds(starts.kinds), default: "{kind: stationary}", "How the caches start"),
    Field("ttl", .object(ttl), default: "{}", "Cache-Control by asset class (SIG section 6)"),
    Field(
      "cacheKey", .kinds(cacheKeys.kinds), default: "{kind: path}",
      "What caches tell objects apart by",
      source: "SIG-040, SIG-041"),
    Field(
      "purges", .list(.object(purge), count: 0...1000), default: "[]",
      "Times at which every tier loses its copies"),
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

  private static let origin = ObjectShape([
    Field(
      "concurrency", .optional(.integer(1...1_000_000)), default: "none",
      "Requests served at once; the others wait in order of arrival"),
    Field(
      "requestsPerSecond", .optional(.real(.positive)), default: "5500",
      "Beyond it the origin answers 503 Slow Down",
      source: "Amazon S3: 5,500 GET a second and prefix; the feed's objects taken as one prefix"),
    Field("slowDownTime", .time(times), default: "10 ms", "How soon that 503 comes"),
    Field(
      "outages",
      .list(.kinds(originOutages.kinds), count: 0...100), default: "[]",
      "Times at which the origin fails",
      source: "SIG-067"),
  ])

  static let originOutages = PluginFamily<OriginOutage.Kind>([
    outage("error", "Answers 503 after its usual time", .error),
    outage("timeout", "Takes requests and does not answer", .timeout),
    outage("unreachable", "Takes no connections", .unreachable),
  ])

  private static func outage(
    _ word: String, _ summary: String, _ kind: OriginOutage.Kind
  ) -> PluginFamily<OriginOutage.Kind>.Row {
    .init(
      word, summary,
      [
        Field(
          "from", .time(0...longest), default: .required, "Its begin, from the end of the warm-up",
          source: "the file"),
        Field(
          "length", .time(1...longest), default: .required, "How long it lasts",
          source: "the file"),
      ], value: kind)
  }

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

  static func asset(_ maxAge: String, stale: String, immutable: String, _ source: String)
    -> ObjectShape
  {
    ObjectShape([
      Field("maxAge", .time(times), default: .text(maxAge), "max-age", source: source),
      Field(
        "staleWhileRevalidate", .time(times), default: .text(stale),
        "stale-while-revalidate; zero for none", source: source),
      Field(
        "staleIfError", .time(times), default: .text(stale), "stale-if-error; zero for none",
        source: source),
      Field("immutable", .boolean, default: .text(immutable), "immutable", source: source),
      Field(
        "cacheable", .boolean, default: "true",
        "false: the answers are no-store, whatever else is said here"),
      Field(
        "jitter", .ratio, default: "0",
        "Spreads max-age uniformly by this share to both sides, for each fetch from the origin"),
      Field(
        "expiry", .kinds(expiries.kinds), default: "{kind: relative}", "When copies expire"),
    ])
  }

  static let ttl = ObjectShape([
    Field(
      "mediaManifest",
      .object(asset("60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-065")),
      default: "{}", "media_manifest.json"),
    Field(
      "playlists", .object(asset("60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-066")),
      default: "{}", "Master and media playlists"),
    Field(
      "segments", .object(asset("30 d", stale: "0", immutable: "true", "SIG-063")),
      default: "{}", "Init and media segments"),
    Field(
      "images", .object(asset("365 d", stale: "0", immutable: "true", "SIG-062")),
      default: "{}", "Posters, sprites and storyboards"),
  ])
}
