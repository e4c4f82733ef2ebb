/// What a scenario says of itself, with what was changed after it was said.
///
/// A description that was inherited, or whose scenario had keys set on the command line, would
/// claim what need not hold any more ("on Wi-Fi" over a variant on LTE). It keeps its words and
/// names the keys that differ from what was described; the seed and the number of replications
/// are no part of what is described.
enum ScenarioDescription {
  /// Keys that a description names at most.
  private static let most = 4
  /// Keys whose change leaves a description true.
  private static let neutral: Set<String> = [
    "version", "name", "description", "seed", "replications", "extends", "whatIf",
  ]

  /// The text of the key `description`, and the keys that were changed after it.
  static func text(_ file: ScenarioFile, overrides: [Override]) -> String {
    let text = file.tree.text("description")
    guard let described = file.tree.origin(of: "description").file else { return text }
    let above = file.files.prefix { $0 != described }
    var keys = file.keys(writtenIn: Set(above))
    keys += overrides.filter { $0.option == "--set" }.map { short($0.keyPath) }
    var seen: Set<String> = []
    let changed = keys.filter { !neutral.contains($0) && seen.insert($0).inserted }
    if changed.isEmpty { return text }
    let rest = changed.count - most
    let names = changed.prefix(most).joined(separator: ", ")
    return "\(text) (changed: \(names)\(rest > 0 ? " and \(rest) more" : ""))"
  }

  /// The key without places in lists: a list changes as a whole.
  fileprivate static func short(_ path: String) -> String { String(path.prefix { $0 != "[" }) }
}

extension ScenarioFile {
  /// The keys that files wrote, in the order of the table of keys, without places in lists.
  fileprivate func keys(writtenIn files: Set<String>) -> [String] {
    if files.isEmpty { return [] }
    var keys: [String] = []
    func visit(_ node: ResolvedNode, _ path: TreePath) {
      if case .list = node.value {
      } else {
        let fields = CanonicalText.shownFields(node)
        if !fields.isEmpty {
          for field in fields { visit(field.node, path.key(field.key)) }
          return
        }
      }
      guard let file = node.origin.file, files.contains(file) else { return }
      keys.append(ScenarioDescription.short(path.description))
    }
    visit(tree.root, TreePath())
    return keys
  }
}
