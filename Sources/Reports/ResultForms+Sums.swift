import CachePolicy
import MediaUnits
import Models
import Scenario
import Studies

extension ResultForms {
  private static let partNames = StartupPart.allCases.map { "\($0.name)" }

  // MARK: Startup

  private struct PartRow: Sendable {
    var part: StartupPart
    var band: BreakdownBand
  }

  static let breakdown = ResultForm<StudyResult>([
    .object("p50", "views within half a percent of the median TTFF", band) { $0.medianBand },
    .object("p95", "views within half a percent of the 95th percentile", band) { $0.p95Band },
    .object("waited", "all started views that waited for more than the display", band) {
      $0.waitedBand
    },
  ])

  private static let band = ResultForm<BreakdownBand>([
    .count("views", "started views in the band") { $0.views },
    .count("totalNanoseconds", "sum of their TTFF; the parts sum to it exactly") { $0.total },
    .number("meanMilliseconds", "mean TTFF of the band") { mean($0.total, $0.views) },
    .list("parts", "where the time went", part) { band in
      StartupPart.allCases.map { PartRow(part: $0, band: band) }
    },
    ResultMember(
      name: "exemplar", summary: "a view in the middle of the band; null: no view",
      shape: .optional(exemplar.shape)
    ) { $0.exemplar == nil ? .null : exemplar.json($0) },
  ])

  private static let part = ResultForm<PartRow>([
    .word("part", "the part of the startup", partNames) { "\($0.part.name)" },
    .count("nanoseconds", "sum over the views of the band") { $0.band.parts[$0.part.rawValue] },
    .number("meanMilliseconds", "mean of a view of the band") {
      mean($0.band.parts[$0.part.rawValue], $0.band.views)
    },
  ])

  private static let exemplar = ResultForm<BreakdownBand>([
    .count("replication", "number of the replication") { Int64($0.exemplar?.replication ?? 0) },
    .count("session", "number of the session") { Int64($0.exemplar?.session ?? 0) },
    .count("item", "position in the session's feed") { Int64($0.exemplar?.item ?? 0) },
  ])

  private static func mean(_ nanoseconds: Int64, _ views: Int64) -> Double {
    views > 0 ? Double(nanoseconds) / Double(views) / 1e6 : 0
  }

  // MARK: Late starts

  private struct LateRow: Sendable {
    var part: StartupPart
    var late: LateStarts
  }

  static let late = ResultForm<StudyResult>([
    .number("limitMilliseconds", "a start later than this is late") { $0.lateLimit.milliseconds },
    .count("started", "views that started late") { $0.late.started.reduce(0, +) },
    .count("notStarted", "views that the viewer left before a first frame") {
      $0.late.notStarted.reduce(0, +)
    },
    .list("byPart", "by the part that took longest", latePart) { result in
      StartupPart.allCases.map { LateRow(part: $0, late: result.late) }
    },
    .list("byAnswer", "by who answered what they waited for longest, and why no hit", lateAnswer) {
      answerRows($0.late.answers)
    },
    .list("views", "late views one by one, the first thousand", lateView) {
      $0.late.answers.views
    },
  ])

  private static let latePart = ResultForm<LateRow>([
    .word("part", "the part that took longest", partNames) { "\($0.part.name)" },
    .count("started", "views that started late") { $0.late.started[$0.part.rawValue] },
    .count("startedWithEdgeMiss", "of those, views whose start waited for an edge miss") {
      $0.late.startedWithEdgeMiss[$0.part.rawValue]
    },
    .count("notStarted", "views left before a first frame") {
      $0.late.notStarted[$0.part.rawValue]
    },
    .count("notStartedWithEdgeMiss", "of those, views whose start waited for an edge miss") {
      $0.late.notStartedWithEdgeMiss[$0.part.rawValue]
    },
  ])

  // MARK: Cohorts

  struct Cell: Sendable {
    var network: String
    var device: String
    var sums: CohortSums
    var balance: ByteBalance
    var shown = ShownMedia()
  }

  static func cells(_ result: StudyResult) -> [Cell] {
    let devices = result.scenario.devices
    return result.cohorts.indices.map { index in
      Cell(
        network: result.scenario.networks[index / devices.count],
        device: devices[index % devices.count], sums: result.cohorts[index],
        balance: result.measures.balances[index], shown: result.measures.shown[index])
    }
  }

  private static let labels: [ResultMember<Cell>] = [
    .text("network", "label of the access network") { $0.network },
    .text("device", "label of the device class") { $0.device },
  ]

  static let cohort = ResultForm<Cell>(
    labels + [
      .count("views", "views") { $0.sums.views },
      .count("started", "views with a first frame") { $0.sums.started },
      .count("notStarted", "views left without a first frame, those cut by the run's end apart") {
        $0.sums.notStarted
      },
      .count("startupNanoseconds", "sum of the TTFF of views that started") { $0.sums.startup },
      .count("playedNanoseconds", "time in which media played") { $0.sums.played },
      .count("stalledNanoseconds", "time stalled after the first frame") { $0.sums.stalled },
      .count("stalls", "stalls") { $0.sums.stalls },
      .count("viewsWithStall", "views with at least one stall") { $0.sums.viewsWithStall },
      .count("shownItems", "items with a rendered frame") { $0.shown.items },
      .count("switchedItems", "those of them in which two rungs were shown") {
        $0.shown.switchedItems
      },
      .count("shownNanoseconds", "media that was rendered, each second once") { $0.shown.media },
      .count("topRungNanoseconds", "the part of it on the top rung") { $0.shown.topMedia },
      .count("shownBits", "its bits at the declared rates") { $0.shown.bits },
    ])

  static let balance = ResultForm<Cell>(
    labels + [
      .count("delivered", "init and segment bytes that arrived: rendered, wasted or still buffered")
      { $0.balance.delivered },
      .count("rendered", "bytes that were shown") { $0.balance.rendered },
      .count("wasted", "bytes that were never shown") { $0.balance.wasted },
      .count("stillBuffered", "bytes of sessions that still ran at the end") {
        $0.balance.stillBuffered
      },
      .count("prefetched", "of the delivered, bytes that came before their item was current") {
        $0.balance.prefetched
      },
      .count("prefetchedWasted", "of the prefetched, bytes that were never shown") {
        $0.balance.prefetchedWasted
      },
    ])

  // MARK: Tiers

  struct TierRow: Sendable {
    var tier: String
    var asset: AssetClass
    var outcome: CacheOutcome
    var requests: Int64
    var bytes: Int64
  }

  static func tiers(_ result: StudyResult) -> [(name: String, counters: TierCounters)] {
    [
      (name: "client", counters: result.measures.client),
      (name: "edge", counters: result.measures.edge),
      (name: "regional", counters: result.measures.regional),
      (name: "shield", counters: result.measures.shield),
    ]
  }

  static func tierRows(_ result: StudyResult) -> [TierRow] {
    var rows: [TierRow] = []
    for (name, counters) in tiers(result) {
      for asset in AssetClass.allCases {
        for outcome in CacheOutcome.allCases {
          let row = TierRow(
            tier: name, asset: asset, outcome: outcome,
            requests: counters.requests(asset, outcome), bytes: counters.bytes(asset, outcome))
          if row.requests != 0 || row.bytes != 0 { rows.append(row) }
        }
      }
    }
    return rows
  }

  static let tier = ResultForm<TierRow>([
    .word("tier", "the cache", ["client", "edge", "regional", "shield"]) { $0.tier },
    .word("class", "class of the object", MetricReference.classes) {
      MetricReference.classes[Int($0.asset.rawValue)]
    },
    .word(
      "outcome", "what became of the requests",
      CacheOutcome.allCases.map { ResultDocument.name(of: $0) }
    ) { ResultDocument.name(of: $0.outcome) },
    .count("requests", "requests") { $0.requests },
    .count("bytes", "bytes of the answers") { $0.bytes },
  ])

  // MARK: Counters

  static let counters = ResultForm<FeedMeasures>([
    .count("sessionsCut", "sessions that still ran at the end") { $0.counts.sessionsCut },
    .count("peakSessions", "most sessions at once in a replication") { Int64($0.peakSessions) },
    .count("feedPages", "feed pages fetched") { $0.counts.feedPages },
    .count("requests", "requests of the clients") { $0.counts.requests },
    .count("cancelledRequests", "requests that were given up") { $0.counts.cancelledRequests },
    .count("connectionsOpened", "connections to edges and the feed API") {
      $0.counts.connectionsOpened
    },
    .count("handOvers", "changes of the access network") { $0.counts.handOvers },
    .count("repeatedRequests", "requests sent anew because their connection was gone") {
      $0.counts.repeatedRequests
    },
    .count("deliveredBytes", "bytes delivered to clients, all classes") {
      $0.counts.deliveredBytes
    },
    .count("originRequests", "requests that reached the origin") { $0.counts.originRequests },
    .count("originBytes", "bytes that the origin sent") { $0.counts.originBytes },
    .count("playerCreates", "players created") { $0.counts.playerCreates },
    .count("playerRetargets", "players given another item") { $0.counts.playerRetargets },
    .count("staleReadiness", "readiness that came for an item no longer wanted") {
      $0.counts.staleReadiness
    },
    .count("decodersRefused", "decoders that the device could not give") {
      $0.counts.decodersRefused
    },
    .count("prefetchStarts", "prefetches begun") { $0.counts.prefetchStarts },
    .count("prefetchCancels", "prefetches given up") { $0.counts.prefetchCancels },
    .count("prefetchReached", "prefetches that got all they were to fetch") {
      $0.counts.prefetchReached
    },
    .count("scrubs", "long presses") { $0.counts.scrubs },
    .count("scrubLookups", "storyboard frames looked up") { $0.counts.scrubLookups },
    .count("spriteHits", "look-ups answered from the sprite cache") { $0.counts.spriteHits },
  ])
}
