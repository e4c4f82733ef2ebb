import FeedPolicy
import MediaUnits
import Models

/// The keys of a scenario file. Validation, defaults, `explain`, `init` and the JSON Schema all
/// come from this one table; a default's source is a section of parameters.md, a requirement row, a
/// standard, or "assumed".
public enum ScenarioTable {
  /// Replications at which a run may stop (contract.md section 2).
  public static let looks: [Int64] = [8, 16, 32, 64]

  // Bounds of what no scenario sensibly exceeds. They keep sums and products of a few such numbers
  // within 64 bits, so that a number in a file is refused with a message and never stops a run.

  /// Ten years: beyond any lifetime that a response states.
  static let longestTime: Int64 = 315_360_000_000_000_000
  static let times = 0...longestTime
  static let positiveTimes = 1...longestTime
  /// A hundred days: beyond any length of a run, or of a wait in it.
  static let longest: Int64 = 8_640_000_000_000_000
  /// 1 Tbps.
  static let highestRate: Int64 = 1_000_000_000_000
  /// 1 GB: of one object, or of one player's memory.
  static let largestObject: Int64 = 1_000_000_000
  /// 1 EB: of a cache or a store.
  static let largestStore: Int64 = 1_000_000_000_000_000_000
  /// Weights of a mix.
  static let weights = RealRange(0, 1e9)

  public static let schema = Schema(
    title: "FirstFrame scenario",
    summary: "A short-video feed, its viewers, its CDN, its policies, and the budgets to hold",
    [
      Field(
        "version", .integer(1...1), default: .required, "Version of the scenario format",
        source: "this program"),
      Field(
        "name", .text(.name), default: .required, "Short name; names the result folder",
        source: "the file"),
      Field("description", .text(), default: "no description", "What the scenario asks"),
      Field(
        "seed", .integer(0...Int64.max), default: "1",
        "Key of all random numbers; replications differ by their number, not by the seed"),
      Field(
        "replications", .integer(1...64), default: "64",
        "Most replications; the run stops earlier when every hard budget is decided",
        source: "contract.md section 2"),
      Field("network", .object(network.object), default: "{}", "Access networks and transport"),
      Field(
        "devices", .list(.kinds(devices.kinds), count: 1...20), default: .text(deviceMix),
        "Device classes and their shares", source: "parameters.md section 3, fleet mix"),
      Field("audience", .object(audience.object), default: "{}", "Who comes and what they do"),
      Field(
        "catalogue", .object(catalogue.object), default: "{}", "Titles, ladder, sizes, popularity"),
      Field("feed", .object(feed.object), default: "{}", "The feed API"),
      Field(
        "client", .object(client.object), default: "{}",
        "What the app does beyond loading and playing, and what happens to it"),
      Field("cdn", .object(cdn.object), default: "{}", "Edge, shield and origin"),
      Field("policy", .object(policy.object), default: "{}", "The shipped policy code's settings"),
      Field(
        "surface", .optional(.object(surface.object)), default: "none",
        "A mixed feed of Shorts, Carousels and Merch in place of full-screen items; none for none"),
      Field(
        "windows", .list(.object(window), count: 0...50), default: "[]",
        "Parts of the measured time that are reported by themselves; each crowd has one too"),
      Field(
        "budgets", .list(.object(budget), count: 0...200), default: "[]",
        "What must hold; docs/reference/metrics.md has every metric"),
      MetricThreshold.field,
      Field(
        "cost", .optional(.object(cost)), default: "none",
        "What a month of the traffic costs; none: not told"),
      Field("sweep", .object(sweep), default: "{}", "What firstframe sweep and tune vary"),
      Field("short", .object(short), default: "{}", "The cut that --short makes, for tests"),
      Field(
        "whatIf", .list(.text(), count: 0...50), default: "[]",
        "Keys that the page of report --what-if turns beside the usual ones; no part of the run",
        isShownOnly: true),
    ], derived: [hitRatio])

  private static let hitRatio = DerivedValue(
    ["hitratio", "hitrate", "cachehitratio", "cachehitrate", "missratio", "bytehitratio", "chr"],
    in: "cdn",
    expectation: "no hit ratio, which is a result (hit_ratio): it follows from "
      + "audience.viewsPerDayPerEdge, catalogue, cdn.edge.capacity, cdn.edge.kind and cdn.ttl")

  static let deviceMix = """
    [{kind: high, weight: 0.25}, {kind: mid, weight: 0.5}, {kind: low-end, weight: 0.25}]
    """

  static let budget = ObjectShape([
    Field(
      "metric", .text(MetricReference.rule), default: .required,
      "The metric, as metric{label=value}.stat", source: "contract.md section 1"),
    Field(
      "during", .optional(.text(.name)), default: "none",
      "Only in this window: the same as the label window of the metric"),
    Field(
      "each",
      .optional(
        .word([
          Word("network", "one budget for each network of the scenario"),
          Word("device", "one budget for each device class of the scenario"),
          Word("window", "one budget for each window of the scenario, crowds included"),
          Word("class", "one budget for each class of object that an edge keeps"),
        ])), default: "none", "Stands for one budget for each value of this label of the metric"),
    Field(
      "limit", .text(BudgetLimit.rule), default: .required,
      "What it must be, such as \"< 1200 ms\" or \">= 97 %\"", source: "the file"),
    Field(
      "level", .word(budgetLevels.words), default: "hard", "What a missed budget does",
      source: "contract.md section 2"),
    Field(
      "minimumSamples", .integer(1...Int64.max), default: "1000",
      "Fewer samples than this make the budget invalid: no data is never a pass"),
  ])

  static let budgetLevels = Choice<Budget.Level>([
    .init("hard", "a missed budget fails the run", value: .hard),
    .init("soft", "reported only", value: .soft),
  ])

  static let cost = ObjectShape([
    Field(
      "prices", .text(), default: .required, "A price file, beside this file or by its path",
      source: "the file"),
    Field("region", .text(.name), default: "us-eu", "Region of the price file"),
    Field(
      "viewsPerDay", .optional(.real(.positive)), default: "none",
      "Views a day of the month; none: viewsPerDayPerEdge times edgesBehindShield"),
    Field("stored", .bytes(0...largestStore), default: "0", "Bytes kept at the origin"),
  ])

  static let short = ObjectShape([
    Field("window", .time(1...longest), default: "60 s", "Arrivals of the short form"),
    Field("replications", .integer(1...64), default: "2", "Replications of the short form"),
    Field(
      "share", .real(RealRange(1e-6, 1)), default: "1",
      "Part of audience.viewsPerDayPerEdge that comes in the short form"),
  ])

  static let audience = Section<AudienceConfiguration>([
    .built(
      "viewsPerDayPerEdge", .real(.positive), default: "2000000",
      "Views per day that one edge serves; with the catalogue it decides the hit ratio",
      source: "X-005: 97 % needs about four views per title, day and cache"
    ) { $0.viewsPerDayPerEdge = $1.real() * ($2.isShort ? $2.tree.real("short.share") : 1) },
    .key(
      "viewsPerSession", .real(.positive), default: "73",
      "Views of a session that viewsPerDayPerEdge counts with; sets how often sessions come",
      source: "measured with the default audience; parameters.md section 6.3 has 35 to 60",
      to: \.viewsPerSession),
    .built(
      "window", .time(1...longest), default: "18 min", "Sessions arrive in this time"
    ) { $0.window = $2.isShort ? $2.tree.span("short.window") : $1.span() },
    .elsewhere(
      "warmUp", .time(0...longest), default: "0",
      "Sessions arrive for this long before anything is measured"),
    .key(
      "drain", .time(0...longest), default: "60 min",
      "Sessions that still run this long after the window are cut", to: \.drain),
    .key(
      "sessionLength", .law(.time),
      default: "{kind: lognormal, median: 6 min, sigma: 1.0, clip: {min: 5 s, max: 60 min}}",
      "How long a session lasts", source: "parameters.md section 6.3; the clip is assumed",
      to: \.sessionLength),
    .built(
      "personas", .list(.kinds(personas.kinds), count: 1...20),
      default: """
        [{kind: typical, weight: 0.6}, {kind: flicker, weight: 0.15}, \
        {kind: watcher, weight: 0.15}, {kind: scrubber, weight: 0.1}]
        """,
      "Kinds of viewers and their shares", source: "parameters.md section 6.2; shares assumed"
    ) { made, part, builder in
      made.personas = part.elements().map { personas.filled(blankPersona, from: $0, by: &builder) }
      made.personaChoice = builder.choice(part.elements().map { $0.real("weight") })
    },
    .key(
      "backSwipe", .ratio, default: "0.05", "Share of swipes that go back",
      source: "parameters.md section 6.2: 3 to 8 %", to: \.backSwipe),
    .key(
      "burstStart", .ratio, default: "0.091", "Share of views that begin a burst of quick swipes",
      source: "parameters.md section 15: one swipe in five is quick, bursts of 2.5 on average",
      to: \.burstStart),
    .key(
      "burstContinuation", .ratio, default: "0.6", "Probability that a burst goes on",
      source: "parameters.md section 15: bursts of 2.5 on average", to: \.burstContinuation),
    .key(
      "burstDwell", .law(.time), default: "{kind: uniform, min: 300 ms, max: 900 ms}",
      "Settling to the next swipe in a burst, with or without a frame",
      source: "parameters.md section 15: within 1.2 s of the previous swipe", to: \.burstDwell),
    .key(
      "settle", .law(.time), default: "{kind: uniform, min: 250 ms, max: 450 ms}",
      "From release to the item's settling", source: "parameters.md section 15", to: \.settle),
    .key(
      "patienceFloor", .time(times), default: "1 s", "Nobody leaves before this without a frame",
      source: "parameters.md section 6.4", to: \.patienceFloor),
    .key(
      "patience", .law(.time), default: "{kind: exponential, mean: 10 s}",
      "After that: 10 % leave per second", source: "parameters.md section 6.4", to: \.patience),
    .key(
      "loopBelow", .time(times), default: "10 s",
      "Items shorter than this loop when watched to the end", source: "parameters.md section 6.2",
      to: \.loopBelow),
    .key(
      "maximumLoops", .integer(0...20), default: "2", "Most extra rounds of a looping item",
      source: "parameters.md section 6.2: 1 to 3 rounds", to: \.maximumLoops),
    .key(
      "watchLimit", .optional(.time(positiveTimes)), default: "none",
      "Most that any viewer wants to see of an item: for runs by the clock; none for no limit",
      to: \.watchLimit),
    .key(
      "scrubHold", .law(.time), default: "{kind: uniform, min: 1 s, max: 3 s}",
      "How long a long press is held", to: \.scrubHold),
    .built(
      "diurnal", .optional(.object(diurnal)), default: "none",
      "How the arrivals change with the time of day; none for a constant rate"
    ) { made, _, builder in made.day = builder.day(made) },
    .built(
      "crowds", .list(.object(crowd), count: 0...Crowd.maximumCount), default: "[]",
      "Flash crowds: sessions on top of the others", source: "SIG-068"
    ) { made, _, builder in made.crowds = builder.crowds() },
    .key(
      "extraColdStarts", .integer(0...mostExtraColdStarts), default: "0",
      "Cold starts beside the audience's, a replication: for ttff_cold_ms alone, noticed by nobody",
      source: "this program: a session has one, and some hundred other views",
      to: \.extraColdStarts),
    .optional(
      "exits", exits, "Viewers who close the app after waiting; none: nobody does",
      source: "parameters.md section 6.4", of: blankExits, to: \.exits),
    .elsewhere(
      "background", .optional(.object(background)), default: "none",
      "Viewers who are not simulated and reach the caches by their requests' law; none for none"),
    .elsewhere(
      "sampling", .optional(.object(sampling)), default: "none",
      "Simulates a share of the viewers and titles, in caches as much smaller; none for all"),
  ])

  /// They are looked through one by one at each look at a cache.
  private static let mostExtraColdStarts: Int64 = 100_000

  private static let blankPersona = Persona(
    dwell: [DwellLaw(below: .max, completion: 0, watchTime: .unread)], scrubProbability: 0)

  static func persona(
    _ word: String, _ summary: String, basis: String, watch: String,
    completion: String, scrub: String
  ) -> PluginFamily<Section<Persona>>.Row {
    .init(
      word, summary,
      Section([
        .elsewhere("weight", .real(weights), default: "1", "Share among the personas"),
        .elsewhere(
          "basis", .word(bases.words), default: .text(basis), "Whose dwell times are scaled",
          source: "parameters.md section 6.2"),
        .elsewhere(
          "watchScale", .real(.positive), default: .text(watch), "Factor on the watch time",
          source: "parameters.md section 6.2"),
        .elsewhere(
          "completionScale", .real(.nonNegative), default: .text(completion),
          "Factor on the probability of watching to the end", source: "parameters.md section 6.2"),
        .key(
          "scrub", .ratio, default: .text(scrub), "Share of views with a long press",
          source: "parameters.md section 6.2", to: \.scrubProbability),
      ]) { $0.dwell = $2.dwell($1) })
  }

  /// Whose watch times, by duration of the title.
  static let bases = Choice<[ScenarioBuilder.DwellRow]>([
    .init("lab", "laboratory users", value: ScenarioBuilder.lab),
    .init("crowd", "crowd-sourced users", value: ScenarioBuilder.crowd),
    .init(
      "challenge", "viewers of the short-video challenge's retention curves",
      value: ScenarioBuilder.challenge),
  ])

  static let personas = PluginFamily<Section<Persona>>([
    persona(
      "typical", "The laboratory user", basis: "lab", watch: "1", completion: "1", scrub: "0"),
    persona(
      "flicker", "Swipes on quickly", basis: "lab", watch: "0.4", completion: "0.4", scrub: "0"),
    persona(
      "watcher", "Stays longer", basis: "crowd", watch: "1.2", completion: "1", scrub: "0"),
    persona(
      "scrubber", "Typical, with long presses", basis: "lab", watch: "1", completion: "1",
      scrub: "0.15"),
    measuredPersona,
  ])

  /// Viewers whose watch time was measured, by length of the title where that was, too.
  private static let measuredPersona = PluginFamily<Section<Persona>>.Row(
    "measured", "As long as telemetry has it; see firstframe calibrate",
    Section([
      .elsewhere("weight", .real(weights), default: "1", "Share among the personas"),
      .elsewhere(
        "watchTime", .law(.time), default: .required,
        "Played of an item by those who do not watch it to the end; cut at its end",
        source: "the file"),
      .elsewhere(
        "completion", .ratio, default: "0", "Probability of watching to the end", source: "the file"
      ),
      .elsewhere(
        "shorter", .list(.object(measuredBucket), count: 0...8), default: "[]",
        "The same of shorter items, by length, ascending; the others are of all that are longer"),
      .key(
        "scrub", .ratio, default: "0", "Share of views with a long press", to: \.scrubProbability),
    ]) { $0.dwell = $2.measuredDwell($1) })

  private static let measuredBucket = ObjectShape([
    Field(
      "below", .time(positiveTimes), default: .required,
      "Items shorter than this, and not shorter than the bucket before", source: "the file"),
    Field(
      "watchTime", .law(.time), default: .required,
      "Played of an item by those who do not watch it to the end; cut at its end",
      source: "the file"),
    Field(
      "completion", .ratio, default: "0", "Probability of watching to the end", source: "the file"),
  ])

  static let packagings = Choice<Packaging>([
    .init("hls", value: .hls), .init("dash", value: .dash),
    .init("progressive", value: .progressive),
  ])

  private static let zipf = Kind(
    "zipf", "Probability of rank r proportional to r^-exponent",
    [
      Field(
        "exponent", .real(RealRange(0, 5)), default: "1.0", "The exponent",
        source: "parameters.md section 7")
    ])

  static let catalogue = Section<CatalogueConfiguration>([
    .key(
      "titles", .integer(1...4_000_000), default: "100000", "Active titles",
      source: "parameters.md section 7", to: \.titles),
    .built(
      "popularity", .kinds([zipf]), default: "{kind: zipf}", "How views spread over titles",
      source: "parameters.md section 7"
    ) { made, part, builder in
      let popularity = builder.zipf(made.titles, exponent: part.real("exponent"))
      made.probabilities = popularity.probabilities
      made.popularity = popularity.choice
    },
    .key(
      "duration", .law(.time),
      default: """
        {kind: mixture, parts: [{weight: 0.88, law: {kind: lognormal, median: 13.4637 s, sigma: 0.8}}, \
        {weight: 0.12, law: {kind: lognormal, median: 81.4509 s, sigma: 0.5}}]}
        """,
      "Length of a title", source: "parameters.md section 6.1: LN(2.60, 0.80) and LN(4.4, 0.5)",
      to: \.duration),
    .key(
      "minimumDuration", .time(100_000_000...longestTime), default: "3 s", "Shortest title",
      source: "parameters.md section 6.1", to: \.minimumDuration),
    .key(
      "maximumDuration", .time(100_000_000...longestTime), default: "180 s", "Longest title",
      source: "parameters.md section 6.1", to: \.maximumDuration),
    .key(
      "ladder", .list(.bitRate(1_000...1_000_000_000), count: 1...8),
      default: "[300 kbps, 600 kbps, 1100 kbps, 2500 kbps]", "Declared rates, ascending",
      source: "SIG-043"
    ) { made, value in
      made.ladder = Ladder(value.elements().map { BitRate(bitsPerSecond: $0.bitRate()) })
    },
    .key(
      "segmentDuration", .time(500_000_000...20_000_000_000), default: "2 s", "Length of a segment",
      source: "SIG-017", to: \.segmentDuration),
    .built(
      "titleScale", .law(.real), default: "{kind: lognormal, median: 0.818731, sigma: 0.35}",
      "Mean size of a title over its declared rate, at most 1",
      source: "parameters.md section 8: LN(-0.2, 0.35) capped at the rung"
    ) { $0.titleScale = $2.tables.table($1, isPositive: true) },
    .key(
      "segmentVariation", .law(.real),
      default: "{kind: lognormal, median: 0.18, sigma: 0.6, clip: {min: 0.05, max: 0.8}}",
      "Coefficient of variation of a title's segments", source: "parameters.md section 8",
      to: \.segmentVariation),
    .key(
      "firstSegmentRatio", .law(.real), default: "{kind: lognormal, median: 0.778801, sigma: 0.3}",
      "First segment over the title's mean", source: "parameters.md section 8: LN(-0.25, 0.3)",
      to: \.firstSegmentRatio),
    .key(
      "peakRatio", .real(RealRange(1, 10)), default: "2", "Largest segment over the title's mean",
      source: "parameters.md section 5: peak at most 200 % of the average", to: \.peakRatio),
    .key(
      "manifestBytes", .bytes(1...largestObject), default: "800 B", "media_manifest.json",
      source: "parameters.md section 5", to: \.manifestBytes),
    .key(
      "masterBytes", .bytes(1...largestObject), default: "900 B", "Master playlist",
      source: "parameters.md section 5", to: \.masterBytes),
    .key(
      "initBytes", .bytes(1...1_000_000), default: "1700 B", "Init segment, audio and video",
      source: "parameters.md section 5", to: \.initBytes),
    .word(
      "packaging", packagings, default: "hls",
      "HLS with a master and a media playlist, DASH with one MPD, or one file of each rung that the"
        + " feed's page names and that players read in ranges of a segment's length",
      source: "VF-048", to: \.packaging),
    .key(
      "mpdBytes", .bytes(1...largestObject), default: "2 kB",
      "An MPD with a segment template for all rungs", to: \.descriptionBytes),
    .key(
      "audio", .optional(.bitRate(1...1_000_000_000)), default: "none",
      "Rate of audio in segments of its own; none: it is in the video's",
      source: "parameters.md section 5: AAC at 64 to 128 kbps", to: \.audioRate),
    .key(
      "audioInitBytes", .bytes(1...1_000_000), default: "700 B", "Init segment of such audio",
      source: "parameters.md section 5: 0.6 to 0.8 kB", to: \.audioInitBytes),
    .key(
      "posterBytes", .bytes(1...largestObject), default: "30 kB", "Poster image",
      to: \.posterBytes),
    .key(
      "playlistBytes", .bytes(1...largestObject), default: "150 B", "Media playlist, fixed part",
      source: "parameters.md section 5", to: \.playlistBytes),
    .key(
      "playlistBytesPerSegment", .bytes(0...largestObject), default: "52 B",
      "Media playlist, per segment", source: "parameters.md section 5",
      to: \.playlistBytesPerSegment),
    .key(
      "cueBytes", .bytes(1...largestObject), default: "10 B", "One storyboard cue, compressed",
      source: "parameters.md section 5: 60 to 90 B, gzip 6 to 10", to: \.cueBytes),
    .key(
      "cueSpan", .time(1_000_000...longestTime), default: "1 s",
      "Media between two storyboard frames", to: \.cueSpan),
    .key(
      "spriteBytes", .bytes(1...largestObject), default: "60 kB", "One sprite sheet of 25 frames",
      source: "parameters.md section 5 scaled from 100 frames", to: \.spriteBytes),
    .key(
      "spriteSpan", .time(positiveTimes), default: "25 s", "Media on one sprite sheet",
      to: \.spriteSpan),
    .built(
      "newTitles", .optional(.object(newTitles)), default: "none",
      "Titles that arrive all the time and are watched while they are new; none for none"
    ) { made, _, builder in made.newTitles = builder.newTitles() },
    .built(
      "republish", .list(.object(republish), count: 0...100), default: "[]",
      "New versions of titles: the manifest changes, the objects of a version are new",
      source: "SIG-069"
    ) { made, _, builder in made.republishes = builder.republishes() },
  ])
}
