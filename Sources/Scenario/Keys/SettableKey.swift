/// A key of a resolved scenario that has one value of its own, and what else may stand there: what
/// somebody can turn.
public struct SettableKey: Sendable {
  /// Why a key path leads to nothing that can be turned.
  public struct Fault: Error, Hashable, Sendable {
    /// The words after `expected` and `got`.
    public var expected, got: String

    public var description: String { "expected \(expected), got \(got)" }
  }

  /// The key path.
  public let path: String
  /// What it means, one line without a full stop.
  public let meaning: String
  /// What the mapping around it is for, likewise; empty at the top.
  public let place: String
  /// Of a list whose elements have names or kinds, the name of the element it is below.
  public let element: String?
  /// The value as the argument of `--set` has it behind the `=`.
  public let text: String
  /// Whether its values lie in an order, as numbers do, and words do not.
  public var isOrdered: Bool {
    switch value {
    case .word, .boolean, .text: false
    default: true
    }
  }
  let value: ResolvedValue
  let shape: Shape

  /// Finds the key of a scenario at a path.
  ///
  /// - Throws: ``Fault`` for a path that is none, and for a key that has others below it.
  public init(_ path: String, in scenario: StudyScenario) throws(Fault) {
    guard let steps = TreePath(parsing: path), !steps.steps.isEmpty else {
      throw Fault(expected: "a key path such as policy.pool.size", got: Excerpt.oneLine(path))
    }
    let tree = scenario.file.tree
    let schema =
      tree.hasKey("world")
      ? WorldKind.named(tree.word("world")).map { WorldTable.schema(of: $0) } : nil
    var walk = Walk(
      node: tree.root, shape: .object((schema ?? ScenarioTable.schema).root), meaning: "",
      place: "", walked: TreePath())
    for step in steps.steps { try walk.take(step) }
    self.path = path
    meaning = walk.meaning
    place = walk.place
    element = walk.element
    shape = walk.shape
    // A distribution that is one value is that value.
    if case .law(_, let form) = walk.node.value, form.fields == nil {
      value = form.value
    } else {
      value = walk.node.value
    }
    text = CanonicalText.plain(ResolvedNode(value: value, origin: walk.node.origin))
  }

  /// The way down to a key.
  private struct Walk {
    var node: ResolvedNode
    var shape: Shape
    var meaning, place: String
    var walked: TreePath
    var element: String?

    mutating func take(_ step: TreePath.Step) throws(Fault) {
      let current = shape.withoutOptional
      switch (step, current, node.value) {
      case (.index(let index), .list(let element, _), .list(let elements)):
        guard elements.indices.contains(index) else {
          throw Fault(expected: "an existing element of \(walked)", got: "\(walked)[\(index)]")
        }
        (node, shape) = (elements[index], element)
        self.element = name
        walked = walked.index(index)
      case (.key(let key), .map(_, let value, _), _):
        guard let child = node.child(key) else { throw missing(key, node.fields ?? []) }
        (node, shape) = (child, value)
        walked = walked.key(key)
      case (.key("kind"), _, _) where current.kindWords != nil:
        guard let child = node.child("kind"), let words = current.kindWords else {
          throw missing("kind", node.fields ?? [])
        }
        (node, shape) = (child, .word(words))
        place = meaning
        walked = walked.key("kind")
      case (.key(let key), _, _):
        guard let child = node.child(key),
          let field = current.fields(kind: kind)?.first(where: { $0.name == key })
        else { throw missing(key, node.fields ?? []) }
        (node, shape) = (child, field.shape)
        (place, meaning) = (meaning, field.summary)
        walked = walked.key(key)
      case (.index, _, _):
        throw Fault(expected: "a list at \(walked)", got: node.excerpt)
      }
    }

    /// What an element of a list is called.
    private var name: String? {
      if case .text(let name) = node.child("name")?.value { return name }
      return kind
    }

    private var kind: String? {
      if case .kind(let word, _) = node.value { return word }
      if case .word(let word) = node.child("kind")?.value { return word }
      return nil
    }

    private func missing(_ key: String, _ fields: [ResolvedField]) -> Fault {
      let here = walked.steps.isEmpty ? "the scenario" : walked.description
      let near = Spelling.nearest(to: key, in: fields.map(\.key))
        .map { " (did you mean \(walked.key($0))?)" }
      return Fault(
        expected: "a key of \(here)",
        got: walked.key(Excerpt.oneLine(key)).description + (near ?? ""))
    }
  }
}

extension CanonicalText {
  /// A value as an argument of `--set` has it: quantities without quotes.
  static func plain(_ node: ResolvedNode) -> String {
    if case .list(let elements) = node.value {
      return "[\(elements.map { plain($0) }.joined(separator: ", "))]"
    }
    switch node.value {
    case .time, .bytes, .bitRate: return display(node)
    default: return flow(node)
    }
  }
}
