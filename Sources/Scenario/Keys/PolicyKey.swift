/// A key of a resolved scenario that the app decides, with its value: what an export has to carry
/// over or to name as without an equal.
public struct PolicyKey: Hashable, Sendable {
  /// The key path, such as `policy.pool.size`.
  public var path: String
  /// The path as the table of keys has it: `[]` stands for any place of a list.
  public var pattern: String
  /// The value for reading, such as `6 s`.
  public var text: String
  /// What the key means, one line without a full stop.
  public var meaning: String
  /// The value as a number in ``unit``, a word or a flag; `null` for none.
  public var value: JSONText
  /// What ``value`` counts: `ms`, `bps`, `bytes`; empty for plain numbers, words and flags.
  public var unit: String
  /// The value as a scenario writes it.
  var written: JSONText
}

/// Which keys of a feed's table are the app's own decisions.
public enum PolicyKeys {
  /// A part of the table, and whether an app decides what stands there. The longest part counts.
  private static let parts: [(path: String, isPolicy: Bool)] = [
    ("policy.pool", true), ("policy.prefetch", true), ("policy.startupCap", true),
    ("policy.abr", true), ("policy.initialEstimate", true), ("policy.player", true),
    ("policy.feed", true),
    ("client.gate", true), ("client.placeholder", true), ("client.proximity", true),
    ("client.end", true), ("client.end.gap", false),
    ("client.telemetry", true), ("client.telemetry.envelopeBytes", false),
    ("client.telemetry.eventBytes", false), ("client.telemetry.latency", false),
    ("client.telemetry.failureShare", false),
    ("client.retry", true), ("client.disk", true), ("client.storyboard", true),
    ("client.offline", true), ("client.offline.horizon", false),
    // What happens to the app, and what viewers do.
    ("client.snapRetry", false), ("client.pauses", false), ("client.crashShare", false),
    ("client.segmentErrorShare", false), ("client.tapDelay", false),
    ("surface.visibility", true), ("surface.visibility.bridgeDelay", false),
    ("surface.gate", true), ("surface.reuse", true),
    ("surface.layout.firstPage", true), ("surface.layout.laterPages", true),
    ("surface.layout.pageTrigger", true), ("surface.layout.carouselEvery", false),
    ("surface.layout.carouselCards", false), ("surface.layout.merch", false),
    ("surface.layout.gap", false), ("surface.scroll", false), ("surface.screens", false),
    ("surface.shape", false), ("surface.edgeHits", false),
  ]

  /// The parts of the table in which such keys are.
  public static let tops = ["policy", "client", "surface"]

  /// Whether the app decides a key, by its path in the table; nil where nobody has said so yet.
  public static func isPolicy(_ pattern: String) -> Bool? {
    let holding = parts.filter { part in
      pattern == part.path || pattern.hasPrefix(part.path + ".")
        || pattern.hasPrefix(part.path + "[")
    }
    return holding.max { $0.path.utf8.count < $1.path.utf8.count }?.isPolicy
  }

  /// The keys of a feed's scenario with their values, in the order of the table. A mixed feed's are
  /// there where the scenario is of one.
  public static func of(_ tree: ResolvedTree) -> [PolicyKey] {
    var keys: [PolicyKey] = []
    for top in tops {
      guard let field = ScenarioTable.schema.root.field(top), let node = tree.root.child(top),
        node.value != .none
      else { continue }
      collect(node, field.shape, field.summary, top, top, into: &keys)
    }
    return keys
  }

  private static func collect(
    _ node: ResolvedNode, _ shape: Shape, _ meaning: String, _ path: String, _ pattern: String,
    into keys: inout [PolicyKey]
  ) {
    switch (shape.withoutOptional, node.value) {
    case (.object(let object), .object): collect(node, object.fields, path, pattern, into: &keys)
    case (.kinds(let kinds), .kind(let word, _)):
      guard let kind = kinds.first(where: { $0.word == word }) else { return }
      add(.word(word), "\(meaning): \(kind.summary)", "\(path).kind", "\(pattern).kind", to: &keys)
      collect(node, kind.object.fields, path, pattern, into: &keys)
    default: add(node.value, meaning, path, pattern, to: &keys)
    }
  }

  private static func collect(
    _ node: ResolvedNode, _ fields: [Field], _ path: String, _ pattern: String,
    into keys: inout [PolicyKey]
  ) {
    for field in fields {
      guard let child = node.child(field.name) else { continue }
      collect(
        child, field.shape, field.summary, "\(path).\(field.name)", "\(pattern).\(field.name)",
        into: &keys)
    }
  }

  private static func add(
    _ value: ResolvedValue, _ meaning: String, _ path: String, _ pattern: String,
    to keys: inout [PolicyKey]
  ) {
    if isPolicy(pattern) != true { return }
    let node = ResolvedNode(value: value, origin: .preset(source: "export"))
    let (json, unit) = plain(value)
    keys.append(
      PolicyKey(
        path: path, pattern: pattern, text: CanonicalText.display(node), meaning: meaning,
        value: json, unit: unit, written: written(node)))
  }

  private static func plain(_ value: ResolvedValue) -> (JSONText, String) {
    switch value {
    case .time(let nanoseconds):
      (
        nanoseconds % 1_000_000 == 0
          ? .integer(nanoseconds / 1_000_000) : .number(Double(nanoseconds) / 1e6), "ms"
      )
    case .bitRate(let rate): (.integer(rate), "bps")
    case .bytes(let count): (.integer(count), "bytes")
    case .integer(let number): (.integer(number), "")
    case .ratio(let number), .real(let number): (.number(number), "")
    case .boolean(let flag): (.boolean(flag), "")
    case .none: (.null, "")
    case .text(let text), .word(let text): (.string(text), "")
    case .law, .list, .map, .object, .kind, .variations:
      (
        .string(CanonicalText.flow(ResolvedNode(value: value, origin: .preset(source: "export")))),
        ""
      )
    }
  }

  /// As a scenario has it: quantities as texts with their unit.
  private static func written(_ node: ResolvedNode) -> JSONText {
    switch node.value {
    case .integer(let number): .integer(number)
    case .ratio(let number), .real(let number): .number(number)
    case .boolean(let flag): .boolean(flag)
    default: .string(CanonicalText.display(node))
    }
  }

  /// The keys as a mapping in the form of a scenario, to be laid over one with `extends`.
  public static func overlay(_ keys: [PolicyKey]) -> JSONText {
    var top = Branch()
    for key in keys {
      top.set(key.path.split(separator: ".").map(String.init)[...], key.written)
    }
    return top.json
  }

  /// A mapping that is put together key by key.
  private struct Branch {
    private var members: [(name: String, value: Value)] = []

    private indirect enum Value {
      case leaf(JSONText)
      case branch(Branch)
    }

    mutating func set(_ path: ArraySlice<String>, _ value: JSONText) {
      guard let name = path.first else { return }
      let rest = path.dropFirst()
      let place = members.firstIndex { $0.name == name }
      if rest.isEmpty { return members.append((name, .leaf(value))) }
      guard let place, case .branch(var inner) = members[place].value else {
        var inner = Branch()
        inner.set(rest, value)
        return members.append((name, .branch(inner)))
      }
      inner.set(rest, value)
      members[place].value = .branch(inner)
    }

    var json: JSONText {
      .object(
        members.map { member in
          switch member.value {
          case .leaf(let value): .init(member.name, value)
          case .branch(let branch): .init(member.name, branch.json)
          }
        })
    }
  }
}
