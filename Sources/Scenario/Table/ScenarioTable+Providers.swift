import FeedPolicy
import MediaUnits
import Models

/// Several CDN providers: what each has otherwise than the others, and how viewers choose.
extension ScenarioTable {
  static let provider = Section<CDNProvider>([
    .elsewhere(
      "name", .text(.name), default: .required, "Value of the label provider", source: "the file"),
    .key(
      "share", .ratio, default: .required,
      "The part of the sessions that begin with it; all shares are 1 together", source: "the file",
      to: \.share),
    .key(
      "detour", .time(0...60_000_000_000), default: "0 s",
      "How much longer the round trip to its edges is than a viewer's usual one", to: \.detour),
    .key(
      "edgeCapacity", .optional(.bytes(1...largestStore)), default: "none",
      "Bytes of one of its edges; none for that of cdn.edge", to: \.edgeCapacity),
    .key(
      "shield", .boolean, default: "true",
      "Whether it has cdn.shield, where that is any; false: the tier before goes to the origin",
      to: \.hasShield),
    .key(
      "transferPerGB", .optional(.real(.nonNegative)), default: "none",
      "Price of a gigabyte to viewers; none for that of the price file, by volume",
      to: \.transferPerGB),
    .built(
      "outages", .list(.kinds(providerOutages.kinds), count: 0...100), default: "[]",
      "Times at which it fails, at all of its edges"
    ) { made, part, builder in made.outages = builder.providerOutages(part) },
  ])

  static let providerOutages = PluginFamily<@Sendable (ResolvedTree) -> ProviderOutage.Kind>([
    .init("error", "Its edges answer 503 at once", outageTimes) { _ in .error },
    .init("timeout", "Takes requests and does not answer", outageTimes) { _ in .timeout },
    .init("unreachable", "Takes no connections", outageTimes) { _ in .unreachable },
    .init(
      "slow", "First bytes come later",
      outageTimes + [
        Field(
          "by", .time(1...60_000_000_000), default: .required, "How much later",
          source: "the file")
      ]
    ) { .slow($0.span("by")) },
  ])

  // MARK: The choice

  private typealias ChoiceRow = Section<ProviderSwitching>.Row

  /// How viewers choose among providers; what each kind adds to the one before stands in it.
  static let switching = PluginFamily<Section<ProviderSwitching>>([
    .init(
      "fixed", "A session stays with its provider, whatever happens", choice(.fixed, [waiting])),
    .init(
      "failover", "What fails is asked of another at once; who fails is left for a while",
      choice(.failover, [waiting] + leaving)),
    .init(
      "measured", "As failover; who was measured to be faster is gone over to",
      choice(.measured, [waiting] + leaving + measuring)),
    .init(
      "steering", "As failover; and as a content steering manifest says, which leaves who fails",
      choice(.steered, [waiting] + leaving + steering)),
  ])

  private static func choice(
    _ rule: ProviderSwitch.Rule, _ rows: [ChoiceRow]
  ) -> Section<ProviderSwitching> {
    Section(rows) { made, _, _ in
      made.policy.rule = rule
      made.policy.limit = 64
    }
  }

  private static let waiting = ChoiceRow.key(
    "timeout", .time(1_000_000...600_000_000_000), default: "10 s",
    "How long a request is waited for that nobody answers",
    source: "hls.js, maxTimeToFirstByteMs of a fragment", to: \.timeout)

  private static let leaving: [ChoiceRow] = [
    .key(
      "failures", .integer(1...100), default: "2",
      "Failures in a row after which a provider is left", to: \.policy.failureLimit),
    .key(
      "penalty", .time(0...longest), default: "60 s", "For how long it is left",
      source: "HLS and DASH leave it to the client", to: \.policy.penalty),
    .key(
      "hedgeAfter", .optional(.time(1_000_000...600_000_000_000)), default: "none",
      "How long a first byte is waited for until another provider is asked as well; whose comes"
        + " first goes on",
      source: "Dean and Barroso, The Tail at Scale, CACM 56(2), 2013: at the 95th percentile",
      to: \.policy.hedgeAfter),
  ]

  private static let measuring: [ChoiceRow] = [
    .key(
      "gain", .real(RealRange(1, 100)), default: "1.5",
      "How many times as fast another one has to be", to: \.policy.gain),
    .key(
      "hold", .time(0...longest), default: "30 s", "Shortest time between two changes for speed",
      to: \.policy.hold),
    .key(
      "probeEvery", .integer(0...1_000_000), default: "20",
      "Of the segments fetched in advance every so many goes to another provider, to be measured"
        + " there; 0: none", to: \.policy.probeEvery),
  ]

  private static let steering: [ChoiceRow] = [
    .key(
      "lifetime", .time(1_000_000...longest), default: "300 s",
      "How long the manifest holds until it is read anew",
      source: "TTL: draft-pantos-hls-rfc8216bis section 7.2 recommends 300 s",
      to: \.steering.lifetime),
    .key(
      "delay", .time(0...longest), default: "60 s",
      "How long a provider fails, or works again, before the manifest says so",
      to: \.steering.delay),
  ]
}
