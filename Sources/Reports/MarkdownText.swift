import Scenario

/// Text from outside as Markdown on GitHub and GitLab that shows it as it is, on one line.
enum MarkdownText {
  /// Text of a cell or a line: no element, no end of the cell, no link or picture, nobody who is
  /// called by `@name`.
  static func plain(_ text: String) -> String {
    var result = ""
    for scalar in VisibleText.escaped(text).unicodeScalars {
      switch scalar {
      case "\n", "\t": result += " "
      case "<": result += "&lt;"
      case "@": result += "&#64;"
      case "&": result += "&amp;"
      case "`": result += "&#96;"
      case "|", "*", "\\": result += "\\" + String(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    // What begins a heading, a list or a definition where the text begins a line of its own.
    if let first = result.unicodeScalars.first, "#+-[~=:".unicodeScalars.contains(first),
      !isNumber(result)
    {
      result = "\\" + result
    }
    return result.replacing("](", with: "]\\(").replacing("://", with: ":\\//")
  }

  /// Text as it is: in a code span nothing is a mention, a link or an element.
  static func code(_ text: String) -> String {
    let plain = VisibleText.escaped(text).replacing("`", with: "'").replacing("\n", with: " ")
    return "`" + plain.replacing("|", with: "\\|") + "`"
  }

  private static func isNumber(_ text: String) -> Bool {
    text.utf8.dropFirst().first.map { (0x30...0x39).contains($0) } ?? false
  }
}
