import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// Numbers that exist here only because dashboards show them (``IndustryNames``): each is defined
/// as its document has it, and ends in whose it is where others define it otherwise.
extension FeedMetrics {
  static let industry: [FeedMetric] = [
    FeedMetric(
      "stalls_per_view", "stalls per view", .number, stats: ["mean"], labels: places,
      hints: stalling,
      .reading {
        let sums = $0.views
        return .quotient(Double(sums.stalls), over: Double(sums.views), samples: sums.views)
      }),
    FeedMetric(
      "shown_kbps", "mean rate shown, kbit/s", .number, stats: ["mean"],
      labels: ["network", "device"], isWorseWhenHigher: false, samples: "items",
      hints: ["policy.abr", "policy.startupCap", "policy.initialEstimate"],
      .reading {
        let shown = $0.shown
        return .quotient(
          Double(shown.bits) / 1e3, over: Double(shown.media) / 1e9, samples: shown.items)
      }),
    // Everything but pauses is watch time there, also the wait of those who left.
    .ratio(
      "rebuffer_ratio_mux", "rebuffering as Mux counts", labels: places, isOfViews: true,
      hints: stalling
    ) {
      let sums = $0.views
      return .quotient(
        Double(sums.stalled) / 1e9, over: Double(sums.played + sums.waited) / 1e9,
        samples: sums.views)
    },
    FeedMetric(
      "rebuffers_per_minute_mux", "stalls per minute as Mux counts", .number, stats: ["rate"],
      labels: places, hints: stalling,
      .reading {
        let sums = $0.views
        return .quotient(
          Double(sums.stalls) * 60, over: Double(sums.played + sums.waited) / 1e9,
          samples: sums.views)
      }),
    score("playback_success_score_mux", "playback success score of Mux") { view in
      if view.hasStarted { return 100 }
      // Who leaves within a second had not meant to come.
      return view.flags.contains(.cut) || view.ttff < .seconds(1) ? nil : 50
    },
    score("startup_score_mux", "startup time score of Mux") { view in
      view.hasStarted ? 800 / (8 + max(0, view.ttffPlay.seconds)) : nil
    },
    score("smoothness_score_mux", "smoothness score of Mux") { view in
      if !view.hasStarted { return nil }
      let halves = Double(view.stalls) / 2
      let wall = (view.ttff + view.played + view.stalled).seconds
      let share = wall > 0 ? view.stalled.seconds / wall : 0
      return 50 / (1 + halves * halves).squareRoot() + 50 * PortableMath.exp(-10 * share)
    },
  ]

  private static let places = ["network", "device", "window"]
  private static let stalling = [
    "policy.abr", "policy.startupCap.release", "policy.player.forwardBuffer",
  ]

  /// The mean of what each view scores of 100; nil for a view without a score.
  private static func score(
    _ name: String, _ words: String, _ score: @escaping @Sendable (ViewRecord) -> Double?
  ) -> FeedMetric {
    FeedMetric(
      name, words, .number, stats: ["mean"], labels: places, isWorseWhenHigher: false,
      hints: ["policy.prefetch", "policy.startupCap"],
      .each { view in score(view).map { points($0) } })
  }
}
