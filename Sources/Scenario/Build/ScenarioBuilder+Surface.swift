import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// A mixed feed.
extension ScenarioBuilder {
  mutating func surface() -> SurfaceConfiguration? {
    guard let part = tree.optional("surface") else { return nil }
    let layout = part.at("layout")
    let screens = part.elements("screens")
    guard
      let shape = FrameShape(
        height: UInt32(part.integer("shape.height")), width: UInt32(part.integer("shape.width")))
    else { preconditionFailure("the shape was checked") }
    let autoplays = part.boolean("visibility.lowEndAutoplay")
    return SurfaceConfiguration(
      visibility: visibility(part.at("visibility")),
      gate: ScrollGate.Configuration(rule: gate(part.at("gate"))),
      layout: WidgetFeed.Configuration(
        carouselEvery: UInt32(layout.integer("carouselEvery")),
        carouselCards: UInt32(layout.integer("carouselCards")), merchShare: layout.ratio("merch")),
      pager: FeedPager.Configuration(
        firstPage: UInt32(layout.integer("firstPage")),
        laterPages: UInt32(layout.integer("laterPages")),
        trigger: UInt32(layout.integer("pageTrigger"))),
      habits: habits(part.at("scroll")),
      screens: screens.map {
        FeedGeometry(
          screenWidth: $0.real("width"), screenHeight: $0.real("height"), gap: layout.real("gap"))
      },
      screenChoice: choice(screens.map { $0.real("weight") }), shape: shape,
      edgeHits: part.ratio("edgeHits"), reuse: reuse(part.word("reuse")),
      isScripted: part.word("visibility.placement") == "script",
      bridgeDelay: span(part, "visibility.bridgeDelay"), costs: MainThreadCosts(),
      lowEnd: tree.elements("devices").map { $0.kind() == "low-end" && !autoplays })
  }

  private func visibility(_ part: ResolvedTree) -> VisibilityMachine.Configuration {
    let kind = part.kind("model")
    let model: VisibilityMachine.Model
    switch kind {
    case "predicted-rest": model = .predictedRest
    case "projected-dwell": model = .projectedDwell(span(part, "model.least"))
    default: model = .thresholds
    }
    let cards: PlayRules.CardOrder
    switch part.word("cards") {
    case "most-visible": cards = .mostVisible
    case "longest-waiting": cards = .longestWaiting
    default: cards = .leftmost
    }
    let isCentred = kind == "most-centred" || kind == "predicted-rest"
    return VisibilityMachine.Configuration(
      model: model, short: thresholds(part, of: "short"),
      carousel: thresholds(part, of: "carousel"), prefetchRange: part.real("prefetchRange"),
      prefetchCount: UInt32(part.integer("prefetchCount")),
      rules: PlayRules(
        widgetOrder: isCentred ? .mostCentred : .longestWaiting, cardOrder: cards,
        carouselLimit: Int(part.integer("carouselLimit"))),
      sequence: PlaySequence(
        reading: part.word("sequence") == "rotating" ? .rotating : .once,
        shortPreview: preview(part, "shortPreview"),
        carouselPreview: preview(part, "carouselPreview")))
  }

  private func preview(_ part: ResolvedTree, _ key: String) -> TimeSpan? {
    part.isNone(key) ? nil : span(part, key)
  }

  private func thresholds(_ visibility: ResolvedTree, of kind: String) -> VisibilityThresholds {
    let part = visibility.optional(kind) ?? visibility.at("thresholds")
    return VisibilityThresholds(
      mount: part.ratio("mount"), enter: part.ratio("enter"), leave: part.ratio("leave"),
      release: part.ratio("release"), dwell: span(part, "dwell"))
  }

  private func gate(_ part: ResolvedTree) -> ScrollGate.Rule {
    switch part.kind() {
    case "debounce": .debounce(span(part, "delay"))
    case "velocity": .velocity(part.real("limit"))
    case "predicted-rest": .predictedRest(part.real("limit"))
    default: .none
    }
  }

  private func reuse(_ word: String) -> PlayerReuse {
    word == "none" ? .none : word == "surfaces" ? .surfaces : .players
  }

  private mutating func habits(_ part: ResolvedTree) -> ScrollHabits {
    ScrollHabits(
      flingSpeed: tables.table(part, "flingSpeed", isPositive: true),
      dragSpeed: tables.table(part, "dragSpeed", isPositive: true),
      dragTime: tables.table(part, "dragTime"), drags: part.ratio("drags"),
      back: part.ratio("back"), burst: part.ratio("burst"),
      burstTime: tables.table(part, "burstTime"), glances: part.ratio("glances"),
      glance: tables.table(part, "glance"), trembles: part.ratio("trembles"),
      trembleTime: tables.table(part, "trembleTime"), trembleSpread: part.real("trembleSpread"),
      sideways: part.ratio("sideways"), leaves: part.ratio("leaves"),
      leaveTime: tables.table(part, "leaveTime"), taps: part.ratio("taps"),
      android: part.ratio("android"),
      uikit: part.word("uikit") == "fast" ? .uikitFast : .uikitNormal)
  }
}
