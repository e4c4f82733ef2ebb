import Scenario
import Studies

extension ReportWriter {
  // MARK: The app

  /// What the app did beyond loading and playing; nothing where none of that is set.
  func client() -> [String] {
    var table = TextTable([.left, .left, .left])
    var count = 0
    for name in MetricReference.clientNames {
      guard let metric = result.metric(name), metric.value != nil else { continue }
      count += 1
      table.add([
        TextCell(metric.reference.clientWords ?? name), TextCell(metric.shortTextWithUnit),
        TextCell("n = \(Figures.count(metric.samples)) \(metric.reference.sampleNoun)", .faint),
      ])
    }
    if count == 0 { return [] }
    return table.lines(color: color) + clientCounts()
  }

  private func clientCounts() -> [String] {
    let sums = result.measures.clientSide
    let left = sums.swipes.reduce(0) { $0 + $1.leftAtGate }
    var parts = [
      (sums.pauses, "pauses"), (sums.kills, "processes killed"),
      (left, "viewers left at the gate"), (sums.segmentErrors, "segments failed"),
      (sums.retryTaps, "taps on \"tap to retry\""), (sums.itemsGivenUp, "items given up"),
      (sums.offlineCuts, "times offline"), (sums.loops, "loops"), (sums.drafts, "drafts left"),
      (sums.draftsRestored, "drafts found again"),
    ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
    if sums.poolSessions > 0 {
      let mean = Double(sums.poolMemory) / Double(sums.poolSessions)
      parts.append("players' memory \(Figures.bytes(Int64(mean))) at the most, mean of sessions")
    }
    return parts.isEmpty ? [] : wrapped(parts.joined(separator: ", "), indent: "  ")
  }
}

extension MetricReference {
  /// A metric of the app in words; nil for another one.
  var clientWords: String? { MetricReference.clientWords(metric, stat: stat) }

  /// The same of a metric and a stat by their names.
  static func clientWords(_ metric: String, stat: String) -> String? {
    let words =
      switch metric {
      case "spinner_ms": "no frame after a swipe"
      case "black_frame_ms": "of that without a poster"
      case "gate_wait_ms": "held by the gate"
      case "swipe_wait_ms": "swipe to frame"
      case "snapback_ratio": "swipes snapped back"
      case "gate_escape_ratio": "swipes that escaped the gate"
      case "gate_left_ratio": "left because of it"
      case "event_delay_ms": "events delayed"
      case "event_post_interval_ms": "session time per post"
      case "events_lost_ratio": "events lost"
      case "events_duplicated_ratio": "events counted twice"
      case "loop_gap_ms": "gap of a loop"
      case "trending_page_ratio": "pages from Trending"
      case "exploration_ratio": "exploration items"
      case "offline_playable_ratio": "playable when the network is lost"
      case "given_up_ratio": "items given up"
      case "pool_create_ratio": "players created per view"
      case "pool_retarget_ratio": "players given another item per view"
      case "decoder_refused_ratio": "decoders refused per view"
      case "evicted_before_use_ratio": "evicted from the disk before use"
      case "sprite_hit_ratio": "sprites from the cache"
      default: ""
      }
    if words.isEmpty { return nil }
    return ["ratio", "mean"].contains(stat) ? words : "\(words), \(stat)"
  }
}
