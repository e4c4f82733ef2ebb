/// Numbers and dates in the text formats of cache traces.
enum CacheTraceText {
  /// The latest time and the longest lifetime a trace may have, seconds. The nanoseconds of both
  /// together fit 64 bits; of the Unix epoch it is the year 2115.
  static let latestSecond: Int64 = 4_600_000_000

  /// A whole number without a sign, also written as `12.0`; nil for anything else or beyond
  /// `limit`.
  static func whole(
    _ bytes: [UInt8], _ range: Range<Int>, limit: Int64 = .max
  ) -> Int64? {
    var value: Int64 = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let digit = bytes[index] &- 0x30
      if digit > 9 { break }
      let (product, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overAgain) = product.addingReportingOverflow(Int64(digit))
      if over || overAgain { return nil }
      value = sum
      index += 1
    }
    if index == range.lowerBound || value > limit { return nil }
    if index == range.upperBound { return value }
    guard bytes[index] == 0x2E, index + 1 < range.upperBound else { return nil }
    for byte in bytes[(index + 1)..<range.upperBound] where byte != 0x30 { return nil }
    return value
  }

  /// Seconds from 0 to ``latestSecond``, with or without a fraction, as nanoseconds; digits below
  /// a nanosecond are dropped. Nil for anything else.
  static func nanoseconds(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
    var point = range.lowerBound
    while point < range.upperBound && bytes[point] != 0x2E { point += 1 }
    guard
      let seconds = whole(bytes, range.lowerBound..<point, limit: CacheTraceText.latestSecond)
    else { return nil }
    if point == range.upperBound { return seconds * 1_000_000_000 }
    if point + 1 == range.upperBound { return nil }
    var unit: Int64 = 100_000_000
    var fraction: Int64 = 0
    for byte in bytes[(point + 1)..<range.upperBound] {
      let digit = byte &- 0x30
      if digit > 9 { return nil }
      fraction += Int64(digit) * unit
      unit /= 10
    }
    return seconds * 1_000_000_000 + fraction
  }

  /// Nanoseconds as seconds, with no more decimals than they need.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return whole.description }
    var digits = rest.magnitude.description
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }

  /// Two digits, as in dates.
  static func pair(_ bytes: [UInt8], _ index: Int) -> Int64? {
    let (tens, ones) = (bytes[index] &- 0x30, bytes[index + 1] &- 0x30)
    return tens > 9 || ones > 9 ? nil : Int64(tens) * 10 + Int64(ones)
  }

  /// `HH:MM:SS` at `index` as seconds of the day; a leap second is the one before it.
  static func clock(_ bytes: [UInt8], _ index: Int) -> Int64? {
    guard bytes[index + 2] == 0x3A, bytes[index + 5] == 0x3A,
      let hour = pair(bytes, index), let minute = pair(bytes, index + 3),
      let second = pair(bytes, index + 6), hour < 24, minute < 60, second < 61
    else { return nil }
    return hour * 3_600 + minute * 60 + min(second, 59)
  }

  /// Days from 1 January 1970 to a day of the proleptic Gregorian calendar; nil when there is no
  /// such day, or it lies before 1970.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard (1970...2114).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    let before = year - 1
    let leaps = before / 4 - before / 100 + before / 400
    let inYear = lengths.prefix(Int(month) - 1).reduce(0, +)
    // 719,162 days lie before 1970.
    return before * 365 + leaps - 719_162 + inYear + day - 1
  }

  /// Writes a text with its `%xx` decoded; a `%` without two hexadecimal digits stays.
  static func decodePercent(_ bytes: [UInt8], _ range: Range<Int>, into result: inout [UInt8]) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == 0x25, index + 2 < range.upperBound, let high = hexadecimal(bytes[index + 1]),
        let low = hexadecimal(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(byte)
        index += 1
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
