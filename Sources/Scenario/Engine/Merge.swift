/// Lays one tree over another.
///
/// Mappings merge by key; lists and scalars replace. A mapping with another `kind` replaces the
/// whole one below. Of two keys of a law that exclude each other the upper one stays.
enum Merge {
  /// What lies below.
  enum Below {
    /// A file named by `extends`.
    case file
    /// A default of the table. It shows through mappings with fixed keys only: a list, a map or a
    /// law that the file writes stands alone.
    case preset
  }

  /// `upper` over `lower`. `shape` and `preset` are what the table says about this place, if
  /// anything.
  static func lay(
    _ upper: Node, over lower: Node, _ below: Below, shape: Shape?, preset: Node?
  ) -> Node {
    guard case .mapping(let upperEntries) = upper.content,
      case .mapping(var entries) = lower.content
    else { return upper }
    let shape = shape?.withoutOptional
    if below == .preset && !hasFixedKeys(shape) { return upper }
    var kind: String?
    if hasKind(shape) {
      let lowerKind = lower["kind"]?.text ?? preset?["kind"]?.text
      let upperKind = upper["kind"]?.text
      if let upperKind, let lowerKind, upperKind != lowerKind { return upper }
      kind = upperKind ?? lowerKind
    }
    if case .law = shape, let keys = LawTable.alternatives[kind ?? ""],
      upperEntries.contains(where: { keys.contains($0.key) })
    {
      entries.removeAll { keys.contains($0.key) }
    }
    let fields = shape?.fields(kind: kind)
    var places: [String: Int] = [:]
    for (place, entry) in entries.enumerated() where places[entry.key] == nil {
      places[entry.key] = place
    }
    for entry in upperEntries {
      guard let place = places.removeValue(forKey: entry.key) else {
        entries.append(entry)
        continue
      }
      let field = fields?.first { $0.name == entry.key }
      var childShape = field?.shape
      if case .map(_, let value, _) = shape { childShape = value }
      entries[place].keyOrigin = entry.keyOrigin
      entries[place].value = lay(
        entry.value, over: entries[place].value, below, shape: childShape,
        preset: preset?[entry.key] ?? field?.presetNode)
    }
    return Node(.mapping(entries), origin: upper.origin)
  }

  /// A mapping of a place the table does not know may have a kind too.
  private static func hasKind(_ shape: Shape?) -> Bool {
    switch shape {
    case .none, .kinds, .law: true
    default: false
    }
  }

  private static func hasFixedKeys(_ shape: Shape?) -> Bool {
    switch shape {
    case .object, .kinds: true
    default: false
    }
  }
}

/// A value given on the command line, laid over the file.
public struct Override: Hashable, Sendable {
  /// The option, which is also the value's origin: `--set`, `--replications`.
  public let option: String
  /// The key path.
  public let keyPath: String
  /// The value as written in YAML; nil when the text had no `=`.
  public let value: String?
  private let namesKey: Bool

  /// The argument of `--set`, or of another such option: `key.path=value`. A malformed one is
  /// reported when the file is loaded.
  public init(set argument: String, option: String = "--set") {
    self.option = option
    namesKey = true
    var isQuoted = false
    let split = argument.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "=" && !isQuoted
    }
    if let split {
      keyPath = String(argument[..<split])
      value = String(argument[argument.index(after: split)...])
    } else {
      keyPath = argument
      value = nil
    }
  }

  /// The effect of another option on one key, such as `--replications`.
  public init(option: String, keyPath: String, value: String) {
    self.option = option
    namesKey = false
    self.keyPath = keyPath
    self.value = value
  }

  var origin: Origin {
    .commandLine(option: option, argument: namesKey ? Excerpt.oneLine(keyPath) : "")
  }
}

/// Puts the values of the command line into the tree of the file.
struct OverrideWriter {
  private struct Refusal: Error {
    var code: Problem.Code
    var path: TreePath
    var expected: String
    var got: String
  }

  let schema: Schema
  var problems = Problems()

  init(_ schema: Schema) { self.schema = schema }

  /// `node` with `override` applied; unchanged when it cannot be, with a problem added.
  mutating func apply(_ override: Override, to node: Node) -> Node {
    let origin = override.origin
    func problem(_ expected: String, _ got: String) -> Problem {
      Problem(
        .keyPath, at: origin, keyPath: Excerpt.oneLine(override.keyPath), expected: expected,
        got: got)
    }
    guard let text = override.value else {
      problems.add(problem("key.path=value", "no ="))
      return node
    }
    guard let path = TreePath(parsing: override.keyPath), !path.steps.isEmpty,
      path.steps.count <= YAMLReader.Limits.depth
    else {
      problems.add(
        problem("a key path such as budgets[2].limit", Excerpt.oneLine(override.keyPath)))
      return node
    }
    if path.steps[0] == .key("extends") {
      problems.add(problem("a key of the scenario (only a file can extend another)", "extends"))
      return node
    }
    var found = Problems()
    let value = YAMLReader.read(text, from: origin, under: path, into: &found)
    let empty = Node(.scalar("", .plain), origin: origin)
    // Empty text is an empty value here; what the key accepts is decided like any other value.
    let faults = found.sorted.filter { $0.code != .emptyFile }
    for fault in faults { problems.add(fault) }
    if value == nil && !faults.isEmpty { return node }
    do throws(Refusal) {
      return try place(
        value ?? empty, at: path.steps[...], in: node, TreePath(), shape: .object(schema.root),
        preset: nil)
    } catch {
      problems.add(
        Problem(
          error.code, at: origin, keyPath: error.path.description, expected: error.expected,
          got: error.got))
      return node
    }
  }

  private func place(
    _ value: Node, at steps: ArraySlice<TreePath.Step>, in node: Node?, _ path: TreePath,
    shape: Shape?, preset: Node?
  ) throws(Refusal) -> Node {
    guard let step = steps.first else { return value }
    let shape = shape?.withoutOptional
    switch step {
    case .index(let index):
      let list = node ?? preset ?? Node(.sequence([]), origin: value.origin)
      guard case .sequence(var elements) = list.content else {
        throw Refusal(code: .wrongType, path: path, expected: "a list", got: list.excerpt)
      }
      guard index < elements.count else {
        throw Refusal(
          code: .index, path: path.index(index),
          expected: elements.isEmpty ? "a list with elements" : "an index below \(elements.count)",
          got: elements.isEmpty ? "an empty list" : "\(index)")
      }
      var element: Shape?
      if case .list(let inner, _) = shape { element = inner }
      elements[index] = try place(
        value, at: steps.dropFirst(), in: elements[index], path.index(index), shape: element,
        preset: nil)
      return Node(.sequence(elements), origin: list.origin)
    case .key(let key):
      let mapping = start(node, shape: shape, preset: preset, origin: value.origin)
      guard case .mapping(var entries) = mapping.content else {
        throw Refusal(code: .wrongType, path: path, expected: "a mapping", got: mapping.excerpt)
      }
      let kind = mapping["kind"]?.text ?? preset?["kind"]?.text
      let field = shape?.fields(kind: kind)?.first { $0.name == key }
      var child = field?.shape
      if case .map(_, let inner, _) = shape { child = inner }
      let below = preset?[key] ?? field?.presetNode
      let written = try place(
        value, at: steps.dropFirst(), in: mapping[key], path.key(key), shape: child, preset: below)
      if key == "kind", let word = written.text, let fields = shape?.fields(kind: word) {
        entries.removeAll { entry in !fields.contains { $0.name == entry.key } }
      }
      if case .law = shape, let keys = LawTable.alternatives[kind ?? ""], keys.contains(key) {
        entries.removeAll { $0.key != key && keys.contains($0.key) }
      }
      let entry = Node.Entry(key: key, keyOrigin: value.origin, value: written)
      if let index = entries.firstIndex(where: { $0.key == key }) {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
      return Node(.mapping(entries), origin: mapping.origin)
    }
  }

  /// Where a mapping is missing, the default shows through an empty one, but a law or a map begins
  /// as its default.
  private func start(_ node: Node?, shape: Shape?, preset: Node?, origin: Origin) -> Node {
    if let node { return node }
    let empty = Node(.mapping([]), origin: origin)
    switch shape {
    case .object, .kinds, nil: return empty
    case .law, .map:
      if let preset, preset.text != "none" { return preset }
      return empty
    default: return preset ?? empty
    }
  }
}
