extension MutantClass {
  /// Of a mixed feed, which has its own rules for what is fetched and cached.
  static let mixedFeed: [MutantClass] =
    prefetches + players + links + [rankerSlow] + surface

  private static let prefetches: [MutantClass] = [
    fixed(
      "prefetch-off", "Nothing is fetched ahead",
      [
        "policy.prefetch.headLength": "0 s", "surface.visibility.prefetchRange": "0",
        "surface.visibility.prefetchCount": "0",
      ]),
    fixed(
      "prefetch-deep", "A minute of everything within five screens is fetched ahead",
      [
        "policy.prefetch.headLength": "60 s", "surface.visibility.prefetchRange": "5",
        "surface.visibility.prefetchCount": "20",
      ]),
  ]

  private static let surface: [MutantClass] = [
    fixed(
      "edge-hits-half", "The edge answers every second request itself",
      ["surface.edgeHits": "0.5"]),
    fixed(
      "page-late", "The next page is asked for at the last video",
      ["surface.layout.pageTrigger": "0"]),
    MutantClass("hysteresis-off", "A card leaves at the share at which it enters") { tree in
      .settings([
        .init(
          key: "surface.visibility.thresholds.leave",
          value: "\(tree.ratio("surface.visibility.thresholds.enter"))")
      ])
    },
    fixed(
      "enter-early", "A card is ready with its first tenth",
      [
        "surface.visibility.thresholds.enter": "0.1",
        "surface.visibility.thresholds.leave": "0.1",
      ]),
    fixed(
      "carousel-unlimited", "Ten cards of a Carousel play at once",
      ["surface.visibility.carouselLimit": "10"]),
    fixed(
      "scroll-gate-off", "Nothing is held up while the list moves",
      ["surface.gate": "{kind: none}"]),
    fixed("reuse-off", "Each mount creates a player", ["surface.reuse": "none"]),
    fixed(
      "visibility-in-script", "Every frame's sights go over the bridge",
      ["surface.visibility.placement": "script"]),
  ]
}
