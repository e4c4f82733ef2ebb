/// JSON as the protocol of policies has it (RFC 8259): its numbers are whole, and an object has
/// each key once.
enum PolicyJSON: Equatable {
  case null
  case flag(Bool)
  case number(Int64)
  case text(String)
  case list([PolicyJSON])
  case object([(key: String, value: PolicyJSON)])

  static func == (a: PolicyJSON, b: PolicyJSON) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.flag(let x), .flag(let y)): return x == y
    case (.number(let x), .number(let y)): return x == y
    case (.text(let x), .text(let y)): return x == y
    case (.list(let x), .list(let y)): return x == y
    case (.object(let x), .object(let y)):
      return x.count == y.count && zip(x, y).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    default: return false
    }
  }

  /// Lists and objects in each other at most.
  private static let deepest = 8

  /// Reads a text; nil for what is none, or goes on behind its end.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = Reader(bytes: bytes, place: bytes.startIndex)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipBlanks()
    if reader.place != bytes.endIndex { return nil }
    self = value
  }

  subscript(key: String) -> PolicyJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The keys of an object, in their order.
  var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.key)
  }

  var number: Int64? {
    if case .number(let value) = self { return value }
    return nil
  }

  var text: String? {
    if case .text(let value) = self { return value }
    return nil
  }

  var list: [PolicyJSON]? {
    if case .list(let values) = self { return values }
    return nil
  }

  private struct Reader {
    let bytes: ArraySlice<UInt8>
    var place: Int

    mutating func skipBlanks() {
      while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
        place += 1
      }
    }

    var peek: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

    mutating func take(_ byte: Character) -> Bool {
      guard peek == byte.asciiValue else { return false }
      place += 1
      return true
    }

    mutating func take(word: String) -> Bool {
      guard bytes[place...].starts(with: word.utf8) else { return false }
      place += word.utf8.count
      return true
    }

    mutating func value(depth: Int) -> PolicyJSON? {
      skipBlanks()
      guard let first = peek, depth <= PolicyJSON.deepest else { return nil }
      switch first {
      case UInt8(ascii: "{"): return object(depth: depth)
      case UInt8(ascii: "["): return list(depth: depth)
      case UInt8(ascii: "\""): return string().map { .text($0) }
      case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
      case UInt8(ascii: "t"): return take(word: "true") ? .flag(true) : nil
      case UInt8(ascii: "f"): return take(word: "false") ? .flag(false) : nil
      default: return number().map { .number($0) }
      }
    }

    private mutating func object(depth: Int) -> PolicyJSON? {
      place += 1
      var members: [(key: String, value: PolicyJSON)] = []
      skipBlanks()
      if take("}") { return .object([]) }
      while true {
        skipBlanks()
        guard peek == UInt8(ascii: "\""), let key = string() else { return nil }
        skipBlanks()
        if members.contains(where: { $0.key == key }) || !take(":") { return nil }
        guard let value = value(depth: depth + 1) else { return nil }
        members.append((key, value))
        skipBlanks()
        if take("}") { return .object(members) }
        if !take(",") { return nil }
      }
    }

    private mutating func list(depth: Int) -> PolicyJSON? {
      place += 1
      var values: [PolicyJSON] = []
      skipBlanks()
      if take("]") { return .list([]) }
      while true {
        guard let value = value(depth: depth + 1) else { return nil }
        values.append(value)
        skipBlanks()
        if take("]") { return .list(values) }
        if !take(",") { return nil }
      }
    }

    private mutating func number() -> Int64? {
      let begin = place
      _ = take("-")
      let digits = place
      while let byte = peek, (0x30...0x39).contains(byte) { place += 1 }
      if place == digits || (bytes[digits] == 0x30 && place - digits > 1) { return nil }
      if let byte = peek, byte == 0x2E || byte | 0x20 == 0x65 { return nil }
      return Int64(String(decoding: bytes[begin..<place], as: UTF8.self))
    }

    private mutating func string() -> String? {
      place += 1
      var text: [UInt8] = []
      while let byte = peek {
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let scalar = escape() else { return nil }
          text += Array(String(Character(scalar)).utf8)
        case 0..<0x20: return nil
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
      guard let byte = peek else { return nil }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
      case UInt8(ascii: "b"): return "\u{8}"
      case UInt8(ascii: "f"): return "\u{C}"
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"): return unicode()
      default: return nil
      }
    }

    private mutating func unicode() -> Unicode.Scalar? {
      guard let high = fourDigits() else { return nil }
      guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
      guard take("\\"), take("u"), let low = fourDigits(), (0xDC00..<0xE000).contains(low) else {
        return nil
      }
      return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func fourDigits() -> UInt32? {
      guard bytes.endIndex - place >= 4 else { return nil }
      let text = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      guard text.allSatisfy(\.isHexDigit), text.utf8.count == 4 else { return nil }
      place += 4
      return UInt32(text, radix: 16)
    }
  }
}
