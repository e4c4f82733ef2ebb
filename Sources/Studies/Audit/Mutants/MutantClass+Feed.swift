import Scenario

extension MutantClass {
  /// Of a feed with one item on the screen.
  static let feed: [MutantClass] =
    segments + players + links + [loss] + [
      fixed("shield-off", "No origin shield", ["cdn.shield": "none"]),
      fixed(
        "lifetimes-zero", "No cache may use what it keeps without asking",
        KeyValuePairs.lifetimes),
      fixed(
        "query-in-cache-key", "A query of eight values is part of the cache key",
        ["cdn.cacheKey": "{kind: query, values: 8}"]),
      fixed(
        "manifest-uncacheable", "Manifests and playlists are no-store",
        ["cdn.ttl.mediaManifest.cacheable": "false", "cdn.ttl.playlists.cacheable": "false"]),
      fixed(
        "collapsing-off", "Requests do not wait for one under way",
        ["cdn.edge.collapsing": "none"]),
      edgeHalf, rankerSlow,
      fixed(
        "page-late", "The next page is asked for at the last item",
        ["policy.feed.pageTrigger": "0"]),
      fixed(
        "telemetry-unflushed", "Events wait an hour for their batch",
        needs: "client.telemetry",
        [
          "client.telemetry.flush": "{kind: window, length: 1 h}",
          "client.telemetry.batchLimit": "10000", "client.telemetry.queueLimit": "100000",
        ]),
      fixed(
        "telemetry-dropped", "A batch that fails is thrown away", needs: "client.telemetry",
        ["client.telemetry.delivery": "drop"]),
      fixed(
        "retries-off", "An item that fails is given up", ["client.retry": "{kind: none}"]),
      fixed(
        "gate-off", "A swipe reaches items that have no frame yet",
        ["client.gate": "{kind: none}"]),
    ]

  private static let segments: [MutantClass] = [
    fixed(
      "prefetch-off", "Nothing is fetched ahead",
      ["policy.prefetch": "{kind: head, headLength: 0 s}"]),
    fixed(
      "prefetch-deep", "A minute of ten items is fetched ahead, six at a time",
      [
        "policy.prefetch":
          "{kind: head, headLength: 60 s, itemsAhead: 10, furtherLength: 60 s, concurrency: 6, "
          + "pauseBelowBuffer: 0 s}"
      ]),
    MutantClass("top-rung-always", "Every segment on the top rung") { tree in
      .settings([
        .init(
          key: "policy.abr",
          value: "{kind: fixed, rung: \(tree.count("catalogue.ladder") - 1)}"),
        .init(key: "policy.startupCap.rate", value: "none"),
      ])
    },
  ]

  /// What a mixed feed has, too.
  static let players: [MutantClass] = [
    fixed("cap-off", "No bit rate cap at the start", ["policy.startupCap.rate": "none"]),
    fixed("pool-of-one", "One player", ["policy.pool.size": "1"]),
    fixed(
      "start-late", "The first frame waits for four seconds of media",
      ["policy.player.startThreshold": "4 s"]),
    MutantClass("buffer-short", "No more media is held than a stall needs to end") { tree in
      let least = max(
        tree.time("policy.player.startThreshold"), tree.time("policy.player.resumeThreshold"))
      let keys = ["forwardBuffer", "minimumBuffer", "topBuffer"].map { "policy.player.\($0)" }
      return .settings(
        keys.filter { tree.hasKey($0) }.map { .init(key: $0, value: "\(least) ns") })
    },
  ]

  static let links: [MutantClass] = [
    access(
      "round-trip-30", "Every round trip takes 30 ms longer",
      { later($0, milliseconds: 30) }),
    access(
      "round-trip-100", "Every round trip takes 100 ms longer",
      { later($0, milliseconds: 100) }),
    access("rate-half", "Every link has half its rate") { element in
      guard element.hasKey("rateFactor") else { return nil }
      return ("rateFactor", "\(element.real("rateFactor") / 2)")
    },
  ]

  private static let loss = access("loss-2", "Two packets in a hundred are lost") { element in
    guard element.hasKey("loss"), element.ratio("loss") < 0.02 else { return nil }
    return ("loss", "0.02")
  }

  private static func later(
    _ element: ResolvedTree, milliseconds: Int
  ) -> (key: String, value: String)? {
    guard element.hasKey("roundTrip"),
      let law = element.law("roundTrip").shifted(by: Double(milliseconds) / 1000),
      let text = TimeLawText.text(law)
    else { return nil }
    return ("roundTrip", text)
  }

  /// Sets a key of every access network that has it.
  private static func access(
    _ name: String, _ summary: String,
    _ change: @escaping @Sendable (ResolvedTree) -> (key: String, value: String)?
  ) -> MutantClass {
    MutantClass(name, summary) { tree in
      let settings = tree.elements("network.access").enumerated().compactMap { index, element in
        change(element).map {
          Variant.Setting(key: "network.access[\(index)].\($0.key)", value: $0.value)
        }
      }
      return settings.isEmpty
        ? .notApplicable("no access network can get worse so") : .settings(settings)
    }
  }

  private static let edgeHalf = MutantClass("edge-half", "Half the bytes of every edge") { tree in
    guard let bytes = tree.optionalBytes("cdn.edge.capacity") else {
      return .notApplicable("cdn.edge.capacity is none")
    }
    return .settings([.init(key: "cdn.edge.capacity", value: "\(max(1, bytes / 2)) B")])
  }

  /// Without a ranker of its own the answer of the feed stands for it.
  static let rankerSlow = MutantClass(
    "ranker-slow", "The ranker, or the feed's answer without one, takes twice as long"
  ) { tree in
    law(tree, tree.hasValue("feed.ranker") ? "feed.ranker.latency" : "feed.latency") {
      $0.scaled(by: 2)
    }
  }
}

extension KeyValuePairs<String, String> {
  /// Every asset class without any lifetime.
  fileprivate static var lifetimes: KeyValuePairs<String, String> {
    [
      "cdn.ttl.mediaManifest.maxAge": "0 s", "cdn.ttl.mediaManifest.staleWhileRevalidate": "0 s",
      "cdn.ttl.playlists.maxAge": "0 s", "cdn.ttl.playlists.staleWhileRevalidate": "0 s",
      "cdn.ttl.segments.maxAge": "0 s", "cdn.ttl.segments.staleWhileRevalidate": "0 s",
      "cdn.ttl.images.maxAge": "0 s", "cdn.ttl.images.staleWhileRevalidate": "0 s",
    ]
  }
}
