import FeedPolicy
import MediaUnits
import Models

/// The policy as Swift for an app that links `FeedPolicy` and `MediaUnits`.
struct SwiftExport {
  private let export: PolicyExport

  init(_ export: PolicyExport) { self.export = export }

  func text() -> String {
    var text = ExportText(export, indent: "  ")
    text.add(["// swift-format-ignore-file"])
    text.add(
      export.head("Settings of FeedPolicy, exactly those of the scenario.")
        + [
          "", "import FeedPolicy", "import MediaUnits", "",
          "/// What the app decides, and what its machines are created with.",
          "enum FeedSettings {",
          "  /// Eight digits over all keys: what a log or an experiment can name.",
          "  static let digest = \"\(export.digest)\"",
        ])
    addPlayers(&text)
    addPrefetch(&text)
    addRates(&text)
    addBuffers(&text)
    addClient(&text)
    if let surface = export.surface { addSurface(surface, &text) }
    text.add(["}"])
    text.rest("Without a type of FeedPolicy; the app's own code does it:", SwiftExport.reasons)
    return text.text
  }

  /// Keys that no type of `FeedPolicy` holds.
  static let reasons = EqualReasons(rows: [
    (
      "policy.player",
      "of the player that was simulated, not of FeedPolicy; export it for the player (--as media3, "
        + "--as avplayer)"
    ),
    ("policy.player.posters", "an image loader fetches posters of the items that are prefetched"),
    ("client.placeholder", "what covers an item without a frame is the app's view"),
    ("client.end", "short items loop as the viewer stays: nothing to set"),
    ("client.gate", "no gate: a swipe always reaches its item"),
    ("client.proximity", "players of neighbours load what prefetch asks for and no more"),
    ("client.telemetry", "no events are sent"),
    ("client.retry", "the player's own retries"),
    ("client.disk", "how the cache on the disk shares its bytes is the app's cache"),
    (
      "client.storyboard", "how a sprite is found: StoryboardIndex reads the text, or by layout"
    ),
    (
      "client.offline",
      "tell PrefetchPolicy connectivityChanged when the network goes and comes, and what the table "
        + "of keys says of the rest"
    ),
    (
      "surface.visibility.placement",
      "where visibility is decided: natively, or in a script over a bridge"
    ),
    ("surface.reuse", "where the list's players come from is the app's list"),
    (
      "surface.visibility.lowEndAutoplay",
      "on devices that the app takes for low-end ones: isLowEnd of VisibilityMachine.Configuration"
    ),
  ])

  private func addPlayers(_ text: inout ExportText) {
    text.add([""])
    text.keys(export.paths(under: "policy.pool"))
    let pool = export.policy.pool
    if let size = export.key("policy.pool.size"), size.text != "\(pool.size)" {
      text.note("One player for all items (policy.player.kind): the keys of the pool do not count.")
    }
    text.add([
      "  static let pool = PlayerPool.Configuration(",
      "    size: \(pool.size), ahead: \(pool.ahead), behind: \(pool.behind))",
    ])
  }

  private func addPrefetch(_ text: inout ExportText) {
    let prefetch = export.policy.prefetch
    text.add([""])
    let keys = export.paths(under: "policy.prefetch")
    text.keys(keys.filter { $0 != "policy.prefetch.rung" })
    text.add([
      "  static let prefetch = PrefetchPolicy.Configuration(",
      "    family: .\(prefetch.family),",
      "    headLength: \(SwiftLiteral.of(prefetch.headLength)),",
      "    itemsAhead: \(prefetch.itemsAhead),",
      "    furtherLength: \(SwiftLiteral.of(prefetch.furtherLength)),",
      "    previousLength: \(SwiftLiteral.of(prefetch.previousLength)),",
      "    previousThreshold: \(SwiftLiteral.of(prefetch.previousThreshold)),",
      "    concurrency: \(prefetch.concurrency),",
      "    pauseBelowBuffer: \(SwiftLiteral.of(prefetch.pauseBelowBuffer)),",
      "    segmentLength: \(SwiftLiteral.of(prefetch.segmentLength)),",
      "    cover: \(SwiftLiteral.of(prefetch.cover)),",
      "    leastWatched: \(SwiftLiteral.of(prefetch.leastWatched)),",
      "    bufferCover: \(SwiftLiteral.of(prefetch.bufferCover)),",
      "    viewsPerSession: \(SwiftLiteral.of(prefetch.viewsPerSession)),",
      "    suspendsOnStall: \(prefetch.suspendsOnStall),",
      "    curves: \(prefetch.curves == .lab ? ".lab" : "swipeCurves"))",
    ])
    if prefetch.curves != .lab { addCurves(prefetch.curves, &text) }
    text.add([""])
    text.note(
      "The rung that the app loads of what is prefetched; nil: the one that the rules choose.")
    text.keys(["policy.prefetch.rung"])
    let rung = export.policy.prefetchRung.map { "RungIndex(\($0.index))" } ?? "nil"
    text.add(["  static let prefetchRung: RungIndex? = \(rung)"])
  }

  private func addCurves(_ curves: SwipeCurves, _ text: inout ExportText) {
    text.add([""])
    text.note("Of the scenario's personas (audience.personas): viewers left after 0, 1, 2 … s.")
    text.add(["  static let swipeCurves = SwipeCurves(["])
    for curve in curves.curves {
      text.add([
        "    SwipeCurves.Curve(", "      below: \(SwiftLiteral.of(curve.below)),",
        "      survival: [",
      ])
      text.add(
        TextWrap.lines(
          curve.survival.map { "\($0)" }.joined(separator: ", "), first: "        ",
          rest: "        ", width: 100))
      text.add(["      ]),"])
    }
    text.add(["  ])"])
  }

  private func addRates(_ text: inout ExportText) {
    let cap = export.policy.startupCap
    text.add([""])
    text.keys(
      ["policy.startupCap.rate"]
        + export.paths(under: "policy.startupCap.release"))
    text.add([
      "  static let startupCap = BitrateCap.Configuration(",
      "    rate: \(cap.rate.map { SwiftLiteral.of($0) } ?? "nil"),",
      "    release: \(SwiftLiteral.of(cap.release)))", "",
    ])
    text.keys(export.paths(under: "policy.abr"))
    text.add(["  static let bitrate = BitrateRule\(SwiftLiteral.of(export.policy.bitrate))", ""])
    text.keys(["policy.initialEstimate", "policy.player.initialEstimate"])
    text.add([
      "  static let initialEstimate = BitRate\(SwiftLiteral.of(export.policy.initialEstimate))", "",
    ])
    text.note("catalogue.ladder: the declared rates that the rules choose from.")
    let rates = export.ladder.rates.map { SwiftLiteral.of($0) }.joined(separator: ", ")
    text.add(["  static let ladder = Ladder([\(rates)])"])
  }

  private func addBuffers(_ text: inout ExportText) {
    let policy = export.policy
    for (key, name, value) in [
      ("policy.player.startThreshold", "startThreshold", policy.startThreshold),
      ("policy.player.resumeThreshold", "resumeThreshold", policy.resumeThreshold),
      ("policy.player.forwardBuffer", "forwardBuffer", policy.forwardBuffer),
    ] {
      text.add([""])
      text.keys([key])
      text.add(["  static let \(name) = TimeSpan\(SwiftLiteral.of(value))"])
    }
    text.add([""])
    text.keys(["policy.feed.pageSize"])
    text.add(["  static let pageSize: UInt32 = \(policy.pageSize)"])
    text.keys(["policy.feed.pageTrigger"])
    text.add(["  static let pager = CursorPager.Configuration(trigger: \(policy.pageTrigger))"])
  }

  private func addClient(_ text: inout ExportText) {
    let client = export.client
    if let gate = client.gate {
      text.add([""])
      text.keys(export.paths(under: "client.gate"))
      text.add([
        "  static let gate = ReadinessGate.Configuration(",
        "    rule: .\(gate.rule), attempts: \(SwiftLiteral.of(gate.attempts)),",
        "    timeout: \(SwiftLiteral.of(gate.timeout)), escape: .\(gate.escape),",
        "    recordLimit: \(gate.recordLimit))",
      ])
    }
    if let proximity = client.proximity?.configuration {
      text.add([""])
      text.keys(export.paths(under: "client.proximity"))
      text.add([
        "  static let proximity = ProximityPolicy.Configuration(",
        "    active: \(SwiftLiteral.of(proximity.active)),",
        "    near: \(SwiftLiteral.of(proximity.near)),",
        "    far: \(SwiftLiteral.of(proximity.far)),",
        "    nearDistance: \(proximity.nearDistance),",
        "    adaptation: \(SwiftLiteral.of(proximity.adaptation)))",
      ])
    }
    if let end = client.end {
      text.add([""])
      text.keys(export.paths(under: "client.end"))
      text.add(["  static let end = PlaybackEnd\(SwiftLiteral.of(end))"])
    }
    if let retry = client.retry {
      text.add([""])
      text.keys(export.paths(under: "client.retry"))
      text.add(["  static let retry = \(SwiftLiteral.of(retry))"])
    }
    if let batcher = client.telemetry?.batcher {
      text.add([""])
      text.keys(export.paths(under: "client.telemetry"))
      text.add([
        "  static let telemetry = TelemetryBatcher.Configuration(",
        "    rule: \(SwiftLiteral.of(batcher.rule)),", "    delivery: .\(batcher.delivery),",
        "    queueLimit: \(batcher.queueLimit), batchLimit: \(batcher.batchLimit),",
        "    retry: \(SwiftLiteral.of(batcher.retry)))",
      ])
    }
  }

  private func addSurface(_ surface: SurfaceConfiguration, _ text: inout ExportText) {
    let sight = surface.visibility
    text.add([""])
    text.keys(
      export.paths(under: "surface.visibility").filter {
        SwiftExport.reasons.reason(ofPattern: $0) == nil
      })
    text.add([
      "  static let visibility = VisibilityMachine.Configuration(",
      "    model: \(SwiftLiteral.of(sight.model)),", "    short: \(SwiftLiteral.of(sight.short)),",
      "    carousel: \(SwiftLiteral.of(sight.carousel)),",
      "    prefetchRange: \(SwiftLiteral.of(sight.prefetchRange)),",
      "    prefetchCount: \(sight.prefetchCount),", "    rules: PlayRules(",
      "      widgetOrder: .\(sight.rules.widgetOrder), cardOrder: .\(sight.rules.cardOrder),",
      "      shortLimit: \(sight.rules.shortLimit), carouselLimit: \(sight.rules.carouselLimit),",
      "      centreMargin: \(SwiftLiteral.of(sight.rules.centreMargin))),",
      "    sequence: PlaySequence(", "      reading: .\(sight.sequence.reading),",
      "      shortPreview: \(SwiftLiteral.of(sight.sequence.shortPreview)),",
      "      carouselPreview: \(SwiftLiteral.of(sight.sequence.carouselPreview))),",
      "    isLowEnd: \(sight.isLowEnd), flapWindow: \(SwiftLiteral.of(sight.flapWindow)),",
      "    cardLimit: \(sight.cardLimit))", "",
    ])
    text.keys(export.paths(under: "surface.gate"))
    text.add([
      "  static let scrollGate = ScrollGate.Configuration(",
      "    rule: \(SwiftLiteral.of(surface.gate.rule)))",
      "",
    ])
    text.keys(export.paths(under: "surface.layout"))
    text.add([
      "  static let feedPager = FeedPager.Configuration(",
      "    firstPage: \(surface.pager.firstPage), laterPages: \(surface.pager.laterPages),",
      "    trigger: \(surface.pager.trigger),",
      "    retryDelay: \(SwiftLiteral.of(surface.pager.retryDelay)),",
      "    longestDelay: \(SwiftLiteral.of(surface.pager.longestDelay)))",
    ])
  }
}

/// Values of L0 as Swift writes them where their type is known. What is read back is equal.
enum SwiftLiteral {
  static func of(_ span: TimeSpan) -> String {
    let nanoseconds = span.nanoseconds
    if span == .max { return ".max" }
    if nanoseconds % 1_000_000_000 == 0 { return ".seconds(\(nanoseconds / 1_000_000_000))" }
    if nanoseconds % 1_000_000 == 0 { return ".milliseconds(\(nanoseconds / 1_000_000))" }
    return ".nanoseconds(\(nanoseconds))"
  }

  static func of(_ span: TimeSpan?) -> String {
    if let span { return of(span) as String }
    return "nil"
  }

  static func of(_ rate: BitRate) -> String {
    let bits = rate.bitsPerSecond
    return bits % 1000 == 0 ? ".kilobits(\(bits / 1000))" : ".init(bitsPerSecond: \(bits))"
  }

  static func of(_ number: Double) -> String {
    number == .infinity ? ".infinity" : "\(number)"
  }

  static func of(_ number: Double?) -> String { number.map { of($0) } ?? "nil" }

  static func of(_ number: Int) -> String { number == .max ? ".max" : "\(number)" }

  static func of(_ release: ReleaseRule) -> String {
    switch release {
    case .firstFrame: ".firstFrame"
    case .played(let length): ".played(\(of(length)))"
    case .buffer(let length): ".buffer(\(of(length)))"
    case .segments(let count): ".segments(\(count))"
    case .stableThroughput(let spread): ".stableThroughput(spread: \(of(spread)))"
    }
  }

  static func of(_ rule: BitrateRule) -> String {
    switch rule {
    case .fixed(let rung): return ".fixed(RungIndex(\(rung.index)))"
    case .throughput(let rule):
      let switches = [
        "minimumBufferToSwitchUp: \(of(rule.minimumBufferToSwitchUp))",
        "maximumBufferToSwitchDown: \(of(rule.maximumBufferToSwitchDown))",
      ].joined(separator: ",\n      ")
      return ".throughput(\n    ThroughputRule(\n      fraction: \(of(rule.fraction)),\n      "
        + "\(switches),\n      achievableShare: \(of(rule.achievableShare))))"
    case .bola(let rule):
      return ".bola(\n    BolaRule(minimumBuffer: \(of(rule.minimumBuffer)), "
        + "target: \(of(rule.target))))"
    }
  }

  static func of(_ setting: ProximitySetting) -> String {
    "ProximitySetting(forwardBuffer: \(of(setting.forwardBuffer)), "
      + "peakBitRate: \(setting.peakBitRate.map { of($0) } ?? "nil"))"
  }

  static func of(_ adaptation: ProximityPolicy.Adaptation) -> String {
    switch adaptation {
    case .none: "ProximityPolicy.Adaptation.none"
    case .throughput(let from, let full): ".throughput(from: \(of(from)), full: \(of(full)))"
    }
  }

  static func of(_ end: PlaybackEnd) -> String {
    switch end {
    case .loop: ".loop"
    case .once: ".once"
    case .preview(let length): ".preview(\(of(length)))"
    }
  }

  static func of(_ retry: RetryPolicy) -> String {
    "RetryPolicy(\n      kind: .\(retry.kind), firstWait: \(of(retry.firstWait)), "
      + "longestWait: \(of(retry.longestWait)),\n      jitter: \(of(retry.jitter)), "
      + "maximumRetries: \(retry.maximumRetries), asksAfterwards: \(retry.asksAfterwards))"
  }

  static func of(_ rule: TelemetryBatcher.FlushRule) -> String {
    switch rule {
    case .trailing(let quiet): ".trailing(quiet: \(of(quiet)))"
    case .window(let length): ".window(\(of(length)))"
    case .bounded(let quiet, let longest, let count):
      ".bounded(quiet: \(of(quiet)), longest: \(of(longest)), count: \(count))"
    }
  }

  static func of(_ limits: VisibilityThresholds) -> String {
    "VisibilityThresholds(\n      mount: \(of(limits.mount)), enter: \(of(limits.enter)), "
      + "leave: \(of(limits.leave)), release: \(of(limits.release)), dwell: \(of(limits.dwell)))"
  }

  static func of(_ model: VisibilityMachine.Model) -> String {
    switch model {
    case .thresholds: ".thresholds"
    case .predictedRest: ".predictedRest"
    case .projectedDwell(let least): ".projectedDwell(\(of(least)))"
    }
  }

  static func of(_ rule: ScrollGate.Rule) -> String {
    switch rule {
    case .none: "ScrollGate.Rule.none"
    case .debounce(let length): ".debounce(\(of(length)))"
    case .velocity(let limit): ".velocity(\(of(limit)))"
    case .predictedRest(let limit): ".predictedRest(\(of(limit)))"
    }
  }
}
