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
      gate: ScrollGate.Configuration(
        rule: ScenarioTable.gates.value(part, "gate")(part.at("gate"))),
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
      edgeHits: part.ratio("edgeHits"), reuse: ScenarioTable.reuses.value(part, "reuse"),
      isScripted: ScenarioTable.placements.value(part, "visibility.placement"),
      bridgeDelay: span(part, "visibility.bridgeDelay"), costs: MainThreadCosts(),
      lowEnd: tree.elements("devices").map {
        ScenarioTable.devices.value($0).isLowEnd && !autoplays
      })
  }

  private func visibility(_ part: ResolvedTree) -> VisibilityMachine.Configuration {
    let row = ScenarioTable.models.value(part, "model")
    return VisibilityMachine.Configuration(
      model: row.model(part.at("model")), short: thresholds(part, of: "short"),
      carousel: thresholds(part, of: "carousel"), prefetchRange: part.real("prefetchRange"),
      prefetchCount: UInt32(part.integer("prefetchCount")),
      rules: PlayRules(
        widgetOrder: row.order, cardOrder: ScenarioTable.cardOrders.value(part, "cards"),
        carouselLimit: Int(part.integer("carouselLimit"))),
      sequence: PlaySequence(
        reading: ScenarioTable.sequences.value(part, "sequence"),
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
      uikit: ScenarioTable.decelerations.value(part, "uikit"))
  }
}
