/// A value of a resolved scenario with the place it came from. Two are equal when their values are;
/// where they were written does not count.
struct ResolvedNode: Hashable, Sendable {
  var value: ResolvedValue
  var origin: Origin

  static func == (a: ResolvedNode, b: ResolvedNode) -> Bool { a.value == b.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// A key with its value.
struct ResolvedField: Hashable, Sendable {
  var key: String
  var node: ResolvedNode
  /// Whether it says nothing of what is run.
  var isShownOnly = false
  /// Whether it has its default, and the text of the scenario leaves it out then
  /// (``Field/isSaidAtDefault``).
  var isUnsaid = false
}

/// A typed value.
indirect enum ResolvedValue: Hashable, Sendable {
  case time(Int64)
  case bytes(Int64)
  case bitRate(Int64)
  case ratio(Double)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case text(String)
  case word(String)
  case none
  /// The law and the value or mapping it was written as.
  case law(LawSpec, form: ResolvedNode)
  case list([ResolvedNode])
  case map([ResolvedField])
  case object([ResolvedField])
  /// The word and the fields, `kind` first.
  case kind(String, [ResolvedField])
  case variations([Variation])
}

/// Values to try for one key path of the scenario.
public struct Variation: Hashable, Sendable {
  /// The key path.
  public let keyPath: String
  let values: [ResolvedNode]

  /// The values as text for an ``Override``.
  public var texts: [String] { values.map { CanonicalText.flow($0) } }
}

extension ResolvedNode {
  /// The fields of a mapping of any sort.
  var fields: [ResolvedField]? {
    switch value {
    case .object(let fields), .map(let fields), .kind(_, let fields): fields
    case .law(_, let form): form.fields
    default: nil
    }
  }

  func child(_ key: String) -> ResolvedNode? { fields?.first { $0.key == key }?.node }

  /// The value at a path of plain keys; nil where it has quotes or places in lists, or leads
  /// nowhere. Building a scenario asks for some thousand values.
  func descendant(_ path: String) -> ResolvedNode? {
    var path = path
    return path.withUTF8 { bytes -> ResolvedNode? in
      var node = self
      var start = 0
      while true {
        var end = start
        while end < bytes.count, bytes[end] != 0x2E {
          if !TreePath.isPlain(bytes[end]) { return nil }
          end += 1
        }
        if end == start { return nil }
        let key = bytes[start..<end]
        guard
          let field = node.fields?.first(where: { field in
            field.key.utf8.count == key.count && field.key.utf8.elementsEqual(key)
          })
        else { return nil }
        node = field.node
        if end == bytes.count { return node }
        start = end + 1
      }
    }
  }

  /// The number in seconds, bytes, bits per second or plain.
  var magnitude: Double? {
    switch value {
    case .time(let nanoseconds): Double(nanoseconds) / 1e9
    case .bytes(let count), .bitRate(let count), .integer(let count): Double(count)
    case .ratio(let number), .real(let number): number
    default: nil
    }
  }

  /// The value in the words of a message.
  var excerpt: String {
    switch value {
    case .text(let text): "\"\(Excerpt.oneLine(text))\""
    case .list(let elements): "a list of \(elements.count)"
    case .map, .object, .variations: "a mapping"
    case .kind(let word, _): word
    default: CanonicalText.display(self)
    }
  }
}

/// A scenario in which every key of the table has a checked value of its type.
///
/// The accessors take a key path from where this tree is rooted (`""` is the root itself). Asking
/// for a key that the table does not have, or for another type than the table gives it, is a
/// mistake of the program and stops it with the path.
public struct ResolvedTree: Sendable, Hashable {
  let root: ResolvedNode
  /// The key path of the root in the whole scenario; empty for the whole.
  public let path: TreePath

  init(_ root: ResolvedNode, path: TreePath = TreePath()) {
    self.root = root
    self.path = path
  }

  private func node(_ path: String) -> (ResolvedNode, TreePath) {
    guard let relative = TreePath(parsing: path) else {
      preconditionFailure("\(path) is not a key path")
    }
    var node = root
    for step in relative.steps {
      switch step {
      case .key(let key):
        guard let child = node.child(key) else {
          preconditionFailure("the scenario has no \(self.path.appending(relative)) (\(key))")
        }
        node = child
      case .index(let index):
        guard case .list(let elements) = node.value, index < elements.count else {
          preconditionFailure("the scenario has no \(self.path.appending(relative))")
        }
        node = elements[index]
      }
    }
    return (node, self.path.appending(relative))
  }

  /// The same without the path, which only messages need.
  private func value(at path: String) -> ResolvedNode {
    path.isEmpty ? root : root.descendant(path) ?? node(path).0
  }

  private func mismatch(_ path: String, _ wanted: String) -> Never {
    let (node, full) = self.node(path)
    preconditionFailure("\(full) is not \(wanted) but \(node.excerpt)")
  }

  // MARK: Scalars

  /// A time in nanoseconds.
  public func time(_ path: String = "") -> Int64 {
    if case .time(let value) = value(at: path).value { return value }
    mismatch(path, "a time")
  }
  /// A time in nanoseconds, or nil for `none`.
  public func optionalTime(_ path: String = "") -> Int64? { isNone(path) ? nil : time(path) }

  /// A size in bytes.
  public func bytes(_ path: String = "") -> Int64 {
    if case .bytes(let value) = value(at: path).value { return value }
    mismatch(path, "a size")
  }
  /// A size in bytes, or nil for `none`.
  public func optionalBytes(_ path: String = "") -> Int64? { isNone(path) ? nil : bytes(path) }

  /// A bit rate in bits per second.
  public func bitRate(_ path: String = "") -> Int64 {
    if case .bitRate(let value) = value(at: path).value { return value }
    mismatch(path, "a bit rate")
  }
  /// A bit rate in bits per second, or nil for `none`.
  public func optionalBitRate(_ path: String = "") -> Int64? { isNone(path) ? nil : bitRate(path) }

  /// A share from 0 to 1.
  public func ratio(_ path: String = "") -> Double {
    if case .ratio(let value) = value(at: path).value { return value }
    mismatch(path, "a ratio")
  }

  /// A whole number.
  public func integer(_ path: String = "") -> Int64 {
    if case .integer(let value) = value(at: path).value { return value }
    mismatch(path, "a whole number")
  }
  /// A whole number, or nil for `none`.
  public func optionalInteger(_ path: String = "") -> Int64? { isNone(path) ? nil : integer(path) }

  /// A number.
  public func real(_ path: String = "") -> Double {
    if case .real(let value) = value(at: path).value { return value }
    mismatch(path, "a number")
  }
  /// A number, or nil for `none`.
  public func optionalReal(_ path: String = "") -> Double? { isNone(path) ? nil : real(path) }

  /// A whole number of any unit but time: bytes, bits per second.
  func whole(_ path: String = "") -> Int64 {
    switch value(at: path).value {
    case .integer(let value), .bytes(let value), .bitRate(let value): return value
    default: mismatch(path, "a whole number")
    }
  }

  /// A number of any sort but a time: a share, bits per second.
  func number(_ path: String = "") -> Double {
    switch value(at: path).value {
    case .ratio(let value), .real(let value): return value
    default: return Double(whole(path))
    }
  }

  /// `true` or `false`.
  public func boolean(_ path: String = "") -> Bool {
    if case .boolean(let value) = value(at: path).value { return value }
    mismatch(path, "true or false")
  }

  /// A text.
  public func text(_ path: String = "") -> String {
    if case .text(let value) = value(at: path).value { return value }
    mismatch(path, "a text")
  }
  /// A text, or nil for `none`.
  public func optionalText(_ path: String = "") -> String? { isNone(path) ? nil : text(path) }

  /// A word of the table's choice.
  public func word(_ path: String = "") -> String {
    if case .word(let value) = value(at: path).value { return value }
    mismatch(path, "a word")
  }

  /// Whether an optional key is `none`.
  public func isNone(_ path: String = "") -> Bool { value(at: path).value == .none }

  // MARK: Structures

  /// The plug-in that stands here; its keys are below the same path.
  public func kind(_ path: String = "") -> String {
    if case .kind(let word, _) = value(at: path).value { return word }
    mismatch(path, "a mapping with a kind")
  }

  /// A distribution in seconds, bytes, bits per second or plain numbers.
  public func law(_ path: String = "") -> LawSpec {
    if case .law(let law, _) = value(at: path).value { return law }
    mismatch(path, "a law")
  }

  /// The part of the scenario at a path.
  public func at(_ path: String) -> ResolvedTree {
    let (node, full) = self.node(path)
    return ResolvedTree(node, path: full)
  }

  /// The part at a path, or nil for `none`.
  public func optional(_ path: String) -> ResolvedTree? { isNone(path) ? nil : at(path) }

  /// The elements of a list.
  public func elements(_ path: String = "") -> [ResolvedTree] {
    let (node, full) = self.node(path)
    guard case .list(let elements) = node.value else { mismatch(path, "a list") }
    return elements.enumerated().map { ResolvedTree($0.element, path: full.index($0.offset)) }
  }

  /// The keys and values of a mapping whose keys the user chose, in the order of the file.
  public func entries(_ path: String = "") -> [(key: String, value: ResolvedTree)] {
    let (node, full) = self.node(path)
    guard case .map(let fields) = node.value else { mismatch(path, "a mapping of chosen keys") }
    return fields.map { ($0.key, ResolvedTree($0.node, path: full.key($0.key))) }
  }

  /// How many elements a list has, or keys a mapping of chosen keys.
  public func count(_ path: String = "") -> Int {
    switch value(at: path).value {
    case .list(let elements): return elements.count
    case .map(let fields): return fields.count
    case .variations(let variations): return variations.count
    default: mismatch(path, "a list or a mapping of chosen keys")
    }
  }

  /// The key paths to vary and their values.
  public func variations(_ path: String = "") -> [Variation] {
    if case .variations(let variations) = value(at: path).value { return variations }
    mismatch(path, "a mapping of variations")
  }

  /// Whether there is a value at a path of keys.
  public func hasKey(_ path: String) -> Bool {
    guard let relative = TreePath(parsing: path) else { return false }
    var node = root
    for step in relative.steps {
      guard case .key(let key) = step, let child = node.child(key) else { return false }
      node = child
    }
    return true
  }

  // MARK: Places

  /// Where the value was written.
  public func origin(of path: String = "") -> Origin { value(at: path).origin }

  /// The directory that relative paths in this value start from: that of the file it stands in, or
  /// the working directory (empty) for the command line and for defaults.
  public func directory(of path: String = "") -> String {
    FilePath.directory(value(at: path).origin.file ?? "")
  }

  /// A problem with a checked value, to be added to ``Problems``: what the table cannot say, such
  /// as two keys that contradict each other. `got` is the value itself unless given.
  public func problem(
    at path: String = "", expected: String, got: String? = nil, suggestion: String? = nil,
    code: Problem.Code = .inconsistent
  ) -> Problem {
    let (node, full) = self.node(path)
    return Problem(
      code, at: node.origin, keyPath: full.description, expected: expected,
      got: got ?? node.excerpt, suggestion: suggestion)
  }
}
