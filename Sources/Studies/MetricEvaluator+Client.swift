import MediaUnits
import Models
import Scenario

/// The metrics of what an app does beyond loading and playing.
extension MetricEvaluator {
  /// The sample of such a metric; nil for another one.
  func client(_ reference: MetricReference) -> MetricSample? {
    switch reference.metric {
    case "spinner_ms", "black_frame_ms", "gate_wait_ms", "swipe_wait_ms", "snapback_ratio",
      "gate_escape_ratio", "gate_left_ratio":
      return swipe(reference)
    case "event_delay_ms": return delay(measures.clientSide.telemetry.delays, reference.stat)
    case "event_post_interval_ms", "events_lost_ratio", "events_duplicated_ratio":
      return telemetry(reference.metric)
    case "pool_create_ratio": return perView(measures.playerCreates)
    case "pool_retarget_ratio": return perView(measures.playerRetargets)
    case "decoder_refused_ratio": return perView(measures.decodersRefused)
    case "sprite_hit_ratio":
      return share(measures.spriteHits, of: measures.scrubLookups)
    default: return feed(reference.metric)
    }
  }

  private func feed(_ metric: String) -> MetricSample? {
    let sums = measures.clientSide
    switch metric {
    case "trending_page_ratio": return share(sums.trendingPages, of: sums.pages)
    case "exploration_ratio": return share(sums.explorationItems, of: sums.items)
    case "loop_gap_ms":
      return ratio(Double(sums.loopGap) / 1e6, over: Double(sums.loops), samples: sums.loops)
    case "evicted_before_use_ratio": return share(sums.evictedAhead, of: sums.storedAhead)
    case "given_up_ratio":
      return share(sums.itemsGivenUp, of: sums.swipes.reduce(0) { $0 + $1.views })
    case "offline_playable_ratio":
      return ratio(
        Double(sums.offlinePlayable) / 1e9, over: Double(sums.offlineWanted) / 1e9,
        samples: sums.offlineCuts)
    default: return nil
    }
  }

  private func perView(_ count: Int64) -> MetricSample {
    let views = cohorts.reduce(0) { $0 + $1.views }
    return ratio(Double(count), over: Double(views), samples: views)
  }

  private func share(_ part: Int64, of whole: Int64) -> MetricSample {
    ratio(Double(part), over: Double(whole), samples: whole)
  }

  private func telemetry(_ metric: String) -> MetricSample {
    let sums = measures.clientSide.telemetry
    let settled = sums.delivered + sums.lost
    switch metric {
    case "events_lost_ratio": return share(sums.lost, of: settled)
    case "events_duplicated_ratio": return share(sums.duplicated, of: settled)
    default:
      return ratio(Double(sums.sessionTime) / 1e6, over: Double(sums.posts), samples: sums.posts)
    }
  }

  private func swipe(_ reference: MetricReference) -> MetricSample {
    var sums = SwipeSums()
    for cell in cells(reference) { sums.add(measures.clientSide.swipes[cell]) }
    func mean(_ nanoseconds: Int64) -> MetricSample {
      ratio(Double(nanoseconds) / 1e6, over: Double(sums.swipes), samples: sums.swipes)
    }
    switch reference.metric {
    case "spinner_ms": return mean(sums.covered)
    case "black_frame_ms": return mean(sums.black)
    case "gate_wait_ms": return mean(sums.gateWait)
    case "snapback_ratio": return share(sums.snapBacks, of: sums.swipes)
    case "gate_escape_ratio": return share(sums.escapes, of: sums.swipes)
    case "gate_left_ratio": return share(sums.leftAtGate, of: sums.swipes)
    default: return delay(sums.waits, reference.stat)
    }
  }

  private func delay(_ delays: DelayHistogram, _ stat: String) -> MetricSample {
    var sample = ratio(
      Double(delays.sum) / 1e6, over: Double(delays.count), samples: delays.count)
    if delays.count == 0 || stat == "mean" { return sample }
    if stat == "max" {
      sample.value = Double(delays.largest) / 1e6
    } else if let percent = Double(stat.dropFirst()) {
      sample.value = delays.quantile(percent / 100).map { Double($0) / 1e6 }
    }
    return sample
  }
}
