import Models
import ServicePolicy

/// The keys of the world `services`.
enum ServicesTable {
  static let longest: Int64 = 8_640_000_000_000_000
  static let sheet = "parameters.md section "
  static let day: Int64 = 86_400_000_000_000
  static let partitions =
    "docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html, "
    + "read on 2026-11-22"

  static let section = ObjectShape([
    Field("load", .object(load), default: "{}", "Sessions and when they come"),
    Field("api", .object(api), default: "{}", "The feed's API"),
    Field("ranker", .object(ranker), default: "{}", "The ranker and its deadline"),
    Field("store", .object(store), default: "{}", "The cache and the table"),
    Field("content", .object(content), default: "{}", "Titles, and the list of pages"),
    Field("events", .object(events), default: "{}", "Telemetry and its ingest"),
    Field("access", .object(access), default: "{}", "The limiter and the tokens"),
  ])

  static let load = ObjectShape([
    Field(
      "warmUp", .time(0...day), default: "60 s", "Simulated before the measuring begins"),
    Field("window", .time(1_000_000_000...day), default: "60 s", "Measured time"),
    Field(
      "sessionsPerSecond", .real(RealRange(0.001, 100_000)), default: "90",
      "Sessions that come in a second, before day and crowds"),
    Field(
      "hour", .optional(.real(RealRange(0, 24))), default: "none",
      "The hour of the day at which the measuring begins; none: the mean all the time",
      source: sheet + "14"),
    Field("crowds", .list(.object(crowd), count: 0...16), default: "[]", "Flash crowds"),
    Field(
      "items", .law(.real),
      default: "{kind: lognormal, median: 12, sigma: 0.7, clip: {min: 1, max: 500}}",
      "Items of a session", source: "assumed; parameters.md section 6.3"),
    Field(
      "dwell", .law(.time),
      default: "{kind: lognormal, median: 3 s, sigma: 0.6, clip: {min: 0.3 s, max: 60 s}}",
      "Time on an item", source: "assumed: short, so that pages are asked for often"),
    Field(
      "roundTrip", .law(.time),
      default: "{kind: lognormal, median: 50 ms, sigma: 0.5, clip: {min: 10 ms, max: 1 s}}",
      "From the app to the service and back",
      source: "assumed, of the order of " + sheet + "1.7"),
    Field("users", .integer(1...10_000_000), default: "20000", "Users that sessions are of"),
    Field("pageSize", .integer(1...100), default: "10", "Items of a page", source: "SIG-047"),
    Field(
      "trigger", .integer(0...100), default: "4",
      "Items left after the current one that trigger the next page", source: "SIG-047"),
  ])

  static let crowd = ObjectShape([
    Field("from", .time(0...day), default: "0 s", "When it comes, from the measuring on"),
    Field("length", .time(1_000_000_000...day), default: "30 s", "How long it lasts"),
    Field(
      "factor", .real(RealRange(1, 100)), default: "2", "Rate of sessions, times the usual",
      source: sheet + "14"),
  ])

  static func station(
    _ servers: Int, _ service: String, _ from: String
  ) -> [Field] {
    [
      Field("servers", .integer(1...100_000), default: .text("\(servers)"), "Requests at once"),
      Field("service", .law(.time), default: .text(service), "Time of one request", source: from),
      Field(
        "queueLimit", .optional(.integer(0...10_000_000)), default: "none",
        "Requests that wait at most; those beyond are refused"),
    ]
  }

  static let api = ObjectShape(
    station(16, "{kind: lognormal, median: 2.8 ms, sigma: 0.3}", sheet + "13: 3 ms of glue"))

  static let ranker = ObjectShape(
    station(4, "{kind: lognormal, median: 9 ms, sigma: 0.35}", sheet + "13") + [
      Field(
        "deadline", .time(0...longest), default: "30 ms",
        "Then the page is made without the ranker", source: "SIG-009"),
      Field("slowShare", .ratio, default: "0.003", "Slow calls", source: sheet + "13"),
      Field(
        "slowFactor", .real(RealRange(1, 1000)), default: "8", "How much slower they are",
        source: sheet + "13"),
      Field(
        "coldExtra", .time(0...longest), default: "12 ms",
        "More for a viewer whose features are not in the cache",
        source: sheet + "13: features 2 to 12 ms"),
      Field(
        "timeout", .time(1_000_000...longest), default: "1 s",
        "A call without an answer has failed after so long"),
      Field("retries", .integer(0...10), default: "0", "Calls after a failed one"),
      Field(
        "hedgeAfter", .optional(.time(0...longest)), default: "none",
        "When a second call follows one that has not answered; none for never", source: "OQ-15"),
      Field(
        "earlier", .time(0...longest), default: "0 s",
        "How old an earlier page of the viewer's may be that is shown in place of Trending; 0 for "
          + "never", source: "OQ-15"),
      Field(
        "cancelsLate", .boolean, default: "false",
        "Whether a call that missed the deadline leaves the queue"),
      Field("breaker", .optional(.object(breaker)), default: "none", "When it is not asked"),
      Field("outages", .list(.kinds(outages.kinds), count: 0...16), default: "[]", "When it fails"),
    ])

  static let breaker = ObjectShape([
    Field("window", .integer(1...64), default: "50", "Calls that are looked at"),
    Field("failures", .integer(1...64), default: "25", "Failures among them that open it"),
    Field("openFor", .time(1_000_000...longest), default: "2 s", "How long it stays open"),
    Field("probes", .integer(1...64), default: "5", "Calls that must succeed then"),
  ])

  private static let span = [
    Field("from", .time(0...day), default: "0 s", "When it begins, from the measuring on"),
    Field("length", .time(1_000_000...day), default: "10 s", "How long it lasts"),
  ]

  /// What fails, and how much slower calls get.
  static let outages = PluginFamily<
    (kind: RankerOutage.Kind, factor: @Sendable (ResolvedTree) -> Double)
  >([
    .init("error", "It answers with an error", span, value: (.error, { _ in 1 })),
    .init(
      "slow", "Its calls take longer",
      span + [Field("factor", .real(RealRange(1, 1000)), default: "4", "How much longer")],
      value: (.slow, { $0.real("factor") })),
    .init("silent", "It does not answer", span, value: (.silent, { _ in 1 })),
  ])

  static let store = ObjectShape([
    Field(
      "cacheRead", .law(.time), default: "{kind: lognormal, median: 1.3 ms, sigma: 0.4}",
      "A multi-get of the cache", source: sheet + "13: 1.5 ms"),
    Field(
      "tableRead", .law(.time), default: "{kind: lognormal, median: 3.5 ms, sigma: 0.45}",
      "A read of the table", source: sheet + "13"),
    Field(
      "indexLag", .law(.time),
      default: "{kind: lognormal, median: 30 ms, sigma: 1.0, clip: {min: 0 s, max: 2 s}}",
      "From a write until an index shows it", source: sheet + "13"),
    Field("lifetime", .time(1_000_000_000...longest), default: "24 h", "Of an entry of the cache"),
    Field(
      "emptiedAt", .optional(.time(0...day)), default: "none",
      "When the cache is emptied, from the measuring on", source: "SIG-074"),
    Field(
      "warmShare", .ratio, default: "0.1",
      "The cache counts as warm when at most this share of a second's items is not in it"),
    Field(
      "shards", .integer(1...10_000), default: "8", "Partitions of a day's trending list",
      source: "SIG-059"),
    Field(
      "writesPerShard", .real(RealRange(1, 1_000_000)), default: "1000",
      "Writes that one takes in a second", source: sheet + "13, and " + partitions),
    Field(
      "titleShards", .integer(1...10_000), default: "4", "Partitions of the table of titles",
      source: "assumed"),
    Field(
      "readsPerShard", .real(RealRange(1, 1_000_000)), default: "6000",
      "Reads that one takes in a second: 3,000 units, each two eventually consistent reads of 4 kB",
      source: partitions),
    Field("readRetries", .integer(1...20), default: "3", "Times that a throttled read is retried"),
    Field(
      "burst", .real(RealRange(0.001, 3600)), default: "1",
      "Seconds of writes, or reads, that one takes at once"),
    Field("writeRetries", .integer(0...20), default: "3", "Times that a throttled write is tried"),
  ])

  static let cursors = Choice<PageCut>([
    .init("key", "the last key given", value: .key),
    .init("offset", "how many were given: a known fault", value: .offset),
  ])

  static let content = ObjectShape([
    Field("titles", .integer(1...10_000_000), default: "10000", "Titles that pages show"),
    Field(
      "exponent", .real(RealRange(0, 3)), default: "1", "Of Zipf's law, for ranked places",
      source: sheet + "7"),
    Field(
      "exploration", .ratio, default: "0.15", "Share of a page", source: "SIG-071: 10 to 20 %"),
    Field(
      "coldAfter", .time(1_000_000_000...longest), default: "10 min",
      "A title that nobody was shown for so long is cold"),
    Field(
      "publishRate", .real(RealRange(0, 10_000)), default: "0.5",
      "New entries of the list in a second", source: "assumed: one viewer's sources"),
    Field("ephemeralShare", .ratio, default: "0.1", "Entries that expire", source: "SIG-061"),
    Field("life", .time(1_000_000_000...longest), default: "30 s", "How long these live"),
    Field(
      "filtersExpired", .boolean, default: "true",
      "Whether a reader drops rows that have expired and are not deleted", source: "SIG-061"),
    Field(
      "cursor", .word(cursors.words), default: "key", "What a page's cursor says", source: "SIG-046"
    ),
  ])

  static let events = ObjectShape(
    station(8, "{kind: uniform, min: 3 ms, max: 8 ms}", sheet + "13") + [
      Field("perView", .integer(1...100), default: "4", "Events of a view", source: "SIG-050"),
      Field(
        "flush", .kinds(ScenarioTable.flushRules.kinds), default: "{kind: window}",
        "When a batch is due", source: "OQ-16"),
      Field(
        "delivery", .word(ScenarioTable.deliveries.words), default: "retry-with-numbers",
        "What becomes of a batch that fails",
        source: "SIG-052"),
      Field(
        "failureShare", .ratio, default: "0.01",
        "Posts that fail: half are refused, of half only the answer is lost", source: "SIG-052"),
      Field(
        "timeout", .time(1_000_000...longest), default: "3 s",
        "A post without an answer has failed after so long"),
      Field("killShare", .ratio, default: "0.01", "Sessions that end with the process killed"),
    ])

  static let tokens = ObjectShape(
    station(8, "{kind: uniform, min: 5 ms, max: 15 ms}", "assumed"))

  static let access = ObjectShape([
    Field(
      "limit", .optional(.real(RealRange(0.001, 1_000_000))), default: "10",
      "Requests of one client in a second; none for no limit", source: "SIG-076"),
    Field("burst", .integer(1...1_000_000), default: "40", "Requests of one client at once"),
    Field("abusers", .integer(0...10_000), default: "0", "Clients that ask too often"),
    Field(
      "abuseRate", .real(RealRange(0, 100_000)), default: "200", "Requests of one in a second"),
    Field(
      "tokens", .object(tokens), default: "{}", "The service that gives tokens"),
    Field(
      "expiryAt", .optional(.time(0...day)), default: "none",
      "When tokens expire, from the measuring on", source: "SIG-077"),
    Field("expiryShare", .ratio, default: "1", "Of the sessions that run then"),
    Field("expirySpread", .time(0...day), default: "0 s", "They expire within so long of it"),
  ])
}
