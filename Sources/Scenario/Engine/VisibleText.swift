/// Text from outside made fit to be seen: what a reader would not see, and what would change how
/// the rest is seen, stands there as an escape.
public enum VisibleText {
  /// Whether a character is shown as an escape wherever it comes from: control characters other
  /// than tabs and line feeds, line and paragraph separators, what turns the direction of text
  /// (Unicode Standard Annex 9, section 2), marks of byte order and annotations, and tag
  /// characters.
  public static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF,
      0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// The first control character of a text other than tabs and line ends; nil without one.
  static func firstControl(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: false
      case 0x00...0x1F, 0x7F...0x9F: true
      default: false
      }
    }
  }

  /// `\u{1B}`, as Swift writes it.
  public static func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }

  /// The text with escapes in the place of hidden characters.
  public static func escaped(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: isHidden) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Text for a terminal or the log of a CI server: hidden characters as escapes, and a backslash
  /// in what a server would take for a command of its own, `::` at the start of a line (GitHub,
  /// after blanks too), and `##[`, `##vso[` and `##teamcity[` anywhere.
  ///
  /// - Parameter color: whether the styles that reports use (SGR 0, 1, 2, 31 to 33 and 35) are left
  ///   as they are.
  public static func terminal(_ text: String, color: Bool) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    var isAtStart = true
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      if color, let length = styleLength(scalars, index) {
        result.unicodeScalars.append(contentsOf: scalars[index..<(index + length)])
        index += length
        continue
      }
      if isHidden(scalar) {
        result += escape(scalar)
        isAtStart = false
      } else {
        if isAtStart && scalar == ":" && index + 1 < scalars.count && scalars[index + 1] == ":" {
          result += "\\"
        }
        result.unicodeScalars.append(scalar)
        if scalar == "#" && isCommand(scalars, index) { result += "\\" }
        // What the server's own language calls blank is passed over, too.
        isAtStart = scalar == "\n" || (isAtStart && scalar.properties.isWhitespace)
      }
      index += 1
    }
    return result
  }

  /// The length of a style that begins at a place; nil for anything else.
  private static func styleLength(_ scalars: [Unicode.Scalar], _ index: Int) -> Int? {
    guard scalars[index].value == 0x1B, index + 3 < scalars.count, scalars[index + 1] == "[" else {
      return nil
    }
    let words: [[Unicode.Scalar]] = [
      ["0", "m"], ["1", "m"], ["2", "m"], ["3", "1", "m"], ["3", "2", "m"], ["3", "3", "m"],
      ["3", "5", "m"],
    ]
    let rest = scalars[(index + 2)...]
    return words.first { rest.starts(with: $0) }.map { $0.count + 2 }
  }

  /// Whether `##`, letters and a bracket begin at a place.
  private static func isCommand(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    guard index + 2 < scalars.count, scalars[index + 1] == "#" else { return false }
    let end = scalars[(index + 2)...].prefix(12).first { !("a"..."z").contains($0) }
    return end == "["
  }
}
