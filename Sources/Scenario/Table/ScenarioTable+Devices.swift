import Models

/// Classes of devices and their defaults.
extension ScenarioTable {
  /// The costs of one device class: phones' from parameters.md section 3, a browser's measured.
  struct DeviceDefaults {
    var word, summary, creation, setup, reuse, decode, limit, memory: String
    var retarget, attach, refresh, source: String
    var stress: (players: String, transfers: String, swipe: String)
    var composition = "2"
    /// The main thread's part of a creation, where it is not all of it.
    var creationHeld: String?
    /// Where the numbers come from, where not from there.
    var measured: String?
    /// Whether videos do not play by themselves unless `surface` says so (VF-028).
    var isLowEnd = false
  }

  /// A law between two bounds.
  private static func uniform(_ bounds: String) -> String { "{kind: uniform, \(bounds)}" }

  static let deviceTable: [DeviceDefaults] = [
    DeviceDefaults(
      word: "high", summary: "A flagship phone", creation: uniform("min: 5 ms, max: 15 ms"),
      setup: uniform("min: 40 ms, max: 80 ms"), reuse: uniform("min: 1 ms, max: 10 ms"),
      decode: "15 ms",
      limit: "6", memory: "16600 kB",
      retarget: uniform("min: 5 ms, max: 20 ms"), attach: uniform("min: 2 ms, max: 8 ms"),
      refresh: "8.33 ms",
      source: uniform("min: 30 ms, max: 50 ms"), stress: ("0.05", "0.02", "0.1")),
    DeviceDefaults(
      word: "mid", summary: "A mid-range phone", creation: uniform("min: 10 ms, max: 30 ms"),
      setup: uniform("min: 140 ms, max: 200 ms"), reuse: uniform("min: 5 ms, max: 15 ms"),
      decode: "30 ms",
      limit: "4", memory: "16600 kB",
      retarget: uniform("min: 10 ms, max: 40 ms"), attach: uniform("min: 4 ms, max: 16 ms"),
      refresh: "16.67 ms",
      source: uniform("min: 60 ms, max: 100 ms"), stress: ("0.1", "0.04", "0.2")),
    DeviceDefaults(
      word: "low-end", summary: "An entry phone", creation: uniform("min: 40 ms, max: 100 ms"),
      setup: uniform("min: 250 ms, max: 500 ms"), reuse: uniform("min: 10 ms, max: 30 ms"),
      decode: "80 ms",
      limit: "2", memory: "4200 kB",
      retarget: uniform("min: 20 ms, max: 80 ms"), attach: uniform("min: 8 ms, max: 32 ms"),
      refresh: "16.67 ms",
      source: uniform("min: 120 ms, max: 200 ms"), stress: ("0.2", "0.08", "0.4"), isLowEnd: true),
    chromium, chromiumNative,
  ]

  /// A class's keys, and whether it is a low-end device.
  static let devices = PluginFamily<(keys: Section<DeviceClass>, isLowEnd: Bool)>(
    deviceTable.map { row in
      let keys = deviceKeys(row)
      return .init(
        row.word, row.summary, keys.object.fields, value: (keys, row.isLowEnd))
    })

  private static func deviceKeys(_ row: DeviceDefaults) -> Section<DeviceClass> {
    let source = row.measured ?? "parameters.md section 3"
    return Section([
      .elsewhere("weight", .real(weights), default: "1", "Share of the sessions"),
      .key(
        "playerCreation", .law(.time), default: .text(row.creation),
        "Creating a player", source: source, to: \.playerCreation),
      .key(
        "decoderSetup", .law(.time), default: .text(row.setup),
        "Setting up a decoder", source: source, to: \.decoderSetup),
      .key(
        "decoderReuse", .law(.time), default: .text(row.reuse),
        "Reusing a player's decoder", source: source, to: \.decoderReuse),
      .key(
        "firstDecode", .law(.time), default: .text(row.decode), "Decoding the first frame",
        source: source, to: \.firstDecode),
      .key(
        "decoderLimit", .integer(1...64), default: .text(row.limit),
        "Decoders that may exist at once", source: source, to: \.decoderLimit),
      .key(
        "appLaunch", .law(.time), default: "0 s",
        "From app open to the feed's first request, at a session's first view; 0 s: no part of"
          + " its clock, which then begins with that request",
        source: "parameters.md section 3: cold starts of apps take 0.4 to 5 s; measure yours",
        to: \.appLaunch),
      .key(
        "diskCache", .bytes(0...largestStore), default: "256 MiB", "Disk cache for responses",
        source: "SIG-029 (iOS); SIG-030 has 50 MB for Android", to: \.diskCache),
      .key(
        "diskRead", .time(times), default: "3 ms", "Reading from the disk cache", to: \.diskRead),
      .key(
        "playerMemory", .bytes(0...largestObject), default: .text(row.memory),
        "Memory of a player: twelve decoded frames",
        source: "parameters.md section 3: 8 to 16 frames of 1.38 MB, of 0.35 MB on entry phones",
        to: \.playerMemory),
      .optional(
        "presentation", presentation(row), default: "{}",
        "From a decoded frame to the display; none: it is there at once",
        source: "docs/decisions/0022",
        of: Presentation(attach: .unread, refresh: .zero, composition: 0), to: \.presentation),
      .optional(
        "mainThread", mainThread(row), default: "{}",
        "Work on players that the main thread does one after the other; none: it holds"
          + " nothing up", source: "docs/decisions/0022",
        of: MainThreadWork(create: .unread, retarget: .unread), to: \.mainThread),
      .optional(
        "stress", stress(row), default: "{}",
        "What decoders' set-ups are slowed down by; none: by nothing",
        source: "docs/decisions/0022", of: DecoderStress(players: 0, transfers: 0, swipe: 0),
        to: \.stress),
      .key(
        "sourcePreparation", .law(.time), default: .text(row.source),
        "From an item in a player to its decoder's set-up: source, timeline, tracks,"
          + " renderers; where policy.player goes through that on the screen",
        source: "parameters.md section 3: about 80 ms on a Galaxy S8, by class as the CPU",
        to: \.sourcePreparation),
    ])
  }

  private static func presentation(_ row: DeviceDefaults) -> Section<Presentation> {
    Section([
      .key(
        "attach", .law(.time), default: .text(row.attach),
        "Attaching a player's layer or surface, on the main thread",
        source: row.measured ?? "parameters.md section 3: an estimate of low confidence",
        to: \.attach),
      .key(
        "refresh", .time(times), default: .text(row.refresh),
        "Period of the display; the next refresh is waited for",
        source: row.measured ?? "120 Hz and 60 Hz",
        to: \.refresh),
      .key(
        "composition", .integer(0...10), default: .text(row.composition),
        "Refreshes from the one that takes the buffer to the one that shows it",
        source: row.measured
          ?? "source.android.com, VSync: the app, the compositor, the display",
        to: \.composition),
    ])
  }

  private static func mainThread(_ row: DeviceDefaults) -> Section<MainThreadWork> {
    Section([
      .key(
        "create", .law(.time), default: .text(row.creationHeld ?? row.creation),
        "A player's creation, within playerCreation",
        source: row.measured
          ?? "parameters.md section 3: ExoPlayer, all of it; AVPlayer 1 to 5 ms, by class",
        to: \.create),
      .key(
        "retarget", .law(.time), default: .text(row.retarget),
        "Another item for a player",
        source: row.measured ?? "parameters.md section 3: an estimate of low confidence",
        to: \.retarget),
    ])
  }

  private static func stress(_ row: DeviceDefaults) -> Section<DecoderStress> {
    let source = row.measured ?? "assumed, by class as the CPU (parameters.md section 3)"
    return Section([
      .key(
        "players", .real(.nonNegative), default: .text(row.stress.players),
        "Share more for each other player that plays or is set up", source: source, to: \.players),
      .key(
        "transfers", .real(.nonNegative), default: .text(row.stress.transfers),
        "Share more for each transfer under way", source: source, to: \.transfers),
      .key(
        "swipe", .real(.nonNegative), default: .text(row.stress.swipe),
        "Share more within a burst of swipes", source: source, to: \.swipe),
    ])
  }
}
