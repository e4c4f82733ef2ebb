/// The metrics of the world `pipeline`.
enum PipelineMetrics {
  static let all: [WorldMetric] = times + uploads + outcomes + publishing + cost

  static let stages = ["inspect", "moderate", "transcode", "storyboard"]
  static let codes = [
    "E_CODEC_UNSUPPORTED", "E_TOO_LONG", "E_TOO_LARGE", "E_NSFW_FLAGGED", "E_TRANSCODE_FAILED",
  ]

  static let headline = [
    "upload_ms{class=near}.p95", "upload_ms{class=far}.p95", "publish_ms.p50", "publish_ms.p95",
    "stage_wait_ms{stage=transcode}.p95", "feed_early_ratio.ratio",
    "cost_per_video{stage=all}.rate", "wasted_transcode_seconds.rate",
  ]

  private static let times =
    ["near", "far"].flatMap {
      WorldMetric.times("upload_ms{class=\($0)}", "From choosing a file to its being stored")
    }
    + WorldMetric.times("publish_ms", "From a file's being stored to the feed's having it")
    + stages.flatMap {
      WorldMetric.times("stage_wait_ms{stage=\($0)}", "Time in the queue of the stage")
    }
    + stages.flatMap {
      WorldMetric.times("stage_ms{stage=\($0)}", "Time in the stage, its queue included")
    } + WorldMetric.times("index_lag_ms", "From a write until the index shows it")

  private static let uploads: [WorldMetric] = [
    WorldMetric("upload_failed_ratio.ratio", .share, "Uploads that were given up"),
    WorldMetric("resent_ratio.ratio", .quotient, "Bytes sent again, over bytes of files"),
    WorldMetric(
      "oversent.count", .number,
      "Uploads that sent more again than parallelism times part size for each outage"),
    WorldMetric(
      "duplicate_event_ratio.ratio", .share, "Events that told of a known upload"),
    WorldMetric("doubled_executions.count", .number, "Uploads that were executed twice"),
    WorldMetric("doubled_transcodes.count", .number, "Uploads that were transcoded twice"),
  ]

  private static let outcomes: [WorldMetric] =
    [
      WorldMetric(
        "published_ratio.ratio", .share, "Executions that published", isWorseWhenHigher: false),
      WorldMetric("failed_ratio.ratio", .share, "Executions that ended without a code"),
    ]
    + codes.map {
      WorldMetric("rejected_ratio{code=\($0)}.ratio", .share, "Executions that ended with the code")
    } + [
      WorldMetric(
        "late_rejections.count", .number, "Files transcoded although the inspection rejects them"),
      WorldMetric(
        "wasted_transcode_seconds.rate", .quotient,
        "Seconds of video transcoded and then flagged, over published videos"),
      WorldMetric(
        "order_faults.count", .number, "Published without exactly one storyboard"),
    ]

  private static let publishing: [WorldMetric] = [
    WorldMetric("feed_early_ratio.ratio", .share, "Feed entries before their manifest"),
    WorldMetric("feed_items_404.count", .number, "Views that found no manifest"),
    WorldMetric("feed_404_ratio.ratio", .share, "The same, of all views that were looked at"),
    WorldMetric(
      "gone_versions.count", .number, "Views whose version was deleted before they ended"),
  ]

  private static let cost: [WorldMetric] = (stages + ["orchestration", "all"]).map {
    WorldMetric("cost_per_video{stage=\($0)}.rate", .quotient, "Dollars over published videos")
  }
}
