extension ScenarioTable {
  /// The costs of one device class; from parameters.md section 3.
  struct DeviceDefaults {
    var word, summary, creation, setup, reuse, decode, limit, memory: String
  }

  static let deviceTable: [DeviceDefaults] = [
    DeviceDefaults(
      word: "high", summary: "A flagship phone", creation: "min: 5 ms, max: 15 ms",
      setup: "min: 40 ms, max: 80 ms", reuse: "min: 1 ms, max: 10 ms", decode: "15 ms",
      limit: "6", memory: "16600 kB"),
    DeviceDefaults(
      word: "mid", summary: "A mid-range phone", creation: "min: 10 ms, max: 30 ms",
      setup: "min: 140 ms, max: 200 ms", reuse: "min: 5 ms, max: 15 ms", decode: "30 ms",
      limit: "4", memory: "16600 kB"),
    DeviceDefaults(
      word: "low-end", summary: "An entry phone", creation: "min: 40 ms, max: 100 ms",
      setup: "min: 250 ms, max: 500 ms", reuse: "min: 10 ms, max: 30 ms", decode: "80 ms",
      limit: "2", memory: "4200 kB"),
  ]

  static let deviceList: Shape = .list(
    .kinds(
      deviceTable.map { row in
        let source = "parameters.md section 3"
        return Kind(
          row.word, row.summary,
          [
            Field("weight", .real(weights), default: "1", "Share of the sessions"),
            Field(
              "playerCreation", .law(.time), default: .text("{kind: uniform, \(row.creation)}"),
              "Creating a player", source: source),
            Field(
              "decoderSetup", .law(.time), default: .text("{kind: uniform, \(row.setup)}"),
              "Setting up a decoder", source: source),
            Field(
              "decoderReuse", .law(.time), default: .text("{kind: uniform, \(row.reuse)}"),
              "Reusing a player's decoder", source: source),
            Field(
              "firstDecode", .law(.time), default: .text(row.decode),
              "Decoding the first frame", source: source),
            Field(
              "decoderLimit", .integer(1...64), default: .text(row.limit),
              "Decoders that may exist at once", source: source),
            Field(
              "diskCache", .bytes(0...largestStore), default: "256 MiB", "Disk cache for responses",
              source: "SIG-029 (iOS); SIG-030 has 50 MB for Android"),
            Field("diskRead", .time(times), default: "3 ms", "Reading from the disk cache"),
            Field(
              "playerMemory", .bytes(0...largestObject), default: .text(row.memory),
              "Memory of a player: twelve decoded frames",
              source: source + ": 8 to 16 frames of 1.38 MB, of 0.35 MB on entry phones"),
          ])
      }), count: 1...20)

  static let policy = ObjectShape([
    Field("pool", .object(pool), default: "{}", "Players"),
    Field("prefetch", .kinds(prefetchFamilies), default: "{kind: head}", "Prefetch"),
    Field("startupCap", .object(startupCap), default: "{}", "Bit rate cap at the start"),
    Field(
      "abr", .kinds(bitrateRules), default: "{kind: throughput}",
      "Choice of the rung, segment by segment"),
    Field(
      "initialEstimate", .bitRate(1...highestRate), default: "4300 kbps",
      "Throughput estimate before any measurement",
      source: "parameters.md section 1.4: Media3, Wi-Fi, best group"),
    Field("player", .kinds(players), default: "{kind: default}", "Buffering"),
    Field("feed", .object(feedPolicy), default: "{}", "Paging"),
  ])

  static let pool = ObjectShape([
    Field("size", .integer(1...16), default: "3", "Players", source: "SIG-022"),
    Field(
      "ahead", .integer(0...10), default: "1", "Items ahead that get a player",
      source: "SIG-023"),
    Field(
      "behind", .integer(0...4), default: "1", "Items behind that keep one", source: "SIG-024"),
  ])

  static let startupCap = ObjectShape([
    Field(
      "rate", .optional(.bitRate(1...highestRate)), default: "600 kbps",
      "Most bit rate until release; none for no cap", source: "SIG-026, SIG-027"),
    Field(
      "release",
      .kinds([
        Kind("first-frame", "With the first frame"),
        Kind(
          "played", "After media was played",
          [Field("length", .time(times), default: "2 s", "Media played", source: "SIG-028")]),
        Kind(
          "buffer", "Once enough is buffered",
          [Field("length", .time(times), default: "4 s", "Media ahead", source: "SIG-028")]),
        Kind(
          "segments", "After segments were loaded",
          [Field("count", .integer(0...1000), default: "2", "Segments", source: "SIG-028")]),
        Kind(
          "stable-throughput", "Once the throughput samples agree",
          [
            Field(
              "spread", .real(.nonNegative), default: "0.3", "(largest - smallest) / median",
              source: "SIG-028; value assumed")
          ]),
      ]), default: "{kind: played}", "When the cap is lifted", source: "SIG-028"),
  ])

  static let bitrateRules = [
    Kind(
      "fixed", "Always the same rung",
      [Field("rung", .integer(0...7), default: "1", "Rung from 0, the lowest")]),
    Kind(
      "throughput", "By the throughput estimate, as Media3's AdaptiveTrackSelection",
      [
        Field(
          "fraction", .real(RealRange(0, 10, excludesMinimum: true)), default: "0.7",
          "Usable share of the estimate", source: "parameters.md section 4.1"),
        Field(
          "minimumBufferToSwitchUp", .time(times), default: "10 s", "Media ahead for a switch up",
          source: "parameters.md section 4.1"),
        Field(
          "maximumBufferToSwitchDown", .time(times), default: "25 s",
          "Media ahead that makes a switch down unnecessary",
          source: "parameters.md section 4.1"),
      ]),
    Kind(
      "bola", "By the buffer, as BOLA",
      [
        Field(
          "minimumBuffer", .time(positiveTimes), default: "10 s", "Buffer at the lowest rung",
          source: "parameters.md section 4.4"),
        Field(
          "target", .time(positiveTimes), default: "18 s", "Buffer aimed at",
          source: "parameters.md section 4.4"),
      ]),
  ]

  static let feedPolicy = ObjectShape([
    Field(
      "pageSize", .integer(1...1000), default: "10", "Items of a feed page",
      source: "SIG-047: 5, 10 or 20"),
    Field(
      "pageTrigger", .integer(0...1000), default: "4", "Items left that trigger the next page",
      source: "SIG-047: 2, 4 or 6"),
  ])
}
