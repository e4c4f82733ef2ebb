/// Lines broken at blanks.
enum TextWrap {
  /// The text in lines of at most `width` characters where its words allow.
  ///
  /// Escape sequences of colours do not count.
  ///
  /// - Parameters:
  ///   - first: what the first line begins with.
  ///   - rest: what the others begin with.
  static func lines(_ text: String, first: String, rest: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, shown(line) + 1 + shown(String(word)) > width {
        lines.append(line)
        line = rest
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  /// Characters that take room on a terminal.
  private static func shown(_ text: String) -> Int {
    var count = 0
    var isEscape = false
    for character in text {
      if character == "\u{1B}" {
        isEscape = true
      } else if isEscape {
        isEscape = character != "m"
      } else {
        count += 1
      }
    }
    return count
  }
}
