import FeedPolicy
import MediaUnits
import Models

/// What the app does beyond loading and playing.
extension ScenarioBuilder {
  mutating func client() -> ClientConfiguration {
    var made = ClientConfiguration()
    ScenarioTable.client.fill(&made, from: tree.at("client"), by: &self)
    if let ranker = tree.optional("feed.ranker") { made.ranker = self.ranker(ranker) }
    if let exploration = tree.optional("feed.exploration") {
      made.exploration = self.exploration(exploration)
      made.explorationFrom = exploration.ratio("from")
    }
    return made
  }

  func proximity(_ part: ResolvedTree) -> ProximityPolicy {
    func setting(_ key: String) -> ProximitySetting {
      ProximitySetting(
        forwardBuffer: span(part, "\(key).buffer"),
        peakBitRate: part.optionalBitRate("\(key).peak").map { BitRate(bitsPerSecond: $0) })
    }
    let adaptation = part.at("adaptation")
    return ProximityPolicy(
      ProximityPolicy.Configuration(
        active: ProximitySetting(
          forwardBuffer: part.optionalTime("activeBuffer").map { TimeSpan(nanoseconds: $0) }
            ?? .max,
          peakBitRate: nil),
        near: setting("near"), far: setting("far"),
        nearDistance: UInt32(part.integer("nearDistance")),
        adaptation: ScenarioTable.adaptations.value(adaptation)(adaptation)))
  }

  mutating func pause(_ part: ResolvedTree) -> PauseBehaviour {
    PauseBehaviour(
      reason: ScenarioTable.pauses.value(part), share: part.ratio("share"),
      length: tables.table(part, "length"),
      holdsLoading: part.boolean("holdsLoading"), killShare: part.ratio("killShare"),
      sentShare: part.hasKey("sentShare") ? part.ratio("sentShare") : 1)
  }

  mutating func telemetry(_ part: ResolvedTree) -> TelemetryConfiguration {
    TelemetryConfiguration(
      batcher: TelemetryBatcher.Configuration(
        rule: ScenarioTable.flushRules.value(part, "flush")(part.at("flush")),
        delivery: ScenarioTable.deliveries.value(part, "delivery"),
        queueLimit: Int(part.integer("queueLimit")),
        batchLimit: Int(part.integer("batchLimit")),
        retry: RetryPolicy(
          maximumRetries: Int(part.integer("retries")), asksAfterwards: false)),
      envelopeBytes: part.bytes("envelopeBytes"), eventBytes: part.bytes("eventBytes"),
      latency: tables.table(part, "latency"), failureShare: part.ratio("failureShare"))
  }

  private mutating func ranker(_ part: ResolvedTree) -> RankerConfiguration {
    RankerConfiguration(
      fallback: RankerFallback.Configuration(deadline: span(part, "deadline")),
      isAtClient: ScenarioTable.rankerPlaces.value(part, "at"),
      latency: tables.table(part, "latency"),
      slowShare: part.ratio("slowShare"), slowFactor: part.real("slowFactor"),
      overhead: span(part, "overhead"))
  }

  private func exploration(_ part: ResolvedTree) -> ExplorationMixer {
    // A share outside of the bounds is wanted as it is: the bounds are those of the requirement.
    let share = part.ratio("share")
    return ExplorationMixer(
      ExplorationMixer.Configuration(
        share: share, least: min(0.1, share), largest: max(0.2, share)))
  }
}
