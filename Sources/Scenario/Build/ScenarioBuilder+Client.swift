import FeedPolicy
import MediaUnits
import Models

/// What the app does beyond loading and playing.
extension ScenarioBuilder {
  mutating func client() -> ClientConfiguration {
    let part = tree.at("client")
    var made = ClientConfiguration()
    made.gate = gate(part.at("gate"))
    made.snapRetry = tables.table(part, "snapRetry")
    made.placeholder = part.word("placeholder") == "black" ? .black : .poster
    made.proximity = part.optional("proximity").map { proximity($0) }
    made.end = end(part.at("end"))
    if part.kind("end") == "loop", !part.isNone("end.gap") {
      made.loopGap = tables.table(part, "end.gap")
    }
    for pause in part.elements("pauses") { made.pauses.append(self.pause(pause)) }
    made.crashShare = part.ratio("crashShare")
    if let telemetry = part.optional("telemetry") { made.telemetry = self.telemetry(telemetry) }
    made.segmentErrorShare = part.ratio("segmentErrorShare")
    made.retry = retry(part.at("retry"))
    made.tapDelay = tables.table(part, "tapDelay")
    made.diskRule =
      switch part.word("disk") {
      case "categories": .categories
      case "segmented": .segmented
      case "prefixes": .prefixes
      default: .shared
      }
    made.readsStoryboards = part.word("storyboard") == "text"
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

  private func gate(_ part: ResolvedTree) -> ReadinessGate.Configuration? {
    if part.kind() == "none" { return nil }
    return ReadinessGate.Configuration(
      rule: .gate, attempts: part.optionalInteger("attempts").map { Int($0) } ?? .max,
      timeout: part.optionalTime("timeout").map { TimeSpan(nanoseconds: $0) } ?? .max,
      escape: part.word("escape") == "skip" ? .skip : .letThrough)
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
        adaptation: adaptation.kind() == "throughput"
          ? .throughput(from: adaptation.real("from"), full: adaptation.real("full")) : .none))
  }

  private func end(_ part: ResolvedTree) -> PlaybackEnd? {
    switch part.kind() {
    case "loop": .loop
    case "once": .once
    case "preview": .preview(span(part, "length"))
    default: nil
    }
  }

  private mutating func pause(_ part: ResolvedTree) -> PauseBehaviour {
    let reason: PauseStack.Reason =
      switch part.kind() {
      case "interruption": .interruption
      case "typing": .typing
      case "low-end": .lowEnd
      default: .background
      }
    return PauseBehaviour(
      reason: reason, share: part.ratio("share"), length: tables.table(part, "length"),
      holdsLoading: part.boolean("holdsLoading"), killShare: part.ratio("killShare"),
      sentShare: part.hasKey("sentShare") ? part.ratio("sentShare") : 1)
  }

  private mutating func telemetry(_ part: ResolvedTree) -> TelemetryConfiguration {
    let delivery: TelemetryBatcher.Delivery =
      switch part.word("delivery") {
      case "drop": .drop
      case "retry": .retry
      default: .retryWithNumbers
      }
    return TelemetryConfiguration(
      batcher: TelemetryBatcher.Configuration(
        rule: ScenarioBuilder.flush(part.at("flush")), delivery: delivery,
        queueLimit: Int(part.integer("queueLimit")),
        batchLimit: Int(part.integer("batchLimit")),
        retry: RetryPolicy(
          maximumRetries: Int(part.integer("retries")), asksAfterwards: false)),
      envelopeBytes: part.bytes("envelopeBytes"), eventBytes: part.bytes("eventBytes"),
      latency: tables.table(part, "latency"), failureShare: part.ratio("failureShare"))
  }

  static func flush(_ part: ResolvedTree) -> TelemetryBatcher.FlushRule {
    func span(_ key: String) -> TimeSpan { TimeSpan(nanoseconds: part.time(key)) }
    return switch part.kind() {
    case "trailing": .trailing(quiet: span("quiet"))
    case "window": .window(span("length"))
    default:
      .bounded(
        quiet: span("quiet"), longest: span("longest"), count: Int(part.integer("count")))
    }
  }

  private func retry(_ part: ResolvedTree) -> RetryPolicy? {
    switch part.kind() {
    case "none": RetryPolicy(kind: .none)
    case "tap": RetryPolicy(kind: .tap)
    case "backoff":
      RetryPolicy(
        kind: .backoff, firstWait: span(part, "first"), longestWait: span(part, "longest"),
        jitter: part.real("jitter"), maximumRetries: Int(part.integer("retries")),
        asksAfterwards: part.boolean("asksAfterwards"))
    default: nil
    }
  }

  private mutating func ranker(_ part: ResolvedTree) -> RankerConfiguration {
    RankerConfiguration(
      fallback: RankerFallback.Configuration(deadline: span(part, "deadline")),
      isAtClient: part.word("at") == "client", latency: tables.table(part, "latency"),
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
