/// A value as it was written: the tree that ``YAMLReader`` makes, every part with its place.
///
/// Scalars stay text until the table of keys says what they mean, so `1.10` is never a binary
/// fraction by accident and `no` is never a Boolean. Mappings keep their order and their
/// duplicates.
public struct Node: Hashable, Sendable {
  /// How a scalar was written.
  public enum Style: Hashable, Sendable {
    /// Without quotes.
    case plain
    /// In single or double quotes, or as a block.
    case quoted
  }

  /// One line of a mapping.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public var key: String
    /// Where the key stands.
    public var keyOrigin: Origin
    /// What it is set to.
    public var value: Node

    /// An entry of a mapping.
    public init(key: String, keyOrigin: Origin, value: Node) {
      self.key = key
      self.keyOrigin = keyOrigin
      self.value = value
    }
  }

  /// What a node holds.
  public enum Content: Hashable, Sendable {
    /// Text, not yet read as anything.
    case scalar(String, Style)
    /// A list.
    case sequence([Node])
    /// Keys and values in their written order; a duplicate key stands twice.
    case mapping([Entry])
  }

  /// What stands here.
  public var content: Content
  /// Where it stands.
  public var origin: Origin

  /// A value with its place.
  public init(_ content: Content, origin: Origin) {
    self.content = content
    self.origin = origin
  }

  /// The first value of `key`, when this is a mapping that has it.
  public subscript(key: String) -> Node? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// The scalar's text; nil for lists, mappings and nothing.
  public var text: String? {
    guard case .scalar(let text, _) = content, !isNothing else { return nil }
    return text
  }

  /// True for an empty value, `~` and `null` (YAML 1.2 section 10.3.2).
  public var isNothing: Bool {
    guard case .scalar(let text, .plain) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// True for text in quotes.
  public var isQuoted: Bool {
    if case .scalar(_, .quoted) = content { return true }
    return false
  }

  /// The value in the words of a message: the text, `a list of 3`, `a mapping`, `nothing`.
  public var excerpt: String {
    switch content {
    case .scalar(let text, let style):
      if isNothing { return "nothing" }
      return style == .plain ? Excerpt.oneLine(text) : "\"\(Excerpt.oneLine(text))\""
    case .sequence(let elements): return "a list of \(elements.count)"
    case .mapping: return "a mapping"
    }
  }
}
