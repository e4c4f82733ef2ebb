/// Instants as they stand in fields, nanoseconds since 1970 (UTC).
enum TextTime {
  /// The years that are told apart from nonsense: nanoseconds of 64 bits end in 2262.
  static let years: ClosedRange<Int64> = 1971...2199

  private static let second: Int64 = 1_000_000_000

  /// What a number since 1970 counts.
  enum Epoch: String, CaseIterable {
    case seconds = "epoch_s"
    case milliseconds = "epoch_ms"
    case microseconds = "epoch_us"
    case nanoseconds = "epoch_ns"

    /// Nanoseconds of one.
    var unit: Int64 {
      switch self {
      case .seconds: 1_000_000_000
      case .milliseconds: 1_000_000
      case .microseconds: 1_000
      case .nanoseconds: 1
      }
    }

    var asForms: Forms {
      switch self {
      case .seconds: .seconds
      case .milliseconds: .milliseconds
      case .microseconds: .microseconds
      case .nanoseconds: .nanoseconds
      }
    }

    /// By the number's size: those of one form reach to the year 5138, the next begins in 1973.
    static func ofMagnitude(_ whole: UInt64) -> Epoch {
      if whole < 100_000_000_000 { return .seconds }
      if whole < 100_000_000_000_000 { return .milliseconds }
      return whole < 100_000_000_000_000_000 ? .microseconds : .nanoseconds
    }
  }

  /// Forms of numbers since 1970 that came by.
  struct Forms: OptionSet {
    let rawValue: UInt8

    static let seconds = Forms(rawValue: 1)
    static let milliseconds = Forms(rawValue: 2)
    static let microseconds = Forms(rawValue: 4)
    static let nanoseconds = Forms(rawValue: 8)

    var words: String {
      Epoch.allCases.filter { contains($0.asForms) }.map { "\($0)" }.joined(separator: " and ")
    }
  }

  /// A number since 1970, with or without a fraction; `form` nil: told by its size.
  static func epoch(_ text: TextSpan, _ form: Epoch?) -> (instant: Int64, form: Epoch)? {
    let point = text.firstIndex(of: 0x2E) ?? text.count
    guard let whole = TextNumber.whole(text.part(0, point)), whole >= 0 else { return nil }
    let form = form ?? Epoch.ofMagnitude(UInt64(whole))
    let (product, isOver) = whole.multipliedReportingOverflow(by: form.unit)
    if isOver { return nil }
    var instant = product
    if point < text.count {
      guard let fraction = fraction(text.from(point + 1), of: form.unit) else { return nil }
      let (sum, isOver) = instant.addingReportingOverflow(fraction)
      if isOver { return nil }
      instant = sum
    }
    return isPlausible(instant) ? (instant, form) : nil
  }

  static func isPlausible(_ instant: Int64) -> Bool {
    let second = instant / second
    // 1971-01-01 and 2200-01-01.
    return second >= 31_536_000 && second < 7_258_118_400
  }

  /// The digits of a decimal fraction of `unit`; those below a nanosecond are dropped.
  private static func fraction(_ digits: TextSpan, of unit: Int64) -> Int64? {
    if digits.isEmpty { return nil }
    var place = unit
    var sum: Int64 = 0
    for index in 0..<digits.count {
      let digit = digits.base[index] &- 0x30
      if digit > 9 { return nil }
      place /= 10
      sum += Int64(digit) * place
    }
    return sum
  }

  /// The day of a date, `2026-04-30`: seconds since 1970 by the clock of the place.
  static func day(_ text: TextSpan) -> Int64? {
    guard text.count == 10, text[4] == 0x2D, text[7] == 0x2D else { return nil }
    return days(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)).map { $0 * 86_400 }
  }

  /// A time of day alone, `21:02:31`.
  static func timeOfDay(_ text: TextSpan) -> (seconds: Int64, nanoseconds: Int64)? {
    guard let found = clock(text, 0), found.end == text.count else { return nil }
    return (found.seconds, found.nanoseconds)
  }

  /// A date and a time of ISO 8601 (RFC 3339, also with a blank for the T, without seconds, or the
  /// date alone), with an offset or without; then `zone` says where the clock hangs.
  static func iso(_ text: TextSpan, _ zone: inout ZoneClock) -> (instant: Int64, hasOffset: Bool)? {
    guard text.count >= 10, text[4] == 0x2D, text[7] == 0x2D,
      let day = days(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2))
    else { return nil }
    if text.count == 10 { return (zone.toUTC(day * 86_400) * second, false) }
    guard text[10] == 0x54 || text[10] == 0x74 || text[10] == 0x20,
      let (clock, nanoseconds, end) = clock(text, 11)
    else { return nil }
    let local = day * 86_400 + clock
    let rest = text.from(end).trimmed
    if rest.isEmpty { return (zone.toUTC(local) * second + nanoseconds, false) }
    guard let offset = offset(rest) else { return nil }
    return ((local - offset) * second + nanoseconds, true)
  }

  /// `HH:MM`, `HH:MM:SS` or with a fraction: seconds of the day, nanoseconds, and where it ends. A
  /// leap second is the one before it.
  private static func clock(
    _ text: TextSpan, _ start: Int
  ) -> (seconds: Int64, nanoseconds: Int64, end: Int)? {
    guard let hour = digits(text, start, 2), text[start + 2] == 0x3A,
      let minute = digits(text, start + 3, 2), hour < 24, minute < 60
    else { return nil }
    let whole = hour * 3_600 + minute * 60
    if text[start + 5] != 0x3A { return (whole, 0, start + 5) }
    guard let second = digits(text, start + 6, 2), second < 61 else { return nil }
    var end = start + 8
    var nanoseconds: Int64 = 0
    if text[end] == 0x2E || text[end] == 0x2C {
      let first = end + 1
      end = first
      while text[end] &- 0x30 <= 9 { end += 1 }
      guard let fraction = fraction(text.part(first, end), of: TextTime.second) else { return nil }
      nanoseconds = fraction
    }
    return (whole + min(second, 59), nanoseconds, end)
  }

  /// `Z`, `UTC`, `+02`, `+0200` or `+02:00` as seconds east of Greenwich.
  static func offset(_ text: TextSpan) -> Int64? {
    if text.count == 1 && TextSpan.folded(text[0]) == 0x7A { return 0 }
    if text.isWord("utc") || text.isWord("gmt") { return 0 }
    guard text[0] == 0x2B || text[0] == 0x2D, let hours = digits(text, 1, 2) else { return nil }
    var minutes: Int64 = 0
    switch text.count {
    case 3: break
    case 5: minutes = digits(text, 3, 2) ?? 60
    case 6: minutes = text[3] == 0x3A ? digits(text, 4, 2) ?? 60 : 60
    default: return nil
    }
    if hours > 15 || minutes > 59 { return nil }
    let east = hours * 3_600 + minutes * 60
    return text[0] == 0x2D ? -east : east
  }

  private static let months: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"

  /// The date of a common log, `10/Oct/2026:13:55:36 +0200`.
  static func commonLog(_ text: TextSpan) -> Int64? {
    guard text.count == 26, text[2] == 0x2F, text[6] == 0x2F, text[11] == 0x3A, text[20] == 0x20,
      let (clock, _, end) = clock(text, 12), end == 20, let offset = offset(text.from(21)),
      let month = month(text.part(3, 6)),
      let day = days(digits(text, 7, 4), month, digits(text, 0, 2))
    else { return nil }
    return (day * 86_400 + clock - offset) * second
  }

  private static func month(_ name: TextSpan) -> Int64? {
    for month in 0..<12 {
      let word = months.utf8Start + month * 3
      if TextSpan.folded(name[0]) == word[0] && TextSpan.folded(name[1]) == word[1]
        && TextSpan.folded(name[2]) == word[2]
      {
        return Int64(month) + 1
      }
    }
    return nil
  }

  private static func digits(_ text: TextSpan, _ start: Int, _ count: Int) -> Int64? {
    var value: Int64 = 0
    for index in start..<(start + count) {
      let digit = text[index] &- 0x30
      if digit > 9 { return nil }
      value = value * 10 + Int64(digit)
    }
    return value
  }

  /// Days from 1 January 1970 to a day of the Gregorian calendar; nil when there is no such day.
  private static func days(_ year: Int64?, _ month: Int64?, _ day: Int64?) -> Int64? {
    guard let year, let month, let day, years.contains(year), (1...12).contains(month), day >= 1
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length: Int64 =
      month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    if day > length { return nil }
    // Years that begin in March: the leap day is the last.
    let shifted = month > 2 ? year : year - 1
    let inYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    // 719,468 days lie between 1 March of the year 0 and 1 January 1970.
    return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + inYear - 719_468
  }
}
