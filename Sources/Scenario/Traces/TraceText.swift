/// A trace file as lines and fields, with places for messages.
///
/// Lines end in LF or CRLF. Blank lines and lines that start with `#` are left out; so is a byte
/// order mark.
struct TraceText {
  /// A line with content: byte offsets without its end, and its 1-based number.
  struct Line {
    var start, end, number: Int32
  }

  /// A field: byte offsets.
  struct Field {
    var start, end: Int
    var isEmpty: Bool { start == end }
  }

  /// What separates fields.
  enum Separator {
    /// One or more spaces or tabs.
    case blanks
    /// One comma; spaces around it are not part of the fields.
    case commas
  }

  /// The name in messages.
  let file: String
  let bytes: [UInt8]
  let lines: [Line]

  init(_ bytes: [UInt8], file: String) {
    self.file = file
    self.bytes = bytes
    var lines: [Line] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var number: Int32 = 1
    while start < bytes.count {
      var end = start
      while end < bytes.count && bytes[end] != 0x0A { end += 1 }
      let next = end + 1
      while end > start && TraceText.isBlank(bytes[end - 1]) { end -= 1 }
      var first = start
      while first < end && TraceText.isBlank(bytes[first]) { first += 1 }
      if first < end && !TraceText.isRemark(bytes[first..<end]) {
        lines.append(Line(start: Int32(start), end: Int32(end), number: number))
      }
      start = next
      number += 1
    }
    self.lines = lines
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  /// A `#` starts a remark, except before the header of the FCC's files of 2011, `#unit_id,…`.
  private static func isRemark(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == 0x23 && !line.dropFirst().starts(with: Array("unit_id".utf8))
  }

  /// The fields of a line.
  func fields(of line: Line, _ separator: Separator) -> [Field] {
    var fields: [Field] = []
    fill(&fields, of: line, separator)
    return fields
  }

  /// Puts the fields of a line into `fields`.
  func fill(_ fields: inout [Field], of line: Line, _ separator: Separator) {
    fields.removeAll(keepingCapacity: true)
    let end = Int(line.end)
    var index = Int(line.start)
    switch separator {
    case .blanks:
      while index < end {
        while index < end && TraceText.isBlank(bytes[index]) { index += 1 }
        if index == end { return }
        let start = index
        while index < end && !TraceText.isBlank(bytes[index]) { index += 1 }
        fields.append(Field(start: start, end: index))
      }
    case .commas:
      while true {
        var stop = index
        while stop < end && bytes[stop] != 0x2C { stop += 1 }
        fields.append(trimmed(Field(start: index, end: stop)))
        if stop == end { return }
        index = stop + 1
      }
    }
  }

  private func trimmed(_ field: Field) -> Field {
    var (start, end) = (field.start, field.end)
    while start < end && TraceText.isBlank(bytes[start]) { start += 1 }
    while end > start && TraceText.isBlank(bytes[end - 1]) { end -= 1 }
    return Field(start: start, end: end)
  }

  /// The bytes of a field.
  func bytes(_ field: Field) -> ArraySlice<UInt8> { bytes[field.start..<field.end] }

  /// The text of a field.
  func string(_ field: Field) -> String {
    String(decoding: bytes[field.start..<field.end], as: UTF8.self)
  }

  /// Whether the file stops inside this line, without a line end.
  func isCutOff(_ line: Line) -> Bool { Int(line.end) == bytes.count }

  /// The 1-based column of a byte, counted in Unicode scalars; at most one after the line.
  func column(_ offset: Int, in line: Line) -> Int {
    let end = min(max(offset, Int(line.start)), Int(line.end))
    return 1 + bytes[Int(line.start)..<end].count { $0 & 0xC0 != 0x80 }
  }

  /// The number a field is: decimal digits with a sign, a point and an exponent where wanted; nil
  /// for anything else, such as `nan`, `inf`, `0x10`, `1_000`.
  func number(_ field: Field) -> Double? {
    var index = field.start
    let end = field.end
    var isNegative = false
    if index < end && (bytes[index] == 0x2B || bytes[index] == 0x2D) {
      isNegative = bytes[index] == 0x2D
      index += 1
    }
    var (mantissa, digits, scale) = (UInt64(0), 0, 0)
    var hasDigits = false
    var isFraction = false
    while index < end {
      let byte = bytes[index]
      if byte == 0x2E && !isFraction {
        isFraction = true
      } else if byte >= 0x30 && byte <= 0x39 {
        hasDigits = true
        if digits > 0 || byte != 0x30 { digits += 1 }
        if digits <= 18 { mantissa = mantissa * 10 + UInt64(byte - 0x30) }
        if isFraction { scale += 1 }
      } else {
        break
      }
      index += 1
    }
    if !hasDigits { return nil }
    if index < end {
      guard bytes[index] == 0x65 || bytes[index] == 0x45 else { return nil }
      var digit = index + 1
      if digit < end && (bytes[digit] == 0x2B || bytes[digit] == 0x2D) { digit += 1 }
      if digit == end { return nil }
      for byte in bytes[digit..<end] where byte < 0x30 || byte > 0x39 { return nil }
      return Double(string(field))
    }
    if digits <= 18, let value = ExactDecimal.value(mantissa, over: scale) {
      return isNegative ? -value : value
    }
    return Double(string(field))
  }
}
