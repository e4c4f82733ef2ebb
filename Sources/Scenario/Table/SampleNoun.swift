extension MetricReference {
  /// What the samples behind a value are, in the plural: `views`, `requests`, `swipes`; `samples`
  /// where there is no better word.
  public var sampleNoun: String {
    if let world = WorldMetric.of(self) {
      return MetricReference.worldNoun(metric) ?? (world.kind == .time ? "times" : "samples")
    }
    if MetricReference.cacheMetrics.contains(metric) || metric.hasPrefix("origin_") {
      return "requests"
    }
    if MetricReference.qualityMetrics.contains(metric)
      || MetricReference.scoreMetrics.contains(metric)
    {
      return "items"
    }
    if MetricReference.swipeTimes.contains(metric) || MetricReference.swipeRatios.contains(metric) {
      return "swipes"
    }
    return switch metric {
    case MetricReference.stalenessMetric: "manifests"
    case "flaps_per_minute", MetricReference.surfacePeak: "plays"
    case "mounts_per_minute", "main_thread_ms_per_second": "bound cells"
    case "bridge_messages_per_second": "sights of cards"
    case "event_delay_ms", "events_lost_ratio", "events_duplicated_ratio": "events"
    case "event_post_interval_ms": "posts"
    case MetricReference.loopTime: "loops"
    case "trending_page_ratio": "pages"
    case "exploration_ratio", "evicted_before_use_ratio": "items"
    case "offline_playable_ratio": "times offline"
    case "sprite_hit_ratio": "look-ups"
    default: "views"
    }
  }

  /// Of the other worlds, for what is not a time; nil where the name does not tell it.
  private static func worldNoun(_ metric: String) -> String? {
    switch metric {
    // Calls.
    case "call_setup_ms", "failed_setup_ms", "connected_ratio", "setup_failed_ratio",
      "dropped_ratio", "unheard_ring_seconds_per_call", "ring_seconds_per_call",
      "late_accept_ratio", "relay_calls":
      "calls"
    case "unheard_ring_ratio", "ghost_rings", "double_rings", "ring_ratio": "rings"
    case "call_wait_ms", "served_ratio", "nobody_listed_ratio": "wishes"
    case "busy_ratio", "busy_ms": "requests"
    case "false_expiry_ratio": "outages"
    case "path_ratio", "relayed_ratio", "relay_blocked_ratio": "connections"
    case "frame_rate", "illegible_ratio", "frozen_ratio", "warned_ratio", "warnings_per_call_hour":
      "seconds"
    case "messages_per_user_second", "heartbeats_per_user_second", "false_expiries_per_user_hour",
      "registrations_per_second":
      "users"
    case "presence_messages_per_second": "messages"
    case "statistics_lines_per_hour": "lines"
    // Messages.
    case "open_error_ratio": "openings"
    case "push_lost_ratio", "push_coalesced_ratio", "push_bytes": "pushes"
    case "radio_seconds_per_hour", "requests_per_client_day": "clients"
    case "status_error_seconds_per_hour", "false_viewed_ratio", "false_viewed",
      "undelivered_ratio", "repeated_download_ratio", "gone_ratio", "viewed_ratio", "orphan_ratio":
      "videos"
    case _ where metric.contains("per_video"): "videos"
    // Uploads and the pipeline.
    case "upload_failed_ratio", "resent_ratio", "oversent", "doubled_executions",
      "doubled_transcodes":
      "uploads"
    case "duplicate_event_ratio": "events"
    case "published_ratio", "failed_ratio", "rejected_ratio", "late_rejections": "executions"
    case "wasted_transcode_seconds", "order_faults": "videos"
    case "feed_early_ratio": "entries"
    case "feed_items_404", "feed_404_ratio", "gone_versions": "views"
    // Services.
    case "fallback_ratio", "earlier_page_ratio", "over_deadline_ratio", "fallback_mismatch",
      "ranker_error_ratio", "ranker_calls_per_page", "hedge_ratio", "ranker_busy",
      "shed_page_ratio", "feed_requests_per_second", "uneven_pages", "page_ms":
      "pages"
    case "starved_ratio": "swipes"
    case "failed_session_ratio": "sessions"
    case "explored_ratio", "metadata_miss_ratio", "cold_item_ratio", "repeated_item_ratio",
      "skipped_item_ratio", "expired_item_ratio":
      "items"
    case "ingest_lost_ratio", "ingest_repeated_ratio", "ingest_delay_ms": "events"
    case "posts_per_minute": "posts"
    case "write_throttled_ratio", "write_lost_ratio": "writes"
    case "read_throttled_ratio", "read_lost_ratio": "reads"
    case "refused_ratio": "requests"
    case "tokens_per_second", "token_ms": "tokens"
    default: nil
    }
  }
}
