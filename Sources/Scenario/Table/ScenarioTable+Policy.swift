import FeedPolicy

extension ScenarioTable {
  static let policy = ObjectShape([
    Field("pool", .object(pool), default: "{}", "Players"),
    Field("prefetch", .kinds(prefetchFamilies.kinds), default: "{kind: head}", "Prefetch"),
    Field("startupCap", .object(startupCap), default: "{}", "Bit rate cap at the start"),
    Field(
      "abr", .kinds(bitrateRules.kinds), default: "{kind: throughput}",
      "Choice of the rung, segment by segment"),
    Field(
      "initialEstimate", .bitRate(1...highestRate), default: "4300 kbps",
      "Throughput estimate before any measurement",
      source: "parameters.md section 1.4: Media3, Wi-Fi, best group"),
    Field("player", .kinds(players.kinds), default: "{kind: default}", "Buffering"),
    Field("feed", .object(feedPolicy), default: "{}", "Paging"),
  ])

  static let pool = ObjectShape([
    Field("size", .integer(1...16), default: "3", "Players", source: "SIG-022"),
    Field(
      "ahead", .integer(0...10), default: "1", "Items ahead that get a player",
      source: "SIG-023"),
    Field(
      "behind", .integer(0...4), default: "1", "Items behind that keep one", source: "SIG-024"),
  ])

  static let startupCap = ObjectShape([
    Field(
      "rate", .optional(.bitRate(1...highestRate)), default: "600 kbps",
      "Most bit rate until release; none for no cap", source: "SIG-026, SIG-027"),
    Field(
      "release", .kinds(releases.kinds), default: "{kind: played}", "When the cap is lifted",
      source: "SIG-028"),
  ])

  static let releases = PluginFamily<@Sendable (ResolvedTree) -> ReleaseRule>([
    .init("first-frame", "With the first frame") { _ in .firstFrame },
    .init(
      "played", "After media was played",
      [Field("length", .time(times), default: "2 s", "Media played", source: "SIG-028")]
    ) { .played($0.span("length")) },
    .init(
      "buffer", "Once enough is buffered",
      [Field("length", .time(times), default: "4 s", "Media ahead", source: "SIG-028")]
    ) { .buffer($0.span("length")) },
    .init(
      "segments", "After segments were loaded",
      [Field("count", .integer(0...1000), default: "2", "Segments", source: "SIG-028")]
    ) { .segments(Int($0.integer("count"))) },
    .init(
      "stable-throughput", "Once the throughput samples agree",
      [
        Field(
          "spread", .real(.nonNegative), default: "0.3", "(largest - smallest) / median",
          source: "SIG-028; value assumed")
      ]
    ) { .stableThroughput(spread: $0.real("spread")) },
  ])

  static let feedPolicy = ObjectShape([
    Field(
      "pageSize", .integer(1...1000), default: "10", "Items of a feed page",
      source: "SIG-047: 5, 10 or 20"),
    Field(
      "pageTrigger", .integer(0...1000), default: "4", "Items left that trigger the next page",
      source: "SIG-047: 2, 4 or 6"),
  ])
}
