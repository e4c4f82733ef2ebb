/// A key whose value differs between two resolved scenarios.
public struct ConfigurationChange: Sendable, Hashable, Codable {
  /// The key path.
  public var key: String
  /// The values as text; nil where the scenario does not have the key, such as one of another
  /// `kind`.
  public var before: String?
  public var after: String?

  public init(key: String, before: String?, after: String?) {
    self.key = key
    self.before = before
    self.after = after
  }

  /// The keys that differ, in the order of the table, but for those that say only what is shown. A
  /// plug-in of another kind is one change: its keys do not mean the same. So is a list of another
  /// length.
  public static func between(_ a: ResolvedTree, _ b: ResolvedTree) -> [ConfigurationChange] {
    var changes: [ConfigurationChange] = []
    collect(a.root, b.root, TreePath(), into: &changes)
    return changes
  }

  private static func collect(
    _ a: ResolvedNode, _ b: ResolvedNode, _ path: TreePath,
    into changes: inout [ConfigurationChange]
  ) {
    if a == b { return }
    switch (a.value, b.value) {
    case (.kind(let left, let before), .kind(let right, let after)) where left == right:
      collect(before, after, path, into: &changes)
    case (.object(let before), .object(let after)), (.map(let before), .map(let after)):
      collect(before, after, path, into: &changes)
    case (.list(let before), .list(let after)) where before.count == after.count:
      for index in before.indices {
        collect(before[index], after[index], path.index(index), into: &changes)
      }
    default:
      changes.append(
        ConfigurationChange(
          key: path.description, before: CanonicalText.flow(a), after: CanonicalText.flow(b)))
    }
  }

  private static func collect(
    _ before: [ResolvedField], _ after: [ResolvedField], _ path: TreePath,
    into changes: inout [ConfigurationChange]
  ) {
    for field in before where !field.isShownOnly {
      let inner = path.key(field.key)
      if let other = after.first(where: { $0.key == field.key }) {
        collect(field.node, other.node, inner, into: &changes)
      } else {
        changes.append(
          ConfigurationChange(
            key: inner.description, before: CanonicalText.flow(field.node), after: nil))
      }
    }
    for field in after where !before.contains(where: { $0.key == field.key }) {
      changes.append(
        ConfigurationChange(
          key: path.key(field.key).description, before: nil,
          after: CanonicalText.flow(field.node)))
    }
  }
}
