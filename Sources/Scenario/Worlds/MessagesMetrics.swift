import MediaUnits
import MessageDelivery
import Models

/// The metrics of the world `messages`.
enum MessagesMetrics {
  typealias Row = WorldMetricRow<MessagesPlan, MessagingMeasures>

  static let rows: [Row] = times + truth + cost

  static let headline = [
    "visible_lag_ms{state=downloaded}.p95", "visible_lag_ms{state=viewed}.p95",
    "delivery_ms.p50", "playable_lag_ms.p95", "open_error_ratio.ratio",
    "status_error_seconds_per_hour.rate",
    "false_viewed_ratio.ratio", "requests_per_video.rate", "packet_bytes_per_video.rate",
    "radio_seconds_per_hour.rate",
  ]

  private static let times: [Row] = [
    .times("upload_ms", "From sending a video to the service's knowing of it") {
      $0.uploadTimes
    },
    .times(
      "delivery_ms", "From the service's knowing of a video to the recipient's having it"
    ) { $0.deliveryTimes },
    .cutTimes("playable_lag_ms", "The same in the time that the recipient had the app open") {
      .times($0.waits.ended, censored: $0.waits.cut)
    },
    .cutTimes(
      "drain_ms", "From an opening of the app until the last video that waited then is there"
    ) { .times($0.drains.ended, censored: $0.drains.cut) },
    .cutTimes(
      "visible_lag_ms{state=downloaded}",
      "From the recipient's having a video to the sender's seeing so, in the time that the sender "
        + "had the app open"
    ) { .times($0.visibleDownloads.ended, censored: $0.visibleDownloads.cut) },
    .cutTimes(
      "visible_lag_ms{state=viewed}",
      "From the view of a video to the sender's seeing so, in the time that the sender had the app "
        + "open"
    ) { .times($0.visibleViews.ended, censored: $0.visibleViews.cut) },
    .times("status_lag_ms{state=viewed}", "The same in all time, of what was seen in the end") {
      $0.viewLags
    },
  ]

  private static let truth: [Row] = [
    .share(
      "open_error_ratio.ratio",
      "Openings with HTTP after which, the grace later, the screen was wrong, of all such",
      samples: "openings", \.wrongOpenings, of: \.openings),
    .rate(
      "status_error_seconds_per_hour.rate",
      "Seconds in which a sender saw a wrong status, summed over its videos, over its open hours",
      samples: "videos"
    ) { _, sums in
      .quotient(
        sums.wrongTime.seconds, over: sums.openTime.seconds / 3_600, samples: Int64(sums.videos))
    },
    .share(
      "false_viewed_ratio.ratio", "Videos shown as viewed that were not, of all videos",
      samples: "videos", \.falseViews, of: \.videos),
    .number(
      "false_viewed.count", "Videos shown as viewed that were not, in a replication",
      samples: "videos", { Double($0.falseViews) }, of: \.videos),
    .share(
      "undelivered_ratio.ratio",
      "Videos that were neither replaced nor delivered by the end, of those the service knew",
      samples: "videos", \.undelivered, of: \.known),
    .quotient(
      "repeated_download_ratio.ratio", "Downloads that were asked for again, over videos",
      samples: "videos", { Double($0.repeatedDownloads) }, over: \.videos),
    .share(
      "gone_ratio.ratio", "Videos that were gone when they were to be had, of all videos",
      samples: "videos", \.gone, of: \.videos),
    .share(
      "viewed_ratio.ratio", "Videos that were viewed, of all videos", samples: "videos",
      isWorseWhenHigher: false, \.viewed, of: \.videos),
    .share(
      "orphan_ratio.ratio", "Videos left in the store that nobody tracks, of all videos",
      samples: "videos", \.orphans, of: \.videos),
    .share(
      "push_lost_ratio.ratio", "Pushes that never arrived, of all pushes", samples: "pushes",
      \.lostPushes, of: \.pushes),
    .share(
      "push_coalesced_ratio.ratio", "Held pushes that a later one replaced, of all pushes",
      samples: "pushes", \.coalescedPushes, of: \.pushes),
  ]

  private static let cost: [Row] = [
    perVideo("requests_per_video.rate", "Requests of clients over videos") {
      Double($0.requestCount)
    },
    perVideo("polls_per_video.rate", "Polls over videos") {
      Double($0.requests[Int(RequestKind.poll.rawValue)])
    },
    perClient("requests_per_client_day.rate", "Requests over clients and days", hours: 24) {
      Double($0.requestCount)
    },
    perVideo("pushes_per_video.rate", "Pushes over videos") { Double($0.pushes) },
    perVideo("packet_bytes_per_video.rate", "Bytes of pushes and answers to polls over videos") {
      Double($0.pushBytes + $0.pollBytes)
    },
    .number(
      "push_bytes.max", "The largest push, bytes", samples: "pushes", { Double($0.largestPush) },
      of: \.pushes),
    perVideo("reads_per_video.rate", "Rows that the service read, over videos") {
      Double($0.reads)
    },
    perVideo("writes_per_video.rate", "Rows that the service wrote, over videos") {
      Double($0.writes)
    },
    perVideo(
      "busy_seconds_per_video.rate",
      "Time in which the service carried an upload's bytes, over videos"
    ) { $0.busyTime.seconds },
    perVideo("stored_hours_per_video.rate", "Time in the object store, over videos") {
      $0.storedTime.seconds / 3_600
    },
    perClient(
      "radio_seconds_per_hour.rate",
      "Time in which a radio was in use or in its tail of 10 s, over clients and hours", hours: 1
    ) { $0.radioTime.seconds },
  ]

  private static func perVideo(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (MessagingMeasures) -> Double
  ) -> Row {
    .quotient(name, summary, samples: "videos", value) { $0.videos }
  }

  /// Over clients and spans of so many hours.
  private static func perClient(
    _ name: String, _ summary: String, hours each: Double,
    _ value: @escaping @Sendable (MessagingMeasures) -> Double
  ) -> Row {
    .rate(name, summary, samples: "clients") { plan, sums in
      let (groups, clients) = (plan.groups, plan.audience.clients)
      let hours =
        Double(groups) * Double(clients) * plan.audience.duration.seconds / 3_600
      return .quotient(
        value(sums), over: hours / each, samples: Int64(groups) * Int64(clients))
    }
  }
}

extension MessagesPlan {
  /// How the metrics are read, in the order of ``kind``'s.
  public static let metrics: [WorldMetricRow<MessagesPlan, MessagingMeasures>] = MessagesMetrics
    .rows
}
