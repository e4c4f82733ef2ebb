extension ScenarioTable {
  static func tier(
    _ word: String, capacity: String, service: String, serviceSource: String
  ) -> Kind {
    Kind(
      "lru", "Evicts what was used least recently",
      [
        Field(
          "capacity", .optional(.bytes(1...Int64.max)), default: .text(capacity),
          "Bytes of one \(word); none for no limit",
          source: "parameters.md section 7: sweep 0.1 to 10 TB"),
        Field(
          "collapsing",
          .word([
            Word("none", "every request goes forward"),
            Word("absent-only", "requests for an absent object wait for the first one"),
            Word("full", "revalidations too"),
          ]), default: "full", "Which requests wait for one that is under way",
          source: "parameters.md section 7, caches.md section 5"),
        Field(
          "serviceTime", .law(.time), default: .text(service),
          "Request's arrival to first byte of a hit", source: serviceSource),
      ])
  }

  static let cdn = ObjectShape([
    Field("edges", .integer(1...1000), default: "1", "Edge POPs that are simulated"),
    Field(
      "edgesBehindShield", .integer(1...100_000), default: "10",
      "Edge POPs of the same size behind the shield, the simulated ones included"),
    Field(
      "edge",
      .kinds([
        tier(
          "edge", capacity: "4 TB", service: "{kind: lognormal, median: 5 ms, sigma: 0.8}",
          serviceSource: "parameters.md section 7")
      ]), default: "{kind: lru}", "Cache of an edge POP"),
    Field(
      "shield",
      .optional(
        .kinds([
          tier("shield", capacity: "40 TB", service: "5 ms", serviceSource: "assumed")
        ])), default: "{kind: lru}", "Origin shield; none: edges go to the origin",
      source: "SIG-021"),
    Field(
      "edgeToShield", .law(.time), default: "{kind: uniform, min: 20 ms, max: 60 ms}",
      "Round trip between an edge and the next tier", source: "parameters.md section 7"),
    Field(
      "backhaulFloor", .time(), default: "10 ms", "Least round trip between tiers",
      source: "contract.md section 8: a constant propagation floor; value assumed"),
    Field(
      "originFirstByte", .law(.time), default: "{kind: lognormal, median: 120 ms, sigma: 0.35}",
      "Origin's time to first byte", source: "parameters.md section 7"),
    Field(
      "start",
      .kinds([
        Kind("stationary", "Contents and ages as a long run would have left them"),
        Kind("cold", "Empty"),
        Kind(
          "warmed", "Empty, with an audience for a while before anything is measured",
          [
            Field(
              "period", .time(1...8_640_000_000_000_000), default: "2 h", "Length of the warm-up")
          ]),
        Kind("everything", "All objects present and fresh: a bound"),
      ]), default: "{kind: stationary}", "How the caches start"),
    Field("ttl", .object(ttl), default: "{}", "Cache-Control by asset class (SIG section 6)"),
  ])

  static func asset(_ maxAge: String, stale: String, immutable: String, _ source: String)
    -> ObjectShape
  {
    ObjectShape([
      Field("maxAge", .time(), default: .text(maxAge), "max-age", source: source),
      Field(
        "staleWhileRevalidate", .time(), default: .text(stale),
        "stale-while-revalidate; zero for none", source: source),
      Field(
        "staleIfError", .time(), default: .text(stale), "stale-if-error; zero for none",
        source: source),
      Field("immutable", .boolean, default: .text(immutable), "immutable", source: source),
    ])
  }

  static let ttl = ObjectShape([
    Field(
      "mediaManifest",
      .object(asset("60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-065")),
      default: "{}", "media_manifest.json"),
    Field(
      "playlists", .object(asset("60 s", stale: "60 s", immutable: "false", "SIG-064, SIG-066")),
      default: "{}", "Master and media playlists"),
    Field(
      "segments", .object(asset("30 d", stale: "0", immutable: "true", "SIG-063")),
      default: "{}", "Init and media segments"),
    Field(
      "images", .object(asset("365 d", stale: "0", immutable: "true", "SIG-062")),
      default: "{}", "Posters, sprites and storyboards"),
  ])
}
