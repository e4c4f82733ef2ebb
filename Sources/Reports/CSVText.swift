import Scenario

/// Texts as fields of CSV (RFC 4180).
enum CSVText {
  /// A field that reads as the text, but for hidden characters, which are escapes: in quotes where
  /// it would be taken apart, and behind an apostrophe where a spreadsheet would compute it.
  static func field(_ text: String) -> String {
    var text = VisibleText.escaped(text)
    if isFormula(text) { text = "'" + text }
    // Character by character, a carriage return before a line feed would be neither.
    let isCut = text.utf8.contains { [0x2C, 0x22, 0x0D, 0x0A].contains($0) }
    return isCut ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }

  /// Whether a spreadsheet takes it for a formula. A sign before digits is a number or a quantity,
  /// as long as nothing in it calls or computes.
  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    switch first {
    case 0x3D, 0x40, 0x09: return true
    case 0x2B, 0x2D:
      let rest = text.utf8.dropFirst()
      let isQuantity = rest.first.map { (0x30...0x39).contains($0) || $0 == 0x2E } ?? true
      return !isQuantity || rest.contains { [0x28, 0x21, 0x7C, 0x2B, 0x2A, 0x3D].contains($0) }
    default: return false
    }
  }
}
