import FeedPolicy
import ForeignPolicies
import MediaUnits
import Models

/// What the app does beyond loading and playing, and what happens to it; all of it off by default.
extension ScenarioTable {
  private static let source = "parameters.md section "

  static let client = Section<ClientConfiguration>([
    .built(
      "gate", .kinds(readinessGates.kinds), default: "{kind: none}",
      "Whether a swipe may reach an item that has no frame yet", source: "REEL-003"
    ) { made, part, builder in
      switch readinessGates.value(part) {
      case .shipped(let rule): made.gate = rule(part)
      case .external(let rule): made.gateDecider = builder.externalRule(rule, part)
      case .packaged(let package): made.gateDecider = package.decider(part.values(of: package.row))
      }
    },
    .key(
      "snapRetry", .law(.time), default: "{kind: uniform, min: 600 ms, max: 1200 ms}",
      "From a snap back to the viewer's next swipe", to: \.snapRetry),
    .word(
      "placeholder", placeholders, default: "poster", "What covers an item without a frame",
      source: "SIG-078", to: \.placeholder),
    .built(
      "proximity", .optional(.object(proximity.object)), default: "none",
      "Players of neighbours load by their distance; none: only what the prefetch policy asks"
        + " for", source: "REEL-014"
    ) { made, part, builder in
      if part.isNone() { return }
      made.proximity = ProximityPolicy(proximity.filled(.init(), from: part, by: &builder))
    },
    .built(
      "end", .kinds(ends.kinds), default: "{kind: audience}", "What follows an item's end",
      source: "X-003"
    ) { made, part, builder in
      made.end = ends.value(part)(part)
      if part.hasKey("gap") { made.loopGap = .read(part.at("gap"), by: &builder) }
    },
    .built(
      "pauses", .list(.kinds(pauses.kinds), count: 0...20), default: "[]", "What pauses views"
    ) { made, part, builder in
      made.pauses = part.elements().map { pauses.filled(blankPause, from: $0, by: &builder) }
    },
    .key(
      "crashShare", .ratio, default: "0", "Probability per view that the process dies at once",
      to: \.crashShare),
    .optional(
      "telemetry", telemetry, "Events of views, posted to the feed's host; none: not sent",
      source: "SIG-048 to SIG-052", of: blankTelemetry, to: \.telemetry),
    .key(
      "segmentErrorShare", .ratio, default: "0",
      "Probability that an answer with a segment is an error", to: \.segmentErrorShare),
    .built(
      "retry", .kinds(retries.kinds), default: "{kind: player}", "What follows an error",
      source: "SIG-038, REEL-021"
    ) { made, part, builder in
      switch retries.value(part) {
      case .shipped(let rule): made.retry = rule(part)
      case .external(let rule): made.retryDecider = builder.externalRule(rule, part)
      case .packaged(let package): made.retryDecider = package.decider(part.values(of: package.row))
      }
    },
    .key(
      "tapDelay", .law(.time), default: "{kind: uniform, min: 1 s, max: 3 s}",
      "How long a viewer takes to tap on \"tap to retry\"", to: \.tapDelay),
    .word(
      "disk", diskRules, default: "shared", "How the device's disk cache shares its bytes",
      source: "VF-021, VF-022", to: \.diskRule),
    .word(
      "storyboard", storyboards, default: "layout", "How the app finds the sprite of a position",
      source: "SIG-034", to: \.readsStoryboards),
    .optional(
      "offline", offline, "What the app does while there is no network; none: requests wait",
      source: "VF-014", of: OfflineBehaviour(suspendsPrefetch: true, endsAtHole: false, horizon: 0),
      to: \.offline),
  ])

  static let placeholders = Choice<ClientConfiguration.Placeholder>([
    .init("poster", "its poster, once that is there", value: .poster),
    .init("black", "nothing", value: .black),
  ])

  static let diskRules = Choice<DeviceCacheRule>([
    .init("shared", "one LRU for everything", value: .shared),
    .init(
      "categories", "media, and a tenth of the bytes for everything else", value: .categories),
    .init(
      "segmented", "four fifths for what was used, the rest for what is prefetched",
      value: .segmented),
    .init("prefixes", "half of the bytes for the starts of titles", value: .prefixes),
  ])

  /// Whether sprites are found by the storyboard's text.
  static let storyboards = Choice<Bool>([
    .init("layout", "as the packager lays them out", value: false),
    .init("text", "by the storyboard's WebVTT, and not before that is there", value: true),
  ])

  static let readinessGates = PluginFamily(
    shippedGates, .gate, PolicyPackages.installed.gate)

  static let shippedGates:
    [PluginFamily<
      @Sendable (ResolvedTree) -> ReadinessGate.Configuration?
    >.Row] = [
      .init("none", "Every swipe reaches its item") { _ in nil },
      .init(
        "gate", "A swipe to an item without a frame is snapped back",
        [
          Field(
            "attempts", .optional(.integer(0...1000)), default: "3",
            "Snaps at one item after which the next swipe passes; none: never", source: "REEL-004"),
          Field(
            "timeout", .optional(.time(0...longest)), default: "2 s",
            "Time after the first snap after which the next swipe passes; none: never",
            source: "REEL-004; " + source + "6.4"),
          Field(
            "escape", .word(escapes.words), default: "let-through",
            "Where a swipe that passes goes",
            source: "REEL-004"),
        ]
      ) { part in
        ReadinessGate.Configuration(
          rule: .gate, attempts: part.optionalInteger("attempts").map { Int($0) } ?? .max,
          timeout: part.optionalSpan("timeout") ?? .max, escape: escapes.value(part, "escape"))
      },
    ]

  private static let escapes = Choice<ReadinessGate.Escape>([
    .init("let-through", "to its item, which is covered", value: .letThrough),
    .init("skip", "to the nearest item beyond that has a frame", value: .skip),
  ])

  private static func setting(buffer: String, peak: String) -> Section<ProximitySetting> {
    Section([
      .key(
        "buffer", .time(0...longest), default: .text(buffer), "Media that is loaded",
        source: "REEL-017", to: \.forwardBuffer),
      .key(
        "peak", .optional(.bitRate(1...highestRate)), default: .text(peak), "Most bit rate",
        source: "REEL-017", to: \.peakBitRate),
    ])
  }

  private static let proximity = Section<ProximityPolicy.Configuration>([
    .key(
      "activeBuffer", .optional(.time(1...longest)), default: "none",
      "Media loaded ahead of the playhead; none: policy.player.forwardBuffer", source: "REEL-017"
    ) { $0.active.forwardBuffer = $1.optionalSpan() ?? .max },
    .part(
      "near", setting(buffer: "4 s", peak: "1100 kbps"), "Items at most nearDistance away",
      source: "REEL-017", to: \.near),
    .part(
      "far", setting(buffer: "1 s", peak: "400 kbps"), "Items with a player that are farther away",
      source: "REEL-017", to: \.far),
    .key(
      "nearDistance", .integer(0...16), default: "1", "Items on each side that are near",
      to: \.nearDistance),
    .kind(
      "adaptation", adaptations, default: "{kind: none}", "Whether neighbours follow the network",
      source: "REEL-028", to: \.adaptation),
  ])

  static let adaptations = PluginFamily<@Sendable (ResolvedTree) -> ProximityPolicy.Adaptation>([
    .init("none", "The settings as they are") { _ in .none },
    .init(
      "throughput", "Less for neighbours when the throughput is scarce",
      [
        Field(
          "from", .real(.nonNegative), default: "1.3",
          "Throughput over the current bit rate up to which they get nothing",
          source: source + "4.2: likely to keep up"),
        Field(
          "full", .real(.nonNegative), default: "3",
          "Throughput over the current bit rate from which they get all of it", source: "SIG-025"),
      ]
    ) { .throughput(from: $0.real("from"), full: $0.real("full")) },
  ])

  /// What follows an item's end; `nil`: what the audience does with it.
  static let ends = PluginFamily<@Sendable (ResolvedTree) -> PlaybackEnd?>([
    .init("audience", "As the audience watches: short items loop") { _ in nil },
    .init(
      "loop", "A seek to zero, and again, as long as the viewer stays: items of any length",
      [
        Field(
          "gap", .optional(.law(.time)), default: "none",
          "How long the last frame stays; none: as long as the device decodes a first frame",
          source: "REEL-006; " + source + "3 has decoding, no player's seek is published")
      ]
    ) { _ in .loop },
    .init("once", "The last frame stays") { _ in .once },
    .init(
      "preview", "Only the first part is played",
      [Field("length", .time(1...longest), default: "3 s", "The part", source: "VF-042")]
    ) { .preview($0.span("length")) },
  ])

  private static let blankPause = PauseBehaviour(
    reason: .background, share: 0, length: .unread, holdsLoading: false, killShare: 0)

  private static func pause(
    _ word: String, _ summary: String, share: String, length: String, holds: String,
    more: [Section<PauseBehaviour>.Row] = [], _ reason: PauseStack.Reason
  ) -> PluginFamily<Section<PauseBehaviour>>.Row {
    .init(
      word, summary,
      Section(
        [
          .key(
            "share", .ratio, default: .text(share), "Probability per view that plays", to: \.share),
          .key("length", .law(.time), default: .text(length), "How long it lasts", to: \.length),
          .key(
            "holdsLoading", .boolean, default: .text(holds),
            "Whether nothing is asked for meanwhile", source: "SIG-037, REEL-025",
            to: \.holdsLoading),
          .key(
            "killShare", .ratio, default: "0",
            "Probability that the app does not come back from it", to: \.killShare),
        ] + more
      ) { pause, _, _ in pause.reason = reason })
  }

  static let pauses = PluginFamily<Section<PauseBehaviour>>([
    pause(
      "background", "The app leaves the screen", share: "0.01",
      length: "{kind: lognormal, median: 20 s, sigma: 1.0}", holds: "true", .background),
    pause(
      "interruption", "A call, an alarm", share: "0.002",
      length: "{kind: lognormal, median: 10 s, sigma: 0.8}", holds: "true", .interruption),
    pause(
      "typing", "The viewer writes a message", share: "0.02",
      length: "{kind: lognormal, median: 8 s, sigma: 0.6}", holds: "false",
      more: [
        .key(
          "sentShare", .ratio, default: "1",
          "Probability that the message is sent; else it stays in the item's bar",
          source: "REEL-026", to: \.sentShare)
      ], .typing),
    pause(
      "low-end", "The device cannot render for a while", share: "0.005", length: "1 s",
      holds: "false", .lowEnd),
  ])

  static let flushRules = PluginFamily<@Sendable (ResolvedTree) -> TelemetryBatcher.FlushRule>([
    .init(
      "trailing", "When nothing was recorded for a while",
      [Field("quiet", .time(0...longest), default: "200 ms", "The while", source: "SIG-048")]
    ) { .trailing(quiet: $0.span("quiet")) },
    .init(
      "window", "So long after the first event",
      [Field("length", .time(0...longest), default: "2 s", "How long", source: "SIG-049")]
    ) { .window($0.span("length")) },
    .init(
      "bounded", "As trailing, with a longest wait and a largest batch",
      [
        Field("quiet", .time(0...longest), default: "200 ms", "The while", source: "SIG-048"),
        Field("longest", .time(0...longest), default: "2 s", "Longest wait", source: "SIG-049"),
        Field("count", .integer(1...10_000), default: "50", "Largest batch", source: "SIG-049"),
      ]
    ) { part in
      .bounded(
        quiet: part.span("quiet"), longest: part.span("longest"),
        count: Int(part.integer("count")))
    },
  ])

  static let deliveries = Choice<TelemetryBatcher.Delivery>([
    .init("drop", "a batch that fails is thrown away", value: .drop),
    .init("retry", "it is sent again", value: .retry),
    .init(
      "retry-with-numbers", "it is sent again, and the ingest drops repeats",
      value: .retryWithNumbers),
  ])

  private static let blankTelemetry = TelemetryConfiguration(
    batcher: TelemetryBatcher.Configuration(retry: RetryPolicy(asksAfterwards: false)),
    envelopeBytes: 0, eventBytes: 0, latency: .unread, failureShare: 0)

  private static let telemetry = Section<TelemetryConfiguration>([
    .kind(
      "flush", flushRules, default: "{kind: bounded}", "When a batch is due", source: "SIG-049",
      to: \.batcher.rule),
    .word(
      "delivery", deliveries, default: "retry-with-numbers", "What becomes of a batch that fails",
      source: "SIG-052", to: \.batcher.delivery),
    .key(
      "queueLimit", .integer(1...100_000), default: "500", "Events that wait at most",
      to: \.batcher.queueLimit),
    .key(
      "batchLimit", .integer(1...10_000), default: "50", "Events of a batch at most",
      source: "SIG-049", to: \.batcher.batchLimit),
    .key(
      "retries", .integer(0...100), default: "3", "Times that a batch is sent again",
      source: "REEL-021", to: \.batcher.retry.maximumRetries),
    .key(
      "envelopeBytes", .bytes(0...1_000_000), default: "400 B", "Bytes of a post's own",
      to: \.envelopeBytes),
    .key(
      "eventBytes", .bytes(1...1_000_000), default: "160 B", "Bytes of an event", to: \.eventBytes),
    .key(
      "latency", .law(.time), default: "{kind: uniform, min: 3 ms, max: 8 ms}",
      "Time of the ingest", source: source + "13", to: \.latency),
    .key(
      "failureShare", .ratio, default: "0",
      "Posts that fail: half are refused, of half only the answer is lost", source: "SIG-052",
      to: \.failureShare),
  ])

  /// What follows an error; `nil`: what the player always did.
  static let retries = PluginFamily(shippedRetries, .retry, PolicyPackages.installed.retry)

  static let shippedRetries: [PluginFamily<@Sendable (ResolvedTree) -> RetryPolicy?>.Row] = [
    .init("player", "The player asks again after 1, 2, 4, 8 s, as long as the item is wanted") {
      _ in nil
    },
    .init("none", "The item is given up") { _ in RetryPolicy(kind: .none) },
    .init(
      "backoff", "Asked again after waits that double, with jitter",
      [
        Field("first", .time(0...longest), default: "1 s", "First wait", source: "REEL-021"),
        Field("longest", .time(0...longest), default: "4 s", "Longest wait", source: "REEL-021"),
        Field(
          "jitter", .real(RealRange(0, 10)), default: "0.5", "Most jitter over the wait",
          source: "REEL-021; value assumed"),
        Field("retries", .integer(0...100), default: "3", "Times", source: "REEL-021"),
        Field(
          "asksAfterwards", .boolean, default: "true", "Whether the viewer is asked then",
          source: "SIG-038"),
      ]
    ) { part in
      RetryPolicy(
        kind: .backoff, firstWait: part.span("first"), longestWait: part.span("longest"),
        jitter: part.real("jitter"), maximumRetries: Int(part.integer("retries")),
        asksAfterwards: part.boolean("asksAfterwards"))
    },
    .init("tap", "The viewer is asked to tap") { _ in RetryPolicy(kind: .tap) },
  ]

  private static let offline = Section<OfflineBehaviour>([
    .key(
      "suspendsPrefetch", .boolean, default: "true", "Whether nothing is prefetched meanwhile",
      source: "VF-046", to: \.suspendsPrefetch),
    .key(
      "endsAtHole", .boolean, default: "false",
      "Whether an item ends where what is held of it ends, instead of stalling there",
      source: "VF-015", to: \.endsAtHole),
    .key(
      "horizon", .integer(0...10), default: "3",
      "Items after the current one that offline_playable_ratio looks at", to: \.horizon),
  ])
}
