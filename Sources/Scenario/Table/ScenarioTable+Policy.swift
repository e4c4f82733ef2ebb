import FeedPolicy
import ForeignPolicies
import MediaUnits
import Models

extension ScenarioTable {
  static let policy = Section<PolicyConfiguration>([
    .built("pool", .object(pool.object), default: "{}", "Players") { made, part, builder in
      pool.fill(&made.pool, from: part, by: &builder)
      let victim = part.at("victim")
      switch victims.value(victim) {
      case .shipped: break
      case .external(let rule): made.victimDecider = builder.externalRule(rule, victim)
      case .packaged(let package):
        made.victimDecider = package.decider(victim.values(of: package.row))
      }
    },
    .built("prefetch", .kinds(prefetchFamilies.kinds), default: "{kind: head}", "Prefetch") {
      made, part, builder in
      switch prefetchFamilies.value(part) {
      case .family(let family): made.prefetch = builder.prefetch(family, part, made.pool)
      case .external: builder.externalPrefetch(part, &made)
      case .packaged(let package): builder.packagedPrefetch(package, part, &made)
      }
      if part.hasKey("rung") {
        made.prefetchRung = part.optionalInteger("rung").map { RungIndex(UInt32($0)) }
      }
    },
    .built(
      "startupCap", .object(startupCap.object), default: "{}", "Bit rate cap at the start"
    ) { made, part, builder in
      startupCap.fill(&made.startupCap, from: part, by: &builder)
      let release = part.at("release")
      switch releases.value(release) {
      case .shipped(let rule): made.startupCap.release = rule(release)
      case .external(let rule): made.releaseDecider = builder.externalRule(rule, release)
      case .packaged(let package):
        made.releaseDecider = package.decider(release.values(of: package.row))
      }
    },
    .built(
      "abr", .kinds(bitrateRules.kinds), default: "{kind: throughput}",
      "Choice of the rung, segment by segment"
    ) { made, part, builder in
      switch bitrateRules.value(part) {
      case .shipped(let row): made.bitrate = row.build(part)
      case .external(let rule): made.bitrateDecider = builder.externalRule(rule, part)
      case .packaged(let package):
        made.bitrateDecider = package.decider(part.values(of: package.row))
      }
    },
    .key(
      "initialEstimate", .bitRate(1...highestRate), default: "4300 kbps",
      "Throughput estimate before any measurement",
      source: "parameters.md section 1.4: Media3, Wi-Fi, best group", to: \.initialEstimate),
    .built("player", .kinds(players.kinds), default: "{kind: default}", "Buffering") {
      made, part, builder in
      made = players.filled(made, from: part, by: &builder)
    },
    .part("feed", paging, "Paging", to: \.self),
  ])

  private static let pool = Section<PlayerPool.Configuration>([
    .key("size", .integer(1...16), default: "3", "Players", source: "SIG-022", to: \.size),
    .key(
      "ahead", .integer(0...10), default: "1", "Items ahead that get a player", source: "SIG-023",
      to: \.ahead),
    .key(
      "behind", .integer(0...4), default: "1", "Items behind that keep one", source: "SIG-024",
      to: \.behind),
    .elsewhere(
      "victim", .kinds(victims.kinds), default: "{kind: farthest}",
      "Which player gives way to an item that has none", source: "SIG-022", isSaidAtDefault: false),
  ])

  private static let victims = PluginFamily(
    shippedVictims, .victim, PolicyPackages.installed.victim)

  static let shippedVictims: [PluginFamily<Void>.Row] = [
    .init(
      "farthest", "The one whose item is farthest, those outside ahead and behind first", value: ())
  ]

  private static let startupCap = Section<BitrateCap.Configuration>([
    .key(
      "rate", .optional(.bitRate(1...highestRate)), default: "600 kbps",
      "Most bit rate until release; none for no cap", source: "SIG-026, SIG-027", to: \.rate),
    .elsewhere(
      "release", .kinds(releases.kinds), default: "{kind: played}", "When the cap is lifted",
      source: "SIG-028"),
  ])

  static let releases = PluginFamily(
    shippedReleases, .release, PolicyPackages.installed.release)

  static let shippedReleases: [PluginFamily<@Sendable (ResolvedTree) -> ReleaseRule>.Row] = [
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
  ]

  private static let paging = Section<PolicyConfiguration>([
    .key(
      "pageSize", .integer(1...1000), default: "10", "Items of a feed page",
      source: "SIG-047: 5, 10 or 20", to: \.pageSize),
    .key(
      "pageTrigger", .integer(0...1000), default: "4", "Items left that trigger the next page",
      source: "SIG-047: 2, 4 or 6", to: \.pageTrigger),
  ])
}
