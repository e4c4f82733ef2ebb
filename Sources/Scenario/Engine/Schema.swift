/// What people would set and nobody can, because it follows from other keys.
public struct DerivedValue: Sendable {
  /// Spellings, in lower case without `_` and `-`.
  public let names: [String]
  /// The part of the scenario where it is looked for, besides the top.
  public let part: String
  /// The words after `expected`: what it follows from.
  public let expectation: String

  /// A result and what it follows from.
  public init(_ names: [String], in part: String, expectation: String) {
    self.names = names
    self.part = part
    self.expectation = expectation
  }

  func isMeant(by key: String, at path: TreePath) -> Bool {
    let plain = key.lowercased().filter { $0 != "_" && $0 != "-" }
    let isThere = path.steps.first.map { $0 == .key(part) } ?? true
    return isThere && names.contains(plain)
  }
}

/// The table of keys of a whole scenario.
public struct Schema: Sendable {
  /// The name of the format, for the JSON Schema.
  public let title: String
  /// What it describes, one line.
  public let summary: String
  /// The keys at the top. `extends` comes on top of them and is not among them.
  public let root: ObjectShape
  /// What is no key and why, for those who look for it.
  public let derived: [DerivedValue]

  /// A table of keys.
  public init(
    title: String, summary: String, _ fields: [Field], derived: [DerivedValue] = []
  ) {
    self.title = title
    self.summary = summary
    self.derived = derived
    root = ObjectShape(fields)
  }

  /// What a key path leads to.
  enum Target {
    case shape(Shape)
    case unknown(expected: String, suggestion: String?)
  }

  /// Follows a key path; `top` and the defaults say which kind stands where.
  func find(_ path: TreePath, in top: Node) -> Target {
    var kinds: [String] = []
    return find(path, in: top, kinds: &kinds)
  }

  /// The kinds on the way of a key path that exists: with the same ones it leads to the same shape.
  func kinds(onTheWayOf path: TreePath, in top: Node) -> [String]? {
    var kinds: [String] = []
    guard case .shape = find(path, in: top, kinds: &kinds) else { return nil }
    return kinds
  }

  private func find(_ path: TreePath, in top: Node, kinds: inout [String]) -> Target {
    var shape = Shape.object(root)
    var node: Node? = top
    var preset: Node?
    var walked = TreePath()
    for step in path.steps {
      let current = shape.withoutOptional
      switch (step, current) {
      case (.index(let index), .list(let element, _)):
        guard case .sequence(let elements) = (node ?? preset)?.content, index < elements.count
        else { return .unknown(expected: "an existing element of \(walked)", suggestion: nil) }
        (shape, node, preset) = (element, elements[index], nil)
        walked = walked.index(index)
      case (.key(let key), .map(_, let value, _)):
        (shape, node, preset) = (value, node?[key], preset?[key])
        walked = walked.key(key)
      case (.key(let key), .object), (.key(let key), .kinds), (.key(let key), .law):
        let kind = node?["kind"]?.text ?? preset?["kind"]?.text
        kinds.append(kind ?? "")
        let fields = current.fields(kind: kind) ?? []
        if key == "kind", let words = current.kindWords {
          (shape, node, preset) = (.word(words), nil, nil)
          continue
        }
        guard let field = fields.first(where: { $0.name == key }) else {
          let near = Spelling.nearest(to: key, in: fields.map(\.name))
          let here = walked.steps.isEmpty ? "the scenario" : walked.description
          return .unknown(
            expected: "a key of \(here)", suggestion: near.map { walked.key($0).description })
        }
        (shape, node, preset) = (field.shape, node?[key], preset?[key] ?? field.presetNode)
        walked = walked.key(key)
      case (.key, _): return .unknown(expected: "no key below \(walked)", suggestion: nil)
      case (.index, _): return .unknown(expected: "a list at \(walked)", suggestion: nil)
      }
    }
    return .shape(shape)
  }

  /// What is wrong with a key path that no tree has, whatever kinds stand in it; nil where some
  /// tree has the key, and it has no keys below it.
  func fault(of path: TreePath) -> (expected: String, suggestion: String?)? {
    var shapes = [Shape.object(root)]
    var walked = TreePath()
    for step in path.steps {
      switch step {
      case .index(let index):
        shapes = shapes.compactMap { shape in
          if case .list(let element, _) = shape.withoutOptional { element } else { nil }
        }
        if shapes.isEmpty { return ("a list at \(walked)", nil) }
        walked = walked.index(index)
      case .key(let key):
        let names = shapes.flatMap(\.keyNames)
        let below = shapes.flatMap { $0.below(key) }
        if below.isEmpty {
          let here = walked.steps.isEmpty ? "the scenario" : walked.description
          let near = Spelling.nearest(to: key, in: names).map { walked.key($0).description }
          return (names.isEmpty ? "no key below \(walked)" : "a key of \(here)", near)
        }
        shapes = below
        walked = walked.key(key)
      }
    }
    let isMapping = shapes.allSatisfy { shape in
      switch shape.withoutOptional {
      case .object, .kinds, .map, .variations: true
      default: false
      }
    }
    return isMapping ? ("a key without others below it", nil) : nil
  }

  /// Faults of the table itself: a key twice, a reserved key, an empty summary or source, a default
  /// that its own shape refuses. A test holds this empty.
  public func faults() -> [String] {
    var faults: [String] = []
    if root.field("extends") != nil { faults.append("extends: reserved at the top") }
    Schema.check(root, TreePath(), self, &faults)
    return faults
  }

  private static func check(
    _ object: ObjectShape, _ path: TreePath, _ schema: Schema, _ faults: inout [String]
  ) {
    var names: Set<String> = []
    for field in object.fields {
      let place = path.key(field.name)
      if !names.insert(field.name).inserted { faults.append("\(place): twice in the table") }
      if !TextRule.name.accepts(field.name) { faults.append("\(place): not a name") }
      if field.summary.isEmpty { faults.append("\(place): no summary") }
      if field.source.isEmpty { faults.append("\(place): no source") }
      faults += field.presetProblems.map { "\(place): \($0)" }
      if let preset = field.presetNode {
        var resolver = Resolver(schema, top: Node(.mapping([]), origin: preset.origin))
        _ = resolver.value(preset, field.shape, place)
        let isWhole = preset.content == .mapping([])
        // `{}` stands for the defaults of the keys below; those that must be written may be
        // missing.
        let found = resolver.problems.sorted.filter { !(isWhole && $0.code == .missingKey) }
        faults += found.map(\.description)
      }
      check(field.shape, place, schema, &faults)
    }
  }

  private static func check(
    _ shape: Shape, _ path: TreePath, _ schema: Schema, _ faults: inout [String]
  ) {
    switch shape {
    case .optional(let inner): check(inner, path, schema, &faults)
    case .list(let element, _): check(element, path.index(0), schema, &faults)
    case .map(_, let value, _): check(value, path.key("*"), schema, &faults)
    case .object(let object): check(object, path, schema, &faults)
    case .kinds(let kinds):
      var words: Set<String> = []
      for kind in kinds {
        if !words.insert(kind.word).inserted { faults.append("\(path): kind \(kind.word) twice") }
        if kind.summary.isEmpty { faults.append("\(path): kind \(kind.word) has no summary") }
        if kind.object.field("kind") != nil { faults.append("\(path): kind is reserved") }
        check(kind.object, path, schema, &faults)
      }
    case .word(let words):
      let spellings = words.map(\.spelling)
      if Set(spellings).count < spellings.count { faults.append("\(path): a word twice") }
    default: break
    }
  }
}

extension Shape {
  /// The keys that may stand here, of all kinds; none where the user chooses them.
  fileprivate var keyNames: [String] {
    (kindWords == nil ? [] : ["kind"]) + allFields.map(\.name)
  }

  private var allFields: [Field] {
    switch withoutOptional {
    case .object(let object): object.fields
    case .kinds(let kinds): kinds.flatMap(\.object.fields)
    case .law(let unit): LawTable.kinds(unit).flatMap(\.object.fields)
    default: []
    }
  }

  /// What may stand at a key, by kind.
  fileprivate func below(_ key: String) -> [Shape] {
    if case .map(_, let value, _) = withoutOptional { return [value] }
    if key == "kind", let words = kindWords { return [.word(words)] }
    return allFields.filter { $0.name == key }.map(\.shape)
  }

  /// The words that `kind` may be here.
  var kindWords: [Word]? {
    switch self {
    case .kinds(let kinds): kinds.map { Word($0.word, $0.summary) }
    case .law(let unit): LawTable.kinds(unit).map { Word($0.word, $0.summary) }
    default: nil
    }
  }
}
