/// An attribute list (RFC 8216 section 4.2), cut into names and values without copying.
struct HLSAttributes {
  struct Attribute {
    let name: ArraySlice<UInt8>
    /// Without its quotation marks.
    let value: ArraySlice<UInt8>
    let isQuoted: Bool
  }

  private(set) var list: [Attribute] = []

  init() {}

  /// Cuts a list; nil, with the reason in `reason`, when it breaks the rules.
  init?(_ text: ArraySlice<UInt8>, limit: Int, reason: inout String) {
    var index = text.startIndex
    func skipBlanks() {
      while index < text.endIndex, text[index] == UInt8(ascii: " ") { index += 1 }
    }
    skipBlanks()
    while index < text.endIndex {
      let start = index
      while index < text.endIndex, HLSAttributes.isNameByte(text[index]) { index += 1 }
      let name = text[start..<index]
      guard !name.isEmpty, index < text.endIndex, text[index] == UInt8(ascii: "=") else {
        reason = "expected NAME=value in the attribute list"
        return nil
      }
      index += 1
      guard let attribute = HLSAttributes.value(named: name, text, &index) else {
        reason = "a quoted value that does not end"
        return nil
      }
      if list.contains(where: { $0.name == name }) {
        reason = "the attribute \(String(decoding: name.prefix(40), as: UTF8.self)) twice"
        return nil
      }
      if list.count >= limit {
        reason = "more than \(limit) attributes"
        return nil
      }
      list.append(attribute)
      skipBlanks()
      if index == text.endIndex { return }
      guard text[index] == UInt8(ascii: ",") else {
        reason = "expected a comma between attributes"
        return nil
      }
      index += 1
      skipBlanks()
    }
  }

  private static func value(
    named name: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>, _ index: inout Int
  ) -> Attribute? {
    if index < text.endIndex, text[index] == UInt8(ascii: "\"") {
      index += 1
      guard let end = text[index...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
      let value = text[index..<end]
      index = end + 1
      return Attribute(name: name, value: value, isQuoted: true)
    }
    let start = index
    let isEnd = { (byte: UInt8) in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\"")
    }
    index = text[index...].firstIndex(where: isEnd) ?? text.endIndex
    return Attribute(name: name, value: text[start..<index], isQuoted: false)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  subscript(name: StaticString) -> Attribute? {
    list.first { attribute in
      name.withUTF8Buffer { attribute.name.elementsEqual($0) }
    }
  }
}

/// Numbers as section 4.2 and the tags write them. None of them traps.
enum HLSNumber {
  /// Digits only, at most `limit`.
  static func integer(_ text: ArraySlice<UInt8>, limit: Int64 = .max) -> Int64? {
    if text.isEmpty { return nil }
    var value: Int64 = 0
    for byte in text {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, past) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if over || past || sum > limit { return nil }
      value = sum
    }
    return value
  }

  /// Digits with an optional sign and fraction, in units of 10^-`places`; digits beyond are cut.
  /// The whole part is at most `limit`.
  static func decimal(
    _ text: ArraySlice<UInt8>, places: Int, limit: Int64, isSigned: Bool = false
  ) -> Int64? {
    var rest = text
    var isNegative = false
    if isSigned, let first = rest.first, first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    let dot = rest.firstIndex(of: UInt8(ascii: "."))
    guard var value = integer(rest[..<(dot ?? rest.endIndex)], limit: limit) else { return nil }
    var fraction = dot.map { rest[($0 + 1)...] } ?? []
    if dot != nil && fraction.isEmpty { return nil }
    for _ in 0..<places {
      let byte = fraction.popFirst() ?? UInt8(ascii: "0")
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      if over { return nil }
      let (sum, past) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if past { return nil }
      value = sum
    }
    guard fraction.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      return nil
    }
    return isNegative ? -value : value
  }

  /// `n[@o]`, ending by ``StatedNumber/rangeBytes``.
  static func byteRange(_ text: ArraySlice<UInt8>) -> (length: Int64, offset: Int64?)? {
    let at = text.firstIndex(of: UInt8(ascii: "@"))
    let most = StatedNumber.rangeBytes.most
    guard let length = integer(text[..<(at ?? text.endIndex)], limit: most), length > 0
    else { return nil }
    guard let at else { return (length, nil) }
    guard let offset = integer(text[(at + 1)...], limit: most), offset + length <= most
    else { return nil }
    return (length, offset)
  }

  /// `YYYY-MM-DDThh:mm:ss[.fff](Z|±hh:mm|±hhmm)` in milliseconds since 1970 (ISO 8601). Without a
  /// zone it is read as UTC.
  static func dateTime(_ text: ArraySlice<UInt8>) -> Int64? {
    let bytes = Array(text)
    func digits(_ range: Range<Int>, _ limit: ClosedRange<Int64>) -> Int64? {
      guard range.upperBound <= bytes.count, let value = integer(bytes[range]),
        limit.contains(value)
      else { return nil }
      return value
    }
    func has(_ byte: Character, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == byte.asciiValue
    }
    guard let year = digits(0..<4, 1...9999), has("-", at: 4), let month = digits(5..<7, 1...12),
      has("-", at: 7), let day = digits(8..<10, 1...31), has("T", at: 10),
      let hour = digits(11..<13, 0...24), has(":", at: 13), let minute = digits(14..<16, 0...59),
      has(":", at: 16), let second = digits(17..<19, 0...60)
    else { return nil }
    var index = 19
    var milliseconds: Int64 = 0
    if has(".", at: index) || has(",", at: index) {
      index += 1
      let start = index
      while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
      if index == start { return nil }
      let padded = bytes[start..<index].prefix(3) + [0x30, 0x30, 0x30]
      milliseconds = integer(padded.prefix(3)) ?? 0
    }
    guard let zone = zoneMinutes(bytes[index...]) else { return nil }
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - zone
    return (minutes * 60 + second) * 1_000 + milliseconds
  }

  private static func zoneMinutes(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let first = text.first else { return 0 }
    if first == UInt8(ascii: "Z") { return text.count == 1 ? 0 : nil }
    guard first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return nil }
    let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }[...]
    guard digits.count == 2 || digits.count == 4, let hours = integer(digits.prefix(2), limit: 23),
      let minutes = digits.count == 4 ? integer(digits.suffix(2), limit: 59) : 0
    else { return nil }
    let zone = hours * 60 + minutes
    return first == UInt8(ascii: "-") ? -zone : zone
  }

  /// Days from 1970-01-01 in the Gregorian calendar, years beginning in March so that the leap day
  /// is the last of its year.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let leaps = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leaps + dayOfYear - 719_468
  }
}
