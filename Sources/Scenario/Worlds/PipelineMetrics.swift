import Models
import UploadPolicy

/// The metrics of the world `pipeline`.
enum PipelineMetrics {
  typealias Row = WorldMetricRow<PipelinePlan, PipelineMeasures>

  static let rows: [Row] = [
    times, uploads, outcomes, rejections, faults, publishing, cost,
  ].flatMap { (part: [Row]) -> [Row] in part }

  /// In the order of the measures' lists.
  static let stages = ["inspect", "moderate", "transcode", "storyboard"]

  static let headline = [
    "upload_ms{class=near}.p95", "upload_ms{class=far}.p95", "publish_ms.p50", "publish_ms.p95",
    "stage_wait_ms{stage=transcode}.p95", "feed_early_ratio.ratio",
    "cost_per_video{stage=all}.rate", "wasted_transcode_seconds.rate",
  ]

  private static let times: [Row] =
    ["near", "far"].enumerated().map { place, name -> Row in
      .times("upload_ms{class=\(name)}", "From choosing a file to its being stored") {
        $0.uploadTimes[place]
      }
    }
    + [
      .times("publish_ms", "From a file's being stored to the feed's having it") {
        $0.publishTimes
      }
    ]
    + stages.enumerated().map { place, stage -> Row in
      .times("stage_wait_ms{stage=\(stage)}", "Time in the queue of the stage") {
        $0.waits[place]
      }
    }
    + stages.enumerated().map { place, stage -> Row in
      .times("stage_ms{stage=\(stage)}", "Time in the stage, its queue included") {
        $0.stageTimes[place]
      }
    }
    + [.times("index_lag_ms", "From a write until the index shows it") { $0.indexLags }]

  private static let uploads: [Row] = [
    .share(
      "upload_failed_ratio.ratio", "Uploads that were given up", samples: "uploads", \.givenUp,
      of: \.uploads),
    .rate("resent_ratio.ratio", "Bytes sent again, over bytes of files", samples: "uploads") {
      _, found in
      .quotient(
        Double(found.resentBytes), over: Double(found.fileBytes), samples: Int64(found.uploaded))
    },
    .number(
      "oversent.count",
      "Uploads that sent more again than parallelism times part size for each outage",
      samples: "uploads", { Double($0.overSent) }, of: \.uploaded),
    .share(
      "duplicate_event_ratio.ratio", "Events that told of a known upload", samples: "events",
      \.duplicateEvents, of: \.busEvents),
    .number(
      "doubled_executions.count", "Uploads that were executed twice", samples: "uploads",
      { Double($0.doubledExecutions) }, of: \.uploads),
    .number(
      "doubled_transcodes.count", "Uploads that were transcoded twice", samples: "uploads",
      { Double($0.doubledTranscodes) }, of: \.uploads),
  ]

  private static let outcomes: [Row] = [
    .share(
      "published_ratio.ratio", "Executions that published", samples: "executions",
      isWorseWhenHigher: false, \.published, of: \.executions),
    .share(
      "failed_ratio.ratio", "Executions that ended without a code", samples: "executions",
      \.failures, of: \.executions),
  ]

  private static let rejections: [Row] = RejectionCode.allCases.map { code in
    .share(
      "rejected_ratio{code=\(code.text)}.ratio", "Executions that ended with the code",
      samples: "executions", { $0.rejections[Int(code.rawValue)] }, of: \.executions)
  }

  private static let faults: [Row] = [
    .number(
      "late_rejections.count", "Files transcoded although the inspection rejects them",
      samples: "executions", { Double($0.lateRejections) }, of: \.executions),
    .quotient(
      "wasted_transcode_seconds.rate",
      "Seconds of video transcoded and then flagged, over published videos", samples: "videos",
      \.wastedSeconds, over: \.published),
    .number(
      "order_faults.count", "Published without exactly one storyboard", samples: "videos",
      { Double($0.orderFaults) }, of: \.published),
  ]

  private static let publishing: [Row] = [
    .share(
      "feed_early_ratio.ratio", "Feed entries before their manifest", samples: "entries",
      \.earlyListings, of: \.listings),
    .number(
      "feed_items_404.count", "Views that found no manifest", samples: "views",
      { Double($0.notFound) }, of: \.reads),
    .share(
      "feed_404_ratio.ratio", "The same, of all views that were looked at", samples: "views",
      \.notFound, of: \.reads),
    .number(
      "gone_versions.count", "Views whose version was deleted before they ended", samples: "views",
      { Double($0.goneVersions) }, of: \.reads),
  ]

  private static let cost: [Row] =
    (stages + ["orchestration"]).enumerated().map { place, stage in
      perVideo(stage) { $0.cost[place] }
    } + [perVideo("all") { $0.totalCost }]

  private static func perVideo(
    _ stage: String, _ dollars: @escaping @Sendable (PipelineMeasures) -> Double
  ) -> Row {
    .quotient(
      "cost_per_video{stage=\(stage)}.rate", "Dollars over published videos", samples: "videos",
      dollars
    ) { $0.published }
  }
}

extension PipelinePlan {
  /// How the metrics are read, in the order of ``kind``'s.
  public static let metrics: [WorldMetricRow<PipelinePlan, PipelineMeasures>] = PipelineMetrics.rows
}
