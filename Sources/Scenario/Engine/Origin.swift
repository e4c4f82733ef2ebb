/// Where a value was written: what a message points at and what `explain` prints.
public enum Origin: Hashable, Sendable {
  /// A scenario file, with 1-based line and column (columns count Unicode scalars).
  case file(String, line: Int, column: Int)
  /// An option of the command line, such as `--set` with the key path it names, or
  /// `--replications`.
  case commandLine(option: String, argument: String)
  /// The table of keys; `source` cites where the default comes from.
  case preset(source: String)

  /// The place in the form that starts a message: `file:line:column`, or the option as typed.
  public var place: String {
    switch self {
    case .file(let file, let line, let column): "\(file):\(line):\(column)"
    case .commandLine(let option, let argument):
      argument.isEmpty ? option : "\(option) \(argument)"
    case .preset(let source): "default (\(source))"
    }
  }

  /// The form `explain` prints: `file:line`, `default (source)`, `--set`.
  public var summary: String {
    switch self {
    case .file(let file, let line, _): "\(file):\(line)"
    case .commandLine(let option, _): option
    case .preset(let source): "default (\(source))"
    }
  }

  /// The file, when the value was written in one.
  public var file: String? {
    if case .file(let file, _, _) = self { return file }
    return nil
  }
}

/// A place in a scenario: `policy.prefetch.itemsAhead`, `budgets[2].limit`,
/// `sweep."policy.prefetch.itemsAhead"`.
///
/// A key that is not made of letters, digits, `_` and `-` alone stands in double quotes.
public struct TreePath: Hashable, Sendable, CustomStringConvertible {
  /// One step down the tree.
  public enum Step: Hashable, Sendable {
    /// Into a mapping.
    case key(String)
    /// Into a list, counted from 0.
    case index(Int)
  }

  /// The steps from the top; none for the whole file.
  public var steps: [Step]

  /// A path of the given steps.
  public init(_ steps: [Step] = []) { self.steps = steps }

  /// Reads the written form; nil when it is not one. The empty text is the whole file.
  public init?(parsing text: String) {
    steps = []
    if let keys = TreePath.plainKeys(text) {
      steps = keys
      return
    }
    // By scalars: a mark that combines with a quote or a dot does not hide it.
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      if first == "[" {
        guard let close = rest.firstIndex(of: "]") else { return nil }
        let digits = Substring(rest[rest.index(after: rest.startIndex)..<close])
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
          let index = Int(digits)
        else { return nil }
        steps.append(.index(index))
        rest = rest[rest.index(after: close)...]
        continue
      }
      if !steps.isEmpty {
        if first != "." { return nil }
        rest = rest.dropFirst()
      }
      guard let key = TreePath.takeKey(&rest) else { return nil }
      steps.append(.key(key))
    }
  }

  /// The keys of a path that is made of nothing else and has no quotes; nil for another one.
  private static func plainKeys(_ text: String) -> [Step]? {
    var keys: [Step] = []
    for key in text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false) {
      if key.isEmpty || !key.allSatisfy({ isPlain($0) }) { return nil }
      keys.append(.key(String(Substring(key))))
    }
    return keys
  }

  /// Whether a byte of a key needs no quotes.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
    default: byte >= 0x80
    }
  }

  private static func takeKey(_ rest: inout Substring.UnicodeScalarView) -> String? {
    if rest.first != "\"" {
      let key = rest.prefix { $0 != "." && $0 != "[" && $0 != "\"" && $0 != "]" }
      rest = rest[key.endIndex...]
      return key.isEmpty ? nil : String(Substring(key))
    }
    rest = rest.dropFirst()
    var key = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return String(key) }
      if scalar == "\\" {
        guard let escaped = rest.popFirst() else { return nil }
        key.append(escaped)
      } else {
        key.append(scalar)
      }
    }
    return nil
  }

  /// The path one key further down.
  public func key(_ key: String) -> TreePath { TreePath(steps + [.key(key)]) }
  /// The path one list element further down.
  public func index(_ index: Int) -> TreePath { TreePath(steps + [.index(index)]) }
  /// This path followed by `other`.
  public func appending(_ other: TreePath) -> TreePath { TreePath(steps + other.steps) }

  /// The written form; empty for the whole file.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key):
        if !text.isEmpty { text += "." }
        text += TreePath.isPlain(key) ? key : TreePath.quoted(key)
      }
    }
    return text
  }

  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { isPlain($0) }
  }

  private static func quoted(_ key: String) -> String {
    var text = "\"".unicodeScalars
    for scalar in key.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text.append("\\") }
      text.append(scalar)
    }
    text.append("\"")
    return String(text)
  }
}

/// Text of the input made fit for one line of a message.
public enum Excerpt {
  /// Tabs and line ends become spaces and hidden characters escapes (``VisibleText``); more than
  /// `limit` characters end in `…`.
  public static func oneLine(_ text: String, limit: Int = 60) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit { return result + "…" }
      if [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029].contains(scalar.value) {
        result += " "
      } else if VisibleText.isHidden(scalar) {
        result += VisibleText.escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
      count += 1
    }
    return result
  }
}
