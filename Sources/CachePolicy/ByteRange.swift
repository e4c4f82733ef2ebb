/// The part of a representation that a `Range` field asks for.
///
/// One range of bytes only: a field with several, of another unit, or malformed is overlooked, as
/// RFC 9110 section 14.2 allows.
public enum ByteRange: Sendable, Equatable {
  /// The whole: there is no range to act on.
  case whole
  /// These bytes, at least one.
  case part(Range<Int64>)
  /// Nothing of it exists: 416.
  case unsatisfiable

  /// What the field asks for of a representation of `length` bytes (RFC 9110 section 14.1.2).
  public static func parse(_ field: UnsafeBufferPointer<UInt8>, length: Int64) -> ByteRange {
    var text = FieldText(field)
    text.skipBlanks()
    guard text.take(word: "bytes="), let asked = takeRange(&text) else { return .whole }
    text.skipBlanks()
    if !text.isAtEnd { return .whole }
    switch asked {
    case .suffix(let count):
      if count == 0 || length == 0 { return .unsatisfiable }
      return .part(max(0, length - count)..<length)
    case .from(let first, let last):
      if let last, last < first { return .whole }
      if first >= length { return .unsatisfiable }
      return .part(first..<min(length, (last ?? length - 1) + 1))
    }
  }

  private enum Asked {
    case suffix(Int64)
    case from(Int64, last: Int64?)
  }

  private static func takeRange(_ text: inout FieldText) -> Asked? {
    text.skipBlanks()
    let first = takeNumber(&text)
    guard text.take(UInt8(ascii: "-")) else { return nil }
    let last = takeNumber(&text)
    if let first { return .from(first, last: last) }
    return last.map(Asked.suffix)
  }

  /// Positions are held at 2^62, far above any length.
  private static func takeNumber(_ text: inout FieldText) -> Int64? {
    let start = text.position
    while let byte = text.next, byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
      text.position += 1
    }
    return FieldText.decimal(text.bytes, start..<text.position, limit: 1 << 62)
  }
}
