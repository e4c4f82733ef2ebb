import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// What an app does beyond loading and playing.
extension FeedMetrics {
  /// Of swipes: time without a frame on the screen, the part of it without a poster either, time
  /// held by the gate, and both waits together; snaps back, escapes and viewers who left for them.
  /// A swipe may be snapped back more than once.
  static let swipes: [FeedMetric] = [
    .time(
      "spinner_ms", "no frame after a swipe", labels: ["network", "device"], samples: "swipes",
      presence: .client
    ) { .mean($0.swipes.covered, over: $0.swipes.swipes) },
    .time(
      "black_frame_ms", "of that without a poster", labels: ["network", "device"],
      samples: "swipes", presence: .client
    ) { .mean($0.swipes.black, over: $0.swipes.swipes) },
    .time(
      "gate_wait_ms", "held by the gate", labels: ["network", "device"], samples: "swipes",
      presence: .client
    ) { .mean($0.swipes.gateWait, over: $0.swipes.swipes) },
    .time(
      "swipe_wait_ms", "swipe to frame", stats: delayStats, labels: ["network", "device"],
      samples: "swipes", presence: .client
    ) { .delays($0.swipeWaits) },
    .ratio(
      "snapback_ratio", "swipes snapped back", labels: ["network", "device"], range: .unbounded,
      samples: "swipes", presence: .client
    ) { .share($0.swipes.snapBacks, of: $0.swipes.swipes) },
    .ratio(
      "gate_escape_ratio", "swipes that escaped the gate", labels: ["network", "device"],
      samples: "swipes", presence: .client
    ) { .share($0.swipes.escapes, of: $0.swipes.swipes) },
    .ratio(
      "gate_left_ratio", "left because of it", labels: ["network", "device"], samples: "swipes",
      presence: .client
    ) { .share($0.swipes.leftAtGate, of: $0.swipes.swipes) },
  ]

  /// Stats of a histogram of delays.
  private static let delayStats = ["mean", "p50", "p95", "p99", "max"]

  /// Of telemetry, loops, pages, players and the disk.
  static let app: [FeedMetric] = [
    .time(
      "event_delay_ms", "events delayed", stats: delayStats, samples: "events", presence: .client
    ) { .delays($0.measures.eventDelays) },
    .time(
      "event_post_interval_ms", "session time per post", isWorseWhenHigher: false,
      samples: "posts", presence: .client
    ) {
      let sums = $0.measures.clientSide.telemetry
      return .mean(sums.sessionTime, over: sums.posts)
    },
    // REEL-006.
    .time("loop_gap_ms", "gap of a loop", samples: "loops", presence: .client) {
      .mean($0.measures.clientSide.loopGap, over: $0.measures.clientSide.loops)
    },
    .ratio("events_lost_ratio", "events lost", samples: "events", presence: .client) {
      let sums = $0.measures.clientSide.telemetry
      return .share(sums.lost, of: sums.delivered + sums.lost)
    },
    .ratio(
      "events_duplicated_ratio", "events counted twice", range: .unbounded, samples: "events",
      presence: .client
    ) {
      let sums = $0.measures.clientSide.telemetry
      return .share(sums.duplicated, of: sums.delivered + sums.lost)
    },
    .ratio("trending_page_ratio", "pages from Trending", samples: "pages", presence: .client) {
      .share($0.measures.clientSide.trendingPages, of: $0.measures.clientSide.pages)
    },
    .ratio(
      "exploration_ratio", "exploration items", isWorseWhenHigher: false, samples: "items",
      presence: .client
    ) { .share($0.measures.clientSide.explorationItems, of: $0.measures.clientSide.items) },
    .ratio(
      "offline_playable_ratio", "playable when the network is lost", isWorseWhenHigher: false,
      samples: "times offline", presence: .client
    ) {
      let sums = $0.measures.clientSide
      return .quotient(
        Double(sums.offlinePlayable) / 1e9, over: Double(sums.offlineWanted) / 1e9,
        samples: sums.offlineCuts)
    },
    .ratio("given_up_ratio", "items given up", range: .unbounded, presence: .client) {
      .share($0.measures.clientSide.itemsGivenUp, of: $0.swipes.views)
    },
    .ratio("pool_create_ratio", "players created per view", range: .unbounded, presence: .client) {
      .share($0.measures.counts.playerCreates, of: $0.views.views)
    },
    .ratio(
      "pool_retarget_ratio", "players given another item per view", range: .unbounded,
      presence: .client
    ) { .share($0.measures.counts.playerRetargets, of: $0.views.views) },
    .ratio(
      "decoder_refused_ratio", "decoders refused per view", range: .unbounded, presence: .client
    ) { .share($0.measures.counts.decodersRefused, of: $0.views.views) },
    .ratio(
      "sprite_hit_ratio", "sprites from the cache", isWorseWhenHigher: false, samples: "look-ups",
      presence: .client
    ) { .share($0.measures.counts.spriteHits, of: $0.measures.counts.scrubLookups) },
    .ratio(
      "evicted_before_use_ratio", "evicted from the disk before use", samples: "items",
      presence: .client
    ) { .share($0.measures.clientSide.evictedAhead, of: $0.measures.clientSide.storedAhead) },
  ]
}
