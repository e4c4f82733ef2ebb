/// The families of prefetch and the kinds of players.
extension ScenarioTable {
  private static let section41 = "parameters.md section 4.1"

  // MARK: Prefetch

  private static func items(_ preset: String, _ source: String = "VF-013; value assumed") -> Field {
    Field(
      "itemsAhead", .integer(0...10), default: .text(preset), "Items ahead that are considered",
      source: source)
  }

  private static func concurrency(_ preset: String, _ source: String) -> Field {
    Field(
      "concurrency", .integer(0...10), default: .text(preset), "Prefetches at a time",
      source: source)
  }

  private static func head(_ preset: String) -> Field {
    Field(
      "headLength", .time(times), default: .text(preset),
      "Media of the next item that is prefetched; 0 turns prefetch off", source: "SIG-023")
  }

  private static func cover(_ preset: String) -> Field {
    Field(
      "cover", .optional(.real(.positive)), default: .text(preset),
      "How many times slower than estimated the link may get: what is prefetched is only as long"
        + " as that asks for; none for the whole length", source: "VF-026; value assumed")
  }

  /// What families of media have in common.
  private static let common = [
    Field(
      "pauseBelowBuffer", .time(times), default: "4 s",
      "No prefetch starts while less than this is buffered of the current item"),
    Field(
      "suspendOnStall", .boolean, default: "false",
      "Whether prefetches in progress stop while the current item stalls", source: "VF-026"),
    Field(
      "rung", .optional(.integer(0...7)), default: "none",
      "The rung that is prefetched; none for the one that the rules choose", source: "VF-026"),
  ]

  static let prefetchFamilies = [
    Kind(
      "head", "Some seconds of the next item, less of a few after it, and of the one before",
      [
        head("6 s"), items("3"),
        Field(
          "furtherLength", .time(times), default: "2 s", "Media of items beyond the next one",
          source: "VF-013: the first segment"),
        Field(
          "previousLength", .time(times), default: "2 s", "Media of the previous item",
          source: "SIG-024"),
        Field(
          "previousThreshold", .real(.nonNegative), default: "3",
          "Throughput over bit rate from which the previous item is considered",
          source: "SIG-025 leaves it open"),
        concurrency("2", "VF-023; value assumed"),
        cover("none"),
      ] + common),
    Kind(
      "first-segments", "The first segments of the next few items, all alike",
      [
        Field(
          "segments", .integer(0...10), default: "1", "Segments of each item", source: "VF-013"),
        items("5", "parameters.md section 6.5: the next few"),
        concurrency("2", "VF-023; value assumed"),
      ] + common),
    Kind(
      "player-knob", "The players of the pool buffer their items, each by its distance",
      [
        Field(
          "near", .time(positiveTimes), default: "4 s", "Media of the next item",
          source: "REEL-017: 2 to 6 s"),
        Field(
          "far", .time(times), default: "1 s", "Media of items beyond the next one",
          source: "REEL-017: 0 to 1 s"),
        Field(
          "behind", .time(times), default: "2 s", "Media of the previous item",
          source: "REEL-017: 2 to 6 s"),
        Field(
          "rung", .optional(.integer(0...7)), default: "none",
          "The rung that neighbours load; none for the one that the rules choose",
          source: "REEL-017: peak bit rates by status"),
      ]),
    Kind(
      "staged", "By stages and distance, one at a time, as Media3's preload manager",
      [
        head("6 s"), items("4", "\(section41): official sample"),
        concurrency("1", "\(section41): strictly one at a time"), cover("none"),
      ] + common),
    Kind("connection", "No more than an open connection"),
    Kind(
      "playlists", "No more than the playlists of the next few items",
      [items("3"), concurrency("2", "VF-023; value assumed")] + common),
    Kind(
      "dashlet", "By the stall that is expected without a segment (Li et al., NSDI 2023)",
      [
        items("4", "the published implementation: five videos"),
        concurrency("1", "the published implementation: one chunk at a time"),
      ] + common),
    Kind(
      "pdas", "In the order of play, up to limits by retention and throughput (Zhou et al., 2022)",
      [
        items("4", "the challenge: a queue of five videos"),
        concurrency("1", "the challenge: one chunk at a time"),
      ] + common),
    Kind(
      "hazard", "First segments first, then by hazard, as deep as the throughput asks for",
      [
        head("8 s"), items("8", "results/answers/OQ-10.md"),
        concurrency("4", "results/answers/OQ-10.md"), cover("3"),
        Field(
          "leastWatched", .ratio, default: "50 %",
          "Least share of viewers who get to what is fetched"),
        Field(
          "bufferCover", .real(.positive), default: "3",
          "Segments of the current item that are held ahead on a link twice as fast as the bit"
            + " rate, fewer on a faster one", source: "results/answers/OQ-10.md"),
      ] + common),
  ]

  // MARK: Players

  private static func player(
    _ word: String, _ summary: String, start: String, resume: String, buffer: String,
    source: String, _ more: [Field] = []
  ) -> Kind {
    Kind(
      word, summary,
      [
        Field(
          "startThreshold", .time(positiveTimes), default: .text(start),
          "Media buffered for the first frame", source: source),
        Field(
          "resumeThreshold", .time(positiveTimes), default: .text(resume),
          "Media buffered after a stall", source: source),
        Field(
          "forwardBuffer", .time(positiveTimes), default: .text(buffer),
          "How far ahead of the playhead an item is loaded", source: source),
      ] + more + [
        Field(
          "posters", .boolean, default: "true", "Whether posters are fetched", source: "SIG-078")
      ])
  }

  private static func minimum(_ preset: String) -> Field {
    Field(
      "minimumBuffer", .time(positiveTimes), default: .text(preset),
      "Media ahead at which loading goes on after it was full", source: section41)
  }

  /// The estimator of players for browsers.
  private static func means(_ slow: String, _ initial: String, _ source: String) -> [Field] {
    [
      Field(
        "initialEstimate", .bitRate(1...highestRate), default: .text(initial),
        "Throughput estimate before any measurement, in place of policy.initialEstimate",
        source: source),
      Field(
        "fastHalfLife", .time(positiveTimes), default: "3 s", "Half-life of the fast mean",
        source: source),
      Field(
        "slowHalfLife", .time(positiveTimes), default: .text(slow), "Half-life of the slow mean",
        source: source),
    ]
  }

  static let players = [
    player(
      "default", "A player of no make: Media3's thresholds and a shorter buffer",
      start: "1 s", resume: "2 s", buffer: "20 s",
      source: "\(section41); buffer: section 4.2, 20 to 50 s"),
    player(
      "media3", "Media3 (ExoPlayer) as it comes", start: "1 s", resume: "2 s", buffer: "50 s",
      source: section41, [minimum("50 s")]),
    player(
      "media3-short-form", "Media3 as its demo for short videos sets it", start: "500 ms",
      resume: "2 s", buffer: "20 s", source: section41, [minimum("5 s")]),
    player(
      "media3-single",
      "One Media3 player with a preload manager: data is there in advance, source and decoder are"
        + " set up anew with each item; policy.pool counts as one player",
      start: "1 s", resume: "2 s", buffer: "50 s", source: section41, [minimum("50 s")]),
    player(
      "avplayer", "AVPlayer as far as its documentation goes; the numbers are estimates",
      start: "2 s", resume: "4 s", buffer: "30 s",
      source: "parameters.md section 4.2: estimates of low confidence",
      [
        Field(
          "plenty", .real(.positive), default: "1.3",
          "Throughput over bit rate from which startThreshold is enough for a start and after a"
            + " stall; otherwise resumeThreshold is needed for both",
          source: "parameters.md section 4.2: an estimate of low confidence")
      ]),
    player(
      "hls.js", "hls.js: whole segments, two means", start: "2 s", resume: "100 ms",
      buffer: "30 s", source: "parameters.md section 4.3",
      means("9 s", "500 kbps", "parameters.md section 4.3")),
    player(
      "dash.js", "dash.js: whole segments, two means, more at the top rung", start: "2 s",
      resume: "300 ms", buffer: "18 s", source: "parameters.md section 4.4",
      means("8 s", "1000 kbps", "parameters.md section 4.4") + [
        Field(
          "topBuffer", .time(positiveTimes), default: "30 s",
          "How far ahead an item is loaded on the top rung", source: "parameters.md section 4.4")
      ]),
  ]
}
