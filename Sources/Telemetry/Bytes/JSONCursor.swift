import Scenario

/// Reads JSON (RFC 8259) front to back without building a tree.
struct JSONCursor {
  let text: TextSpan
  private(set) var index = 0

  /// The deepest nesting that is passed over.
  static let depth = JSONReader.Limits.depth

  init(_ text: TextSpan) { self.text = text }

  /// A string between its quotation marks.
  struct Text {
    var start: Int
    var count: Int
    var hasEscapes: Bool
  }

  @inline(__always)
  mutating func skipBlanks() {
    while index < text.count {
      let byte = text.base[index]
      if byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D { return }
      index += 1
    }
  }

  /// The next byte that is not blank, without using it up; 0 at the end.
  var next: UInt8 {
    mutating get {
      skipBlanks()
      return text[index]
    }
  }

  /// Uses up a byte if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    if next != byte || index >= text.count { return false }
    index += 1
    return true
  }

  mutating func string() -> Text? {
    if !take(0x22) { return nil }
    let start = index
    var hasEscapes = false
    while index < text.count {
      let byte = text.base[index]
      if byte == 0x22 {
        index += 1
        return Text(start: start, count: index - 1 - start, hasEscapes: hasEscapes)
      }
      if byte < 0x20 { return nil }
      if byte == 0x5C {
        hasEscapes = true
        index += 1
      }
      index += 1
    }
    return nil
  }

  /// A number or a word up to what ends a value; nil when nothing stands there.
  mutating func bare() -> TextSpan? {
    skipBlanks()
    let start = index
    while index < text.count {
      switch text.base[index] {
      case 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45: index += 1
      default: return index == start ? nil : text.part(start, index)
      }
    }
    return index == start ? nil : text.part(start, index)
  }

  /// Passes over a value of any kind.
  mutating func skip(_ depth: Int = 0) -> Bool {
    if depth > JSONCursor.depth { return false }
    switch next {
    case 0x22: return string() != nil
    case 0x7B:
      index += 1
      if take(0x7D) { return true }
      while true {
        guard string() != nil, take(0x3A), skip(depth + 1) else { return false }
        if take(0x2C) { continue }
        return take(0x7D)
      }
    case 0x5B:
      index += 1
      if take(0x5D) { return true }
      while true {
        if !skip(depth + 1) { return false }
        if take(0x2C) { continue }
        return take(0x5D)
      }
    default:
      guard let word = bare() else { return false }
      return word.equals("true") || word.equals("false") || word.equals("null")
        || TextNumber.real(word) != nil
    }
  }
}
