/// Whose names metrics have in a report: those that a team's own dashboard shows.
///
/// Each list says which metric of ours is theirs, in which unit they show it, and where the two
/// differ. `docs/reference/industry-names.md` has the same rows for people, and the documents that
/// they were read from.
public enum IndustryNames: String, CaseIterable, Sendable {
  case mux, conviva, cta2066

  /// One of their metrics.
  public struct Row: Sendable, Equatable {
    /// As their dashboard calls it.
    public let name: String
    /// Ours; nil: nothing here is what they mean.
    public let metric: MetricReference?
    public let unit: Unit
    /// Where they differ, without a full stop; nothing: they do not.
    public let difference: String
  }

  /// How they show a value.
  public enum Unit: Sendable, Equatable {
    /// As we do.
    case same
    case seconds
    /// The complement of a share of ours.
    case rest
  }

  /// Whose they are, in words.
  public var title: String {
    switch self {
    case .mux: "Mux Data"
    case .conviva: "Conviva"
    case .cta2066: "CTA-2066"
    }
  }

  /// What was read of them, and when.
  public var document: String {
    switch self {
    case .mux: "Mux docs, guides on data metrics (playback success, startup time, smoothness), 2026"
    case .conviva:
      "Conviva's definition of EBVS in CTA's issue 4, Metric Dictionary (names), 2026"
    case .cta2066: "CTA-2066, public working draft, 2019"
    }
  }

  public var rows: [Row] {
    switch self {
    case .mux: IndustryNames.muxRows
    case .conviva: IndustryNames.convivaRows
    case .cta2066: IndustryNames.ctaRows
    }
  }

  private static func row(
    _ name: String, _ metric: String?, _ unit: Unit = .same, _ difference: String = ""
  ) -> Row {
    Row(
      name: name, metric: metric.map { MetricReference.known($0) }, unit: unit,
      difference: difference)
  }

  private static let clock = "the clock begins with play(), after a swipe has settled"
  private static let ends = "views that the end of the run cut are in the whole and not in the part"
  private static let failures = "every start that has no frame was left: errors are tried again"

  private static let muxRows: [Row] = [
    row("Video Startup Time (median)", "ttff_play_ms.p50_started", .same, clock),
    row("Video Startup Time (95th percentile)", "ttff_play_ms.p95_started", .same, clock),
    row("Startup Time Score", "startup_score_mux.mean", .same, clock),
    row("Exits Before Video Start", "not_started_ratio.ratio", .same, ends),
    row("Video Startup Failure Percentage", nil, .same, failures),
    row("Playback Success Score", "playback_success_score_mux.mean", .same, failures),
    row(
      "Rebuffer Percentage", "rebuffer_ratio_mux.ratio", .same,
      "seeking is no part of the watch time here: a long press pauses the view"),
    row("Rebuffer Frequency", "rebuffers_per_minute_mux.rate", .same, "per minute of the same"),
    row("Smoothness Score", "smoothness_score_mux.mean"),
    row(
      "Overall Viewer Experience Score", "viewer_score.mean", .same,
      "another formula: theirs weighs four scores, one of which is of upscaling on a display"),
  ]

  private static let convivaRows: [Row] = [
    row(
      "Video Startup Time (VST)", "ttff_ms.mean", .seconds,
      "the clock begins when the swipe has settled, or the session's feed is asked for"),
    row("Exits Before Video Start (EBVS)", "not_started_ratio.ratio", .same, ends),
    row("Video Start Failures (VSF)", nil, .same, failures),
    row(
      "Plays (% of Attempts)", "not_started_ratio.ratio", .rest,
      "views that the end of the run cut count as plays"),
    row("Rebuffering Ratio", "rebuffer_ratio.ratio", .same, "nothing is rebuffered after a seek"),
    row(
      "Connection Induced Rebuffering Ratio (CIRR)", "rebuffer_ratio.ratio", .same,
      "the same: every stall here is the connection's"),
    row("Avg. Average Bitrate", "shown_kbps.mean", .same, "declared rates, kbit/s"),
    row(
      "Bitrate Switches", "switches_per_minute.rate", .same,
      "per minute of what was shown, inside items"),
  ]

  private static let ctaRows: [Row] = [
    row("Average Initial Startup Time", "ttff_ms.mean"),
    row("Exit Before Start", "not_started_ratio.ratio", .same, ends),
    row("Playback Failure Percentage", nil, .same, failures),
    row("Average Playback Stalled Count", "stalls_per_view.mean"),
    row(
      "Average Stalled Time Percentage", "stalled_time_ratio.ratio", .same,
      "startup is that of views with a first frame; seeks take no time"),
    row("Average Playback Bitrate", "shown_kbps.mean", .same, "declared rates, kbit/s"),
  ]
}
