import FeedPolicy
import MediaUnits
import Models
import ServicePolicy
import SimulationKernel
import Statistics

/// The services behind the feed, as a scenario of the world `services` has them.
public struct ServicesPlan: SectionPlan {
  public var configuration: ServicesConfiguration
  /// The cache counts as warm when at most this share of a second's items is not in it.
  public var warmShare: Double

  /// The world's keys and metrics.
  public static let kind = WorldKind(
    name: "services",
    summary: "The feed's API, ranker, cache, table, event service and tokens under a load",
    table: ServicesTable.section, metrics: ServicesMetrics.rows.flatMap(\.metrics),
    headline: ServicesMetrics.headline
  ) { tree, size, problems in
    .services(ServicesPlan(tree, size, problems: &problems))
  }

  private init(_ tree: ResolvedTree, _ size: WorldSize, problems: inout Problems) {
    var tables = LawTables()
    let load = tree.at("load")
    let warmUp = TimeSpan(nanoseconds: load.time("warmUp")).scaled(by: size.share)
    let window = TimeSpan(nanoseconds: load.time("window")).scaled(by: size.share)
    let breaker = tree.at("ranker").optional("breaker")
    if let breaker, breaker.integer("failures") > breaker.integer("window") {
      problems.add(
        breaker.problem(at: "failures", expected: "at most the window's number of calls"))
    }
    warmShare = tree.ratio("store.warmShare")
    configuration = ServicesConfiguration(
      warmUp: warmUp, window: window,
      audience: ServicesPlan.audience(load, warmUp, window, &tables),
      api: ServicesPlan.station(tree.at("api"), &tables),
      ranker: ServicesPlan.ranker(
        tree.at("ranker"), &tables, hasFaults: !problems.isEmpty),
      store: ServicesPlan.store(tree.at("store"), &tables),
      content: ServicesPlan.content(tree.at("content")),
      ingest: ServicesPlan.ingest(tree.at("events"), &tables),
      access: ServicesPlan.access(tree.at("access"), &tables))
    problems.add(tables.problems)
  }

  private static func span(_ part: ResolvedTree, _ key: String) -> TimeSpan {
    TimeSpan(nanoseconds: part.time(key))
  }

  static func station(_ part: ResolvedTree, _ tables: inout LawTables) -> ServiceStation {
    ServiceStation(
      servers: Int(part.integer("servers")), service: tables.table(part, "service"),
      shedder: LoadShedder(limits: part.optionalInteger("queueLimit").map { [Int($0)] } ?? []))
  }

  /// Rate over the mean, by hour of the day (parameters section 14).
  static let hours = [
    0.95, 0.65, 0.42, 0.30, 0.25, 0.27, 0.42, 0.70, 0.90, 0.95, 0.97, 1.03, 1.25, 1.22, 1.08,
    1.05, 1.10, 1.20, 1.35, 1.50, 1.70, 1.80, 1.65, 1.29,
  ]

  /// The rate of sessions: the day's polygon through the hours, times the crowds.
  private static func sessions(
    _ load: ResolvedTree, _ warmUp: TimeSpan, _ window: TimeSpan
  ) -> RateProfile {
    let mean = load.real("sessionsPerSecond")
    let (begin, end) = (warmUp.seconds, (warmUp + window).seconds)
    let hour = load.optionalReal("hour")
    func base(_ time: Double) -> Double {
      guard let hour else { return mean }
      let place = hour + (time - begin) / 3_600 + 48
      let whole = Int(place)
      let (before, after) = (hours[whole % 24], hours[(whole + 1) % 24])
      return mean * (before + (after - before) * (place - Double(whole)))
    }
    let crowds = load.elements("crowds").map { crowd in
      let from = begin + span(crowd, "from").seconds
      return (from: from, to: from + span(crowd, "length").seconds, factor: crowd.real("factor"))
    }
    var times = [0, end]
    for crowd in crowds { times += [crowd.from, crowd.to] }
    if let hour {
      // The corners of the polygon.
      let first = begin - (hour - hour.rounded(.down)) * 3_600
      times += stride(from: first - 86_400, through: end, by: 3_600)
    }
    times = Set(times.filter { $0 >= 0 && $0 <= end }).sorted()
    var points: [(time: Double, rate: Double)] = []
    for (from, to) in zip(times, times.dropFirst()) {
      let middle = (from + to) / 2
      let factor = crowds.reduce(1.0) {
        $0 * (middle >= $1.from && middle < $1.to ? $1.factor : 1)
      }
      points += [(time: from, rate: base(from) * factor), (time: to, rate: base(to) * factor)]
    }
    return RateProfile(points)
  }

  private static func audience(
    _ load: ResolvedTree, _ warmUp: TimeSpan, _ window: TimeSpan, _ tables: inout LawTables
  ) -> AudienceSettings {
    AudienceSettings(
      sessions: sessions(load, warmUp, window), items: tables.table(load, "items", limit: 1e6),
      dwell: tables.table(load, "dwell"), roundTrip: tables.table(load, "roundTrip"),
      users: UInt32(load.integer("users")),
      pager: CursorPager.Configuration(trigger: UInt32(load.integer("trigger")), memory: 128),
      pageSize: Int(load.integer("pageSize")))
  }

  private static func ranker(
    _ part: ResolvedTree, _ tables: inout LawTables, hasFaults: Bool
  ) -> RankerSettings {
    let breaker = hasFaults ? nil : part.optional("breaker")
    return RankerSettings(
      station: station(part, &tables), deadline: span(part, "deadline"),
      call: CallMachine.Configuration(
        timeout: span(part, "timeout"), retries: Int(part.integer("retries")),
        hedgeAfter: part.optionalTime("hedgeAfter").map { TimeSpan(nanoseconds: $0) }),
      breaker: breaker.map {
        CircuitBreaker.Configuration(
          window: Int($0.integer("window")), failures: Int($0.integer("failures")),
          openFor: span($0, "openFor"), probes: Int($0.integer("probes")))
      },
      fallback: PageFallback(oldest: span(part, "earlier")),
      slowShare: part.ratio("slowShare"), slowFactor: part.real("slowFactor"),
      coldExtra: span(part, "coldExtra").seconds, cancelsLate: part.boolean("cancelsLate"),
      outages: part.elements("outages").map { outage in
        let row = ServicesTable.outages.value(outage)
        return RankerOutage(
          kind: row.kind, from: span(outage, "from"), length: span(outage, "length"),
          factor: row.factor(outage))
      })
  }

  private static func store(
    _ part: ResolvedTree, _ tables: inout LawTables
  ) -> StoreSettings {
    StoreSettings(
      cacheRead: tables.table(part, "cacheRead"), tableRead: tables.table(part, "tableRead"),
      indexLag: tables.table(part, "indexLag"), lifetime: span(part, "lifetime"),
      flushAt: part.optionalTime("emptiedAt").map { TimeSpan(nanoseconds: $0) },
      shards: UInt32(part.integer("shards")), writesPerShard: part.real("writesPerShard"),
      burst: part.real("burst"), writeRetries: Int(part.integer("writeRetries")),
      titleShards: UInt32(part.integer("titleShards")), readsPerShard: part.real("readsPerShard"),
      readRetries: Int(part.integer("readRetries")))
  }

  private static func content(_ part: ResolvedTree) -> ContentSettings {
    let titles = Int(part.integer("titles"))
    do {
      let law = try ZipfLaw(count: titles, exponent: part.real("exponent"))
      let table = try Statistics.AliasTable(weights: law.probabilities)
      return ContentSettings(
        shares: law.probabilities,
        popularity: SimulationKernel.AliasTable(
          thresholds: table.thresholds, aliases: table.aliases),
        exploration: ExplorationMixer.Configuration(share: part.ratio("exploration")),
        coldAfter: span(part, "coldAfter"), publishRate: part.real("publishRate"),
        ephemeralShare: part.ratio("ephemeralShare"), life: span(part, "life"),
        filtersExpired: part.boolean("filtersExpired"),
        cut: ServicesTable.cursors.value(part, "cursor"))
    } catch {
      preconditionFailure("the popularity was checked: \(error)")
    }
  }

  private static func ingest(
    _ part: ResolvedTree, _ tables: inout LawTables
  ) -> IngestSettings {
    var batcher = TelemetryBatcher.Configuration()
    batcher.retry = RetryPolicy(asksAfterwards: false)
    batcher.rule = ScenarioTable.flushRules.value(part, "flush")(part.at("flush"))
    batcher.delivery = ScenarioTable.deliveries.value(part, "delivery")
    return IngestSettings(
      batcher: batcher, eventsPerView: Int(part.integer("perView")),
      station: station(part, &tables), failureShare: part.ratio("failureShare"),
      timeout: span(part, "timeout"), killShare: part.ratio("killShare"))
  }

  private static func access(
    _ part: ResolvedTree, _ tables: inout LawTables
  ) -> AccessSettings {
    AccessSettings(
      limiter: part.optionalReal("limit").map {
        RateLimiter.Configuration(rate: $0, burst: part.integer("burst"))
      },
      abusers: UInt32(part.integer("abusers")), abuseRate: part.real("abuseRate"),
      tokens: station(part.at("tokens"), &tables),
      expiryAt: part.optionalTime("expiryAt").map { TimeSpan(nanoseconds: $0) },
      share: part.ratio("expiryShare"), spread: span(part, "expirySpread"))
  }
}

extension ServicesPlan {
  public var load: WorldLoad? {
    WorldLoad(key: "services.load.sessionsPerSecond") { factor in
      var plan = self
      plan.configuration.audience.sessions = configuration.audience.sessions.scaled(by: factor)
      return .services(plan)
    }
  }
}
