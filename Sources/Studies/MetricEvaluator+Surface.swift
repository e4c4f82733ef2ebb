import MediaUnits
import Models
import Scenario

extension MetricEvaluator {
  /// A metric of a mixed feed's surfaces; no data without one.
  ///
  /// Samples are what the metric is about: plays, which alone can flap or run at the same time,
  /// sights of cards for messages, and cells bound to a widget for mounts and the main thread. A
  /// feed that shows or plays nothing has no data.
  static func surface(_ metric: String, _ surface: SurfaceMeasures) -> MetricSample {
    var sample = MetricSample()
    switch metric {
    case "mounts_per_minute", "main_thread_ms_per_second": sample.samples = surface.binds
    case "bridge_messages_per_second": sample.samples = surface.frameMessages
    default: sample.samples = surface.plays
    }
    let seconds = Double(surface.sessionTime) / 1e9
    if seconds <= 0 || sample.samples == 0 { return sample }
    sample.denominator = seconds
    switch metric {
    case "flaps_per_minute": sample.numerator = Double(surface.flaps) * 60
    case "mounts_per_minute": sample.numerator = Double(surface.mounts) * 60
    case "bridge_messages_per_second": sample.numerator = Double(surface.messages)
    case "main_thread_ms_per_second": sample.numerator = Double(surface.mainThread) / 1e3
    default:
      sample.numerator = Double(surface.mostPlaying)
      sample.denominator = 1
    }
    sample.value = sample.numerator / sample.denominator
    return sample
  }
}
