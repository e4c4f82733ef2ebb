import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// What the surfaces of a mixed feed did, over their viewers' time.
///
/// Samples are what the metric is about: plays, which alone can flap or run at the same time,
/// sights of cards for messages, and cells bound to a widget for mounts and the main thread. A feed
/// that shows or plays nothing has no data.
extension FeedMetrics {
  static let surface: [FeedMetric] = [
    .number(
      "flaps_per_minute", "flaps per minute", stat: "rate", samples: "plays",
      hints: ["surface.visibility.thresholds", "surface.visibility.model"], presence: .surface
    ) {
      let seen = $0.measures.surface
      return rate(Double(seen.flaps) * 60, seen, samples: seen.plays)
    },
    .number(
      "mounts_per_minute", "mounts per minute", stat: "rate", samples: "bound cells",
      hints: cellHints, presence: .surface
    ) {
      let seen = $0.measures.surface
      return rate(Double(seen.mounts) * 60, seen, samples: seen.binds)
    },
    .number(
      "bridge_messages_per_second", "bridge messages per second", stat: "rate",
      samples: "sights of cards", hints: ["surface.visibility.placement"], presence: .surface
    ) {
      let seen = $0.measures.surface
      return rate(Double(seen.messages), seen, samples: seen.frameMessages)
    },
    .number(
      "main_thread_ms_per_second", "main thread ms per second", stat: "rate",
      samples: "bound cells", hints: cellHints, presence: .surface
    ) {
      let seen = $0.measures.surface
      return rate(Double(seen.mainThread) / 1e3, seen, samples: seen.binds)
    },
    // The most cards of one viewer that played at once.
    .number(
      "simultaneous_plays_max", "simultaneous plays max", stat: "max", samples: "plays",
      hints: ["surface.visibility.carouselLimit"], presence: .surface
    ) {
      let seen = $0.measures.surface
      return rate(Double(seen.mostPlaying), seen, samples: seen.plays, over: 1)
    },
  ]

  private static let cellHints = ["surface.gate", "surface.reuse", "surface.visibility"]

  /// A number over the seconds of the sessions, or over another whole.
  private static func rate(
    _ part: Double, _ seen: SurfaceMeasures, samples: Int64, over whole: Double? = nil
  ) -> MetricReading {
    let seconds = Double(seen.sessionTime) / 1e9
    if seconds <= 0 || samples == 0 { return .quotient(0, over: 0, samples: samples) }
    return .quotient(part, over: whole ?? seconds, samples: samples)
  }
}
