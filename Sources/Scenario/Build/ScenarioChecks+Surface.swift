extension ScenarioChecks {
  /// Thresholds in their order; screens with a share.
  mutating func checkSurface() {
    guard let part = tree.optional("surface") else { return }
    refuseUnused()
    for key in ["thresholds", "short", "carousel"] {
      guard let limits = part.optional("visibility.\(key)") else { continue }
      let (mount, leave) = (limits.ratio("mount"), limits.ratio("leave"))
      if mount <= 0 || mount > leave {
        problems.add(limits.problem(at: "mount", expected: "above 0 and at most leave"))
      }
      if leave > limits.ratio("enter") {
        problems.add(limits.problem(at: "leave", expected: "at most enter"))
      }
    }
    if part.elements("screens").reduce(0, { $0 + $1.real("weight") }) <= 0 {
      problems.add(part.problem(at: "screens", expected: "a weight above 0"))
    }
  }

  /// Keys that a mixed feed follows; below a name, all of them. Lists stand without an index.
  ///
  /// Its world has no caches and its own paging, so that the keys of these would be read and change
  /// nothing.
  static let used: Set<String> = [
    "version", "name", "description", "seed", "replications", "surface", "budgets", "thresholds",
    "cost", "sweep", "short", "whatIf",
    "network.access",
    "network.http", "network.connectionsPerHost", "network.congestion", "network.handshake",
    "network.resumedHandshake",
    "network.resumption", "network.initialWindow", "network.receiveWindow",
    "network.idleClose", "network.prefetchWeight", "network.sharing",
    "devices.weight", "devices.playerCreation", "devices.decoderSetup", "devices.decoderReuse",
    "devices.firstDecode", "devices.decoderLimit", "devices.presentation",
    "audience.viewsPerDayPerEdge", "audience.viewsPerSession", "audience.window",
    "audience.drain", "audience.sessionLength", "audience.personas.weight",
    "audience.personas.basis", "audience.personas.watchScale",
    "audience.personas.completionScale", "audience.personas.watchTime",
    "audience.personas.completion", "audience.personas.shorter", "audience.patienceFloor",
    "audience.patience",
    "catalogue.titles", "catalogue.popularity", "catalogue.duration",
    "catalogue.minimumDuration", "catalogue.maximumDuration", "catalogue.ladder",
    "catalogue.segmentDuration", "catalogue.titleScale", "catalogue.segmentVariation",
    "catalogue.firstSegmentRatio", "catalogue.peakRatio", "catalogue.manifestBytes",
    "catalogue.masterBytes", "catalogue.initBytes", "catalogue.playlistBytes",
    "catalogue.playlistBytesPerSegment",
    "feed.latency", "feed.bytesPerItem",
    "cdn.edge.serviceTime", "cdn.edge.slowStartAfterIdle", "cdn.edgeToShield",
    "cdn.backhaulFloor", "cdn.originFirstByte",
    "policy.pool", "policy.prefetch.headLength", "policy.prefetch.concurrency",
    "policy.prefetch.pauseBelowBuffer", "policy.prefetch.rung", "policy.startupCap", "policy.abr",
    "policy.initialEstimate",
    "policy.player.startThreshold", "policy.player.resumeThreshold",
    "policy.player.forwardBuffer",
  ]

  /// Keys below those that a mixed feed does not follow: it asks for nothing a second time.
  private static let unused: Set<String> = ["network.access.nameFailure"]

  /// What to do instead.
  private static let instead = [
    "policy.feed": "surface.layout", "audience.backSwipe": "surface.scroll",
    "cdn": "surface.edgeHits",
  ]

  private static func follows(_ name: String) -> Bool {
    used.contains { name == $0 || name.hasPrefix($0 + ".") }
      && !unused.contains { $0 == name || $0.hasPrefix(name + ".") }
  }

  /// Refuses keys that are set to another value than their default and that a mixed feed would not
  /// follow.
  private mutating func refuseUnused() {
    refuse(tree.root, ScenarioTable.schema.root, TreePath(), names: [])
  }

  private mutating func refuse(
    _ node: ResolvedNode, _ object: ObjectShape, _ path: TreePath, names: [String]
  ) {
    for field in object.fields {
      guard let child = node.child(field.name) else { continue }
      let place = path.key(field.name)
      let name = (names + [field.name]).joined(separator: ".")
      if ScenarioChecks.follows(name) { continue }
      if let preset = field.presetNode {
        var resolver = Resolver(ScenarioTable.schema, top: preset)
        if resolver.value(preset, field.shape, place) == child { continue }
      }
      let isPartly = ScenarioChecks.used.union(ScenarioChecks.unused).contains {
        $0.hasPrefix(name + ".")
      }
      switch (field.shape, child.value) {
      case (.object(let inner), .object):
        refuse(child, inner, place, names: names + [field.name])
      case (.kinds(let kinds), .kind(let word, _)) where isPartly:
        refuse(kind: word, child, field, kinds, place, names: names + [field.name])
      case (.list(.kinds(let kinds), _), .list(let elements)) where isPartly:
        for (index, element) in elements.enumerated() {
          guard case .kind(let word, _) = element.value,
            let kind = kinds.first(where: { $0.word == word })
          else { continue }
          refuse(element, kind.object, place.index(index), names: names + [field.name])
        }
      default: refuse(child, at: place, name)
      }
    }
  }

  /// A family of which a mixed feed has the default kind only.
  private mutating func refuse(
    kind word: String, _ node: ResolvedNode, _ field: Field, _ kinds: [Kind], _ path: TreePath,
    names: [String]
  ) {
    guard let kind = kinds.first(where: { $0.word == word }) else { return }
    if let usual = field.presetNode?["kind"]?.text, usual != word {
      problems.add(
        Problem(
          .inconsistent, at: node.child("kind")?.origin ?? node.origin,
          keyPath: path.key("kind").description,
          expected: "\(usual) beside surface: a mixed feed has no other", got: word))
      return
    }
    refuse(node, kind.object, path, names: names)
  }

  private mutating func refuse(_ node: ResolvedNode, at path: TreePath, _ name: String) {
    let other = ScenarioChecks.instead.first { name == $0.key || name.hasPrefix($0.key + ".") }
    let hint = other.map { ", which has \($0.value)," } ?? ""
    problems.add(
      Problem(
        .inconsistent, at: node.origin, keyPath: path.description,
        expected: "the default beside surface: a mixed feed\(hint) does not follow this key",
        got: node.excerpt))
  }
}
