import Scenario

/// Text with elements, for SVG and for HTML written as XML: every element is closed, every
/// attribute quoted, so an XML parser reads it. The bytes depend on the calls alone.
struct Markup: Sendable {
  /// What has been written.
  private(set) var text = ""

  /// An attribute; nil leaves it out.
  typealias Attributes = KeyValuePairs<String, String?>

  /// An element with what `body` writes inside.
  mutating func element(
    _ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void
  ) {
    open(name, attributes)
    text += ">"
    body(&self)
    text += "</\(name)>"
  }

  /// An element that holds text.
  mutating func element(_ name: String, _ attributes: Attributes = [:], text inner: String) {
    open(name, attributes)
    text += ">" + Markup.escaped(inner) + "</\(name)>"
  }

  /// An element without contents.
  mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
    open(name, attributes)
    text += "/>"
  }

  /// Text between elements.
  mutating func write(_ inner: String) { text += Markup.escaped(inner) }

  /// Markup that is already written.
  mutating func raw(_ markup: String) { text += markup }

  /// A line break of the source, for people who read it.
  mutating func line() { text += "\n" }

  private mutating func open(_ name: String, _ attributes: Attributes) {
    text += "<" + name
    for (name, value) in attributes {
      if let value { text += Markup.attribute(name, value) }
    }
  }

  /// An attribute as it stands in a tag, with the blank before it.
  static func attribute(_ name: String, _ value: String) -> String {
    " \(name)=\"\(escaped(value))\""
  }

  /// The text with the five characters of XML replaced, and hidden ones, those that XML 1.0 forbids
  /// (section 2.2) among them, as escapes that a reader sees.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      default:
        if VisibleText.isHidden(scalar) {
          result += VisibleText.escape(scalar)
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}
