import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// Times to the first frame, what became of views, and where the startup went.
extension FeedMetrics {
  static let times: [FeedMetric] = [
    .clock(
      "ttff_ms", "time to first frame", cohorts: ["p50", "p75", "p95"], windows: ["p50", "p95"]
    ) { $0.ttff },
    .clock("ttff_cold_ms", "first frame of a session") {
      $0.flags.contains(.cold) ? $0.ttff : nil
    }.withExtraColdStarts,
    .clock("ttff_swipe_ms", "first frame after a swipe") {
      $0.flags.contains(.cold) ? nil : $0.ttff
    },
    .clock("ttff_play_ms", "first frame after play()") { $0.ttffPlay },
    // Of the views whose frame was not ready when the clock started.
    .clock("ttff_waited_ms", "ttff waited ms") { $0.flags.contains(.ready) ? nil : $0.ttff },
  ]

  static let viewShares: [FeedMetric] = [
    .ratio(
      "ready_ratio", "ready ratio", labels: ["network", "device", "window"],
      isWorseWhenHigher: false, isOfViews: true
    ) { .share($0.views.ready, of: $0.views.views) },
    .ratio(
      "not_started_ratio", "views left before a frame", labels: ["network", "device", "window"],
      isOfViews: true, hints: ["policy.prefetch", "policy.startupCap.rate"], cohorts: ["ratio"],
      windows: ["ratio"]
    ) { .share($0.views.notStarted, of: $0.views.views) },
    .ratio(
      "rebuffer_ratio", "rebuffering", labels: ["network", "device", "window"], isOfViews: true,
      hints: stallHints, cohorts: ["ratio"]
    ) {
      let sums = $0.views
      let (played, stalled) = (Double(sums.played) / 1e9, Double(sums.stalled) / 1e9)
      return .quotient(stalled, over: stalled + played, samples: sums.started)
    },
    .ratio(
      "stalled_time_ratio", "stalled share of watched time",
      labels: ["network", "device", "window"], isOfViews: true, hints: stallHints
    ) {
      let sums = $0.views
      let (played, stalled) = (Double(sums.played) / 1e9, Double(sums.stalled) / 1e9)
      let startup = Double(sums.startup) / 1e9
      return .quotient(stalled, over: startup + played + stalled, samples: sums.views)
    },
    // What is wasted shows when its item leaves the feed, which may be in another window.
    .ratio(
      "wasted_ratio", "bytes wasted", labels: ["network", "device"],
      hints: ["policy.prefetch.headLength", "policy.player.forwardBuffer"], cohorts: ["ratio"]
    ) {
      let bytes = $0.bytes
      return .quotient(
        Double(bytes.wasted), over: Double(bytes.delivered), samples: $0.views.views)
    },
  ]

  private static let stallHints = [
    "policy.abr", "policy.startupCap.release", "policy.player.forwardBuffer",
  ]

  /// Mean time of one part of the startup over all started views, those that did not wait included;
  /// the parts add up to `ttff_ms.mean`.
  static let startup: [FeedMetric] = [
    .time(
      "startup_ms", "startup ms", labels: ["part", "network", "device", "window"],
      requiredLabel: "part", presence: .asked
    ) { .mean($0.views.parts[$0.part], over: $0.views.started) }
  ]
}
