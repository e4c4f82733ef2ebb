import Foundation
import MediaUnits
import Scenario
import Studies

/// A run as every report reads it: the members of `result.json`. It is made of a result that was
/// just computed or read from a run folder, and nothing tells the two apart; so a report is a pure
/// function of the folder, and shows tiers, labels and metrics that it has never heard of.
///
/// The tables called `form` say what `result.json` looks like. They write it, read it, and make its
/// schema.
struct RunRecord: RecordedObject {
  var schema = Int(ResultDocument.version)
  var scenario = Scenario()
  /// nil: the feed.
  var world: World?
  var seed: UInt64 = 0
  var shuffleTies: UInt64?
  var fingerprint = ""
  var verdict = ""
  var exitCode = 0
  var replications = Replications()
  var events: Int64 = 0
  var simulatedSeconds = 0.0
  var views: Int64 = 0
  var sessions: Int64 = 0
  /// Nil without any.
  var extraColdStarts: Int64?
  var quantileError: Double?
  var budgets: [Budget] = []
  var metrics: [Metric] = []
  var histograms: [Histogram] = []
  var startupBreakdown = Breakdown()
  var lateStarts = Late()
  var cohorts: [Cohort] = []
  var bytes: [Bytes] = []
  var tiers: [Tier] = []
  var fetches: [Fetch] = []
  var origin = NamedCounts()
  /// Absent with fewer than three edges.
  var peakLoad: Peak?
  var cost: Cost?
  /// Of a live run.
  var live: Live?
  var links: [Link] = []
  var networkComparisons: [Comparison] = []
  /// Parts of the measured time: those that the scenario names, and equal ones.
  private var parts: (windows: [Window], series: Series?) = ([], nil)
  var windows: [Window] {
    get { parts.windows }
    set { parts.windows = newValue }
  }
  /// nil where the run was not cut into parts of time.
  var series: Series? {
    get { parts.series }
    set { parts.series = newValue }
  }
  var load: [Load] = []
  var republish = NamedCounts()
  /// Of a mixed feed.
  var surface = NamedCounts()
  var counters = NamedCounts()
  /// Of a gate against a baseline.
  var causes: [Causes]?

  /// The values of a member in the order of their first use.
  static func ordered<Row>(_ rows: [Row], by name: (Row) -> String) -> [String] {
    var names: [String] = []
    for row in rows where !names.contains(name(row)) { names.append(name(row)) }
    return names
  }

  func metric(_ name: String) -> Metric? { metrics.first { $0.name.text == name } }
}

// MARK: Form

extension RunRecord {
  static let verdicts = ["pass", "fail", "inconclusive", "invalid", "not-run"]

  static let form = ResultForm<RunRecord>(identity + judgement + feed + delivery)

  private static let identity: [ResultMember<RunRecord>] = [
    ResultMember(
      "schema", "version of this format", .fixed(.integer(ResultDocument.version)), \.schema
    ) { .integer(Int64($0)) },
    .fixed("kind", "what this document is", ResultDocument.kind),
    .object("scenario", "what was run", \.scenario),
    .omissibleObject(
      "world", "what was simulated in place of the feed; absent: the feed", \.world),
    .count("seed", "key of all random numbers", \.seed),
    .optionalCount(
      "shuffleTies", "seed that permuted simultaneous events; null: not permuted", \.shuffleTies),
    .text(
      "fingerprint", "hash of every event of the run", pattern: "^[0-9a-f]{16}$", \.fingerprint),
  ]

  private static let judgement: [ResultMember<RunRecord>] = [
    .word(
      "verdict", "over all hard budgets; not-run: there is none to judge", verdicts, \.verdict),
    .count(
      "exitCode",
      "of `run`: 0 pass or nothing to judge, 10 hard budget failed, 12 inconclusive, 13 invalid, "
        + "14 partial", \.exitCode),
    .object("replications", "how many replications, and when the rule looked", \.replications),
    .count("events", "simulated events", \.events),
    .number(
      "simulatedSeconds", "simulated time of all replications together, seconds",
      \.simulatedSeconds),
    .count("views", "views of all replications", \.views),
    .count("sessions", "sessions of all replications", \.sessions),
    ResultMember(
      optional: "extraColdStarts",
      "cold starts beside those of the sessions, which ttff_cold_ms alone has; absent: none",
      .omissible(.count), \.extraColdStarts
    ) { .integer($0) },
    ResultMember(
      optional: "quantileError",
      "views were summed up as they ended: quantiles of times are within this share of the"
        + " exact ones; absent: they are exact", .omissible(.number), \.quantileError
    ) { .number($0) },
    .list("budgets", "the scenario's budgets in its order", \.budgets),
    .list("metrics", "the metrics that every result holds", \.metrics),
  ]

  private static let feed: [ResultMember<RunRecord>] = [
    .list("histograms", "times to first frame by network and clock", \.histograms),
    .object(
      "startupBreakdown", "where the startup time of typical and slow views went",
      \.startupBreakdown),
    .object(
      "lateStarts", "late and missing first frames by the part that took longest", \.lateStarts),
    .list("cohorts", "sums over the views by network and device", \.cohorts),
    .list("bytes", "media bytes by network and device", \.bytes),
  ]

  private static let delivery: [ResultMember<RunRecord>] = [
    .list("tiers", "requests and bytes by cache tier, class and outcome; zeros left out", \.tiers),
    .list("fetches", "what each tier asked the next one for; zeros left out", \.fetches).later,
    .counts("origin", "what the origin was asked for and did", originCounts, \.origin).later,
    .omissibleObject(
      "peakLoad",
      "the most that the CDN carried in ten seconds; absent with fewer than three edges",
      \.peakLoad),
    .optionalObject("cost", "what a month costs; null without prices", \.cost),
    .optionalObject(
      "live", "whom a live run asked and how it went; null: the run was simulated", \.live),
    .list("links", "how each network was simulated, and what prefetches cost on it", \.links),
    .list(
      "networkComparisons", "the same scenario with published simulators' network models",
      \.networkComparisons),
    .list(
      "windows", "parts of the measured time; their metrics are in `metrics`", \.windows
    ).later,
    .omissibleObject(
      "series",
      "the run over time; absent for live runs, mixed feeds and measured times of less than three "
        + "parts", \.series),
    .list(
      "load", "what the whole audience asks of each tier; empty: all of it was simulated", \.load
    ).later,
    .counts(
      "republish", "what viewers saw of titles that were published again", republishCounts,
      \.republish
    ).later,
    .counts("surface", "what the surfaces of a mixed feed did", surfaceCounts, \.surface).later,
    .counts("counters", "sums over the replications", counterCounts, \.counters),
    ResultMember(
      optional: "causes",
      "what each changed key did to every metric that is worse than the baseline's, or "
        + "moved to where a hard budget fails; absent: the run was not held against one",
      .omissible(.list(Causes.form.shape)), \.causes
    ) { .array($0.map(\.json)) },
  ]
}

// MARK: Parts of every run

extension RunRecord {
  struct Scenario: RecordedObject {
    var name = ""
    var digest = ""
    var description = ""
    var short = false
    /// Nil where all policies are the program's.
    var policies: [Policy]?

    /// A policy that is a process.
    struct Policy: RecordedObject {
      var decides = ""
      var name = ""
      var version = ""
      var digest = ""

      static let form = ResultForm<Policy>([
        .text("decides", "what it decides", \.decides), .text("name", "its name", \.name),
        .text("version", "its version", \.version),
        .text(
          "digest", "what tells its code from any other, as it says", pattern: "^[0-9a-f]{64}$",
          \.digest),
      ])
    }

    static let form = ResultForm<Scenario>([
      .text("name", "the scenario's name", \.name),
      .text(
        "digest", "hash of the resolved scenario, the seed and the replications",
        pattern: "^[0-9a-f]{8}$", \.digest),
      .text("description", "what the scenario asks", \.description),
      .boolean("short", "whether the scenario's stated cut was made", \.short),
      ResultMember(
        optional: "policies",
        "policies of others, processes or built in with a package, as they call themselves; absent:"
          + " all are the program's", .omissible(.list(Policy.form.shape)), \.policies
      ) { .array($0.map(\.json)) },
    ])
  }

  struct Replications: RecordedObject {
    var run = 0
    var cap = 0
    var looks: [Int] = []
    var partial = false

    static let form = ResultForm<Replications>([
      .count("run", "replications that were run", \.run),
      .count("cap", "most replications", \.cap),
      ResultMember(
        "looks", "numbers of replications after which the budgets are judged", .list(.count),
        \.looks
      ) { .array($0.map { .integer(Int64($0)) }) },
      .boolean(
        "partial", "a signal stopped the run before every hard budget was decided", \.partial),
    ])
  }

  /// Of a world other than the feed: its name, and what each metric means.
  struct World: RecordedObject {
    struct Metric: RecordedObject {
      var metric = ""
      var meaning = ""

      static let form = ResultForm<Metric>([
        .text("metric", "metric{label=value}.stat", \.metric),
        .text("meaning", "one line", \.meaning),
      ])
    }

    var name = ""
    var summary = ""
    var metrics: [Metric] = []

    static let form = ResultForm<World>([
      .text("name", "the scenario's key `world`", \.name),
      .text("summary", "what it simulates", \.summary),
      .list("metrics", "what each of `metrics` means, in the same order", \.metrics),
    ])
  }
}

// MARK: From a result

extension RunRecord {
  /// Of a result.
  ///
  /// - Parameter baseline: what a gate held the run against; it adds the causes of what is worse.
  init(_ result: StudyResult, against baseline: BaselineComparison? = nil) {
    let measures = result.measures
    scenario = Scenario(
      name: result.scenario.name, digest: RunIdentity(result).digest,
      description: result.scenario.description, short: result.scenario.isShort,
      policies: result.scenario.policies.isEmpty
        ? nil
        : result.scenario.policies.map {
          Scenario.Policy(
            decides: $0.decides, name: $0.name, version: $0.version, digest: $0.digest)
        })
    world = result.world.recorded
    // As it is written.
    seed = min(result.seed, UInt64(Int64.max))
    shuffleTies = result.shuffleTies.map { min($0, UInt64(Int64.max)) }
    fingerprint = result.fingerprint.digits
    verdict = result.verdict.rawValue
    exitCode = Int(result.exitCode)
    replications = Replications(
      run: result.replications, cap: result.cap, looks: result.looks, partial: result.isPartial)
    events = Int64(clamping: result.events)
    simulatedSeconds = result.simulated.seconds
    views = result.views
    sessions = measures.counts.sessions
    extraColdStarts =
      measures.counts.extraColdStarts > 0 ? measures.counts.extraColdStarts : nil
    quantileError = result.isFolded ? StudyResult.quantileError : nil
    budgets = result.budgets.map { Budget($0) }
    metrics = result.metrics.map { Metric($0) }
    histograms = Histogram.all(result)
    startupBreakdown = Breakdown(
      p50: Band(result.medianBand), p95: Band(result.p95Band), waited: Band(result.waitedBand))
    lateStarts = Late(result)
    cohorts = Cohort.all(result)
    bytes = Bytes.all(result)
    tiers = Tier.all(measures)
    fetches = Fetch.all(measures)
    origin = RunRecord.originCounts.counts(measures)
    peakLoad = result.peakLoad.map { Peak($0, result.world) }
    cost = result.cost.map { Cost($0) }
    live = result.live.map { Live($0) }
    links = Link.all(result)
    networkComparisons = result.comparisons.map { Comparison($0) }
    windows = Window.all(result)
    series = Series(result)
    load = (result.load?.rows ?? []).map { Load($0) }
    republish = RunRecord.republishCounts.counts(measures.republish)
    surface = RunRecord.surfaceCounts.counts(measures.surface)
    counters = RunRecord.counterCounts.counts(measures)
    causes = baseline.map { $0.causes.map { Causes($0) } }
  }
}

extension RunRecord.World {
  init(_ kind: WorldKind) {
    self.init(
      name: kind.name, summary: kind.summary,
      metrics: kind.metrics.map { Metric(metric: $0.reference.description, meaning: $0.summary) })
  }
}
