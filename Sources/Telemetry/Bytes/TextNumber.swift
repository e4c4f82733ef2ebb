/// Numbers as they stand in fields.
enum TextNumber {
  /// A decimal number with an optional sign, fraction and exponent; nil when it is none or is not
  /// finite. The nearest number, as the compiler would read it.
  static func real(_ text: TextSpan) -> Double? {
    var index = 0
    let sign = text[0]
    if sign == 0x2D || sign == 0x2B { index = 1 }
    let first = index
    var mantissa: UInt64 = 0
    var (digits, decimals) = (0, 0)
    var hasPoint = false
    while index < text.count {
      let byte = text.base[index]
      let digit = byte &- 0x30
      if digit <= 9 {
        if digits == 18 { return slow(text) }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        if mantissa > 0 { digits += 1 }
        if hasPoint { decimals += 1 }
      } else if byte == 0x2E && !hasPoint {
        hasPoint = true
      } else {
        return slow(text)
      }
      index += 1
    }
    let length = text.count - first
    if length == 0 || hasPoint && length == 1 { return nil }
    // Both must be exact, so that the quotient is the nearest number.
    if mantissa > 1 << 53 || decimals > 15 { return slow(text) }
    let value = Double(mantissa) / powers[decimals]
    return sign == 0x2D ? -value : value
  }

  /// The sum of numbers with commas or colons between them, as nginx writes the times of several
  /// attempts; those that never answered are hyphens.
  static func sum(_ text: TextSpan) -> Double? {
    var sum = 0.0
    var start = 0
    while start <= text.count {
      var end = start
      while end < text.count && text.base[end] != 0x2C && text.base[end] != 0x3A { end += 1 }
      let part = text.part(start, end).trimmed
      start = end + 1
      if part.isAbsent && !part.isEmpty { continue }
      guard let number = real(part), number >= 0 else { return nil }
      sum += number
    }
    return sum
  }

  /// A whole number with an optional minus; nil when it is none or does not fit.
  static func whole(_ text: TextSpan) -> Int64? {
    let isNegative = text[0] == 0x2D
    var index = isNegative ? 1 : 0
    if index == text.count { return nil }
    var value: Int64 = 0
    while index < text.count {
      let digit = text.base[index] &- 0x30
      if digit > 9 { return nil }
      let (product, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overAgain) = product.subtractingReportingOverflow(Int64(digit))
      if over || overAgain { return nil }
      value = sum
      index += 1
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  static let powers: [Double] = (0...15).map { count in
    (0..<count).reduce(1.0) { power, _ in power * 10 }
  }

  private static func slow(_ text: TextSpan) -> Double? {
    if text.isEmpty || text.count > 400 { return nil }
    for index in 0..<text.count {
      switch text.base[index] {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: break
      default: return nil
      }
    }
    return Double(text.text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// `true`, `false` and what exports write for them.
  static func flag(_ text: TextSpan) -> Bool? {
    switch text.count {
    case 1:
      switch text.base[0] {
      case 0x31, 0x74, 0x54, 0x79, 0x59: return true
      case 0x30, 0x66, 0x46, 0x6E, 0x4E: return false
      default: return nil
      }
    case 2: return text.isWord("no") ? false : nil
    case 3: return text.isWord("yes") ? true : nil
    case 4: return text.isWord("true") ? true : nil
    case 5: return text.isWord("false") ? false : nil
    default: return nil
    }
  }
}
