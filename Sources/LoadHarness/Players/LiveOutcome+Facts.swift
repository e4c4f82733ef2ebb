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
    facts.checked = counts.checked
    facts.lateAnswers = measures.outside.late
    facts.lateBytes = measures.outside.lateBytes
    facts.seconds = length.seconds
    facts.clientData = clientData
    facts.serverData = serverData
    if !isReadBack {
      facts.health = health.readings(limits)
      if case .unhealthy(let reasons) = health.verdict(limits) {
        facts.reasons = reasons.map(\.description)
      }
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
    facts.failures.append(LiveFacts.Count("URI of another host", counts.elsewhere))
    facts.failures.append(
      LiveFacts.Count("feed item that was not found before", counts.unknownItems))
    return facts
  }
}

extension HealthReport {
  /// The readings beside their limits, for reports.
  func readings(_ limits: HealthLimits = HealthLimits()) -> [LiveFacts.Reading] {
    func time(_ name: String, _ value: TimeSpan, _ limit: TimeSpan?) -> LiveFacts.Reading {
      LiveFacts.Reading(
        name: name, value: value.seconds * 1000, unit: "ms", limit: limit.map { $0.seconds * 1000 },
        isGood: limit.map { value <= $0 } ?? true)
    }
    func share(
      _ name: String, _ value: Double, _ limit: Double, atLeast: Bool = false
    ) -> LiveFacts.Reading {
      LiveFacts.Reading(
        name: name, value: value * 100, unit: "%", limit: limit * 100,
        isGood: atLeast ? value >= limit : value <= limit)
    }
    let descriptors = descriptorLimit > 0 ? Double(descriptorsMax) / Double(descriptorLimit) : 0
    return [
      time("event-loop lag, P99", loopLagP99, limits.loopLag),
      time("event-loop lag, max", loopLagMax, nil),
      time("schedule slip of starts, P99", slipP99, limits.scheduleSlip),
      time("schedule slip of starts, max", slipMax, nil),
      share("CPU of this process", processShare, limits.processShare),
      share("CPU left idle, at least", idleShare, limits.idleShare, atLeast: true),
      share("CPU taken by the host", stealShare, limits.stealShare),
      share("file descriptors", descriptors, limits.descriptorShare),
      time("clock jumps", clockJump, limits.clockJump),
      time("suspended", suspended, limits.suspended),
      LiveFacts.Reading(
        name: "memory, max", value: Double(residentMax) / 1e6, unit: "MB",
        limit: Double(memory) * limits.memoryShare / 1e6,
        isGood: Double(residentMax) <= limits.memoryShare * Double(memory)),
    ]
  }
}
