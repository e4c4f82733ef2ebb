import FeedPolicy
import MediaUnits
import Models

/// The keys of a mixed feed (requirements VF-001 to VF-047).
extension ScenarioTable {
  static let surface = Section<SurfaceConfiguration>([
    .part("visibility", visibility, "When cards load, play and pause", to: \.self),
    .kind(
      "gate", gates, default: "{kind: velocity}",
      "When mounts and prefetches are held up while the list moves", source: "OQ-09",
      to: \.gate.rule),
    .part("layout", layout, "Widgets and pages", to: \.self),
    .part("scroll", scroll, "What viewers do with their fingers", to: \.habits),
    .built(
      "screens", .list(.object(screen.object), count: 1...20),
      default: """
        [{width: 390, height: 844, weight: 0.6}, {width: 360, height: 780, weight: 0.3}, \
        {width: 820, height: 1180, weight: 0.1}]
        """, "Screens and their shares, points or density-independent pixels"
    ) { made, part, builder in
      let usual = made.screens[0]
      made.screens = part.elements().map { screen.filled(usual, from: $0, by: &builder) }
      made.screenChoice = builder.choice(part.elements().map { $0.real("weight") })
    },
    .part(
      "shape", shape, "Shape of the videos as the data states it, height to width",
      source: "VF-003", to: \.shape),
    .key(
      "edgeHits", .ratio, default: "0.98",
      "Probability that the edge answers what it keeps; manifests come from the origin",
      source: "SIG-005: at least 97 %", to: \.edgeHits),
    .word(
      "reuse", reuses, default: "players", "Where players come from", source: "VF-018",
      to: \.reuse),
  ])

  private static let visibility = Section<SurfaceConfiguration>([
    .key(
      "model", .kinds(models.kinds), default: "{kind: thresholds}",
      "What makes a card ready and plays", source: "OQ-08"
    ) { made, part in
      let row = models.value(part)
      made.visibility.model = row.model(part)
      made.visibility.rules.widgetOrder = row.order
    },
    .built(
      "thresholds", .object(thresholds.object), default: "{}",
      "Visible shares at which cards change"
    ) { made, part, builder in
      thresholds.fill(&made.visibility.short, from: part, by: &builder)
      made.visibility.carousel = made.visibility.short
    },
    .built(
      "short", .optional(.object(thresholds.object)), default: "none",
      "Thresholds of Shorts; none for the common ones", source: "VF-030: per kind of widget"
    ) { if !$1.isNone() { thresholds.fill(&$0.visibility.short, from: $1, by: &$2) } },
    .built(
      "carousel", .optional(.object(thresholds.object)), default: "none",
      "Thresholds of a Carousel's cards; none for the common ones",
      source: "VF-030: per kind of widget"
    ) { if !$1.isNone() { thresholds.fill(&$0.visibility.carousel, from: $1, by: &$2) } },
    .key(
      "prefetchRange", .real(RealRange(0, 10)), default: "1",
      "How far outside the viewport heads are prefetched, viewports",
      to: \.visibility.prefetchRange),
    .key(
      "prefetchCount", .integer(0...50), default: "0",
      "Cards after the last visible one that are prefetched, too", source: "VF-031",
      to: \.visibility.prefetchCount),
    .word(
      "cards", cardOrders, default: "leftmost", "Which cards of a Carousel play", source: "VF-010",
      to: \.visibility.rules.cardOrder),
    .key(
      "carouselLimit", .integer(1...10), default: "3", "Cards of a Carousel that play at once",
      source: "VF-009", to: \.visibility.rules.carouselLimit),
    .word(
      "sequence", sequences, default: "once", "What happens after a video has played",
      source: "VF-042, VF-045", to: \.visibility.sequence.reading),
    .key(
      "shortPreview", .optional(.time(positiveTimes)), default: "none",
      "Longest play of a Short; none for all of it", source: "VF-043",
      to: \.visibility.sequence.shortPreview),
    .key(
      "carouselPreview", .optional(.time(positiveTimes)), default: "6 s",
      "Longest play of a Carousel's card; none for all of it",
      to: \.visibility.sequence.carouselPreview),
    .word(
      "placement", placements, default: "native", "Where visibility is decided", source: "VF-019",
      to: \.isScripted),
    .key(
      "bridgeDelay", .time(times), default: "16 ms", "A command's way back over the bridge",
      to: \.bridgeDelay),
    .built(
      "lowEndAutoplay", .boolean, default: "false", "Whether low-end devices play by themselves",
      source: "VF-028"
    ) { made, autoplays, builder in
      made.lowEnd = builder.tree.elements("devices").map {
        devices.value($0).isLowEnd && !autoplays.boolean()
      }
    },
  ])

  private static let thresholds = Section<VisibilityThresholds>([
    .key(
      "mount", .ratio, default: "0.01", "Visible share at which a player is mounted",
      source: "VF-032", to: \.mount),
    .key(
      "enter", .ratio, default: "0.2", "Visible share at which a card is ready", source: "VF-033",
      to: \.enter),
    .key(
      "leave", .ratio, default: "0.2", "Visible share below which it is paused", source: "VF-035",
      to: \.leave),
    .key(
      "release", .ratio, default: "0.5", "Visible share below which it hands over on its way out",
      to: \.release),
    .key(
      "dwell", .time(times), default: "0", "How long it must stay at enter", source: "VF-037",
      to: \.dwell),
  ])

  static let reuses = Choice<PlayerReuse>([
    .init("none", "each mount creates a player", value: .none),
    .init("players", "players are kept, with their surfaces", value: .players),
    .init("surfaces", "players are kept, and surfaces stay with their cells", value: .surfaces),
  ])

  static let cardOrders = Choice<PlayRules.CardOrder>([
    .init("leftmost", "from the left", value: .leftmost),
    .init("most-visible", "by the visible share", value: .mostVisible),
    .init("longest-waiting", "by the time that they wait", value: .longestWaiting),
  ])

  static let sequences = Choice<PlaySequence.Reading>([
    .init("once", "each video plays once while it is on the screen", value: .once),
    .init("rotating", "the control rotates through all visible videos", value: .rotating),
  ])

  /// Whether every frame's sights go over the bridge.
  static let placements = Choice<Bool>([
    .init("native", "only threshold crossings go over the bridge", value: false),
    .init("script", "every frame's sights go over the bridge", value: true),
  ])

  static let decelerations = Choice<DecelerationLaw>([
    .init("normal", "0.998 per millisecond", value: .uikitNormal),
    .init("fast", "0.99 per millisecond", value: .uikitFast),
  ])

  /// What makes a card ready, and which widget plays.
  static let models = PluginFamily<
    (
      model: @Sendable (ResolvedTree) -> VisibilityMachine.Model, order: PlayRules.WidgetOrder
    )
  >([
    .init(
      "thresholds", "Its visible share; who plays keeps playing (as written)",
      value: ({ _ in .thresholds }, .longestWaiting)),
    .init(
      "most-centred", "Its visible share; the widget nearest to the middle plays",
      value: ({ _ in .thresholds }, .mostCentred)),
    .init(
      "predicted-rest",
      "While the list moves its share at the predicted rest; the nearest to the middle plays",
      value: ({ _ in .predictedRest }, .mostCentred)),
    .init(
      "projected-dwell", "Its share, if at the present velocity it keeps it long enough",
      [Field("least", .time(positiveTimes), default: "500 ms", "How long")],
      value: ({ .projectedDwell($0.span("least")) }, .longestWaiting)),
  ])

  static let gates = PluginFamily<@Sendable (ResolvedTree) -> ScrollGate.Rule>([
    .init("none", "Nothing is held up") { _ in .none },
    .init(
      "debounce", "For a time after a card crosses a threshold",
      [
        Field("delay", .time(times), default: "100 ms", "How long", source: "VF-040: 50 to 200 ms")
      ]
    ) { .debounce($0.span("delay")) },
    .init(
      "velocity", "Above a speed",
      [
        Field(
          "limit", .real(.positive), default: "2", "Viewports per second", source: "VF-039: 1 to 5")
      ]
    ) { .velocity($0.real("limit")) },
    .init(
      "predicted-rest", "Above a speed, but for cards on the screen at the predicted rest",
      [Field("limit", .real(.nonNegative), default: "2", "Viewports per second")]
    ) { .predictedRest($0.real("limit")) },
  ])

  private static let layout = Section<SurfaceConfiguration>([
    .key(
      "carouselEvery", .integer(1...1000), default: "4", "Every how many widgets is a Carousel",
      source: "VF-004", to: \.layout.carouselEvery),
    .key(
      "carouselCards", .integer(1...20), default: "6", "Videos of a Carousel", source: "VF-001",
      to: \.layout.carouselCards),
    .key(
      "merch", .ratio, default: "0.1", "Share of Merch among the other widgets",
      to: \.layout.merchShare),
    .key(
      "firstPage", .integer(1...1000), default: "10", "Videos of the first page", source: "VF-005",
      to: \.pager.firstPage),
    .key(
      "laterPages", .integer(1...1000), default: "20", "Videos of every later page",
      source: "VF-005", to: \.pager.laterPages),
    .key(
      "pageTrigger", .integer(0...1000), default: "8",
      "Videos left at which the next page is asked for", source: "VF-006", to: \.pager.trigger),
    .key(
      "gap", .real(RealRange(0, 1000)), default: "48", "Space between widgets, points",
      to: \.screens[0].gap),
  ])

  private static let screen = Section<FeedGeometry>([
    .key(
      "width", .real(RealRange(100, 10_000)), default: "390", "Width, points", to: \.screenWidth),
    .key(
      "height", .real(RealRange(100, 10_000)), default: "844", "Height, points",
      to: \.screenHeight),
    .elsewhere("weight", .real(weights), default: "1", "Share of the sessions"),
  ])

  private static let shape = Section<FrameShape>([
    .key(
      "height", .integer(1...10_000), default: "16", "First number", source: "VF-003",
      to: \.height),
    .key(
      "width", .integer(1...10_000), default: "9", "Second number", source: "VF-003", to: \.width),
  ])

  private static let scroll = Section<ScrollHabits>([
    .built(
      "flingSpeed", .law(.real), default: "{kind: uniform, min: 2000, max: 6000}",
      "Speed of a fling when it is released, points per second", source: "parameters.md section 15"
    ) { $0.flingSpeed = $2.tables.table($1, isPositive: true) },
    .built(
      "dragSpeed", .law(.real), default: "{kind: uniform, min: 500, max: 1500}",
      "Speed of a drag, points per second", source: "parameters.md section 15"
    ) { $0.dragSpeed = $2.tables.table($1, isPositive: true) },
    .key(
      "dragTime", .law(.time), default: "{kind: uniform, min: 200 ms, max: 700 ms}",
      "How long a drag lasts", to: \.dragTime),
    .key(
      "drags", .ratio, default: "0.55", "Share of vertical gestures that are drags", to: \.drags),
    .key(
      "back", .ratio, default: "0.05", "Share of gestures that go back",
      source: "parameters.md section 6.2: 3 to 8 %", to: \.back),
    .key(
      "burst", .ratio, default: "0.2", "Share of flings that the next one interrupts",
      source: "parameters.md section 15: 20 % within 1.2 s", to: \.burst),
    .key(
      "burstTime", .law(.time), default: "{kind: uniform, min: 200 ms, max: 1200 ms}",
      "Time to that one", source: "parameters.md section 15", to: \.burstTime),
    .key("glances", .ratio, default: "0.4", "Share of rests that are only a glance", to: \.glances),
    .key(
      "glance", .law(.time), default: "{kind: lognormal, median: 900 ms, sigma: 0.5}",
      "How long a glance is", to: \.glance),
    .key(
      "trembles", .ratio, default: "0.3", "Share of rests with the finger on the glass",
      to: \.trembles),
    .key(
      "trembleTime", .law(.time), default: "{kind: uniform, min: 500 ms, max: 3 s}",
      "How long the finger stays there", to: \.trembleTime),
    .key(
      "trembleSpread", .real(RealRange(0, 10_000)), default: "3",
      "Standard deviation of its position, points", to: \.trembleSpread),
    .key(
      "sideways", .ratio, default: "0.4", "Probability that a Carousel at rest is pushed sideways",
      to: \.sideways),
    .key(
      "leaves", .ratio, default: "0.02", "Probability that a rest ends in another tab",
      to: \.leaves),
    .key(
      "leaveTime", .law(.time), default: "{kind: lognormal, median: 5 s, sigma: 0.8}",
      "How long the tab is left", to: \.leaveTime),
    .key(
      "taps", .ratio, default: "0.6", "Probability of a tap to play where nothing plays by itself",
      to: \.taps),
    .key(
      "android", .ratio, default: "0.5", "Share of viewers with Android's deceleration",
      to: \.android),
    .word(
      "uikit", decelerations, default: "normal", "Deceleration of the others",
      source: "parameters.md section 15", to: \.uikit),
  ])
}
