import FeedPolicy
import MediaUnits
import Models

/// The kinds of players.
extension ScenarioTable {
  private static let section41 = "parameters.md section 4.1"

  private typealias PolicySection = Section<PolicyConfiguration>

  /// - Parameter together: what the player is beside its keys, and what several keys do together.
  private static func player(
    _ word: String, _ summary: String, start: String, resume: String, buffer: String,
    source: String, _ more: [PolicySection.Row] = [],
    together: @escaping PolicySection.Rule = { _, _, _ in }
  ) -> PluginFamily<PolicySection>.Row {
    .init(
      word, summary,
      Section(
        [
          .key(
            "startThreshold", .time(positiveTimes), default: .text(start),
            "Media buffered for the first frame", source: source, to: \.startThreshold),
          .key(
            "resumeThreshold", .time(positiveTimes), default: .text(resume),
            "Media buffered after a stall", source: source, to: \.resumeThreshold),
          .key(
            "forwardBuffer", .time(positiveTimes), default: .text(buffer),
            "How far ahead of the playhead an item is loaded", source: source, to: \.forwardBuffer),
        ] + more + [
          .key(
            "posters", .boolean, default: "true", "Whether posters are fetched", source: "SIG-078",
            to: \.fetchesPosters)
        ], together: together))
  }

  private static func minimum(_ preset: String) -> PolicySection.Row {
    .key(
      "minimumBuffer", .time(positiveTimes), default: .text(preset),
      "Media ahead at which loading goes on after it was full", source: section41,
      to: \.player.minimumBuffer)
  }

  /// The estimator of players for browsers.
  private static func means(
    _ slow: String, _ initial: String, _ source: String
  ) -> [PolicySection.Row] {
    [
      .key(
        "initialEstimate", .bitRate(1...highestRate), default: .text(initial),
        "Throughput estimate before any measurement, in place of policy.initialEstimate",
        source: source, to: \.initialEstimate),
      .elsewhere(
        "fastHalfLife", .time(positiveTimes), default: "3 s", "Half-life of the fast mean",
        source: source),
      .elsewhere(
        "slowHalfLife", .time(positiveTimes), default: .text(slow), "Half-life of the slow mean",
        source: source),
    ]
  }

  /// What is taken out of a segment while it is still coming can be played.
  private static let takeParts: PolicySection.Rule = { made, _, _ in
    made.player.takesParts = true
  }

  private static let takeMeans: PolicySection.Rule = { made, part, _ in
    made.player.estimator = .means(
      EWMAEstimator.Configuration(
        fast: part.span("fastHalfLife"), slow: part.span("slowHalfLife")))
  }

  static let players = PluginFamily<Section<PolicyConfiguration>>([
    player(
      "default", "A player of no make: Media3's thresholds and a shorter buffer",
      start: "1 s", resume: "2 s", buffer: "20 s",
      source: "\(section41); buffer: section 4.2, 20 to 50 s"),
    player(
      "media3", "Media3 (ExoPlayer) as it comes, part by part", start: "1 s", resume: "2 s",
      buffer: "50 s", source: section41, [minimum("50 s")], together: takeParts),
    player(
      "media3-short-form", "Media3 as its demo for short videos sets it", start: "500 ms",
      resume: "2 s", buffer: "20 s", source: section41, [minimum("5 s")], together: takeParts),
    player(
      "media3-single",
      "One Media3 player with a preload manager: data is there in advance, source and decoder are"
        + " set up anew with each item; policy.pool counts as one player",
      start: "1 s", resume: "2 s", buffer: "50 s", source: section41, [minimum("50 s")]
    ) { made, part, problems in
      takeParts(&made, part, &problems)
      made.pool = PlayerPool.Configuration(size: 1, ahead: 0, behind: 0)
      made.player.isSetUpAnew = true
    },
    player(
      "avplayer", "AVPlayer as far as its documentation goes; the numbers are estimates",
      start: "2 s", resume: "4 s", buffer: "30 s",
      source: "parameters.md section 4.2: estimates of low confidence",
      [
        .elsewhere(
          "plenty", .real(.positive), default: "1.3",
          "Throughput over bit rate from which startThreshold is enough for a start and after a"
            + " stall; otherwise resumeThreshold is needed for both",
          source: "parameters.md section 4.2: an estimate of low confidence")
      ]
    ) { made, part, _ in
      made.player.keepUp = PlayerModel.KeepUp(
        plenty: part.real("plenty"), shorter: made.startThreshold, longer: made.resumeThreshold)
    },
    player(
      "hls.js", "hls.js: whole segments, two means", start: "2 s", resume: "100 ms",
      buffer: "30 s", source: "parameters.md section 4.3",
      means("9 s", "500 kbps", "parameters.md section 4.3"), together: takeMeans),
    player(
      "dash.js", "dash.js: whole segments, two means, more at the top rung", start: "2 s",
      resume: "300 ms", buffer: "18 s", source: "parameters.md section 4.4",
      means("8 s", "1000 kbps", "parameters.md section 4.4") + [
        .key(
          "topBuffer", .time(positiveTimes), default: "30 s",
          "How far ahead an item is loaded on the top rung", source: "parameters.md section 4.4",
          to: \.player.topBuffer)
      ], together: takeMeans),
    player(
      "chromium-mse",
      "A browser's element fed through MediaSource by a loader of one's own, part by part; the"
        + " device class chromium has its costs",
      start: "99 ms", resume: "99 ms", buffer: "20 s",
      source: "docs/decisions/0031, results/calibration/chromium-mse.yaml", together: takeParts),
    player(
      "chromium-native",
      "A browser's element that loads HLS by itself, through the HTTP cache; the device class"
        + " chromium-native has its costs",
      start: "99 ms", resume: "99 ms", buffer: "20 s",
      source: "docs/decisions/0031, results/calibration/chromium-native.yaml"),
  ])
}
