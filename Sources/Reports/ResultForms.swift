import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics
import Studies

/// The tables of `result.json`.
enum ResultForms {
  private static let verdicts = ["pass", "fail", "inconclusive", "invalid", "not-run"]

  static let result = ResultForm<StudyResult>(identity + judgement + details)

  private static let identity: [ResultMember<StudyResult>] = [
    ResultMember(
      name: "schema", summary: "version of this format",
      shape: .fixed(.integer(ResultDocument.version))
    ) { _ in .integer(ResultDocument.version) },
    ResultMember(
      name: "kind", summary: "what this document is", shape: .fixed("firstframe.result")
    ) { _ in "firstframe.result" },
    .object("scenario", "what was run", scenario) { $0 },
    ResultMember(
      name: "world", summary: "what was simulated in place of the feed; absent: the feed",
      shape: .omissible(world.shape)
    ) { $0.world.json },
    .count("seed", "key of all random numbers") { Int64(clamping: $0.seed) },
    ResultMember(
      name: "shuffleTies", summary: "seed that permuted simultaneous events; null: not permuted",
      shape: .optional(.count)
    ) { $0.shuffleTies.map { .integer(Int64(clamping: $0)) } ?? .null },
    .text("fingerprint", "hash of every event of the run", pattern: "^[0-9a-f]{16}$") {
      ResultDocument.digits($0.fingerprint)
    },
  ]

  private static let judgement: [ResultMember<StudyResult>] = [
    .word("verdict", "over all hard budgets; not-run: there is none to judge", verdicts) {
      $0.verdict.rawValue
    },
    .count(
      "exitCode",
      "of `run`: 0 pass or nothing to judge, 10 hard budget failed, 12 inconclusive, 13 invalid, "
        + "14 partial"
    ) { Int64($0.exitCode) },
    .object("replications", "how many replications, and when the rule looked", replications) { $0 },
    .count("events", "simulated events") { Int64(clamping: $0.events) },
    .number("simulatedSeconds", "simulated time of all replications together, seconds") {
      $0.simulated.seconds
    },
    .count("views", "views of all replications") { $0.views },
    .count("sessions", "sessions of all replications") { $0.measures.counts.sessions },
    ResultMember(
      name: "quantileError",
      summary: "views were summed up as they ended: quantiles of times are within this share of the"
        + " exact ones; absent: they are exact",
      shape: .omissible(.number)
    ) { $0.isFolded ? .number(StudyResult.quantileError) : .null },
    .list("budgets", "the scenario's budgets in its order", budget) { $0.budgets },
    .list("metrics", "the metrics that every result holds", metric) { $0.metrics },
  ]

  private static let details: [ResultMember<StudyResult>] = [
    .list("histograms", "times to first frame by network and clock", histogram) { result in
      result.histograms.enumerated().flatMap { network, clocks in
        clocks.enumerated().map { clock, counts in
          HistogramRow(
            network: result.scenario.networks[network],
            clock: ReplicationDigest.Clock.allCases[clock], counts: counts)
        }
      }
    },
    .object("startupBreakdown", "where the startup time of typical and slow views went", breakdown)
    { $0 },
    .object("lateStarts", "late and missing first frames by the part that took longest", late) {
      $0
    },
    .list("cohorts", "sums over the views by network and device", cohort) { cells($0) },
    .list("bytes", "media bytes by network and device", balance) { cells($0) },
    .list("tiers", "requests and bytes by cache tier, class and outcome; zeros left out", tier) {
      tierRows($0)
    },
    .list("fetches", "what each tier asked the next one for; zeros left out", fetch) {
      fetchRows($0)
    },
    .object("origin", "what the origin was asked for and did", origin) { $0.measures },
    ResultMember(
      name: "peakLoad",
      summary: "the most that the CDN carried in ten seconds; absent with fewer than three edges",
      shape: .omissible(peakLoad.shape)
    ) { result in result.peakLoad.map { peakLoad.json(($0, result.world)) } ?? .null },
    ResultMember(
      name: "cost", summary: "what a month costs; null without prices",
      shape: .optional(cost.shape)
    ) { result in result.cost.map { cost.json($0) } ?? .null },
    ResultMember(
      name: "live", summary: "whom a live run asked and how it went; null: the run was simulated",
      shape: .optional(live.shape)
    ) { result in result.live.map { live.json($0) } ?? .null },
    .list("links", "how each network was simulated, and what prefetches cost on it", link) {
      LinkUse.all($0)
    },
    .list(
      "networkComparisons", "the same scenario with published simulators' network models",
      comparison
    ) { $0.comparisons },
    .list("windows", "parts of the measured time; their metrics are in `metrics`", window) {
      windowRows($0)
    },
    .list(
      "load", "what the whole audience asks of each tier; empty: all of it was simulated", load
    ) { $0.load?.rows ?? [] },
    .object("republish", "what viewers saw of titles that were published again", republish) {
      $0.measures.republish
    },
    .object("surface", "what the surfaces of a mixed feed did", surface) { $0.measures.surface },
    .object("counters", "sums over the replications", counters) { $0.measures },
  ]

  private static let scenario = ResultForm<StudyResult>([
    .text("name", "the scenario's name") { $0.scenario.name },
    .text(
      "digest", "hash of the resolved scenario, the seed and the replications",
      pattern: "^[0-9a-f]{8}$"
    ) { RunIdentity($0).digest },
    .text("description", "what the scenario asks") { $0.scenario.description },
    .boolean("short", "whether the scenario's stated cut was made") { $0.scenario.isShort },
  ])

  private static let replications = ResultForm<StudyResult>([
    .count("run", "replications that were run") { Int64($0.replications) },
    .count("cap", "most replications") { Int64($0.cap) },
    ResultMember(
      name: "looks", summary: "numbers of replications after which the budgets are judged",
      shape: .list(.count)
    ) { .array($0.looks.map { .integer(Int64($0)) }) },
    .boolean("partial", "a signal stopped the run before every hard budget was decided") {
      $0.isPartial
    },
  ])

  // MARK: Metrics

  private static func interval(_ metric: MetricResult) -> JSONText {
    metric.interval.map { [.number($0.lower), .number($0.upper)] } ?? .null
  }

  private static let metric = ResultForm<MetricResult>(
    [
      .text("metric", "metric{label=value}.stat") { $0.reference.description }
    ] + estimate { $0 })

  private static let budget = ResultForm<BudgetResult>(
    [
      .text("metric", "metric{label=value}.stat") { $0.budget.metric.description },
      .text("limit", "as the scenario writes it") { $0.budget.limitText },
      .word("level", "a missed soft budget is reported and fails nothing", ["hard", "soft"]) {
        $0.budget.level.rawValue
      },
      .word("verdict", "what can be said of the budget", verdicts) { $0.verdict.rawValue },
      .text("reason", "why, when the verdict is neither pass nor fail") { $0.reason },
      .optionalNumber(
        "margin", "distance to the limit as a share of the limit, positive on the good side"
      ) { $0.margin },
      ResultMember(
        name: "decidedAt", summary: "replications after which the boundary was crossed",
        shape: .optional(.count)
      ) { $0.decidedAt.map { .integer(Int64($0)) } ?? .null },
      .text("place", "file and line of the budget") { ResultDocument.place($0.budget.place) },
    ] + estimate { $0.metric })

  private static func estimate<Root>(
    _ metric: @escaping @Sendable (Root) -> MetricResult
  ) -> [ResultMember<Root>] {
    [
      .optionalNumber(
        "value",
        "ratio of sums, percentile of the views of all replications, or mean of the replications; "
          + "null: no data"
      ) { metric($0).value },
      .word("unit", "of the value", ["ms", "ratio", "number"]) {
        metric($0).reference.unit.word
      },
      ResultMember(
        name: "interval", summary: "95 %, two-sided; null with fewer than two replications",
        shape: .optional(
          .row([(name: "lower end", shape: .number), (name: "upper end", shape: .number)]))
      ) { interval(metric($0)) },
      .optionalNumber("standardError", "of the value") { metric($0).standardError },
      .count("replications", "replications that have data") { Int64(metric($0).replications) },
      .count("samples", "views or requests behind the value") { metric($0).samples },
      .boolean(
        "isLowerBound", "so many views never started that the percentile lies above the value"
      ) { metric($0).isLowerBound },
      .number("numerator", "of ratios and means, summed") { metric($0).numerator },
      .number("denominator", "of ratios and means, summed") { metric($0).denominator },
      ResultMember(
        name: "values", summary: "of each replication in order; null: no data",
        shape: .list(.optional(.number))
      ) { .array(metric($0).values.map { $0.map { .number($0) } ?? .null }) },
    ]
  }

  // MARK: Histograms

  struct HistogramRow: Sendable {
    var network: String
    var clock: ReplicationDigest.Clock
    var counts: ClockHistogram
  }

  private static let bucket: ResultShape = .row([
    (name: "lower end, ms", shape: .number),
    (name: "upper end, ms; null: none", shape: .optional(.number)),
    (name: "views that started", shape: .count),
    (name: "views left before the first frame, by when they were left", shape: .count),
  ])

  private static let histogram = ResultForm<HistogramRow>([
    .text("network", "label of the access network") { $0.network },
    .word("metric", "the clock", ReplicationDigest.Clock.allCases.map(\.metric)) {
      $0.clock.metric
    },
    .count("started", "views that started") { $0.counts.started.total },
    .count("censored", "views left before the first frame") { $0.counts.censored.total },
    ResultMember(
      name: "fixedBuckets",
      summary: "exact counts; the first bucket is exactly zero: on the display when the clock "
        + "started",
      shape: .list(bucket)
    ) { fixedBuckets($0.counts) },
    ResultMember(
      name: "buckets",
      summary: "fine buckets, each at most 1/64 of an octave wide; empty ones left out",
      shape: .list(bucket)
    ) { buckets($0.counts) },
  ])

  private static func fixedBuckets(_ counts: ClockHistogram) -> JSONText {
    let edges = TimeHistogram.coarseEdges
    return .array(
      edges.indices.map { index in
        let upper: JSONText = index + 1 < edges.count ? .integer(edges[index + 1]) : .null
        return [
          .integer(edges[index]), upper, .integer(counts.started.coarse[index]),
          .integer(counts.censored.coarse[index]),
        ]
      })
  }

  /// The used buckets of both histograms.
  static func usedBuckets(
    _ counts: ClockHistogram
  ) -> [(lower: Double, upper: Double, started: Int64, censored: Int64)] {
    let (started, censored) = (counts.started.counts, counts.censored.counts)
    return (0..<max(started.count, censored.count)).compactMap { index in
      let row = (
        lower: TimeHistogram.lower(index), upper: TimeHistogram.upper(index),
        started: index < started.count ? started[index] : 0,
        censored: index < censored.count ? censored[index] : 0
      )
      return row.started + row.censored > 0 ? row : nil
    }
  }

  private static func buckets(_ counts: ClockHistogram) -> JSONText {
    .array(
      usedBuckets(counts).map {
        [.number($0.lower), .number($0.upper), .integer($0.started), .integer($0.censored)]
      })
  }
}
