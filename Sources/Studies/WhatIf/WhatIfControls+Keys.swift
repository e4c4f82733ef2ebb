import Scenario

/// Which keys are turned, and what they are called.
extension WhatIfControls {
  /// Keys that are turned where the scenario has them, in the order in which they are shown.
  static func usualKeys(of scenario: StudyScenario) -> [String] {
    var keys = [
      "policy.pool.size", "policy.prefetch.kind", "policy.prefetch.headLength",
      "policy.prefetch.itemsAhead", "policy.startupCap.rate", "catalogue.ladder",
      "audience.viewsPerDayPerEdge", "cdn.edge.capacity",
    ]
    keys += ["segments", "playlists", "mediaManifest", "images"].map { "cdn.ttl.\($0).maxAge" }
    // One share is all of it, whatever it is.
    for (list, names) in [
      ("network.access", scenario.networks), ("devices", scenario.devices),
    ] where names.count > 1 {
      keys += names.indices.map { "\(list)[\($0)].weight" }
    }
    return keys
  }

  /// Short names of the usual keys, where the table's own text says less than a reader of a page
  /// needs.
  private static let names: [(key: String, words: String)] = [
    ("policy.pool.size", "players in the pool"),
    ("policy.prefetch.kind", "prefetch family"),
    ("policy.prefetch.headLength", "prefetched of the next item"),
    ("policy.prefetch.itemsAhead", "items ahead that are prefetched"),
    ("policy.startupCap.rate", "bit rate cap at the start"),
    ("catalogue.ladder", "bit rate ladder"),
    ("audience.viewsPerDayPerEdge", "views a day at one edge"),
    ("cdn.edge.capacity", "size of an edge's cache"),
    ("cdn.ttl.segments.maxAge", "lifetime of segments"),
    ("cdn.ttl.playlists.maxAge", "lifetime of playlists"),
    ("cdn.ttl.mediaManifest.maxAge", "lifetime of media_manifest.json"),
    ("cdn.ttl.images.maxAge", "lifetime of images"),
  ]

  /// What a key means in a few words: its text in the table up to the first stop.
  static func words(of key: SettableKey) -> String {
    if let known = names.first(where: { $0.key == key.path }) { return known.words }
    let clause = key.meaning.prefix { $0 != ";" && $0 != ":" && $0 != "(" }
    var words = String(clause.reversed().drop { $0 == " " }.reversed())
    if let first = words.first, !words.dropFirst().prefix(1).contains(where: \.isUppercase) {
      words = first.lowercased() + words.dropFirst()
    }
    return key.element.map { "\(words), \($0)" } ?? words
  }

  /// Whom a key concerns.
  static func group(of path: String) -> String {
    let groups = [
      ("policy.prefetch", "prefetch"), ("policy.startupCap", "bit rates"),
      ("policy.abr", "bit rates"), ("policy.initialEstimate", "bit rates"),
      ("catalogue.ladder", "bit rates"), ("policy", "player"), ("client", "player"),
      ("surface", "player"), ("cdn", "caches"), ("audience", "audience"),
      ("catalogue", "catalogue"), ("network", "networks"), ("devices", "devices"),
      ("feed", "feed"),
    ]
    let isBelow = { (part: String) in
      path == part || path.hasPrefix(part + ".") || path.hasPrefix(part + "[")
    }
    return groups.first { isBelow($0.0) }?.1 ?? "other"
  }
}
