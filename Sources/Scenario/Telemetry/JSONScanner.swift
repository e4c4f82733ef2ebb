/// Reads JSON (RFC 8259) front to back without building a tree, for files of a million events.
///
/// Objects are taken member by member and values nobody asked for are passed over. Escapes in
/// strings are kept as written: the identities that are read here are compared, not shown.
struct JSONScanner {
  struct Failure: Error {
    var at: Int
    var expected: String
  }

  let bytes: [UInt8]
  var index: Int
  let end: Int

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    index = range.lowerBound
    end = range.upperBound
  }

  /// A value that is not a container; ranges are of the bytes, without quotation marks.
  enum Scalar {
    case text(Range<Int>)
    case number(Range<Int>)
    case word
  }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return index >= end
    }
  }

  /// The next byte that is not blank, without using it up; 0 at the end.
  var next: UInt8 {
    mutating get {
      skipBlanks()
      return index < end ? bytes[index] : 0
    }
  }

  @inline(__always)
  mutating func skipBlanks() {
    while index < end {
      let byte = bytes[index]
      if byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 { return }
      index += 1
    }
  }

  mutating func take(_ byte: UInt8, _ expected: String) throws(Failure) {
    if next != byte { throw Failure(at: index, expected: expected) }
    index += 1
  }

  /// A string; the range is between the quotation marks.
  mutating func string() throws(Failure) -> Range<Int> {
    try take(0x22, "a string")
    let start = index
    while index < end {
      let byte = bytes[index]
      if byte == 0x22 {
        index += 1
        return start..<(index - 1)
      }
      if byte < 0x20 { break }
      index += byte == 0x5C ? 2 : 1
    }
    throw Failure(at: start - 1, expected: "a string that ends")
  }

  /// Calls `member` for every member, with the key, in front of its value; it must use the value
  /// up.
  mutating func object(
    _ member: (inout JSONScanner, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    try take(0x7B, "an object")
    if next == 0x7D {
      index += 1
      return
    }
    while true {
      skipBlanks()
      let key = try string()
      try take(0x3A, "a colon after the key")
      try member(&self, key)
      if next == 0x2C {
        index += 1
        continue
      }
      try take(0x7D, "a comma or the end of the object")
      return
    }
  }

  /// Calls `element` in front of every element; it must use it up.
  mutating func array(
    _ element: (inout JSONScanner) throws(Failure) -> Void
  ) throws(Failure) {
    try take(0x5B, "an array")
    if next == 0x5D {
      index += 1
      return
    }
    while true {
      try element(&self)
      if next == 0x2C {
        index += 1
        continue
      }
      try take(0x5D, "a comma or the end of the array")
      return
    }
  }

  mutating func scalar() throws(Failure) -> Scalar {
    let first = next
    if first == 0x22 { return .text(try string()) }
    let start = index
    while index < end {
      let byte = bytes[index]
      if byte == 0x2C || byte == 0x7D || byte == 0x5D || byte <= 0x20 { break }
      index += 1
    }
    let range = start..<index
    if range.isEmpty { throw Failure(at: start, expected: "a value") }
    if first == 0x2D || (0x30...0x39).contains(first) {
      for byte in bytes[range] where !JSONScanner.isNumeric(byte) {
        throw Failure(at: start, expected: "a number")
      }
      return .number(range)
    }
    for word in ["true", "false", "null"] where bytes[range].elementsEqual(word.utf8) {
      return .word
    }
    throw Failure(at: start, expected: "a value")
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == 0x2E || byte == 0x2D || byte == 0x2B || byte == 0x65
      || byte == 0x45
  }

  /// Whether so many lists and objects may stand in each other.
  func checkDepth(_ depth: Int) throws(Failure) {
    if depth > JSONReader.Limits.depth {
      throw Failure(
        at: index, expected: "at most \(JSONReader.Limits.depth) levels of nesting")
    }
  }

  /// Passes over a value of any kind.
  mutating func skip(depth: Int = 0) throws(Failure) {
    try checkDepth(depth)
    switch next {
    case 0x7B:
      try object { scanner, _ throws(Failure) in try scanner.skip(depth: depth + 1) }
    case 0x5B: try array { scanner throws(Failure) in try scanner.skip(depth: depth + 1) }
    default: _ = try scalar()
    }
  }

  /// The number in a range of digits, with an optional fraction and exponent; nil when it is none.
  static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    var index = range.lowerBound
    let isNegative = index < range.upperBound && bytes[index] == 0x2D
    if isNegative { index += 1 }
    var mantissa: UInt64 = 0
    var (digits, decimals) = (0, 0)
    var hasPoint = false
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == 0x2E && !hasPoint {
        hasPoint = true
      } else if (0x30...0x39).contains(byte) {
        if digits == 15 { return slow(bytes, range) }
        mantissa = mantissa * 10 + UInt64(byte - 0x30)
        if mantissa > 0 { digits += 1 }
        if hasPoint { decimals += 1 }
      } else {
        return slow(bytes, range)
      }
      index += 1
    }
    if range.isEmpty || !(0x30...0x39).contains(bytes[range.upperBound - 1]) || decimals > 15 {
      return slow(bytes, range)
    }
    // Both are exact, so that the quotient is the nearest number.
    let value = Double(mantissa) / powers[decimals]
    return isNegative ? -value : value
  }

  private static let powers: [Double] = (0...15).map { count in
    (0..<count).reduce(1.0) { power, _ in power * 10 }
  }

  private static func slow(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    Double(String(decoding: bytes[range], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }
}
