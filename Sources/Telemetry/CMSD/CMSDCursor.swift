/// Goes through the members of a structured field (RFC 8941 section 4.2), as far as Common Media
/// Server Data has them: items and pairs, no inner lists.
struct CMSDCursor {
  /// A bare item.
  enum Value: CustomStringConvertible {
    case number(Double)
    case flag(Bool)
    /// A string without its marks, or a token.
    case text(ArraySlice<UInt8>)

    var description: String {
      switch self {
      case .number(let number): "\(number)"
      case .flag(let isOn): isOn ? "?1" : "?0"
      case .text(let text): CMSDCursor.shown(text)
      }
    }
  }

  private let bytes: ArraySlice<UInt8>
  private(set) var place: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
    skipSpace()
  }

  var isAtEnd: Bool { place >= bytes.endIndex }

  private var next: UInt8? { isAtEnd ? nil : bytes[place] }

  mutating func take(_ byte: UInt8) -> Bool {
    if next != byte { return false }
    place += 1
    return true
  }

  mutating func skipBlanks() { while next == 0x20 { place += 1 } }

  private mutating func skipSpace() { while next == 0x20 || next == 0x09 { place += 1 } }

  /// Whether a member ends here; then the next one begins here.
  mutating func endsMember() -> Bool {
    skipSpace()
    if isAtEnd { return true }
    if next != 0x2C { return false }
    place += 1
    skipSpace()
    return true
  }

  /// Lower-case letters, digits, `_`, `-`, `.` and `*`, not beginning with a digit.
  mutating func key() -> ArraySlice<UInt8>? {
    let start = place
    guard let first = next, first == 0x2A || 0x61...0x7A ~= first else { return nil }
    while let byte = next, CMSDCursor.isOfKey(byte) { place += 1 }
    return bytes[start..<place]
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x30...0x39, 0x5F, 0x2D, 0x2E, 0x2A: true
    default: false
    }
  }

  /// What follows a key: a value after `=`, or true.
  mutating func assigned() -> Value? { take(0x3D) ? bare() : .flag(true) }

  /// The name of a server: a string, a token, or the value of a pair.
  mutating func serverName() -> ArraySlice<UInt8>? {
    let start = place
    if key() != nil, take(0x3D) {
      if case .text(let text)? = bare() { return text }
      return nil
    }
    place = start
    if case .text(let text)? = bare() { return text }
    return nil
  }

  /// Passes over the parameters of an item; false when they are none.
  mutating func skipsParameters() -> Bool {
    while take(0x3B) {
      skipBlanks()
      if key() == nil || assigned() == nil { return false }
    }
    return true
  }

  // MARK: Items

  mutating func bare() -> Value? {
    guard let first = next else { return nil }
    switch first {
    case 0x22: return string()
    case 0x3F: return boolean()
    case 0x2D, 0x30...0x39: return number()
    case 0x2A, 0x41...0x5A, 0x61...0x7A: return token()
    default: return nil
    }
  }

  private mutating func string() -> Value? {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      place += 1
      switch byte {
      case 0x22: return .text(text[...])
      case 0x5C:
        guard let escaped = next, escaped == 0x22 || escaped == 0x5C else { return nil }
        text.append(escaped)
        place += 1
      case 0x20..<0x7F: text.append(byte)
      default: return nil
      }
    }
    return nil
  }

  private mutating func boolean() -> Value? {
    place += 1
    if take(0x31) { return .flag(true) }
    return take(0x30) ? .flag(false) : nil
  }

  /// At most fifteen digits, or twelve and three after a point.
  private mutating func number() -> Value? {
    let isNegative = take(0x2D)
    var (whole, digits) = (0.0, 0)
    while let byte = next, 0x30...0x39 ~= byte {
      whole = whole * 10 + Double(byte - 0x30)
      digits += 1
      place += 1
      if digits > 15 { return nil }
    }
    if digits == 0 { return nil }
    if take(0x2E) {
      var (scale, count) = (1.0, 0)
      while let byte = next, 0x30...0x39 ~= byte {
        scale *= 10
        whole = whole * 10 + Double(byte - 0x30)
        count += 1
        place += 1
        if count > 3 { return nil }
      }
      if count == 0 || digits > 12 { return nil }
      whole /= scale
    }
    return .number(isNegative ? -whole : whole)
  }

  private mutating func token() -> Value? {
    let start = place
    while let byte = next, CMSDCursor.isOfToken(byte) { place += 1 }
    return .text(bytes[start..<place])
  }

  /// `tchar` of RFC 9110 section 5.6.2, `:` and `/`.
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D...0x2F, 0x3A, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  // MARK: Members that are none

  /// Goes to the next member, after a comma outside quotation marks; what was there, for a message.
  mutating func restOfMember(from start: Int) -> String {
    place = start
    var isQuoted = false
    while let byte = next {
      if byte == 0x22 { isQuoted.toggle() }
      if byte == 0x5C && isQuoted && place + 1 < bytes.endIndex { place += 1 }
      if byte == 0x2C && !isQuoted { break }
      place += 1
    }
    let member = bytes[start..<place]
    if take(0x2C) { skipSpace() }
    return CMSDCursor.shown(member)
  }

  /// At most so many bytes of a text, anything but printable ASCII as a question mark.
  static func shown(_ text: ArraySlice<UInt8>) -> String {
    let most = 40
    let plain = text.prefix(most).map { 0x20..<0x7F ~= $0 ? $0 : 0x3F }
    let shown = String(decoding: plain, as: UTF8.self)
    return shown.isEmpty ? "nothing" : text.count > most ? shown + "…" : shown
  }
}
