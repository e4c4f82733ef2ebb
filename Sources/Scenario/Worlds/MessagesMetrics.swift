/// The metrics of the world `messages`.
enum MessagesMetrics {
  static let all: [WorldMetric] = times + truth + cost

  static let headline = [
    "visible_lag_ms{state=downloaded}.p95", "visible_lag_ms{state=viewed}.p95",
    "delivery_ms.p50", "playable_lag_ms.p95", "open_error_ratio.ratio",
    "status_error_seconds_per_hour.rate",
    "false_viewed_ratio.ratio", "requests_per_video.rate", "packet_bytes_per_video.rate",
    "radio_seconds_per_hour.rate",
  ]

  private static let times =
    WorldMetric.times("upload_ms", "From sending a video to the service's knowing of it")
    + WorldMetric.times(
      "delivery_ms", "From the service's knowing of a video to the recipient's having it")
    + WorldMetric.times(
      "playable_lag_ms", "The same in the time that the recipient had the app open")
    + WorldMetric.times(
      "drain_ms", "From an opening of the app until the last video that waited then is there")
    + WorldMetric.times(
      "visible_lag_ms{state=downloaded}",
      "From the recipient's having a video to the sender's seeing so, in the time that the sender "
        + "had the app open")
    + WorldMetric.times(
      "visible_lag_ms{state=viewed}",
      "From the view of a video to the sender's seeing so, in the time that the sender had the app "
        + "open")
    + WorldMetric.times(
      "status_lag_ms{state=viewed}", "The same in all time, of what was seen in the end")

  private static let truth: [WorldMetric] = [
    WorldMetric(
      "open_error_ratio.ratio", .share,
      "Openings with HTTP after which, the grace later, the screen was wrong, of all such"),
    WorldMetric(
      "status_error_seconds_per_hour.rate", .quotient,
      "Seconds in which a sender saw a wrong status, summed over its videos, over its open hours"),
    WorldMetric(
      "false_viewed_ratio.ratio", .share, "Videos shown as viewed that were not, of all videos"),
    WorldMetric(
      "false_viewed.count", .number, "Videos shown as viewed that were not, in a replication"),
    WorldMetric(
      "undelivered_ratio.ratio", .share,
      "Videos that were neither replaced nor delivered by the end, of those the service knew"),
    WorldMetric(
      "repeated_download_ratio.ratio", .quotient,
      "Downloads that were asked for again, over videos"),
    WorldMetric(
      "gone_ratio.ratio", .share, "Videos that were gone when they were to be had, of all videos"),
    WorldMetric(
      "viewed_ratio.ratio", .share, "Videos that were viewed, of all videos",
      isWorseWhenHigher: false),
    WorldMetric(
      "orphan_ratio.ratio", .share, "Videos left in the store that nobody tracks, of all videos"),
    WorldMetric(
      "push_lost_ratio.ratio", .share, "Pushes that never arrived, of all pushes"),
    WorldMetric(
      "push_coalesced_ratio.ratio", .share, "Held pushes that a later one replaced, of all pushes"),
  ]

  private static let cost: [WorldMetric] = [
    WorldMetric("requests_per_video.rate", .quotient, "Requests of clients over videos"),
    WorldMetric("polls_per_video.rate", .quotient, "Polls over videos"),
    WorldMetric("requests_per_client_day.rate", .quotient, "Requests over clients and days"),
    WorldMetric("pushes_per_video.rate", .quotient, "Pushes over videos"),
    WorldMetric(
      "packet_bytes_per_video.rate", .quotient, "Bytes of pushes and answers to polls over videos"),
    WorldMetric("push_bytes.max", .number, "The largest push, bytes"),
    WorldMetric("reads_per_video.rate", .quotient, "Rows that the service read, over videos"),
    WorldMetric("writes_per_video.rate", .quotient, "Rows that the service wrote, over videos"),
    WorldMetric(
      "busy_seconds_per_video.rate", .quotient,
      "Time in which the service carried an upload's bytes, over videos"),
    WorldMetric(
      "stored_hours_per_video.rate", .quotient, "Time in the object store, over videos"),
    WorldMetric(
      "radio_seconds_per_hour.rate", .quotient,
      "Time in which a radio was in use or in its tail of 10 s, over clients and hours"),
  ]
}
