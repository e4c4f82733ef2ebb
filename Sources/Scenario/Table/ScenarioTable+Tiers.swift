import CachePolicy
import ForeignPolicies
import MediaUnits
import Models

/// The keys of a cache tier.
extension ScenarioTable {
  private typealias TierRow = Section<CacheTierConfiguration>.Row

  /// One kind for each rule of eviction, all with the same keys beside the rule's own.
  /// - Parameters:
  ///   - place: where the tier stands in what its keys configure.
  ///   - extra: keys of this tier only.
  static func tier<Model>(
    _ word: String, capacity: String, service: String, serviceSource: String,
    in place: Section<Model>.Place<CacheTierConfiguration>, extra: [Section<Model>.Row] = []
  ) -> PluginFamily<Section<Model>> {
    let common = store(word, capacity) + requests + freshness + upstream
    let time = TierRow.key(
      "serviceTime", .law(.time), default: .text(service),
      "Request's arrival to first byte of a hit", source: serviceSource, to: \.serviceTime)
    let shared =
      common.map { .part($0, in: place) } + extra + [Section<Model>.Row.part(time, in: place)]
    return PluginFamily(
      evictions.rows.map { eviction in
        let own = eviction.kind.object.fields.map { Section<Model>.Row(field: $0) { _, _, _ in } }
        return .init(
          eviction.kind.word, eviction.kind.summary,
          Section(own + shared) { made, part, _ in
            made[keyPath: place].eviction = eviction.value(part)
            made[keyPath: place].collapsing.mode = collapsing.value(part, "collapsing")(
              part.at("lock"))
          })
      })
  }

  private static func store(_ word: String, _ capacity: String) -> [TierRow] {
    [
      .key(
        "capacity", .optional(.bytes(1...largestStore)), default: .text(capacity),
        "Bytes of one \(word); none for no limit",
        source: "parameters.md section 7: sweep 0.1 to 10 TB"
      ) { $0.capacity = $1.optionalBytes().map { ByteCount($0) } ?? .unlimited },
      .built(
        "admission", .kinds(admissions.kinds), default: "{kind: all}",
        "What enters the cache at all"
      ) { made, part, builder in
        switch admissions.value(part) {
        case .shipped(let row): made.admission = row.build(part)
        case .external(let rule):
          if let process = builder.externalRule(rule, part) {
            made.admission = .rule(ForeignAdmission(process))
          }
        case .packaged(let package):
          made.admission = .rule(ForeignAdmission(package.decider(part.values(of: package.row))))
        }
      },
    ]
  }

  /// Which requests wait for others, by the tier's `lock`.
  static let collapsing = Choice<@Sendable (ResolvedTree) -> CollapsingMachine.Mode>([
    .init("none", "every request goes forward") { _ in .none },
    .init("absent-only", "requests for an absent object wait for the first one") { lock in
      .absentOnly(
        CollapsingMachine.Lock(
          timeout: lock.span("timeout"), age: lock.span("age"), poll: lock.span("poll")))
    },
    .init("full", "revalidations too") { _ in .full },
  ])

  static let revalidations = Choice<CollapsingMachine.Revalidation>([
    .init("background", "everybody is served stale", value: .background),
    .init("foreground", "the first request waits", value: .foreground),
  ])

  static let staleOnFailure = Choice<CacheFreshness.StaleOnFailure>([
    .init("never", "no", value: .never),
    .init(
      "when-unreachable", "within stale-if-error, when there was no answer",
      value: .whenUnreachable),
    .init("within-window", "within stale-if-error", value: .withinWindow),
    .init("always", "also without stale-if-error", value: .always),
  ])

  private static let requests: [TierRow] = [
    .elsewhere(
      "collapsing", .word(collapsing.words), default: "full",
      "Which requests wait for one that is under way",
      source: "parameters.md section 7, caches.md section 5"),
    .elsewhere("lock", .object(lock), default: "{}", "The lock of absent-only"),
    .word(
      "revalidation", revalidations, default: "background",
      "Who waits within stale-while-revalidate", source: "RFC 5861 section 3; nginx has foreground",
      to: \.collapsing.revalidation),
    .word(
      "staleOnFailure", staleOnFailure, default: "within-window",
      "Whether a failure is answered with a stale copy",
      source: "RFC 5861 section 4; CloudFront has always, Varnish never",
      to: \.collapsing.staleOnFailure),
    .key(
      "hitForMiss", .time(0...longest), default: "120 s",
      "For how long an uncacheable answer stops collapsing; full only",
      source: "Varnish, vcl_beresp_hitmiss", to: \.collapsing.hitForMiss),
  ]

  private static let lock = ObjectShape([
    Field(
      "timeout", .time(0...longest), default: "5 s",
      "How long a request waits before it goes forward by itself",
      source: "nginx, proxy_cache_lock_timeout"),
    Field(
      "age", .time(0...longest), default: "5 s", "How long a fetch keeps the lock",
      source: "nginx, proxy_cache_lock_age"),
    Field(
      "poll", .time(1...longest), default: "500 ms", "How often a request that waits looks again",
      source: "nginx, ngx_http_file_cache_lock"),
  ])

  static let tierTTLs = PluginFamily(
    shippedTierTTLs, .lifetime, PolicyPackages.installed.lifetime)

  static let shippedTierTTLs: [PluginFamily<@Sendable (ResolvedTree) -> TierTTL>.Row] = [
    .init("rfc9111", "As the origin says") { _ in .rfc9111 },
    .init(
      "cloudfront", "Within the limits of an Amazon CloudFront behaviour",
      [
        Field("minimum", .time(0...longest), default: "0", "Minimum TTL"),
        Field("default", .time(0...longest), default: "1 d", "Default TTL"),
        Field("maximum", .time(times), default: "365 d", "Maximum TTL"),
        Field(
          "error", .time(0...longest), default: "10 s",
          "For how long at least an error is repeated"),
      ]
    ) { part in
      .cloudFront(
        CloudFrontProfile(
          minimumTTL: part.span("minimum"), defaultTTL: part.span("default"),
          maximumTTL: part.span("maximum"), errorCachingMinimumTTL: part.span("error")))
    },
  ]

  /// Whether the age of an answer counts.
  static let ages = Choice<Bool>([
    .init("inherited", "the answer's Age counts", value: true),
    .init("fresh", "every answer starts anew", value: false),
  ])

  private static let freshness: [TierRow] = [
    .built(
      "ttl", .kinds(tierTTLs.kinds), default: "{kind: rfc9111}", "How long answers are kept",
      source: "caches.md section 4.2"
    ) { made, part, builder in
      switch tierTTLs.value(part) {
      case .shipped(let rule): made.ttl = rule(part)
      case .external(let rule):
        if let process = builder.externalRule(rule, part) {
          made.ttl = .rule(ForeignLifetime(process))
        }
      case .packaged(let package):
        made.ttl = .rule(ForeignLifetime(package.decider(part.values(of: package.row))))
      }
    },
    .word(
      "age", ages, default: "inherited", "How old an answer is on arrival",
      source: "RFC 9111 section 4.2.3; nginx has fresh", to: \.inheritsAge),
  ]

  /// Round trips of a new connection.
  static let upstreamHandshakes = Choice<Int64>([
    .init("tcp", "one round trip", value: 1), .init("tcp+tls13", "two", value: 2),
    .init("tcp+tls12", "three", value: 3), .init("none", "no", value: 0),
  ])

  private static let upstream: [TierRow] = [
    .key(
      "keepAlive", .optional(.time(0...longest)), default: "60 s",
      "How long an idle connection to the next tier stays open; none: for ever",
      source: "nginx, keepalive_timeout of an upstream"
    ) { $0.upstream.keepAlive = $1.optionalSpan() ?? .max },
    .word(
      "handshake", upstreamHandshakes, default: "tcp+tls13",
      "What a new connection to the next tier costs", source: "RFC 9293, RFC 8446",
      to: \.upstream.handshakeRoundTrips),
    .key(
      "connectTimeout", .time(1...longest), default: "10 s",
      "How long a connection to the origin is waited for",
      source: "caches.md section 4.2: CloudFront", to: \.upstream.connectTimeout),
    .key(
      "responseTimeout", .time(1...longest), default: "30 s",
      "How long an answer of the origin is waited for", source: "caches.md section 4.2: CloudFront",
      to: \.upstream.responseTimeout),
    .key(
      "attempts", .integer(1...10), default: "3",
      "How often the origin is asked before a fetch has failed for want of an answer",
      source: "caches.md section 4.2: CloudFront", to: \.upstream.attempts),
  ]

  static let regional: [Section<RegionalConfiguration>.Row] = [
    .key(
      "count", .integer(1...16), default: "1", "Regions; the edges are dealt to them in turn",
      to: \.count),
    .key(
      "skippedInOriginRegion", .boolean, default: "false",
      "Whether the edges of region 0, the origin's, go past their regional cache",
      source: "caches.md section 4.2: CloudFront before S3", to: \.isSkippedInOriginRegion),
    .key(
      "roundTrip", .law(.time), default: "{kind: uniform, min: 20 ms, max: 60 ms}",
      "Round trip to the next tier", to: \.tier.upstream.roundTrip),
  ]

  static let shield: [Section<CacheTierConfiguration>.Row] = [
    .elsewhere(
      "inRegion", .optional(.integer(0...15)), default: "none",
      "The region whose regional cache the shield is at the same time",
      source: "caches.md section 4.2"),
    .key(
      "roundTrip", .law(.time), default: "0",
      "Round trip to the origin, where originFirstByte does not contain it",
      to: \.upstream.roundTrip),
  ]
}

extension CacheTierConfiguration {
  /// A tier whose keys have yet to be read.
  static let unread = CacheTierConfiguration(
    capacity: .zero, serviceTime: .unread,
    upstream: UpstreamConfiguration(roundTrip: .unread, floor: .zero))
}
