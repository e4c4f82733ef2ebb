import MediaUnits

/// Reads the text of one header field, byte by byte. Never reads past its end.
struct FieldText {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The next byte to read.
  var position: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    position = 0
  }

  var isAtEnd: Bool { position >= bytes.count }

  /// The next byte; nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Passes over the byte if it is the next one.
  mutating func take(_ byte: UInt8) -> Bool {
    if next != byte { return false }
    position += 1
    return true
  }

  /// Passes over blanks and tabs (RFC 9110 section 5.6.3).
  mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
  }

  /// Passes over what is left of a list member; the comma stays.
  mutating func skipMember() {
    while let byte = next, byte != UInt8(ascii: ",") { position += 1 }
  }

  /// The longest token from here (RFC 9110 section 5.6.2); empty if there is none.
  mutating func takeToken() -> Range<Int> {
    let start = position
    while let byte = next, FieldText.isTokenByte(byte) { position += 1 }
    return start..<position
  }

  /// The inside of the quoted string that begins here, escapes left as they are; nil, and nothing
  /// passed over, if it does not end (RFC 9110 section 5.6.4).
  mutating func takeQuoted() -> Range<Int>? {
    let start = position
    guard take(UInt8(ascii: "\"")) else { return nil }
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\"") { return (start + 1)..<(position - 1) }
      if byte == UInt8(ascii: "\\") && !isAtEnd { position += 1 }
    }
    position = start
    return nil
  }

  /// A number of exactly `count` digits.
  mutating func takeDigits(_ count: Int) -> Int? {
    guard position + count <= bytes.count,
      let value = FieldText.decimal(bytes, position..<(position + count), limit: .max)
    else { return nil }
    position += count
    return Int(value)
  }

  /// Passes over the word if it comes next, in any case. `word` is in lower case.
  mutating func take(word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, FieldText.isEqual(bytes, position..<end, word) else { return false }
    position = end
    return true
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// Whether the bytes are the word, in any case. `word` is in lower case.
  static func isEqual(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ word: StaticString
  ) -> Bool {
    word.withUTF8Buffer { expected in
      if expected.count != range.count { return false }
      for offset in 0..<expected.count {
        var byte = bytes[range.lowerBound + offset]
        if byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") { byte |= 0x20 }
        if byte != expected[offset] { return false }
      }
      return true
    }
  }

  /// A number of digits only, held at `limit`; nil if there is another byte or none.
  static func decimal(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, limit: Int64
  ) -> Int64? {
    if range.isEmpty { return nil }
    var value: Int64 = 0
    for index in range {
      let byte = bytes[index]
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, past) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      value = over || past ? limit : min(sum, limit)
    }
    return value
  }

  /// Delta-seconds: digits only, held at 2^31 (RFC 9111 section 1.2.2); nil when invalid.
  static func deltaSeconds(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> TimeSpan? {
    decimal(bytes, range, limit: 1 << 31).map(TimeSpan.seconds)
  }
}
