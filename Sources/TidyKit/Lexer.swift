/// Takes Swift source apart into tokens and comments.
///
/// Handles nested block comments, raw and multi-line strings, code inside interpolations (which is
/// code again, to any depth), raw identifiers and regular expression literals. It does not parse:
/// a bare `/…/` literal is told from a division by the token before it and a closing slash on the
/// same line.
/// - Complexity: O(n) in the bytes of the file.
public struct Lexer {
  private let bytes: [UInt8]
  private var at = 0
  private var line = 1
  private var output = LexedSource()

  /// The tokens and comments of `bytes`, which is UTF-8 text.
  public static func lex(_ bytes: [UInt8]) -> LexedSource {
    var lexer = Lexer(bytes: bytes)
    lexer.code(insideInterpolation: false)
    return lexer.output
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func peek(_ distance: Int = 0) -> UInt8 {
    at + distance < bytes.count ? bytes[at + distance] : 0
  }

  private mutating func emit(_ kind: Token.Kind, from start: Int, line startLine: Int) {
    output.tokens.append(
      Token(
        kind: kind, text: String(decoding: bytes[start..<at], as: UTF8.self), line: startLine,
        start: start, end: at))
  }

  /// Code up to the end of the file, or up to the parenthesis that closes an interpolation.
  private mutating func code(insideInterpolation: Bool) {
    var depth = 1
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case ascii("\n"):
        line += 1
        at += 1
      case ascii(" "), ascii("\t"), ascii("\r"):
        at += 1
      case ascii("/") where peek(1) == ascii("/"):
        lineComment()
      case ascii("/") where peek(1) == ascii("*"):
        blockComment()
      case ascii("/") where startsBareRegex():
        regex(hashes: 0)
      case ascii("\""):
        string(hashes: 0)
      case ascii("#"):
        hash()
      case ascii("`"):
        rawIdentifier()
      case let digit where isDigit(digit):
        number()
      case let letter where isWordByte(letter):
        word()
      default:
        if insideInterpolation && byte == ascii("(") { depth += 1 }
        if insideInterpolation && byte == ascii(")") { depth -= 1 }
        at += 1
        if insideInterpolation && depth == 0 { return }
        emit(.symbol, from: at - 1, line: line)
      }
    }
  }

  private mutating func word() {
    let start = at
    while isWordByte(peek()) { at += 1 }
    emit(.word, from: start, line: line)
  }

  private mutating func number() {
    let start = at
    let isHex = peek() == ascii("0") && peek(1) == ascii("x")
    while true {
      let byte = peek()
      let exponent = isHex ? ascii("p") : ascii("e")
      if byte | 0x20 == exponent && (peek(1) == ascii("-") || peek(1) == ascii("+")) {
        at += 2
      } else if isWordByte(byte) || (byte == ascii(".") && isDigit(peek(1))) {
        at += 1
      } else {
        break
      }
    }
    emit(.number, from: start, line: line)
  }

  private mutating func rawIdentifier() {
    let start = at
    at += 1
    while at < bytes.count && peek() != ascii("`") && peek() != ascii("\n") { at += 1 }
    if peek() == ascii("`") { at += 1 }
    emit(.word, from: start, line: line)
  }

  private mutating func lineComment() {
    let start = at
    while at < bytes.count && bytes[at] != ascii("\n") { at += 1 }
    output.comments.append(
      Comment(text: String(decoding: bytes[start..<at], as: UTF8.self), line: line))
  }

  private mutating func blockComment() {
    let start = at
    let startLine = line
    var depth = 0
    repeat {
      if peek() == ascii("/") && peek(1) == ascii("*") {
        depth += 1
        at += 2
      } else if peek() == ascii("*") && peek(1) == ascii("/") {
        depth -= 1
        at += 2
      } else {
        if peek() == ascii("\n") { line += 1 }
        at += 1
      }
    } while depth > 0 && at < bytes.count
    at = min(at, bytes.count)
    output.comments.append(
      Comment(text: String(decoding: bytes[start..<at], as: UTF8.self), line: startLine))
  }

  /// `#"…"#`, `#/…/#`, or the `#` of a directive.
  private mutating func hash() {
    var count = 1
    while peek(count) == ascii("#") { count += 1 }
    if peek(count) == ascii("\"") {
      at += count
      string(hashes: count)
    } else if peek(count) == ascii("/") {
      at += count
      regex(hashes: count)
    } else {
      at += 1
      emit(.symbol, from: at - 1, line: line)
    }
  }

  private func hasHashes(_ count: Int, after distance: Int) -> Bool {
    for index in 0..<count where peek(distance + index) != ascii("#") { return false }
    return true
  }

  /// A string literal from its opening quote on; the token holds the literal segments only.
  private mutating func string(hashes: Int) {
    let start = at - hashes
    let startLine = line
    let place = output.tokens.count
    output.tokens.append(Token(kind: .string, text: "", line: line, start: start, end: start))
    let quote = ascii("\"")
    let isMultiline = peek(1) == quote && peek(2) == quote
    at += isMultiline ? 3 : 1
    var content: [UInt8] = []
    while at < bytes.count {
      let byte = bytes[at]
      if byte == quote && (!isMultiline || (peek(1) == quote && peek(2) == quote)) {
        let width = isMultiline ? 3 : 1
        if hasHashes(hashes, after: width) {
          at += width + hashes
          break
        }
      } else if byte == ascii("\\") && hasHashes(hashes, after: 1) {
        if peek(1 + hashes) == ascii("(") {
          at += 2 + hashes
          code(insideInterpolation: true)
        } else {
          content.append(byte)
          at += 1 + hashes
          if peek() != ascii("\n") {
            content.append(peek())
            at += 1
          }
        }
        continue
      }
      if byte == ascii("\n") {
        if !isMultiline { break }
        line += 1
      }
      content.append(byte)
      at += 1
    }
    at = min(at, bytes.count)
    output.tokens[place] = Token(
      kind: .string, text: String(decoding: content, as: UTF8.self), line: startLine, start: start,
      end: at)
    if line > startLine + 1 { output.stringLines.formUnion(startLine + 1..<line) }
  }

  /// Whether the slash here opens a regular expression rather than divides.
  private func startsBareRegex() -> Bool {
    let next = peek(1)
    if next == ascii(" ") || next == ascii("\t") || next == ascii("\n") || next == ascii(")") {
      return false
    }
    if let last = output.tokens.last {
      let opens =
        last.kind == .symbol
        ? "(,=:{[;!&|~?".contains(last.text) : ["return", "in", "case", "try"].contains(last.text)
      if !opens || last.kind == .string { return false }
    }
    var index = at + 1
    while index < bytes.count && bytes[index] != ascii("\n") {
      if bytes[index] == ascii("\\") {
        index += 1
      } else if bytes[index] == ascii("/") {
        return bytes[index - 1] != ascii(" ")
      }
      index += 1
    }
    return false
  }

  private mutating func regex(hashes: Int) {
    let start = at - hashes
    let startLine = line
    at += 1
    while at < bytes.count {
      if peek() == ascii("/") && hasHashes(hashes, after: 1) {
        at += 1 + hashes
        break
      }
      if peek() == ascii("\\") { at += 1 }
      if peek() == ascii("\n") {
        line += 1
        if hashes == 0 { break }
      }
      at += 1
    }
    at = min(at, bytes.count)
    emit(.string, from: start, line: startLine)
  }
}

/// The byte of an ASCII character.
@inline(__always)
func ascii(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: scalar.value) }

func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// Letters, digits, `_`, `$` and every byte of a character beyond ASCII.
func isWordByte(_ byte: UInt8) -> Bool {
  let letter = byte | 0x20
  return (letter >= 0x61 && letter <= 0x7A) || isDigit(byte) || byte == 0x5F || byte == 0x24
    || byte >= 0x80
}
