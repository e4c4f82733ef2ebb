import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// What product people count: how much is watched, who leaves, how steady the picture is, and one
/// number for all of it.
extension FeedMetrics {
  static let watching: [FeedMetric] = [
    // Of views that ended and whose title was known, those without a first frame included. Loops
    // and what is played again count, so that it may be above 1.
    .ratio(
      "watch_time_ratio", "played, of the titles' lengths", labels: ["network", "device"],
      isWorseWhenHigher: false, range: .aboveOne, hints: ["audience.personas", "audience.exits"]
    ) {
      let shown = $0.shown
      return .quotient(
        Double(shown.played) / 1e9, over: Double(shown.lengths) / 1e9, samples: $0.views.views)
    },
    FeedMetric(
      "exit_ratio", "sessions ended by a stall or a slow start", .ratio, stats: ["ratio"],
      labels: ["after", "network", "device", "window"], isOfViews: true,
      hints: ["audience.exits", "policy.prefetch", "policy.abr"], presence: .fullScreen,
      .views { cut in
        let after = cut.after
        return { view in
          if view.flags.contains(.cut) || !isAfter(after, view) { return nil }
          return FeedMetric.ViewShare(view.flags.contains(.last) ? 1 : 0, of: 1)
        }
      }),
    FeedMetric(
      "switches_per_minute", "changes of rung per minute", .number, stats: ["rate"],
      labels: ["network", "device"], samples: "items", hints: switchHints,
      .reading {
        let shown = $0.shown
        return .quotient(
          Double(shown.switches) * 60, over: Double(shown.media) / 1e9, samples: shown.items)
      }),
    .ratio(
      "smoothness_ratio", "steadiness of the rate", labels: ["network", "device"],
      isWorseWhenHigher: false, samples: "items", hints: switchHints
    ) {
      // Of a ladder with one rung nothing can be unsteady, and nothing is measured.
      let shown = $0.shown
      let most = Double(shown.joints) * ($0.topRate - $0.lowestRate)
      return .quotient(most - Double(shown.changes), over: most, samples: shown.items)
    },
    FeedMetric(
      "viewer_score", "viewer score, of 100", .number, stats: ["mean"],
      labels: ["network", "device", "window"], isWorseWhenHigher: false,
      hints: ["policy.prefetch", "policy.abr", "policy.player.forwardBuffer"],
      .each { score($0) }),
  ]

  private static let switchHints = ["policy.abr", "policy.startupCap", "policy.initialEstimate"]

  /// A start that took longer is slow: from here on viewers leave.
  ///
  /// Source: Krishnan and Sitaraman, IMC 2012; `parameters.md` section 6.4.
  static let slowStart = TimeSpan.seconds(2)

  /// Whether a view made its viewer wait as the label `after` says; without the label in any way.
  private static func isAfter(_ wait: MetricWait?, _ view: ViewRecord) -> Bool {
    let (hasStalled, isSlow) = (view.stalls > 0, view.ttff > slowStart)
    return switch wait {
    case .stall: hasStalled
    case .slowStart: isSlow
    case .nothing: !hasStalled && !isSlow
    case nil: hasStalled || isSlow
    }
  }

  // MARK: The score

  /// The share of its watch time that a view keeps, of 100: 5.8 % are lost for each second of the
  /// start beyond two, and five times the share of stalls in playing and stalling, each at most all
  /// of it; a view that was left before its first frame keeps nothing. None for a view that the end
  /// of the run cut.
  ///
  /// Source of both slopes: Krishnan and Sitaraman, IMC 2012, of videos on the web; `parameters.md`
  /// section 6.4. Left out: the quality of the picture, which `shown_rate_ratio` has.
  private static func score(_ view: ViewRecord) -> FeedMetric.ViewShare? {
    if view.flags.contains(.cut) { return nil }
    return points(view.hasStarted ? 100 * kept(view) : 0)
  }

  private static func kept(_ view: ViewRecord) -> Double {
    let late = max(0, (view.ttff - slowStart).seconds)
    let wall = (view.played + view.stalled).seconds
    let stalled = wall > 0 ? view.stalled.seconds / wall : 0
    return max(0, 1 - 0.058 * late) * max(0, 1 - 5 * stalled)
  }

  /// Points of one view in ten-thousandths: whole numbers, so that sums do not depend on an order.
  static func points(_ value: Double) -> FeedMetric.ViewShare {
    FeedMetric.ViewShare(Int64((value * 10_000).rounded()), of: 10_000)
  }
}
