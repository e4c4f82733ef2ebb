import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// The feed API: one law for its answers, or the ranker behind it by itself.
extension ScenarioTable {
  private static let source = "parameters.md section 13"

  static let feed = Section<FeedConfiguration>([
    .key(
      "latency", .law(.time), default: "{kind: lognormal, median: 18 ms, sigma: 0.4}",
      "Feed API: request's arrival to first byte",
      source: "assumed; its parts in parameters.md section 13 take 13 ms",
      to: \.feedLatency),
    .key(
      "bytesPerItem", .bytes(1...largestObject), default: "350 B", "Bytes of one item in a page",
      to: \.feedBytesPerItem),
    .optional(
      "ranker", ranker, "The ranker by itself and its fallback, instead of latency",
      source: "SIG-009",
      of: RankerConfiguration(
        fallback: RankerFallback.Configuration(), isAtClient: false, latency: .unread,
        slowShare: 0, slowFactor: 1, overhead: .zero), to: \.client.ranker),
    .built(
      "exploration", .optional(.object(exploration.object)), default: "none",
      "Items of every page that explore the catalogue", source: "SIG-071"
    ) { made, part, builder in
      if !part.isNone() { exploration.fill(&made.client, from: part, by: &builder) }
    },
  ])

  /// Whether the deadline is the app's.
  static let rankerPlaces = Choice<Bool>([
    .init("server", "the deadline is the feed API's, for the ranker alone", value: false),
    .init("client", "the deadline is the app's, from the request on", value: true),
  ])

  private static let ranker = Section<RankerConfiguration>([
    .key(
      "deadline", .time(0...longest), default: "30 ms", "Then the page comes from Trending",
      source: "SIG-009", to: \.fallback.deadline),
    .word("at", rankerPlaces, default: "server", "Whose deadline it is", to: \.isAtClient),
    .key(
      "latency", .law(.time), default: "{kind: lognormal, median: 9 ms, sigma: 0.35}",
      "Time of the ranker", source: source, to: \.latency),
    .key(
      "slowShare", .ratio, default: "0.003", "Share of slow calls", source: source,
      to: \.slowShare),
    .key(
      "slowFactor", .real(RealRange(1, 1000)), default: "8", "How much slower they are",
      source: source, to: \.slowFactor),
    .key(
      "overhead", .time(0...longest), default: "4500 us", "Time of the feed API beside it",
      source: source + ": 1.5 ms of metadata, 3 ms of glue", to: \.overhead),
  ])

  private static let exploration = Section<ClientConfiguration>([
    .key(
      "share", .ratio, default: "0.15", "Share of a page", source: "SIG-071: 10 to 20 %"
    ) { made, value in
      // A share outside of the bounds is wanted as it is: the bounds are those of the requirement.
      let share = value.ratio()
      made.exploration = ExplorationMixer(
        ExplorationMixer.Configuration(
          share: share, least: min(0.1, share), largest: max(0.2, share)))
    },
    .key(
      "from", .ratio, default: "0.5",
      "They are drawn evenly from the titles beyond this share of the ranks",
      to: \.explorationFrom),
  ])
}
