import FeedPolicy
import MediaUnits
import Models

/// What the app does beyond loading and playing.
extension ScenarioBuilder {
  mutating func client() -> ClientConfiguration {
    let part = tree.at("client")
    var made = ClientConfiguration()
    made.gate = ScenarioTable.readinessGates.value(part, "gate")(part.at("gate"))
    made.snapRetry = tables.table(part, "snapRetry")
    made.placeholder = ScenarioTable.placeholders.value(part, "placeholder")
    made.proximity = part.optional("proximity").map { proximity($0) }
    made.end = ScenarioTable.ends.value(part, "end")(part.at("end"))
    if part.hasKey("end.gap"), !part.isNone("end.gap") {
      made.loopGap = tables.table(part, "end.gap")
    }
    for pause in part.elements("pauses") { made.pauses.append(self.pause(pause)) }
    made.crashShare = part.ratio("crashShare")
    if let telemetry = part.optional("telemetry") { made.telemetry = self.telemetry(telemetry) }
    made.segmentErrorShare = part.ratio("segmentErrorShare")
    made.retry = ScenarioTable.retries.value(part, "retry")(part.at("retry"))
    made.tapDelay = tables.table(part, "tapDelay")
    made.diskRule = ScenarioTable.diskRules.value(part, "disk")
    made.readsStoryboards = ScenarioTable.storyboards.value(part, "storyboard")
    made.offline = part.optional("offline").map {
      OfflineBehaviour(
        suspendsPrefetch: $0.boolean("suspendsPrefetch"), endsAtHole: $0.boolean("endsAtHole"),
        horizon: UInt32($0.integer("horizon")))
    }
    if let ranker = tree.optional("feed.ranker") { made.ranker = self.ranker(ranker) }
    if let exploration = tree.optional("feed.exploration") {
      made.exploration = self.exploration(exploration)
      made.explorationFrom = exploration.ratio("from")
    }
    return made
  }

  private func proximity(_ part: ResolvedTree) -> ProximityPolicy {
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

  private mutating func pause(_ part: ResolvedTree) -> PauseBehaviour {
    PauseBehaviour(
      reason: ScenarioTable.pauses.value(part), share: part.ratio("share"),
      length: tables.table(part, "length"),
      holdsLoading: part.boolean("holdsLoading"), killShare: part.ratio("killShare"),
      sentShare: part.hasKey("sentShare") ? part.ratio("sentShare") : 1)
  }

  private mutating func telemetry(_ part: ResolvedTree) -> TelemetryConfiguration {
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
