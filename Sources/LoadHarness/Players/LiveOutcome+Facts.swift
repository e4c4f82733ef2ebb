import CachePolicy
import Histogram
import MediaUnits
import Models
import Scenario
import Studies

extension LiveOutcome {
  /// What stands in the report beside the viewers' measures.
  public func facts(target: String, edge: String, link: String) -> LiveFacts {
    var facts = LiveFacts(target: target, edge: edge, link: link)
    facts.requests = counts.requests
    facts.bytes = counts.bytes
    facts.starts = counts.starts
    facts.lateStarts = counts.lateStarts
    facts.seconds = length.seconds
    facts.health = health.readings.map {
      LiveFacts.Reading(
        name: $0.name, value: $0.value, unit: $0.unit, limit: $0.limit, isGood: $0.isGood)
    }
    facts.reasons = health.reasons
    if counts.ours > 0 {
      facts.reasons.append("\(counts.ours) requests failed for want of descriptors or ports")
    }
    facts.latencies = AssetClass.allCases.compactMap { asset in
      guard let latency = latencies[asset], latency.count > 0 else { return nil }
      let quantiles = [0.5, 0.95, 0.99, 1]
      func milliseconds(_ histogram: Histogram<UInt64>) -> [Double] {
        quantiles.map { (LiveLatency.quantile(histogram, $0)?.seconds ?? 0) * 1000 }
      }
      return LiveFacts.Latency(
        name: MetricReference.classes[Int(asset.rawValue)], count: Int64(latency.count),
        sent: milliseconds(latency.raw), due: milliseconds(latency.corrected))
    }
    facts.failures = counts.failures.map { LiveFacts.Count($0.name, $0.count) }
    facts.failures.append(LiveFacts.Count("malformed answer", counts.malformed))
    facts.failures.append(LiveFacts.Count("object that nothing named", counts.unnamed))
    return facts
  }
}
