/// The one text of a resolved scenario, and its explanation.
enum CanonicalText {
  /// All keys that say what is run, in table order with canonical units; with ``shown(_:)`` behind
  /// it, it reads back to an equal tree.
  static func file(_ node: ResolvedNode) -> String {
    guard case .object(let fields) = node.value else { return text(node) }
    let run = ResolvedValue.object(fields.filter { !$0.isShownOnly })
    return text(ResolvedNode(value: run, origin: node.origin))
  }

  /// The keys at the top that say only what is shown, where they say anything; else nothing.
  static func shown(_ node: ResolvedNode) -> String {
    (node.fields ?? []).filter { field in
      field.isShownOnly && !["[]", "{}", "none"].contains(leaf(field.node))
    }.map { text(ResolvedNode(value: .object([$0]), origin: node.origin)) }.joined()
  }

  private static func text(_ node: ResolvedNode) -> String {
    var lines: [String] = []
    block(node, indent: 0, into: &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text of each key at the top with all that is below it; ``file(_:)`` is all of them.
  static func parts(_ fields: [ResolvedField], known: [TextPart] = []) -> [TextPart] {
    fields.filter { !$0.isShownOnly }.enumerated().map { place, field in
      if place < known.count, known[place].field == field { return known[place] }
      let node = ResolvedNode(value: .object([field]), origin: field.node.origin)
      return TextPart(field: field, text: file(node))
    }
  }

  /// A key at the top and its text.
  struct TextPart {
    let field: ResolvedField
    let text: String
  }

  private static func block(_ node: ResolvedNode, indent: Int, into lines: inout [String]) {
    let margin = String(repeating: " ", count: indent)
    if case .list(let elements) = node.value {
      for element in elements {
        if let text = leaf(element) {
          lines.append("\(margin)- \(text)")
        } else {
          let first = lines.count
          block(element, indent: indent + 2, into: &lines)
          lines[first] = "\(margin)- " + lines[first].dropFirst(indent + 2)
        }
      }
      return
    }
    for field in saidFields(node) {
      let name = "\(margin)\(key(field.key)):"
      if let text = leaf(field.node) {
        lines.append("\(name) \(text)")
      } else {
        lines.append(name)
        block(field.node, indent: indent + 2, into: &lines)
      }
    }
    if case .variations(let variations) = node.value {
      for variation in variations {
        let values = variation.texts.joined(separator: ", ")
        lines.append("\(margin)\(key(variation.keyPath)): [\(values)]")
      }
    }
  }

  /// The fields to write. A law leaves out what is not given.
  static func shownFields(_ node: ResolvedNode) -> [ResolvedField] {
    if case .law(_, let form) = node.value {
      return (form.fields ?? []).filter { $0.node.value != .none }
    }
    return node.fields ?? []
  }

  /// The same without those that a text leaves out at their default.
  private static func saidFields(_ node: ResolvedNode) -> [ResolvedField] {
    shownFields(node).filter { !$0.isUnsaid }
  }

  /// The text when it fits behind a key: a scalar, or an empty list or mapping.
  private static func leaf(_ node: ResolvedNode) -> String? {
    switch node.value {
    case .list(let elements): elements.isEmpty ? "[]" : nil
    case .variations(let variations): variations.isEmpty ? "{}" : nil
    case .law(_, let form) where form.fields == nil: leaf(form)
    case .law, .map, .object, .kind: saidFields(node).isEmpty ? "{}" : nil
    default: scalar(node.value)
    }
  }

  /// The value on one line.
  static func flow(_ node: ResolvedNode) -> String {
    if let text = leaf(node) { return text }
    if case .list(let elements) = node.value {
      return "[\(elements.map { flow($0) }.joined(separator: ", "))]"
    }
    if case .variations(let variations) = node.value {
      let parts = variations.map { "\(key($0.keyPath)): [\($0.texts.joined(separator: ", "))]" }
      return "{\(parts.joined(separator: ", "))}"
    }
    let parts = saidFields(node).map { "\(key($0.key)): \(flow($0.node))" }
    return "{\(parts.joined(separator: ", "))}"
  }

  private static func scalar(_ value: ResolvedValue) -> String {
    switch value {
    case .time(let value): "\"\(Quantity.time.text(value))\""
    case .bytes(let value): "\"\(Quantity.bytes.text(value))\""
    case .bitRate(let value): "\"\(Quantity.bitRate.text(value))\""
    case .ratio(let value), .real(let value): PlainNumber.text(value)
    case .integer(let value): value.description
    case .boolean(let value): value.description
    case .text(let text): quoted(text)
    case .word(let word): key(word)
    case .none: "none"
    default: preconditionFailure("not a scalar: \(value)")
    }
  }

  /// The value for reading: quantities and texts without quotes.
  static func display(_ node: ResolvedNode) -> String {
    switch node.value {
    case .time(let value): Quantity.time.text(value)
    case .bytes(let value): Quantity.bytes.text(value)
    case .bitRate(let value): Quantity.bitRate.text(value)
    case .text(let text): Excerpt.oneLine(text)
    case .law(_, let form) where form.fields == nil: display(form)
    default: flow(node)
    }
  }

  /// A key or word, in quotes when another YAML reader might take it for something else.
  static func key(_ text: String) -> String {
    let reserved: Set<String> = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]
    let isPlain = TextRule.name.accepts(text) && !reserved.contains(text.lowercased())
    return isPlain ? text : quoted(text)
  }

  /// A double-quoted scalar; characters outside the printable set of YAML 1.2 section 5.1 are
  /// escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x0A: result += "\\n"
      case 0x09: result += "\\t"
      case 0x0D: result += "\\r"
      case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
        0x10000...0x10FFFF:
        result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }
}

/// What `explain` prints: key path, value and origin of everything, in columns.
enum Explanation {
  private struct Row {
    var path: String
    var value: String
    var origin: String
  }

  /// Columns no wider than this; a longer entry pushes its own line only.
  private static let widest = 48

  static func text(_ node: ResolvedNode) -> String {
    var rows: [Row] = []
    collect(node, TreePath(), into: &rows)
    let first = min(rows.map(\.path.count).max() ?? 0, widest)
    let second = min(rows.map(\.value.count).max() ?? 0, widest)
    return rows.map { row in
      padded(row.path, first) + "  " + padded(row.value, second) + "  " + row.origin + "\n"
    }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func collect(_ node: ResolvedNode, _ path: TreePath, into rows: inout [Row]) {
    func add(_ path: TreePath, _ value: String, _ origin: Origin) {
      rows.append(Row(path: path.description, value: value, origin: origin.summary))
    }
    switch node.value {
    case .list(let elements):
      if elements.allSatisfy({ $0.magnitude != nil || $0.isWordLike }) {
        let texts = elements.map { CanonicalText.display($0) }
        add(path, "[\(texts.joined(separator: ", "))]", node.origin)
      } else {
        for (index, element) in elements.enumerated() {
          collect(element, path.index(index), into: &rows)
        }
      }
    case .variations(let variations):
      for variation in variations {
        let texts = variation.values.map { CanonicalText.display($0) }
        let origin = variation.values.first?.origin ?? node.origin
        add(path.key(variation.keyPath), "[\(texts.joined(separator: ", "))]", origin)
      }
      if variations.isEmpty { add(path, "{}", node.origin) }
    default:
      let fields = CanonicalText.shownFields(node)
      for field in fields { collect(field.node, path.key(field.key), into: &rows) }
      if fields.isEmpty { add(path, CanonicalText.display(node), node.origin) }
    }
  }
}

extension ResolvedNode {
  fileprivate var isWordLike: Bool {
    switch value {
    case .boolean, .text, .word, .none: true
    default: false
    }
  }
}
