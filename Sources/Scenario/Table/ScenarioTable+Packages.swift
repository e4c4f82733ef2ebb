import ForeignPolicies
import MediaUnits

/// Policies of somebody else's as kinds of a scenario's keys.
public enum ScenarioPolicies {
  /// What the kinds that the program ships have taken at a place.
  public static func shipped(_ place: PolicyPackages.Place) -> PolicyPackages.Taken {
    switch place {
    case .prefetch:
      PolicyPackages.Taken(words: ScenarioTable.shippedPrefetchWords, keys: ["kind", "rung"])
    case .victim: taken(ScenarioTable.shippedVictims.map(\.kind.word))
    case .bitrate: taken(ScenarioTable.shippedBitrate.map(\.kind.word))
    case .release: taken(ScenarioTable.shippedReleases.map(\.kind.word))
    case .gate: taken(ScenarioTable.shippedGates.map(\.kind.word))
    case .retry: taken(ScenarioTable.shippedRetries.map(\.kind.word))
    case .admission: taken(ScenarioTable.shippedAdmissions.map(\.kind.word))
    case .lifetime: taken(ScenarioTable.shippedTierTTLs.map(\.kind.word))
    case .eviction:
      PolicyPackages.Taken(
        words: ScenarioTable.shippedEvictions.map(\.kind.word), keys: tierKeys)
    case .polls:
      PolicyPackages.Taken(words: ScenarioTable.shippedPolls.map(\.kind.word), keys: ["kind"])
    case .quality:
      PolicyPackages.Taken(words: ScenarioTable.shippedMonitors.map(\.kind.word), keys: ["kind"])
    }
  }

  private static func taken(_ words: [String]) -> PolicyPackages.Taken {
    PolicyPackages.Taken(words: words + ["external"], keys: ["kind"])
  }

  /// The keys that every kind of a tier has. They are not read from the table, which takes the
  /// policies when it is read first; a test compares.
  static let tierKeys: Set<String> = [
    "kind", "capacity", "admission", "collapsing", "lock", "revalidation", "staleOnFailure",
    "hitForMiss", "ttl", "age", "keepAlive", "handshake", "connectTimeout", "responseTimeout",
    "attempts", "serviceTime", "slowStartAfterIdle", "count", "skippedInOriginRegion", "roundTrip",
    "inRegion",
  ]

  /// Makes policies that this program was built with kinds of scenarios' keys, before anything
  /// reads a scenario.
  ///
  /// - Returns: what is wrong with them, one text for each; where there is anything none of them is
  ///   a kind.
  public static func install(_ packages: PolicyPackages) -> [String] {
    PolicyPackages.install(packages) { shipped($0) }
  }
}

extension PolicyPackages.Place {
  /// Where a scenario names a policy of it; of prefetch its builder says so.
  fileprivate var paths: [String] {
    switch self {
    case .prefetch: []
    case .victim, .bitrate, .release, .gate, .retry, .polls, .quality: [key]
    case .admission: ["cdn.edge.admission", "cdn.regional.admission", "cdn.shield.admission"]
    case .lifetime: ["cdn.edge.ttl", "cdn.regional.ttl", "cdn.shield.ttl"]
    case .eviction: ["cdn.edge", "cdn.regional", "cdn.shield"]
    }
  }
}

extension ResolvedTree {
  /// The rules that this program was built with and a scenario names, each once.
  var packagedRules: [PolicyIdentity] {
    var found: [PolicyIdentity] = []
    for place in PolicyPackages.Place.allCases where !place.paths.isEmpty {
      let rows = PolicyPackages.installed.rows(place)
      if rows.isEmpty { continue }
      let words = place.paths.compactMap { path in
        has(path) ? kind(path) : nil
      }
      found += rows.filter { words.contains($0.word) }.map(\.identity)
    }
    return found
  }

  /// Whether all of a path is there and not none.
  private func has(_ path: String) -> Bool {
    var part = self
    for name in path.split(separator: ".") {
      guard part.hasKey(String(name)), let inner = part.optional(String(name)) else { return false }
      part = inner
    }
    return true
  }
}

/// A rule of a key that a program may bring rules along for.
enum RuleKind<Shipped: Sendable, Decider: Sendable>: Sendable {
  /// What the program ships.
  case shipped(Shipped)
  /// A process of somebody else's.
  case external(ExternalPolicy.Rule)
  /// What this program was built with (docs/decisions/0046).
  case packaged(RulePackage<Decider>)
}

extension PluginFamily {
  /// The rules of a key: those that are shipped, a process, and those that this program was built
  /// with.
  init<Shipped: Sendable, Decider: Sendable>(
    _ shipped: [PluginFamily<Shipped>.Row], _ rule: ExternalPolicy.Rule,
    _ packages: [RulePackage<Decider>]
  ) where Value == RuleKind<Shipped, Decider> {
    let process = Row(
      "external", "A process of yours decides, over its standard input and output",
      ScenarioTable.processFields, value: .external(rule))
    self.init(
      shipped.map { Row($0.kind, value: .shipped($0.value)) } + [process]
        + packages.map { Row($0) })
  }
}

extension PluginFamily.Row {
  /// A rule that this program was built with.
  init<Shipped: Sendable, Decider: Sendable>(_ package: RulePackage<Decider>)
  where Value == RuleKind<Shipped, Decider> {
    self.init(
      package.row.word, package.row.summary, package.row.fields, value: .packaged(package))
  }
}

extension PackageRow {
  /// Its parameters as keys.
  var fields: [Field] {
    parameters.map { parameter in
      Field(
        parameter.name, parameter.form.shape, default: .text(parameter.preset.text),
        parameter.summary, source: parameter.source)
    }
  }
}

extension PolicyForm {
  /// What may stand at such a parameter's key.
  fileprivate var shape: Shape {
    switch self {
    case .time(let range): .time(range.lowerBound.nanoseconds...range.upperBound.nanoseconds)
    case .bitRate(let range):
      .bitRate(range.lowerBound.bitsPerSecond...range.upperBound.bitsPerSecond)
    case .count(let range): .integer(Int64(range.lowerBound)...Int64(range.upperBound))
    case .number(let range): .real(RealRange(range.lowerBound, range.upperBound))
    case .share: .ratio
    case .flag: .boolean
    }
  }
}

extension PolicyValue {
  /// As YAML has it.
  fileprivate var text: String {
    switch self {
    case .time(let value): Quantity.time.text(value.nanoseconds)
    case .bitRate(let value): Quantity.bitRate.text(value.bitsPerSecond)
    case .count(let value): "\(value)"
    case .number(let value), .share(let value): PlainNumber.text(value)
    case .flag(let value): "\(value)"
    }
  }
}

extension ResolvedTree {
  /// The values of a policy's parameters, in their order.
  func values(of row: PackageRow) -> [PolicyValue] { row.parameters.map { value(of: $0) } }

  private func value(of parameter: PackageRow.Parameter) -> PolicyValue {
    switch parameter.form {
    case .time: .time(span(parameter.name))
    case .bitRate: .bitRate(BitRate(bitsPerSecond: bitRate(parameter.name)))
    case .count: .count(Int(integer(parameter.name)))
    case .number: .number(real(parameter.name))
    case .share: .share(ratio(parameter.name))
    case .flag: .flag(boolean(parameter.name))
    }
  }
}
