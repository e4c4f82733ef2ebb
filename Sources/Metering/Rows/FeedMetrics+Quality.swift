import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// What was shown, and what the short-video challenge makes of it.
///
/// None of it can be cut by window: it shows when its item leaves the feed.
extension FeedMetrics {
  static let quality: [FeedMetric] = [
    .ratio(
      "shown_rate_ratio", "mean rate shown, of the top rung's", labels: ["network", "device"],
      isWorseWhenHigher: false, samples: "items", hints: qualityHints
    ) {
      let shown = $0.shown
      return .quotient(
        Double(shown.bits), over: Double(shown.media) / 1e9 * $0.topRate, samples: shown.items)
    },
    .ratio(
      "top_rung_ratio", "media shown on the top rung", labels: ["network", "device"],
      isWorseWhenHigher: false, samples: "items", hints: qualityHints
    ) {
      let shown = $0.shown
      return .quotient(
        Double(shown.topMedia), over: Double(shown.media), samples: shown.items)
    },
    .ratio(
      "switched_ratio", "items with a change of rung", labels: ["network", "device"],
      samples: "items", hints: qualityHints
    ) { .share($0.shown.switchedItems, of: $0.shown.items) },
    .ratio(
      "qoe_ratio", "quality of experience, of the best possible", labels: ["network", "device"],
      isWorseWhenHigher: false, samples: "items", hints: qualityHints
    ) { challenge($0, megabits: $0.shownMegabits) },
    .ratio(
      "score_ratio", "quality of experience less traffic, of the best possible",
      labels: ["network", "device"], isWorseWhenHigher: false, samples: "items",
      hints: qualityHints
    ) { challenge($0, megabits: $0.shownMegabits - 0.5 * Double($0.bytes.delivered) * 8 / 1e6) },
  ]

  private static let qualityHints = [
    "policy.startupCap", "policy.abr", "policy.initialEstimate",
  ]

  /// Megabits over those of the top rung in all shown seconds, so that 100 % is all of it at once
  /// and for nothing.
  private static func challenge(_ source: FeedMetricSource, megabits: Double) -> MetricReading {
    let shown = source.shown
    let top = source.topRate / 1e6
    return .quotient(megabits, over: Double(shown.media) / 1e9 * top, samples: shown.items)
  }
}

extension FeedMetricSource {
  /// The short-video challenge's formula: the rates of the shown seconds (Mbps) less 1.85 for each
  /// second of waiting, at the start or in a stall, less the jumps between rates (Mbps). The score
  /// takes off half of the delivered megabits.
  ///
  /// Left out: the jump from one item to the next.
  ///
  /// Source: Zuo et al., ACM MM 2022, arXiv 2206.09839; `parameters.md` section 6.5.
  fileprivate var shownMegabits: Double {
    let shown = shown
    return Double(shown.bits) / 1e6 - 1.85 * Double(views.waited) / 1e9
      - Double(shown.changes) / 1e6
  }
}
