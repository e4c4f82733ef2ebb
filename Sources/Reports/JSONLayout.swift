import Scenario

/// JSON for people and `diff`: what fits stays on one line, lists of numbers are filled up, the
/// rest has a line for each element. The text is the same on every run and machine.
enum JSONLayout {
  private static let width = 100

  /// The text, ending in a line feed.
  static func text(_ value: JSONText) -> String {
    var result = ""
    write(value, prefix: 0, indent: 0, to: &result)
    return result + "\n"
  }

  private static func write(
    _ value: JSONText, prefix: Int, indent: Int, to result: inout String
  ) {
    let flat = value.text(indent: 0)
    switch value {
    case .array(let elements) where !fits(flat, prefix):
      if elements.allSatisfy(isScalar) {
        fill(elements, indent: indent, to: &result)
      } else {
        block("[", "]", elements.count, indent: indent, to: &result) { index, result in
          write(elements[index], prefix: indent + 2, indent: indent + 2, to: &result)
        }
      }
    case .object(let members) where !fits(flat, prefix):
      block("{", "}", members.count, indent: indent, to: &result) { index, result in
        let name = JSONText.string(members[index].name).text(indent: 0) + ": "
        result += name
        write(
          members[index].value, prefix: indent + 2 + name.utf8.count, indent: indent + 2,
          to: &result)
      }
    default: result += flat
    }
  }

  private static func fits(_ flat: String, _ prefix: Int) -> Bool {
    flat.utf8.count + prefix < width
  }

  private static func isScalar(_ value: JSONText) -> Bool {
    switch value {
    case .array, .object: false
    default: true
    }
  }

  private static func block(
    _ open: String, _ close: String, _ count: Int, indent: Int, to result: inout String,
    element: (Int, inout String) -> Void
  ) {
    result += open
    for index in 0..<count {
      result += index > 0 ? ",\n" : "\n"
      result += String(repeating: " ", count: indent + 2)
      element(index, &result)
    }
    result += "\n" + String(repeating: " ", count: indent) + close
  }

  private static func fill(_ elements: [JSONText], indent: Int, to result: inout String) {
    let margin = String(repeating: " ", count: indent + 2)
    result += "["
    var column = width
    for (index, element) in elements.enumerated() {
      let text = element.text(indent: 0) + (index + 1 < elements.count ? "," : "")
      if column + text.utf8.count + 1 >= width {
        result += "\n" + margin
        column = margin.utf8.count
      } else {
        result += " "
        column += 1
      }
      result += text
      column += text.utf8.count
    }
    result += "\n" + String(repeating: " ", count: indent) + "]"
  }
}
