/// A family of units a scenario can write: what a number with a unit measures.
///
/// Values are whole nanoseconds, bytes or bits per second. Text is read in decimal, never through a
/// binary fraction: `0.1 s` is exactly 100 ms. Kilo is 1000, kibi 1024 (IEC 80000-13).
public enum Quantity: String, Hashable, Sendable, CaseIterable {
  /// Lengths of time: `ns us ms s min h d`.
  case time
  /// Numbers of bytes: `B kB MB GB TB KiB MiB GiB TiB`.
  case bytes
  /// Bits per second: `bps kbps Mbps Gbps`.
  case bitRate

  /// One unit: its spelling and how many base units it is.
  struct Unit {
    var name: String
    var factor: Int64
    /// Powers of 1024, whose decimal fractions are rounded to a whole byte.
    var isBinary = false
  }

  /// The units from small to large.
  var units: [Unit] {
    switch self {
    case .time:
      [
        Unit(name: "ns", factor: 1), Unit(name: "us", factor: 1_000),
        Unit(name: "ms", factor: 1_000_000), Unit(name: "s", factor: 1_000_000_000),
        Unit(name: "min", factor: 60_000_000_000), Unit(name: "h", factor: 3_600_000_000_000),
        Unit(name: "d", factor: 86_400_000_000_000),
      ]
    case .bytes:
      [
        Unit(name: "B", factor: 1), Unit(name: "kB", factor: 1_000),
        Unit(name: "KiB", factor: 1 << 10, isBinary: true), Unit(name: "MB", factor: 1_000_000),
        Unit(name: "MiB", factor: 1 << 20, isBinary: true), Unit(name: "GB", factor: 1_000_000_000),
        Unit(name: "GiB", factor: 1 << 30, isBinary: true),
        Unit(name: "TB", factor: 1_000_000_000_000),
        Unit(name: "TiB", factor: 1 << 40, isBinary: true),
      ]
    case .bitRate:
      [
        Unit(name: "bps", factor: 1), Unit(name: "kbps", factor: 1_000),
        Unit(name: "Mbps", factor: 1_000_000), Unit(name: "Gbps", factor: 1_000_000_000),
      ]
    }
  }

  /// What a value is called in a message.
  var noun: String {
    switch self {
    case .time: "a time"
    case .bytes: "a size"
    case .bitRate: "a bit rate"
    }
  }

  /// The base unit in words.
  var baseUnit: String {
    switch self {
    case .time: "nanoseconds"
    case .bytes: "bytes"
    case .bitRate: "bits per second"
    }
  }

  /// A value for a message.
  var example: String {
    switch self {
    case .time: "\"40 ms\""
    case .bytes: "\"256 MiB\""
    case .bitRate: "\"5 Mbps\""
    }
  }

  /// The largest unit that keeps the number whole, e.g. `40 ms`, `256 MiB`; ``value(of:)`` reads it
  /// back to the same number. Zero is written in seconds, bytes or bits per second.
  public func text(_ value: Int64) -> String {
    if value == 0 { return "0 \(self == .time ? "s" : units[0].name)" }
    var best = units[0]
    for unit in units where value % unit.factor == 0 && unit.factor > best.factor { best = unit }
    return "\(value / best.factor) \(best.name)"
  }

  /// Reads a number with a unit, such as `40 ms`, `1.5MB` or `0`.
  ///
  /// A fraction of a base unit is refused, except that a number of `KiB MiB GiB TiB` is rounded to
  /// the nearest byte, half away from zero.
  /// - Throws: ``QuantityFault`` in words that follow `expected` and `got`.
  public func value(of text: String) throws(QuantityFault) -> Int64 {
    guard let (number, unitName) = DecimalNumber.prefix(of: text) else {
      throw QuantityFault(.wrongType, expected: form)
    }
    if unitName.isEmpty {
      if number.isZero { return 0 }
      throw QuantityFault(.missingUnit, expected: form)
    }
    guard let unit = units.first(where: { $0.name == unitName }) else {
      throw foreignUnit(unitName, number: String(text.prefix(text.count - unitName.count)))
    }
    guard let value = number.scaled(by: unit.factor, roundsFractions: unit.isBinary) else {
      throw QuantityFault(.outOfRange, expected: "\(noun) in whole \(baseUnit)")
    }
    guard let value = Int64(exactly: value) else {
      throw QuantityFault(.outOfRange, expected: "\(noun) of at most \(self.text(.max))")
    }
    return value
  }

  /// `a time such as "40 ms"`.
  var form: String { "\(noun) such as \(example)" }

  private func foreignUnit(_ name: String, number: String) -> QuantityFault {
    let trimmed = DecimalNumber.trimmed(number)
    if let family = Quantity.allCases.first(where: { $0.units.contains { $0.name == name } }) {
      return QuantityFault(.wrongUnit, expected: form, remark: "which is \(family.noun)")
    }
    if name == "%" {
      return QuantityFault(.wrongUnit, expected: form, remark: "which is a ratio")
    }
    let names = units.map(\.name)
    let lowered = name.lowercased()
    let sameLetters = names.first { $0.lowercased() == lowered }
    let meant = Quantity.aliases[lowered].flatMap { names.contains($0) ? $0 : nil }
    let guess = sameLetters ?? meant
    return QuantityFault(
      .wrongUnit, expected: "\(noun) in one of \(names.joined(separator: " "))",
      suggestion: guess.map { "\"\(trimmed) \($0)\"" })
  }

  /// Other spellings people use, in lower case; ambiguous ones (`m`, `Mb`) are left out.
  private static let aliases = [
    "µs": "us", "μs": "us", "usec": "us", "msec": "ms", "millis": "ms", "milliseconds": "ms",
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min",
    "minutes": "min", "hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
    "byte": "B", "bytes": "B", "bit/s": "bps", "kbit/s": "kbps", "mbit/s": "Mbps",
    "gbit/s": "Gbps", "kbit": "kbps", "mbit": "Mbps", "gbit": "Gbps", "kb/s": "kbps",
    "mb/s": "Mbps",
  ]
}

/// Why a text is no quantity: the parts of a ``Problem`` that do not depend on where it stands.
public struct QuantityFault: Error, Hashable, Sendable {
  /// The stable name.
  public var code: Problem.Code
  /// The words after `expected`.
  public var expected: String
  /// Words to put after what was got.
  public var remark: String?
  /// What was probably meant.
  public var suggestion: String?

  init(
    _ code: Problem.Code, expected: String, remark: String? = nil, suggestion: String? = nil
  ) {
    self.code = code
    self.expected = expected
    self.remark = remark
    self.suggestion = suggestion
  }
}

/// Numbers without a unit.
public enum PlainNumber {
  /// A share from 0 to 1, written as such or as `5 %`; the nearest `Double` to the written decimal.
  /// - Throws: ``QuantityFault`` when it is neither or outside 0 to 1.
  public static func ratio(of text: String) throws(QuantityFault) -> Double {
    let form = "a ratio from 0 to 1 or such as \"5 %\""
    guard let (number, unit) = DecimalNumber.prefix(of: text) else {
      throw QuantityFault(.wrongType, expected: form)
    }
    if !unit.isEmpty && unit != "%" {
      let family = Quantity.allCases.first { $0.units.contains { $0.name == unit } }
      throw QuantityFault(
        .wrongUnit, expected: form, remark: family.map { "which is \($0.noun)" })
    }
    guard let value = number.real(shiftedBy: unit == "%" ? -2 : 0), (0...1).contains(value) else {
      var suggestion: String?
      if unit.isEmpty, let percent = number.real(), percent > 1, percent <= 100 {
        suggestion = "\"\(DecimalNumber.trimmed(text)) %\""
      }
      throw QuantityFault(.outOfRange, expected: form, suggestion: suggestion)
    }
    return value
  }

  /// A whole number; `1e3` and `8.0` are whole, `8.5` is not.
  /// - Throws: ``QuantityFault`` when it is none or beyond 64 bits.
  public static func integer(of text: String) throws(QuantityFault) -> Int64 {
    let form = "a whole number such as 8"
    let number = try plain(text, form: form)
    guard let scaled = number.scaled(by: 1, roundsFractions: false) else {
      throw QuantityFault(.wrongType, expected: form)
    }
    guard let value = Int64(exactly: scaled) else {
      throw QuantityFault(.outOfRange, expected: "a whole number of at most \(Int64.max)")
    }
    return value
  }

  /// The nearest `Double` to the written decimal; never infinite, never NaN.
  /// - Throws: ``QuantityFault`` when it is no number or too large.
  public static func real(of text: String) throws(QuantityFault) -> Double {
    let form = "a number such as 0.5"
    guard let value = try plain(text, form: form).real() else {
      throw QuantityFault(.outOfRange, expected: "a number of at most 1.8e308")
    }
    return value
  }

  private static func plain(
    _ text: String, form: String
  ) throws(QuantityFault) -> DecimalNumber {
    guard let (number, unit) = DecimalNumber.prefix(of: text) else {
      throw QuantityFault(.wrongType, expected: form)
    }
    if unit.isEmpty { return number }
    let family = Quantity.allCases.first { $0.units.contains { $0.name == unit } }
    throw QuantityFault(
      unit == "%" || family != nil ? .wrongUnit : .wrongType, expected: form,
      remark: unit == "%" ? "which is a ratio" : family.map { "which is \($0.noun)" })
  }

  /// The shortest text that reads back to the same `Double`, without `.0`.
  public static func text(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// A decimal number as digits: `mantissa · 10^exponent`, exact.
struct DecimalNumber {
  /// The sign.
  var isNegative: Bool
  /// Significant digits without leading or trailing zeros; none for zero.
  var digits: [UInt8]
  /// The power of ten of the last digit.
  var exponent: Int

  var isZero: Bool { digits.isEmpty }

  /// The number at the start of `text` and what follows it; blanks around both are dropped.
  /// Digits must stand on both sides of a point; no `+1_000`, no `.5`, no hexadecimal, no infinity.
  static func prefix(of text: String) -> (DecimalNumber, String)? {
    let bytes = Array(trimmed(text).utf8)
    var index = 0
    func run() -> [UInt8] {
      let start = index
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
      return bytes[start..<index].map { $0 - 0x30 }
    }
    var isNegative = false
    if let sign = bytes.first, sign == 0x2D || sign == 0x2B {
      isNegative = sign == 0x2D
      index = 1
    }
    let whole = run()
    if whole.isEmpty { return nil }
    var fraction: [UInt8] = []
    if index < bytes.count, bytes[index] == 0x2E {
      index += 1
      fraction = run()
      if fraction.isEmpty { return nil }
    }
    var power = 0
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      let start = index
      index += 1
      var isDown = false
      if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
        isDown = bytes[index] == 0x2D
        index += 1
      }
      let exponent = run()
      if exponent.isEmpty { index = start }
      // Beyond 100,000 the value is zero or infinite whatever the digits of a short text are.
      for digit in exponent { power = min(power * 10 + Int(digit), 100_000) }
      if isDown { power = -power }
    }
    var digits = Array((whole + fraction).drop { $0 == 0 })
    var last = power - fraction.count
    while digits.last == 0 {
      digits.removeLast()
      last += 1
    }
    let rest = trimmed(String(decoding: bytes[index...], as: UTF8.self))
    return (DecimalNumber(isNegative: isNegative, digits: digits, exponent: last), rest)
  }

  /// The text without blanks and tabs at its ends.
  static func trimmed(_ text: String) -> String {
    var rest = Substring(text)
    while rest.first == " " || rest.first == "\t" { rest = rest.dropFirst() }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }

  /// The number times `factor`. Nil when a fraction remains that may not be rounded, or that would
  /// be rounded to zero; a value beyond 64 bits comes back as one that `Int64(exactly:)` refuses.
  func scaled(by factor: Int64, roundsFractions: Bool) -> Int128? {
    if isZero { return 0 }
    let tooLarge = Int128.max
    if digits.count > 19 { return digits.count + exponent > 19 ? tooLarge : nil }
    if exponent > 19 { return tooLarge }
    let mantissa = digits.reduce(Int128(0)) { $0 * 10 + Int128($1) }
    var value = mantissa * Int128(factor)
    if exponent > 0 {
      for _ in 0..<exponent {
        value *= 10
        if value > Int128(Int64.max) * 2 { return tooLarge }
      }
    }
    if exponent < 0 {
      if exponent < -37 { return nil }
      let divisor = (0..<(-exponent)).reduce(Int128(1)) { power, _ in power * 10 }
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
      if remainder != 0 && !roundsFractions { return nil }
      value = remainder * 2 >= divisor ? quotient + 1 : quotient
      if value == 0 { return nil }
    }
    return isNegative ? -value : value
  }

  /// The nearest `Double` to the number times `10^shift`; nil when that is infinite.
  func real(shiftedBy shift: Int = 0) -> Double? {
    if isZero { return 0 }
    let text = String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    guard let value = Double("\(isNegative ? "-" : "")\(text)e\(exponent + shift)"),
      value.isFinite
    else { return nil }
    return value == 0 ? 0 : value
  }
}
