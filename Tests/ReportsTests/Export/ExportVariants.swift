import Scenario

/// Scenarios that have every key of the app between them.
enum ExportVariants {
  static func study(_ body: String, _ changes: [String] = []) throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: exported\n" + body, file: "exported.yaml",
      overrides: changes.map { Override(set: $0) })
  }

  /// A policy of its own in everything, of which the literal `ExportedOwn` was made.
  static let own = """
    catalogue: {ladder: [350 kbps, 900 kbps, 1800001 bps]}
    audience: {personas: [{kind: watcher}]}
    policy:
      pool: {size: 5, ahead: 3, behind: 1}
      prefetch: {kind: hazard, headLength: 9 s, leastWatched: 40 %, suspendOnStall: true, rung: 1}
      startupCap: {rate: 900 kbps, release: {kind: segments, count: 3}}
      abr: {kind: bola, minimumBuffer: 6 s, target: 14500 ms}
      initialEstimate: 2500 kbps
      player: {kind: avplayer, startThreshold: 1500 ms, forwardBuffer: 24 s}
      feed: {pageSize: 20, pageTrigger: 6}
    client:
      gate: {kind: gate, attempts: none, timeout: 1 s, escape: skip}
      proximity: {near: {buffer: 3 s, peak: none}, adaptation: {kind: throughput, full: 2.5}}
      end: {kind: preview, length: 2500 ms}
      retry: {kind: backoff, retries: 5, jitter: 0.25}
      telemetry: {flush: {kind: window, length: 1 s}, delivery: retry, queueLimit: 99}
      disk: categories
      offline: {endsAtHole: true}
    """

  /// A mixed feed, of which the literal `ExportedMixed` was made.
  static let mixed = """
    surface:
      visibility:
        model: {kind: projected-dwell, least: 700 ms}
        short: {enter: 30 %, dwell: 100 ms}
      gate: {kind: debounce, delay: 80 ms}
    """

  /// What is set on top of a plain scenario so that each kind comes once.
  static let changes: [String] =
    ["fixed", "throughput", "bola"].map { "policy.abr={kind: \($0)}" }
    + ["first-frame", "played", "buffer", "segments", "stable-throughput"].map {
      "policy.startupCap.release={kind: \($0)}"
    }
    + [
      "head", "first-segments", "player-knob", "staged", "connection", "playlists", "dashlet",
      "pdas", "hazard",
    ].map { "policy.prefetch={kind: \($0)}" }
    + [
      "default", "media3", "media3-short-form", "media3-single", "avplayer", "hls.js", "dash.js",
      "chromium-mse", "chromium-native",
    ].map { "policy.player={kind: \($0)}" }
    + ["loop", "once", "preview"].map { "client.end={kind: \($0)}" }
    + ["none", "backoff", "tap"].map { "client.retry={kind: \($0)}" }
    + ["trailing", "window", "bounded"].map { "client.telemetry={flush: {kind: \($0)}}" }
    + [
      "client.gate={kind: gate}", "client.proximity={}",
      "client.proximity={adaptation: {kind: throughput}}", "client.offline={}",
      "client.storyboard=text", "policy.startupCap.rate=none", "policy.prefetch.headLength=0 s",
      "policy.prefetch.cover=3", "policy.prefetch.concurrency=0", "policy.pool.ahead=0",
      "policy.pool.behind=0",
    ]

  /// What is set on top of a mixed feed.
  static let mixedChanges: [String] =
    ["thresholds", "most-centred", "predicted-rest", "projected-dwell"].map {
      "surface.visibility.model={kind: \($0)}"
    }
    + ["none", "debounce", "velocity", "predicted-rest"].map { "surface.gate={kind: \($0)}" }
    + ["surface.visibility.short={}", "surface.visibility.carousel={}"]

  /// All of them, with what was changed.
  static func all() throws -> [(name: String, study: FeedStudy)] {
    var studies = [("usual", try study("")), ("own", try study(own)), ("mixed", try study(mixed))]
    for change in changes { studies.append((change, try study("", [change]))) }
    for change in mixedChanges { studies.append((change, try study("surface: {}", [change]))) }
    return studies
  }
}
