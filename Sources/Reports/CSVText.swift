/// Texts as fields of CSV (RFC 4180).
enum CSVText {
  /// A field that reads as the text: in quotes where it would be taken apart.
  static func field(_ text: String) -> String {
    text.contains { ",\"\r\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }
}
