import Scenario

/// Text that a POSIX shell reads back (POSIX.1-2024, Shell Command Language, 2.2 Quoting).
public enum ShellText {
  /// The words as a command on one line.
  public static func command(_ words: [String]) -> String {
    words.map { quoted($0) }.joined(separator: " ")
  }

  /// The words as a command on lines of at most `width` columns: a backslash at the end of a line
  /// makes the shell read on. A word that is longer than a line is cut between its characters and
  /// goes on at the start of the next line, which the shell puts together again.
  ///
  /// - Parameter indent: in front of the lines, but for those that go on with a word.
  /// - Precondition: `width` leaves at least twenty columns for the words.
  public static func lines(_ words: [String], width: Int, indent: String) -> [String] {
    precondition(width >= indent.count + 20, "\(width) columns are too few for a command")
    // The last two columns of a line are for the blank and the backslash.
    let room = width - 2
    var lines: [String] = []
    var line = indent
    var isEmpty = true
    for (place, word) in words.enumerated() {
      var text = quoted(word)
      // An option and its value stay together where a line has room for both.
      var unit = text.count
      if word.hasPrefix("--"), place + 1 < words.count, !words[place + 1].hasPrefix("--") {
        let both = unit + 1 + quoted(words[place + 1]).count
        if indent.count + 2 + both <= room { unit = both }
      }
      if !isEmpty && line.count + 1 + unit > room {
        lines.append(line + " \\")
        line = indent + "  "
        isEmpty = true
      }
      var rest = Substring(word)
      while line.count + (isEmpty ? 0 : 1) + text.count > room {
        var cut = rest
        while line.count + quoted(String(cut)).count > room { cut = cut.dropLast() }
        lines.append(line + quoted(String(cut)) + "\\")
        line = ""
        rest = rest.dropFirst(cut.count)
        text = quoted(String(rest))
      }
      line += (isEmpty ? "" : " ") + text
      isEmpty = false
    }
    return lines + [line]
  }

  /// In dollar-single-quotes (2.2.4), with hidden characters as their bytes.
  private static func escaped(_ word: String) -> String {
    var result = "$'"
    for scalar in word.unicodeScalars {
      if VisibleText.isHidden(scalar) {
        result += String(scalar).utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
          .joined()
      } else {
        if scalar == "'" || scalar == "\\" { result += "\\" }
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_-./,:=%+@".utf8.contains(byte)
        }
      }
    if word.unicodeScalars.contains(where: VisibleText.isHidden) { return escaped(word) }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
