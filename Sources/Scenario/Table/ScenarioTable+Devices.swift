/// Classes of devices and their defaults.
extension ScenarioTable {
  /// The costs of one device class; from parameters.md section 3.
  struct DeviceDefaults {
    var word, summary, creation, setup, reuse, decode, limit, memory: String
    var retarget, attach, refresh, source: String
    var stress: (players: String, transfers: String, swipe: String)
    /// Whether videos do not play by themselves unless `surface` says so (VF-028).
    var isLowEnd = false
  }

  static let deviceTable: [DeviceDefaults] = [
    DeviceDefaults(
      word: "high", summary: "A flagship phone", creation: "min: 5 ms, max: 15 ms",
      setup: "min: 40 ms, max: 80 ms", reuse: "min: 1 ms, max: 10 ms", decode: "15 ms",
      limit: "6", memory: "16600 kB",
      retarget: "min: 5 ms, max: 20 ms", attach: "min: 2 ms, max: 8 ms", refresh: "8.33 ms",
      source: "min: 30 ms, max: 50 ms", stress: ("0.05", "0.02", "0.1")),
    DeviceDefaults(
      word: "mid", summary: "A mid-range phone", creation: "min: 10 ms, max: 30 ms",
      setup: "min: 140 ms, max: 200 ms", reuse: "min: 5 ms, max: 15 ms", decode: "30 ms",
      limit: "4", memory: "16600 kB",
      retarget: "min: 10 ms, max: 40 ms", attach: "min: 4 ms, max: 16 ms", refresh: "16.67 ms",
      source: "min: 60 ms, max: 100 ms", stress: ("0.1", "0.04", "0.2")),
    DeviceDefaults(
      word: "low-end", summary: "An entry phone", creation: "min: 40 ms, max: 100 ms",
      setup: "min: 250 ms, max: 500 ms", reuse: "min: 10 ms, max: 30 ms", decode: "80 ms",
      limit: "2", memory: "4200 kB",
      retarget: "min: 20 ms, max: 80 ms", attach: "min: 8 ms, max: 32 ms", refresh: "16.67 ms",
      source: "min: 120 ms, max: 200 ms", stress: ("0.2", "0.08", "0.4"), isLowEnd: true),
  ]

  static let deviceList: Shape = .list(.kinds(devices.kinds), count: 1...20)

  static let devices = PluginFamily<DeviceDefaults>(
    deviceTable.map { row in
      let source = "parameters.md section 3"
      return .init(
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
          Field(
            "presentation", .optional(.object(presentation(row))), default: "{}",
            "From a decoded frame to the display; none: it is there at once",
            source: "docs/decisions/0022"),
          Field(
            "mainThread", .optional(.object(mainThread(row))), default: "{}",
            "Work on players that the main thread does one after the other; none: it holds"
              + " nothing up", source: "docs/decisions/0022"),
          Field(
            "stress", .optional(.object(stress(row))), default: "{}",
            "What decoders' set-ups are slowed down by; none: by nothing",
            source: "docs/decisions/0022"),
          Field(
            "sourcePreparation", .law(.time), default: .text("{kind: uniform, \(row.source)}"),
            "From an item in a player to its decoder's set-up: source, timeline, tracks,"
              + " renderers; where policy.player goes through that on the screen",
            source: source + ": about 80 ms on a Galaxy S8, by class as the CPU"),
        ], value: row)
    })

  private static func presentation(_ row: DeviceDefaults) -> ObjectShape {
    ObjectShape([
      Field(
        "attach", .law(.time), default: .text("{kind: uniform, \(row.attach)}"),
        "Attaching a player's layer or surface, on the main thread",
        source: "parameters.md section 3: an estimate of low confidence"),
      Field(
        "refresh", .time(times), default: .text(row.refresh),
        "Period of the display; the next refresh is waited for", source: "120 Hz and 60 Hz"),
      Field(
        "composition", .integer(0...10), default: "2",
        "Refreshes from the one that takes the buffer to the one that shows it",
        source: "source.android.com, VSync: the app, the compositor, the display"),
    ])
  }

  private static func mainThread(_ row: DeviceDefaults) -> ObjectShape {
    ObjectShape([
      Field(
        "create", .law(.time), default: .text("{kind: uniform, \(row.creation)}"),
        "A player's creation, within playerCreation",
        source: "parameters.md section 3: ExoPlayer, all of it; AVPlayer 1 to 5 ms, by class"),
      Field(
        "retarget", .law(.time), default: .text("{kind: uniform, \(row.retarget)}"),
        "Another item for a player",
        source: "parameters.md section 3: an estimate of low confidence"),
    ])
  }

  private static func stress(_ row: DeviceDefaults) -> ObjectShape {
    let source = "assumed, by class as the CPU (parameters.md section 3)"
    return ObjectShape([
      Field(
        "players", .real(.nonNegative), default: .text(row.stress.players),
        "Share more for each other player that plays or is set up", source: source),
      Field(
        "transfers", .real(.nonNegative), default: .text(row.stress.transfers),
        "Share more for each transfer under way", source: source),
      Field(
        "swipe", .real(.nonNegative), default: .text(row.stress.swipe),
        "Share more within a burst of swipes", source: source),
    ])
  }
}
