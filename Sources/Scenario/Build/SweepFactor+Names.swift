extension SweepFactor {
  /// The value as reports show it: of mappings with a kind the kind, and of their other keys those
  /// that differ between the factor's values of that kind; its name where that differs.
  public func name(of value: String) -> String {
    guard let fields = SweepFactor.fields(value), let kind = fields.first?.value else {
      return value
    }
    let alike = values.compactMap(SweepFactor.fields).filter { $0.first?.value == kind }
    let different = fields.dropFirst().filter { field in
      alike.contains { other in !other.contains { $0 == field } }
    }
    if let named = different.first(where: { $0.key == "name" }) { return named.value }
    return ([kind] + different.map { "\($0.key) \($0.value)" }).joined(separator: ", ")
  }

  /// The fields of a mapping with a kind, the kind first; of a list of one such mapping its own.
  /// Nil for anything else.
  private static func fields(_ text: String) -> [(key: String, value: String)]? {
    var inside = Substring(text)
    if inside.hasPrefix("[") && inside.hasSuffix("]") { inside = inside.dropFirst().dropLast() }
    guard inside.hasPrefix("{kind: "), inside.hasSuffix("}") else { return nil }
    inside = inside.dropFirst().dropLast()
    var pieces = [""]
    var depth = 0
    for character in inside {
      if "{[".contains(character) { depth += 1 }
      if "}]".contains(character) { depth -= 1 }
      // More than one mapping.
      if depth < 0 { return nil }
      if character == "," && depth == 0 {
        pieces.append("")
      } else if character != "\"" {
        pieces[pieces.count - 1].append(character)
      }
    }
    return pieces.map { piece in
      let parts = piece.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }
}
