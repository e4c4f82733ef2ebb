/// A comment that accepts a finding: `tidy:allow <rule> because <reason>`, on the finding's line or
/// the line before it.
struct Allow {
  let line: Int
  let rule: String
  let reason: String

  static let marker = "tidy" + ":allow"

  /// Reads the text after the marker; nil when the rule, `because` or the reason is missing.
  init?(line: Int, text: Substring) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count >= 3, words[1] == "because" else { return nil }
    self.line = line
    rule = String(words[0])
    reason = words[2...].joined(separator: " ")
  }

  /// The text after the marker of every allow comment in the file, with its line.
  static func texts(
    in source: SourceText, _ lexed: LexedSource?
  ) -> [(line: Int, text: Substring)] {
    if let lexed {
      return lexed.comments.compactMap { comment in
        let body = comment.text.drop { $0 == "/" || $0 == "*" || $0 == " " }
        guard body.hasPrefix(marker) else { return nil }
        return (comment.line, strip(body.dropFirst(marker.count), ending: "*/"))
      }
    }
    let opening = source.kind == .markdown ? "<!-- " + marker : "# " + marker
    let needle = Array(opening.utf8)
    var found: [(line: Int, text: Substring)] = []
    for (index, line) in source.lines.enumerated() {
      guard let place = firstPlace(of: needle, in: line) else { continue }
      let rest = String(decoding: line[(place + needle.count)...], as: UTF8.self)
      found.append((index + 1, strip(rest[...], ending: "-->")))
    }
    return found
  }

  private static func strip(_ text: Substring, ending: String) -> Substring {
    text.hasSuffix(ending) ? text.dropLast(ending.count) : text
  }

  private static func firstPlace(of needle: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
    guard line.count >= needle.count else { return nil }
    for place in line.startIndex...(line.endIndex - needle.count)
    where line[place] == needle[0] && line[place..<place + needle.count].elementsEqual(needle) {
      return place
    }
    return nil
  }
}
