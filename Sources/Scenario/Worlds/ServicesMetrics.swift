/// The metrics of the world `services`.
enum ServicesMetrics {
  static let all: [WorldMetric] = times + pages + content + events + access

  static let headline = [
    "page_ms.p95", "page_ms.p99", "ranker_ms.p99", "fallback_ratio.ratio",
    "cold_item_ratio{kind=exploration}.ratio", "starved_ratio.ratio", "ingest_delay_ms.p99",
    "ingest_lost_ratio.ratio", "ranker_calls_per_page.rate",
  ]

  private static let times =
    WorldMetric.times("page_ms", "From the API's door to its answer")
    + WorldMetric.times("ranker_ms", "From asking the ranker to its first answer, late ones too")
    + WorldMetric.times("ingest_delay_ms", "From an event to its arrival at the ingest")
    + WorldMetric.times("index_lag_ms", "From a write until the index shows it")
    + WorldMetric.times("token_ms", "What a new token adds to a request")

  private static let pages: [WorldMetric] = [
    WorldMetric("fallback_ratio.ratio", .share, "Pages made without the ranker, of all answered"),
    WorldMetric(
      "earlier_page_ratio.ratio", .share, "Pages that were ranked for the viewer before"),
    WorldMetric(
      "over_deadline_ratio.ratio", .share, "Calls that missed the deadline or failed, of all"),
    WorldMetric(
      "fallback_mismatch.count", .number,
      "Pages whose source is not what the ranker's latency says; must be zero"),
    WorldMetric("ranker_error_ratio.ratio", .share, "Calls without any answer, of all pages asked"),
    WorldMetric("ranker_calls_per_page.rate", .quotient, "Calls to the ranker, hedges included"),
    WorldMetric("hedge_ratio.ratio", .share, "Pages with a second call to the ranker"),
    WorldMetric("ranker_busy.mean", .number, "Share of time in which the ranker's servers worked"),
    WorldMetric("shed_page_ratio.ratio", .share, "Pages that the API refused, of those it got"),
    WorldMetric(
      "feed_requests_per_second.rate", .quotient, "Pages asked for", isWorseWhenHigher: false),
    WorldMetric("starved_ratio.ratio", .share, "Swipes that found no next item"),
    WorldMetric("failed_session_ratio.ratio", .share, "Sessions that gave up for want of pages"),
    WorldMetric(
      "warm_up_seconds.mean", .number, "From the emptying of the cache until it is warm again"),
  ]

  private static let content: [WorldMetric] = [
    WorldMetric("explored_ratio.ratio", .share, "Items that explore", isWorseWhenHigher: false),
    WorldMetric(
      "uneven_pages.count", .number, "Pages of ten or more without a tenth to a fifth exploring"),
    WorldMetric(
      "metadata_miss_ratio{kind=ranked}.ratio", .share, "Ranked items whose metadata was missed"),
    WorldMetric(
      "metadata_miss_ratio{kind=exploration}.ratio", .share,
      "Exploration items whose metadata was not cached"),
    WorldMetric(
      "cold_item_ratio{kind=ranked}.ratio", .share,
      "Ranked items that nobody was shown for the time after which caches lose them"),
    WorldMetric(
      "cold_item_ratio{kind=exploration}.ratio", .share, "The same of exploration items"),
    WorldMetric("cold_item_ratio{kind=all}.ratio", .share, "The same of all items"),
    WorldMetric("repeated_item_ratio.ratio", .share, "Items that a session's pages showed twice"),
    WorldMetric("skipped_item_ratio.ratio", .share, "Items that a session's pages passed over"),
    WorldMetric("expired_item_ratio.ratio", .share, "Items that had expired when they were shown"),
  ]

  private static let events: [WorldMetric] = [
    WorldMetric("ingest_lost_ratio.ratio", .share, "Events that never arrived"),
    WorldMetric("ingest_repeated_ratio.ratio", .quotient, "Events counted again, over events"),
    WorldMetric("posts_per_minute.rate", .quotient, "Posts in a minute of use"),
    WorldMetric(
      "write_throttled_ratio.ratio", .share, "Writes that a partition refused at least once"),
    WorldMetric("write_lost_ratio.ratio", .share, "Writes that were given up"),
    WorldMetric(
      "read_throttled_ratio.ratio", .share,
      "Reads of the table of titles that a partition refused at first"),
    WorldMetric("read_lost_ratio.ratio", .share, "Such reads that were given up"),
  ]

  private static let access: [WorldMetric] = [
    WorldMetric("refused_ratio{cohort=viewer}.ratio", .share, "Viewers' requests answered 429"),
    WorldMetric(
      "refused_ratio{cohort=abuser}.ratio", .share, "Abusers' requests answered 429",
      isWorseWhenHigher: false),
    WorldMetric("tokens_per_second.max", .number, "Tokens given in the busiest second"),
  ]
}
