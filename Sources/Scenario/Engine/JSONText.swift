/// A JSON value whose text is the same on every run and machine (RFC 8259).
///
/// Members keep their order. Integers have no fraction; a `Double` is the shortest decimal that
/// reads back to the same value; NaN and the infinities, which JSON cannot write, become `null`.
public indirect enum JSONText: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONText])
  /// Members in order; the writer does not look for duplicates.
  case object([Member])

  /// One member of an object.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONText

    /// A member.
    public init(_ name: String, _ value: JSONText) {
      self.name = name
      self.value = value
    }
  }

  /// The text with `indent` blanks a level and a line for each element, ending in a line feed; with
  /// 0 on one line without one. Empty lists and objects stay on one line.
  public func text(indent: Int = 2) -> String {
    var result = ""
    write(to: &result, indent: indent, level: 0)
    return indent > 0 ? result + "\n" : result
  }

  private func write(to result: inout String, indent: Int, level: Int) {
    switch self {
    case .null: result += "null"
    case .boolean(let value): result += value ? "true" : "false"
    case .integer(let value): result += value.description
    case .number(let value): result += value.isFinite ? value.description : "null"
    case .string(let value): JSONText.quote(value, into: &result)
    case .array(let elements):
      JSONText.block(
        elements, "[", "]", to: &result, indent: indent, level: level
      ) { element, result in
        element.write(to: &result, indent: indent, level: level + 1)
      }
    case .object(let members):
      JSONText.block(members, "{", "}", to: &result, indent: indent, level: level) {
        member, result in
        JSONText.quote(member.name, into: &result)
        result += indent > 0 ? ": " : ":"
        member.value.write(to: &result, indent: indent, level: level + 1)
      }
    }
  }

  private static func block<Element>(
    _ elements: [Element], _ open: String, _ close: String, to result: inout String, indent: Int,
    level: Int, write: (Element, inout String) -> Void
  ) {
    result += open
    for (position, element) in elements.enumerated() {
      if position > 0 { result += "," }
      if indent > 0 { result += "\n" + String(repeating: " ", count: indent * (level + 1)) }
      write(element, &result)
    }
    if indent > 0 && !elements.isEmpty {
      result += "\n" + String(repeating: " ", count: indent * level)
    }
    result += close
  }

  private static func quote(_ text: String, into result: inout String) {
    result += "\""
    var last: Unicode.Scalar = "\""
    for scalar in text.unicodeScalars {
      defer { last = scalar }
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        // Two number signs in a row may begin a command of the server whose log has the text.
        if VisibleText.isHidden(scalar) || (scalar == "#" && last == "#") {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    result += "\""
  }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Members in the written order.
  public init(dictionaryLiteral elements: (String, JSONText)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// A list.
  public init(arrayLiteral elements: JSONText...) { self = .array(elements) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A Boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
}

/// Short names for contents: the 64-bit FNV-1a hash (Fowler, Noll and Vo; draft-eastlake-fnv). It
/// tells contents apart by accident only; it protects against nobody.
public enum Digest {
  /// FNV-1a over the bytes.
  public static func fnv1a64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes {
      hash ^= UInt64(byte)
      hash = hash &* 0x0000_0100_0000_01B3
    }
    return hash
  }

  /// Eight hexadecimal digits in lower case: both halves of the hash of the UTF-8 text folded by
  /// exclusive or.
  public static func digest8(_ text: String) -> String {
    let hash = fnv1a64(text.utf8)
    let digits = String(UInt32(truncatingIfNeeded: hash ^ (hash >> 32)), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
