/// The one form of a scenario's text: what `firstframe fmt` writes.
///
/// Two blanks a level, lists one level below their key, one blank behind `:`, `-` and `,` and none
/// inside brackets, at most one empty line in a row, no blanks at the end of a line. Order, line
/// ends between values, quotes and all remarks stay; a remark behind a value stays in its column
/// where it is at least two blanks away.
public enum ScenarioFormat {
  /// The text in its one form. It reads as the given text reads, and its own form is itself.
  ///
  /// - Parameter file: its name, for messages.
  /// - Throws: ``ScenarioRejected`` with every problem of the text as YAML, or with what cannot be
  ///   kept: directives, several documents, keys behind `?`, blocks with a stated indentation.
  public static func text(
    _ bytes: [UInt8], file: String
  ) throws(ScenarioRejected) -> String {
    let before = try tree(bytes, file)
    let (formatted, remarks) = try printed(bytes, file)
    let after = try? tree(Array(formatted.utf8), file)
    let again = try? printed(Array(formatted.utf8), file)
    guard let after, before.isAlike(after), let again, again.0 == formatted,
      again.1.map(\.text) == remarks.map(\.text)
    else {
      throw refusal(
        at: .file(file, line: 1, column: 1), "a text whose meaning formatting keeps",
        "one that would read otherwise; it is left as it is")
    }
    return formatted
  }

  private static func tree(_ bytes: [UInt8], _ file: String) throws(ScenarioRejected) -> Node {
    var problems = Problems()
    let node = YAMLReader.read(bytes, file: file, into: &problems)
    guard problems.isEmpty, let node else { throw ScenarioRejected(problems) }
    return node
  }

  private static func printed(
    _ bytes: [UInt8], _ file: String
  ) throws(ScenarioRejected) -> (String, [YAMLRemark]) {
    let text = scalars(bytes)
    guard let tokens = YAMLToken.all(of: text) else {
      throw refusal(
        at: .file(file, line: 1, column: 1), "well-formed YAML", "what its scanner cannot read")
    }
    var printer = FormatPrinter(text, tokens, file)
    return (try printer.document(), printer.remarks)
  }

  /// The scalars without a byte order mark, every line ending in a line feed.
  private static func scalars(_ bytes: [UInt8]) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar == "\u{FEFF}" && result.isEmpty { continue }
      if scalar == "\n" && result.last == "\r" { result.removeLast() }
      result.append(scalar)
    }
    return result.map { $0 == "\r" ? "\n" : $0 }
  }

  static func refusal(at place: Origin, _ expected: String, _ got: String) -> ScenarioRejected {
    var problems = Problems()
    problems.add(Problem(.unformattable, at: place, keyPath: "", expected: expected, got: got))
    return ScenarioRejected(problems)
  }
}

extension Node {
  /// Whether two trees say the same, wherever it stands.
  fileprivate func isAlike(_ other: Node) -> Bool {
    switch (content, other.content) {
    case (.scalar(let a, let style), .scalar(let b, let other)): return a == b && style == other
    case (.sequence(let a), .sequence(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.isAlike($1) }
    case (.mapping(let a), .mapping(let b)):
      return a.count == b.count
        && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.isAlike($1.value) }
    default: return false
    }
  }
}
