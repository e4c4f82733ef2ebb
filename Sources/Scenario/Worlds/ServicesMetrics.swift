import Models

/// The metrics of the world `services`.
enum ServicesMetrics {
  typealias Row = WorldMetricRow<ServicesPlan, ServicesMeasures>

  static let rows: [Row] = [
    times, pages, users, content, events, access,
  ].flatMap { (part: [Row]) -> [Row] in part }

  static let headline = [
    "page_ms.p95", "page_ms.p99", "ranker_ms.p99", "fallback_ratio.ratio",
    "cold_item_ratio{kind=exploration}.ratio", "starved_ratio.ratio", "ingest_delay_ms.p99",
    "ingest_lost_ratio.ratio", "ranker_calls_per_page.rate",
  ]

  private static let times: [Row] = [
    .times("page_ms", "From the API's door to its answer", samples: "pages") { $0.pageTimes },
    .times("ranker_ms", "From asking the ranker to its first answer, late ones too") {
      $0.rankerTimes
    },
    .times("ingest_delay_ms", "From an event to its arrival at the ingest", samples: "events") {
      $0.eventDelays
    },
    .times("index_lag_ms", "From a write until the index shows it") { $0.indexLags },
    .times("token_ms", "What a new token adds to a request", samples: "tokens") { $0.tokenTimes },
  ]

  private static let pages: [Row] = [
    .share(
      "fallback_ratio.ratio", "Pages made without the ranker, of all answered", samples: "pages",
      { $0.pages(from: .trending) + $0.pages(from: .earlier) }, of: \.answered),
    .share(
      "earlier_page_ratio.ratio", "Pages that were ranked for the viewer before", samples: "pages",
      { $0.pages(from: .earlier) }, of: \.answered),
    .share(
      "over_deadline_ratio.ratio", "Calls that missed the deadline or failed, of all",
      samples: "pages", \.overDeadline, of: \.answered),
    .number(
      "fallback_mismatch.count",
      "Pages whose source is not what the ranker's latency says; must be zero", samples: "pages",
      { Double($0.mismatches) }, of: \.answered),
    .share(
      "ranker_error_ratio.ratio", "Calls without any answer, of all pages asked", samples: "pages",
      \.rankerErrors, of: { $0.rankerTimes.count + $0.rankerErrors }),
    .quotient(
      "ranker_calls_per_page.rate", "Calls to the ranker, hedges included", samples: "pages",
      { Double($0.rankerAttempts) }, over: \.answered),
    .share(
      "hedge_ratio.ratio", "Pages with a second call to the ranker", samples: "pages", \.hedges,
      of: \.answered),
    .number(
      "ranker_busy.mean", "Share of time in which the ranker's servers worked", samples: "pages",
      \.rankerBusy, of: \.answered),
    .share(
      "shed_page_ratio.ratio", "Pages that the API refused, of those it got", samples: "pages",
      \.shedPages, of: \.pages),
    .rate(
      "feed_requests_per_second.rate", "Pages asked for", samples: "pages",
      isWorseWhenHigher: false
    ) { plan, found in
      .quotient(
        Double(found.pages), over: plan.configuration.window.seconds, samples: Int64(found.pages))
    },
  ]

  private static let users: [Row] = [
    .share(
      "starved_ratio.ratio", "Swipes that found no next item", samples: "swipes", \.starved,
      of: \.swipes),
    .share(
      "failed_session_ratio.ratio", "Sessions that gave up for want of pages", samples: "sessions",
      \.failedSessions, of: \.sessions),
    .planned(
      "warm_up_seconds.mean", "From the emptying of the cache until it is warm again"
    ) { plan, found in
      let warm = found.timeToWarm(share: plan.warmShare)
      return .number(
        warm ?? 0, samples: warm == nil ? 0 : Int64(found.warming.reduce(0, +)))
    },
  ]

  private static let content: [Row] = [
    .share(
      "explored_ratio.ratio", "Items that explore", samples: "items", isWorseWhenHigher: false,
      \.exploring, of: \.items),
    .number(
      "uneven_pages.count", "Pages of ten or more without a tenth to a fifth exploring",
      samples: "pages", { Double($0.unevenPages) }, of: \.pages),
    .share(
      "metadata_miss_ratio{kind=ranked}.ratio", "Ranked items whose metadata was missed",
      samples: "items", { $0.missed[0] }, of: { $0.items - $0.exploring }),
    .share(
      "metadata_miss_ratio{kind=exploration}.ratio",
      "Exploration items whose metadata was not cached", samples: "items", { $0.missed[1] },
      of: \.exploring),
    .share(
      "cold_item_ratio{kind=ranked}.ratio",
      "Ranked items that nobody was shown for the time after which caches lose them",
      samples: "items", { $0.cold[0] }, of: { $0.items - $0.exploring }),
    .share(
      "cold_item_ratio{kind=exploration}.ratio", "The same of exploration items",
      samples: "items", { $0.cold[1] }, of: \.exploring),
    .share(
      "cold_item_ratio{kind=all}.ratio", "The same of all items", samples: "items",
      { $0.cold[0] + $0.cold[1] }, of: \.items),
    .share(
      "repeated_item_ratio.ratio", "Items that a session's pages showed twice", samples: "items",
      \.duplicates, of: \.listed),
    .share(
      "skipped_item_ratio.ratio", "Items that a session's pages passed over", samples: "items",
      \.passedOver, of: \.listed),
    .share(
      "expired_item_ratio.ratio", "Items that had expired when they were shown", samples: "items",
      \.expiredShown, of: \.items),
  ]

  private static let events: [Row] = [
    .share(
      "ingest_lost_ratio.ratio", "Events that never arrived", samples: "events", \.eventsLost,
      of: \.events),
    .quotient(
      "ingest_repeated_ratio.ratio", "Events counted again, over events", samples: "events",
      { Double($0.eventsRepeated) }, over: \.events),
    .rate("posts_per_minute.rate", "Posts in a minute of use", samples: "posts") { _, found in
      .quotient(
        Double(found.posts), over: found.sessionTime.seconds / 60, samples: Int64(found.posts))
    },
    .share(
      "write_throttled_ratio.ratio", "Writes that a partition refused at least once",
      samples: "writes", \.throttled, of: \.writes),
    .share(
      "write_lost_ratio.ratio", "Writes that were given up", samples: "writes", \.lostWrites,
      of: \.writes),
    .share(
      "read_throttled_ratio.ratio",
      "Reads of the table of titles that a partition refused at first", samples: "reads",
      \.readsThrottled, of: \.reads),
    .share(
      "read_lost_ratio.ratio", "Such reads that were given up", samples: "reads", \.lostReads,
      of: \.reads),
  ]

  private static let access: [Row] = [
    .share(
      "refused_ratio{cohort=viewer}.ratio", "Viewers' requests answered 429", samples: "requests",
      \.refusedPages, of: { $0.pages + $0.refusedPages }),
    .share(
      "refused_ratio{cohort=abuser}.ratio", "Abusers' requests answered 429",
      samples: "requests", isWorseWhenHigher: false, \.abuseRefused, of: \.abuse),
    .number(
      "tokens_per_second.max", "Tokens given in the busiest second", samples: "tokens",
      { Double($0.tokensPerSecond.max() ?? 0) }, of: \.tokenTimes.count),
  ]
}

extension ServicesMeasures {
  fileprivate func pages(from source: ServedSource) -> Int { served[Int(source.rawValue)] }

  fileprivate var answered: Int { served.reduce(0, +) }
}

extension ServicesPlan {
  /// How the metrics are read, in the order of ``kind``'s.
  public static let metrics: [WorldMetricRow<ServicesPlan, ServicesMeasures>] = ServicesMetrics.rows
}
