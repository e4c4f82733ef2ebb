import FeedPolicy
import MediaUnits
import Models

/// The policy as settings of Media3 (ExoPlayer), in Kotlin.
///
/// The names are those of Media3 1.9. `DefaultPreloadManager.PreloadStatus` was called `Status`,
/// with a stage and a number, in 1.5 to 1.7.
struct Media3Export {
  private let export: PolicyExport

  init(_ export: PolicyExport) { self.export = export }

  func text() -> String {
    var text = ExportText(export, indent: "  ")
    text.add(
      export.head("Settings of Media3 1.9 (androidx.media3:media3-exoplayer), for Kotlin.")
        + [""] + Media3Export.imports.map { "import \($0)" } + [
          "", "@OptIn(UnstableApi::class)", "object FeedSettings {",
        ])
    addLoadControl(&text)
    addEstimate(&text)
    addTrackSelector(&text)
    addStartCap(&text)
    addPreload(&text)
    addRetry(&text)
    addEnd(&text)
    text.add(["}"])
    text.rest(
      "Without an equal in Media3; the app's own code does it, or nothing does:",
      Media3Export.reasons, alsoOf: partly)
    text.note(
      "No key sets these; they are as Media3 has them unless the lines above say otherwise:",
      level: 0)
    text.add([
      "//   the bytes of a buffer: the simulated players count media time alone",
      "//   the back buffer: a simulated player keeps nothing behind the playhead of another item",
      "//   sizes of the video: a scenario's ladder has bit rates and no sizes",
    ])
    return text.text
  }

  private static let imports = [
    "android.content.Context", "android.os.Looper", "androidx.annotation.OptIn",
    "androidx.media3.common.C", "androidx.media3.common.MediaItem", "androidx.media3.common.Player",
    "androidx.media3.common.util.UnstableApi", "androidx.media3.exoplayer.DefaultLoadControl",
    "androidx.media3.exoplayer.ExoPlayer",
    "androidx.media3.exoplayer.source.preload.DefaultPreloadManager.PreloadStatus",
    "androidx.media3.exoplayer.source.preload.TargetPreloadStatusControl",
    "androidx.media3.exoplayer.trackselection.AdaptiveTrackSelection",
    "androidx.media3.exoplayer.trackselection.DefaultTrackSelector",
    "androidx.media3.exoplayer.upstream.DefaultBandwidthMeter",
    "androidx.media3.exoplayer.upstream.DefaultLoadErrorHandlingPolicy",
    "androidx.media3.exoplayer.upstream.LoadErrorHandlingPolicy",
  ]

  /// Why keys have no equal in Media3.
  static let reasons = EqualReasons(
    rows: EqualReasons.apps + [
      (
        "policy.prefetch",
        "DefaultPreloadManager asks for a status by the place in the list alone; the ranges above "
          + "are those that the family asks for at the first estimate"
      ),
      (
        "policy.prefetch.concurrency",
        "DefaultPreloadManager preloads one item after the other, whatever this says"
      ),
      (
        "policy.prefetch.pauseBelowBuffer",
        "DefaultPreloadManager does not wait for the current item's buffer: call its invalidate() "
          + "when the buffer is there"
      ),
      ("policy.prefetch.rung", "the preload manager's track selector chooses, under its own bound"),
      ("policy.startupCap.release", "Media3 has no event for this rule: see the line above"),
      ("policy.abr", "Media3 chooses by throughput alone (AdaptiveTrackSelection)"),
      ("policy.player", "of another player than Media3's"),
      (
        "policy.player.kind",
        "says which player was simulated: the numbers below it are given to Media3 whatever it is"
      ),
      (
        "client.proximity",
        "a DefaultLoadControl is fixed when its player is built: neighbours' players need one of "
          + "their own, and setMaxVideoBitrate for the peak"
      ),
      ("client.end", "as the viewer stays: the app's own listener of STATE_ENDED"),
      ("client.retry", "Media3's own: three retries, after 0, 1 and 2 s"),
      (
        "client.retry.asksAfterwards",
        "what the viewer is asked after onPlayerError is the app's own view"
      ),
      (
        "client.disk",
        "one SimpleCache with LeastRecentlyUsedCacheEvictor is the rule shared; the others need an "
          + "evictor of the app's own"
      ),
    ])

  /// Keys whose lines say only a part of what they mean.
  private var partly: [String] {
    var keys: [String] = []
    if export.preload.isOfEstimate { keys += ["policy.prefetch.kind", "policy.prefetch.cover"] }
    if hasConnections { keys.append("policy.prefetch.kind") }
    if case .stableThroughput = export.policy.startupCap.release {
      keys.append("policy.startupCap.release.kind")
    }
    return keys
  }

  private var hasConnections: Bool {
    export.preload.rows.contains { $0.depth == .stage(.connection) }
  }

  // MARK: Parts

  private func addLoadControl(_ text: inout ExportText) {
    let policy = export.policy
    let start = Milliseconds(policy.startThreshold)
    let resume = Milliseconds(policy.resumeThreshold)
    let most = Milliseconds(policy.forwardBuffer)
    let least = policy.player.minimumBuffer.map { Milliseconds($0) } ?? most
    // The builder refuses less than what a start and a resumption need.
    let bound = min(max(least.count, start.count, resume.count), most.count)
    text.note("When a player loads and starts; one for each player.")
    text.add([
      "  fun loadControl(): DefaultLoadControl =", "    DefaultLoadControl.Builder()",
      "      .setBufferDurationsMs(",
    ])
    if policy.player.minimumBuffer == nil {
      text.note(
        "minBufferMs: the simulated player loads on at once, so that it is maxBufferMs.", level: 4)
    } else {
      text.keys(["policy.player.minimumBuffer"], level: 4)
      if bound != least.count {
        text.note("minBufferMs is what a start needs: Media3 takes no less.", level: 4)
      }
    }
    text.add(["        /* minBufferMs = */ \(Kotlin.int(bound)),"])
    text.keys(["policy.player.forwardBuffer"], level: 4)
    text.add(["        /* maxBufferMs = */ \(most.kotlin),"])
    text.keys(["policy.player.startThreshold"], level: 4)
    text.add(["        /* bufferForPlaybackMs = */ \(start.kotlin),"])
    text.keys(["policy.player.resumeThreshold"], level: 4)
    text.add(["        /* bufferForPlaybackAfterRebufferMs = */ \(resume.kotlin),", "      )"])
    text.note(
      "No key: the simulated player counts media time, so bytes must not stop it.", level: 3)
    text.add([
      "      .setTargetBufferBytes(C.LENGTH_UNSET)",
      "      .setPrioritizeTimeOverSizeThresholds(true)", "      .build()",
    ])
  }

  private func addEstimate(_ text: inout ExportText) {
    text.add([""])
    text.keys(["policy.initialEstimate", "policy.player.initialEstimate"])
    text.add([
      "  fun bandwidthMeter(context: Context): DefaultBandwidthMeter =",
      "    DefaultBandwidthMeter.Builder(context)",
      "      .setInitialBitrateEstimate("
        + "\(Kotlin.long(export.policy.initialEstimate.bitsPerSecond)))",
      "      .build()",
    ])
  }

  private func addTrackSelector(_ text: inout ExportText) {
    text.add([""])
    switch export.policy.bitrate {
    case .throughput(let rule):
      text.keys(export.paths(under: "policy.abr"))
      text.add([
        "  fun trackSelector(context: Context): DefaultTrackSelector =",
        "    DefaultTrackSelector(",
        "      context,", "      AdaptiveTrackSelection.Factory(",
        "        /* minDurationForQualityIncreaseMs = */ "
          + "\(Milliseconds(rule.minimumBufferToSwitchUp).kotlin),",
        "        /* maxDurationForQualityDecreaseMs = */ "
          + "\(Milliseconds(rule.maximumBufferToSwitchDown).kotlin),",
        "        AdaptiveTrackSelection.DEFAULT_MIN_DURATION_TO_RETAIN_AFTER_DISCARD_MS,",
        "        /* bandwidthFraction = */ \(Kotlin.float(rule.fraction)),", "      ),", "    )",
      ])
    case .fixed(let rung):
      let rate = export.ladder[min(rung, export.ladder.top)].bitsPerSecond
      text.keys(export.paths(under: "policy.abr"))
      text.note("Of catalogue.ladder; no other rendition is loaded.")
      text.add([
        "  fun trackSelector(context: Context): DefaultTrackSelector =",
        "    DefaultTrackSelector(context).apply {", "      parameters = buildUponParameters()",
        "        .setMinVideoBitrate(\(Kotlin.int(rate)))",
        "        .setMaxVideoBitrate(\(Kotlin.int(rate)))", "        .build()", "    }",
      ])
    case .bola:
      text.note("policy.abr has no equal: Media3's own choice by throughput stands in for it.")
      text.add([
        "  fun trackSelector(context: Context): DefaultTrackSelector =",
        "    DefaultTrackSelector(context)",
      ])
    }
  }

  private func addStartCap(_ text: inout ExportText) {
    let cap = export.policy.startupCap
    text.add([""])
    text.keys(["policy.startupCap.rate"])
    text.add([
      "  val startBitrate: Int? = \(cap.rate.map { Kotlin.int($0.bitsPerSecond) } ?? "null")", "",
    ])
    text.note("To be called before an item is prepared.")
    text.add([
      "  fun capStart(player: ExoPlayer) = bound(player, startBitrate ?: Int.MAX_VALUE)", "",
    ])
    let keys = export.paths(under: "policy.startupCap.release")
    switch cap.release {
    case .firstFrame:
      text.keys(keys)
      text.add([
        "  fun liftCap(player: ExoPlayer) =", "    player.addListener(object : Player.Listener {",
        "      override fun onRenderedFirstFrame() = bound(player, Int.MAX_VALUE)", "    })",
      ])
    case .played(let length):
      text.keys(keys)
      text.note("The position stands for what was played; it does after a scrub, too.")
      text.add([
        "  fun liftCap(player: ExoPlayer) {",
        "    player.createMessage { _, _ -> bound(player, Int.MAX_VALUE) }",
        "      .setLooper(Looper.getMainLooper())",
        "      .setPosition(\(Kotlin.long(Milliseconds(length).count)))", "      .send()", "  }",
      ])
    case .buffer(let length):
      text.keys(keys)
      text.note("Media3 does not tell levels: call it with each update of the progress bar.")
      text.add([
        "  fun liftCap(player: ExoPlayer) {",
        "    if (player.totalBufferedDuration >= \(Kotlin.long(Milliseconds(length).count))) {",
        "      bound(player, Int.MAX_VALUE)", "    }", "  }",
      ])
    case .segments(let count):
      text.keys(keys)
      text.note(
        "To be called with the media loads that AnalyticsListener.onLoadCompleted has told.")
      text.add([
        "  fun liftCap(player: ExoPlayer, loads: Int) {",
        "    if (loads >= \(count)) bound(player, Int.MAX_VALUE)", "  }",
      ])
    case .stableThroughput:
      text.keys(keys)
      text.note(
        "To be called with the samples of BandwidthMeter.EventListener.onBandwidthSample agreeing.")
      text.add(["  fun liftCap(player: ExoPlayer) = bound(player, Int.MAX_VALUE)"])
    }
    text.add([
      "", "  private fun bound(player: ExoPlayer, bitrate: Int) {",
      "    player.trackSelectionParameters = player.trackSelectionParameters.buildUpon()",
      "      .setMaxVideoBitrate(bitrate)", "      .build()", "  }",
    ])
  }

  private func addPreload(_ text: inout ExportText) {
    let preload = export.preload
    text.add([""])
    text.note("What DefaultPreloadManager does for an item, by its place beside the current one.")
    text.keys(
      PreloadKeys.ranges.map { "policy.prefetch.\($0)" }
        + (preload.isOfEstimate ? ["policy.prefetch.cover"] : []))
    if preload.isOfEstimate {
      text.note(
        "The family asks for more or less as the link goes: these are its ranges at "
          + "\(Kotlin.rate(preload.throughput)) for a bit rate of \(Kotlin.rate(preload.bitrate)).")
    }
    if hasConnections {
      text.note("An open connection alone is no status of Media3: nothing is preloaded.")
    }
    text.add([
      "  class PreloadControl(private val current: () -> Int) :",
      "    TargetPreloadStatusControl<Int, PreloadStatus> {",
      "    override fun getTargetPreloadStatus(rankingData: Int): PreloadStatus =",
      "      when (rankingData - current()) {",
    ])
    for group in preload.groups {
      guard let status = status(group.depth) else { continue }
      let places = group.distances.map { "\($0)" }.joined(separator: ", ")
      text.add(["        \(places) -> \(status)"])
    }
    text.add(["        else -> PreloadStatus.PRELOAD_STATUS_NOT_PRELOADED", "      }", "  }"])
  }

  private func status(_ depth: PreloadByDistance.Depth) -> String? {
    switch depth {
    case .media(let length):
      "PreloadStatus.specifiedRangeLoaded(/* durationMs = */ "
        + "\(Kotlin.long(Milliseconds(length).count)))"
    case .stage(.initSegment), .stage(.media): "PreloadStatus.PRELOAD_STATUS_TRACKS_SELECTED"
    case .stage(.playlists): "PreloadStatus.PRELOAD_STATUS_SOURCE_PREPARED"
    case .stage(.connection), .stage(.nothing): nil
    }
  }

  private func addRetry(_ text: inout ExportText) {
    guard let retry = export.client.retry else { return }
    text.add([""])
    text.keys(
      ["kind", "first", "longest", "jitter", "retries"].map { "client.retry.\($0)" })
    let count = retry.kind == .backoff ? retry.maximumRetries : 0
    text.add([
      "  class RetryPolicy : DefaultLoadErrorHandlingPolicy("
        + "/* minimumLoadableRetryCount = */ \(count)) {",
      "    override fun getRetryDelayMsFor(info: LoadErrorHandlingPolicy.LoadErrorInfo): Long {",
      "      val isHopeless = super.getRetryDelayMsFor(info) == C.TIME_UNSET",
      "      if (isHopeless || info.errorCount > \(count)) return C.TIME_UNSET",
      "      val doubled = \(Kotlin.long(Milliseconds(retry.firstWait).count)) shl "
        + "minOf(info.errorCount - 1, 30)",
      "      val wait = minOf(doubled, \(Kotlin.long(Milliseconds(retry.longestWait).count)))",
      "      return wait + (wait * \(SwiftLiteral.of(retry.jitter)) * Math.random()).toLong()",
      "    }", "  }",
    ])
  }

  private func addEnd(_ text: inout ExportText) {
    guard let end = export.client.end else { return }
    text.add([""])
    text.keys(export.paths(under: "client.end"))
    switch end {
    case .loop: text.add(["  const val REPEAT_MODE = Player.REPEAT_MODE_ONE"])
    case .once: text.add(["  const val REPEAT_MODE = Player.REPEAT_MODE_OFF"])
    case .preview(let length):
      text.add([
        "  const val REPEAT_MODE = Player.REPEAT_MODE_OFF", "",
        "  fun clipped(item: MediaItem): MediaItem =", "    item.buildUpon()",
        "      .setClippingConfiguration(",
        "        MediaItem.ClippingConfiguration.Builder()",
        "          .setEndPositionMs(\(Kotlin.long(Milliseconds(length).count)))",
        "          .build()",
        "      )", "      .build()",
      ])
    }
  }
}

/// Keys of prefetch that are ranges by distance.
enum PreloadKeys {
  static let ranges = [
    "kind", "headLength", "itemsAhead", "furtherLength", "previousLength", "segments", "near",
    "far",
    "behind",
  ]
}

/// A time as a platform in milliseconds has it: rounded up, so that nothing positive is nothing.
struct Milliseconds: Sendable {
  let count: Int64

  init(_ span: TimeSpan) {
    let (whole, rest) = span.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    count = whole + (rest > 0 ? 1 : 0)
  }

  /// As an `Int` of Kotlin, whose greatest value stands for all longer times.
  var kotlin: String { Kotlin.int(count) }
}

/// Numbers as Kotlin writes them.
enum Kotlin {
  static func int(_ number: Int64) -> String { grouped(min(number, Int64(Int32.max))) }

  static func long(_ number: Int64) -> String { grouped(number) + "L" }

  static func float(_ number: Double) -> String { "\(Float(number))f" }

  static func rate(_ rate: BitRate) -> String { "\(rate.bitsPerSecond / 1000) kbps" }

  private static func grouped(_ number: Int64) -> String {
    let digits = Array("\(number.magnitude)")
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0 && (digits.count - place) % 3 == 0 { text += "_" }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }
}
