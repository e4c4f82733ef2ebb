import FeedPolicy
import MediaUnits
import Models

/// The policy as settings of AVFoundation's players, in Swift.
///
/// The names are those of iOS 17 and later.
struct AVPlayerExport {
  private let export: PolicyExport

  init(_ export: PolicyExport) { self.export = export }

  func text() -> String {
    var text = ExportText(export, indent: "  ")
    text.add(
      export.head("Settings of AVPlayer and AVPlayerItem (AVFoundation, iOS 17 and later).")
        + [
          "", "import AVFoundation", "",
          "/// What players and their items are told; distance 0 is the item on the screen.",
          "enum FeedSettings {",
        ])
    addPlayer(&text)
    addItem(&text)
    addBuffer(&text)
    addPeak(&text)
    addRelease(&text)
    addEnd(&text)
    text.add(["}"])
    text.rest(
      "Without an equal in AVFoundation; the app's own code does it, or nothing does:",
      AVPlayerExport.reasons, alsoOf: partly)
    text.note("No key sets these; they stay as AVFoundation has them:", level: 0)
    text.add([
      "//   preferredMaximumResolution: a scenario's ladder has bit rates and no sizes",
      "//   preferredPeakBitRateForExpensiveNetworks: a cap is the same on every network",
      "//   AVQueuePlayer loads the next item when it likes, AVAssetDownloadTask whole items to",
      "//     the disk: neither takes a length, so prefetch is a paused player's forward buffer",
    ])
    return text.text
  }

  /// Why keys have no equal in AVFoundation.
  static let reasons = EqualReasons(
    rows: EqualReasons.apps + [
      (
        "policy.prefetch",
        "a player that is paused loads to its forward buffer; the ranges above are those that the "
          + "family asks for at the first estimate, as far as items have a player"
      ),
      (
        "policy.prefetch.concurrency",
        "players share the link as they like; no player can be told to wait for another"
      ),
      ("policy.prefetch.rung", "the peak bit rate of a neighbour's item is the nearest thing"),
      (
        "policy.abr",
        "AVPlayer chooses the rendition by itself; only the first one and the highest can be told"
      ),
      (
        "policy.player.kind",
        "says which player was simulated; what AVPlayer does by itself is not documented"
      ),
      (
        "policy.player.startThreshold",
        "AVPlayer decides by itself when it starts; an app that wants this starts with "
          + "playImmediately(atRate:) once loadedTimeRanges has so much"
      ),
      (
        "policy.player.resumeThreshold",
        "AVPlayer decides by itself when it goes on after a stall, or the app as at the start"
      ),
      ("policy.player", "of another player, or of the model of AVPlayer; nothing can be told"),
      ("client.proximity", "players of neighbours load what prefetch asks for and no more"),
      (
        "client.proximity.adaptation",
        "neighbours that follow the throughput are the app's own: ProximityPolicy of FeedPolicy"
      ),
      ("client.end", "as the viewer stays: the app's own observer of didPlayToEndTime"),
      (
        "client.retry",
        "AVPlayer retries by itself; after failedToPlayToEndTime a new item is needed"
      ),
      (
        "client.disk",
        "AVPlayer keeps no cache that an app can shape: a local proxy of the app's own"
      ),
    ])

  private var partly: [String] {
    var keys: [String] = []
    if export.preload.isOfEstimate { keys += ["policy.prefetch.kind", "policy.prefetch.cover"] }
    if export.preload.rows.contains(where: { !hasPlayer($0.distance) }) {
      keys += ["policy.prefetch.kind", "policy.prefetch.itemsAhead"]
    }
    if case .fixed = export.policy.bitrate {} else { keys.append("policy.abr.kind") }
    if case .none? = export.client.proximity?.configuration.adaptation {
    } else {
      keys.append("client.proximity.adaptation.kind")
    }
    return keys
  }

  /// Whether an item so far from the current one has a player of the pool.
  private func hasPlayer(_ distance: Int) -> Bool {
    let pool = export.policy.pool
    return distance >= -pool.behind && distance <= pool.ahead
  }

  // MARK: Parts

  private func addPlayer(_ text: inout ExportText) {
    let waits = export.policy.player.keepUp != nil
    text.note(
      waits
        ? "The simulated player waits as AVPlayer does by itself."
        : "The simulated player starts with policy.player.startThreshold: AVPlayer must not wait."
    )
    text.add([
      "  static func configure(_ player: AVPlayer) {",
      "    player.automaticallyWaitsToMinimizeStalling = \(waits)",
    ])
    switch export.client.end {
    case .loop?: text.note("Loops are an AVPlayerLooper's, which needs an AVQueuePlayer.", level: 2)
    case .once?, .preview?: text.add(["    player.actionAtItemEnd = .pause"])
    case nil: break
    }
    text.add(["  }"])
  }

  private func addItem(_ text: inout ExportText) {
    text.add([
      "", "  static func configure(_ item: AVPlayerItem, distance: Int) {",
      "    item.preferredForwardBufferDuration = forwardBuffer(distance)",
      "    item.preferredPeakBitRate = peakBitRate(distance)",
    ])
    text.keys(["policy.initialEstimate", "policy.player.initialEstimate"], level: 2)
    text.note(
      "The rule starts with \(Kotlin.rate(export.preload.bitrate)) of catalogue.ladder: that "
        + "variant has to stand first in the multivariant playlist.", level: 2)
    text.add(["    item.startsOnFirstEligibleVariant = true"])
    if case .preview(let length)? = export.client.end {
      text.keys(["client.end.kind", "client.end.length"], level: 2)
      text.add([
        "    item.forwardPlaybackEndTime = CMTime(",
        "      seconds: \(length.seconds), preferredTimescale: 1000)",
      ])
    }
    text.add(["  }"])
  }

  private func addBuffer(_ text: inout ExportText) {
    text.add([""])
    text.note("Seconds ahead of the playhead; 0 would leave it to AVPlayer.")
    text.keys(
      ["policy.player.forwardBuffer"] + PreloadKeys.ranges.map { "policy.prefetch.\($0)" }
        + (export.preload.isOfEstimate ? ["policy.prefetch.cover"] : [])
        + [
          "client.proximity.activeBuffer", "client.proximity.near.buffer",
          "client.proximity.far.buffer", "client.proximity.nearDistance",
        ])
    if export.preload.isOfEstimate {
      text.note(
        "The family asks for more or less as the link goes: these are its ranges at "
          + "\(Kotlin.rate(export.preload.throughput)) for a bit rate of "
          + "\(Kotlin.rate(export.preload.bitrate)).")
    }
    text.add([
      "  static func forwardBuffer(_ distance: Int) -> TimeInterval {", "    switch distance {",
    ])
    text.add(["    case 0: \(current.seconds)"])
    let pool = export.policy.pool
    for distance in stride(from: -pool.behind, through: pool.ahead, by: 1) where distance != 0 {
      text.add(["    case \(distance): \(neighbour(distance).seconds)"])
    }
    text.note(
      "An item without a player; one that has it all the same loads as little as it can.", level: 2)
    text.add(["    default: 0.1", "    }", "  }"])
  }

  /// How far the current item is loaded.
  private var current: TimeSpan {
    let own = export.client.proximity?.configuration.active.forwardBuffer ?? .max
    return min(own, export.preload.bufferLimit ?? .max, export.policy.forwardBuffer)
  }

  /// How far an item with a player beside the current one is loaded: by prefetch, or by its
  /// distance, whichever is more.
  private func neighbour(_ distance: Int) -> TimeSpan {
    var length = TimeSpan.zero
    for row in export.preload.rows where row.distance == distance {
      if case .media(let media) = row.depth { length = media }
    }
    if let setting = proximity(distance) { length = max(length, setting.forwardBuffer) }
    // 0 would leave it to AVPlayer.
    return max(min(length, export.policy.forwardBuffer), .milliseconds(100))
  }

  private func proximity(_ distance: Int) -> ProximitySetting? {
    guard let policy = export.client.proximity else { return nil }
    let active = ItemID(1000)
    return policy.setting(
      for: policy.proximity(of: ItemID(UInt32(1000 + distance)), active: active))
  }

  private func addPeak(_ text: inout ExportText) {
    text.add([""])
    text.note("Bits per second of an item that starts up or waits; 0 for no bound.")
    text.keys(["policy.startupCap.rate", "client.proximity.near.peak", "client.proximity.far.peak"])
    if case .fixed = export.policy.bitrate {
      text.keys(export.paths(under: "policy.abr"))
    }
    text.add(["  static func peakBitRate(_ distance: Int) -> Double {", "    switch distance {"])
    let pool = export.policy.pool
    for distance in stride(from: -pool.behind, through: pool.ahead, by: 1) where distance != 0 {
      guard let setting = proximity(distance) else { continue }
      text.add(["    case \(distance): \(number(lower(setting.peakBitRate, start)))"])
    }
    text.add(["    default: \(number(start))", "    }", "  }"])
  }

  /// The bound of an item that starts.
  private var start: BitRate? {
    let cap = export.policy.startupCap.rate
    guard case .fixed(let rung) = export.policy.bitrate else { return cap }
    return lower(cap, export.ladder[min(rung, export.ladder.top)])
  }

  private func lower(_ a: BitRate?, _ b: BitRate?) -> BitRate? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
  }

  private func number(_ rate: BitRate?) -> String { "\(rate?.bitsPerSecond ?? 0)" }

  private func addRelease(_ text: inout ExportText) {
    text.add([""])
    text.keys(export.paths(under: "policy.startupCap.release"))
    let lifted: String
    if case .fixed(let rung) = export.policy.bitrate {
      lifted = number(export.ladder[min(rung, export.ladder.top)])
    } else {
      lifted = "0"
    }
    let lift = "item.preferredPeakBitRate = \(lifted)"
    switch export.policy.startupCap.release {
    case .firstFrame:
      text.note("To be called when AVPlayerLayer.isReadyForDisplay becomes true.")
      text.add(["  static func liftCap(_ item: AVPlayerItem) { \(lift) }"])
    case .played(let length):
      text.note("The answer is to be kept, and given to removeTimeObserver.")
      text.add([
        "  static func liftCap(_ player: AVPlayer, _ item: AVPlayerItem) -> Any {",
        "    let time = CMTime(seconds: \(length.seconds), preferredTimescale: 1000)",
        "    return player.addBoundaryTimeObserver(",
        "      forTimes: [NSValue(time: time)], queue: .main) { \(lift) }", "  }",
      ])
    case .buffer(let length):
      text.note(
        "To be called when loadedTimeRanges reaches \(length.seconds) s beyond the playhead.")
      text.add(["  static func liftCap(_ item: AVPlayerItem) { \(lift) }"])
    case .segments(let count):
      text.note(
        "To be called when numberOfMediaRequests of the item's access log has reached \(count).")
      text.add(["  static func liftCap(_ item: AVPlayerItem) { \(lift) }"])
    case .stableThroughput:
      text.note("To be called when observedBitrate of the access log's last entries agrees so far.")
      text.add(["  static func liftCap(_ item: AVPlayerItem) { \(lift) }"])
    }
  }

  private func addEnd(_ text: inout ExportText) {
    switch export.client.end {
    case .loop?:
      text.add([""])
      text.keys(export.paths(under: "client.end"))
      text.add([
        "  static func looper(_ player: AVQueuePlayer, _ item: AVPlayerItem) -> AVPlayerLooper {",
        "    AVPlayerLooper(player: player, templateItem: item)", "  }",
      ])
    case .once?:
      text.add([""])
      text.keys(["client.end.kind"])
      text.note("Done by actionAtItemEnd above.")
    case .preview?, nil: break
    }
  }
}
