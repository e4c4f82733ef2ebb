/// Reads the three forms of an HTTP date and writes the fixed one.
///
/// Names are compared in any case; the name of the day must be one but need not fit the date. A
/// zone other than GMT is invalid. A leap second counts as the second before it, the nearest time
/// that is not later.
///
/// Source: RFC 9110 section 5.6.7; RFC 9111 section 4.2.
public enum HTTPDate {
  /// The date in seconds since 1970-01-01T00:00:00Z; nil if it is none.
  ///
  /// - Parameters:
  ///   - value: the field value; blanks around it do not count.
  ///   - receivedAt: when it came, in the same seconds: a year of two digits is the latest one
  ///     that is not more than 50 years after it.
  public static func parse(
    _ value: UnsafeBufferPointer<UInt8>, receivedAt: Int64
  ) -> Int64? {
    var text = FieldText(value)
    text.skipBlanks()
    guard let seconds = date(&text, receivedAt) else { return nil }
    text.skipBlanks()
    return text.isAtEnd ? seconds : nil
  }

  /// The same, of an array.
  public static func parse(_ value: [UInt8], receivedAt: Int64) -> Int64? {
    value.withUnsafeBufferPointer { parse($0, receivedAt: receivedAt) }
  }

  /// The fixed form of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// - Parameter seconds: since 1970-01-01T00:00:00Z; held within the years 0 to 9999.
  public static func text(_ seconds: Int64) -> [UInt8] {
    let held = max(-62_167_219_200, min(seconds, 253_402_300_799))
    let day = floorDivide(held, 86_400)
    let second = Int(held - day * 86_400)
    let date = civilDate(ofDay: day)
    var text: [UInt8] = []
    text.reserveCapacity(29)
    append("SunMonTueWedThuFriSat", Int((day + 4) % 7 + 7) % 7, to: &text)
    text.append(UInt8(ascii: ","))
    append(date.day, " ", to: &text)
    text.append(UInt8(ascii: " "))
    append("JanFebMarAprMayJunJulAugSepOctNovDec", date.month - 1, to: &text)
    append(date.year / 100, " ", to: &text)
    append(date.year % 100, "", to: &text)
    append(second / 3600, " ", to: &text)
    append(second / 60 % 60, ":", to: &text)
    append(second % 60, ":", to: &text)
    for byte in [0x20, 0x47, 0x4D, 0x54] as [UInt8] { text.append(byte) }
    return text
  }

  /// Appends the word of three letters at a place among such words.
  private static func append(_ words: StaticString, _ place: Int, to text: inout [UInt8]) {
    words.withUTF8Buffer { text.append(contentsOf: $0[(place * 3)..<(place * 3 + 3)]) }
  }

  /// Appends two digits behind what comes before them.
  private static func append(_ number: Int, _ before: StaticString, to text: inout [UInt8]) {
    before.withUTF8Buffer { text.append(contentsOf: $0) }
    text.append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
    text.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private static func date(_ text: inout FieldText, _ receivedAt: Int64) -> Int64? {
    let isLong = takeLongDay(&text)
    if !isLong && !takeShortDay(&text) { return nil }
    if text.take(UInt8(ascii: ",")) {
      return isLong ? rfc850(&text, receivedAt) : fixed(&text)
    }
    return isLong ? nil : asctime(&text)
  }

  /// `06 Nov 1994 08:49:37 GMT`, after the comma.
  private static func fixed(_ text: inout FieldText) -> Int64? {
    let blank = UInt8(ascii: " ")
    guard text.take(blank), let day = text.takeDigits(2), text.take(blank),
      let month = takeMonth(&text), text.take(blank), let year = text.takeDigits(4),
      text.take(blank), let time = takeTime(&text), text.take(word: " gmt")
    else { return nil }
    return seconds(year, month, day, time)
  }

  /// `06-Nov-94 08:49:37 GMT`, after the comma.
  private static func rfc850(_ text: inout FieldText, _ receivedAt: Int64) -> Int64? {
    let dash = UInt8(ascii: "-")
    guard text.take(UInt8(ascii: " ")), let day = text.takeDigits(2), text.take(dash),
      let month = takeMonth(&text), text.take(dash), let ending = text.takeDigits(2),
      text.take(UInt8(ascii: " ")), let time = takeTime(&text), text.take(word: " gmt")
    else { return nil }
    // Years outside 0 ... 9999 have no date of their own.
    let now = max(-62_167_219_200, min(receivedAt, 253_402_300_799))
    let latest = civilYear(ofDay: floorDivide(now, 86_400)) + 50
    var year = latest - (latest - ending) % 100
    if (latest - ending) % 100 < 0 { year -= 100 }
    if year == latest, isLater(year, month, day, time, than: now) { year -= 100 }
    return seconds(year, month, day, time)
  }

  /// ` Nov  6 08:49:37 1994`, after the name of the day.
  private static func asctime(_ text: inout FieldText) -> Int64? {
    let blank = UInt8(ascii: " ")
    guard text.take(blank), let month = takeMonth(&text), text.take(blank) else { return nil }
    let digits = text.take(blank) ? 1 : 2
    guard let day = text.takeDigits(digits), text.take(blank), let time = takeTime(&text),
      text.take(blank), let year = text.takeDigits(4)
    else { return nil }
    return seconds(year, month, day, time)
  }

  /// Whether a date in the fiftieth year after `now` is more than 50 years after it.
  private static func isLater(
    _ year: Int, _ month: Int, _ day: Int, _ time: Int, than now: Int64
  ) -> Bool {
    // 29 February is compared as 1 March in a year that has none.
    let then = dayNumber(year - 50, month, day) * 86_400 + Int64(time)
    return then > now
  }

  // MARK: Words

  private static func takeLongDay(_ text: inout FieldText) -> Bool {
    text.take(word: "monday") || text.take(word: "tuesday") || text.take(word: "wednesday")
      || text.take(word: "thursday") || text.take(word: "friday") || text.take(word: "saturday")
      || text.take(word: "sunday")
  }

  private static func takeShortDay(_ text: inout FieldText) -> Bool {
    text.take(word: "mon") || text.take(word: "tue") || text.take(word: "wed")
      || text.take(word: "thu") || text.take(word: "fri") || text.take(word: "sat")
      || text.take(word: "sun")
  }

  /// 1 ... 12.
  private static func takeMonth(_ text: inout FieldText) -> Int? {
    if text.take(word: "jan") { return 1 }
    if text.take(word: "feb") { return 2 }
    if text.take(word: "mar") { return 3 }
    if text.take(word: "apr") { return 4 }
    if text.take(word: "may") { return 5 }
    if text.take(word: "jun") { return 6 }
    if text.take(word: "jul") { return 7 }
    if text.take(word: "aug") { return 8 }
    if text.take(word: "sep") { return 9 }
    if text.take(word: "oct") { return 10 }
    if text.take(word: "nov") { return 11 }
    return text.take(word: "dec") ? 12 : nil
  }

  /// Seconds since midnight.
  private static func takeTime(_ text: inout FieldText) -> Int? {
    let colon = UInt8(ascii: ":")
    guard let hour = text.takeDigits(2), text.take(colon), let minute = text.takeDigits(2),
      text.take(colon), let second = text.takeDigits(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + min(second, 59)
  }

  // MARK: Calendar

  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
    if day < 1 || day > daysIn(month, of: year) { return nil }
    return dayNumber(year, month, day) * 86_400 + Int64(time)
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar, with the year begun in March so that the leap
  /// day is its last.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = Int64(month > 2 ? year : year - 1)
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The year that a day since 1970-01-01 lies in.
  private static func civilYear(ofDay day: Int64) -> Int { civilDate(ofDay: day).year }

  /// The date of a day since 1970-01-01: the inverse of the above.
  private static func civilDate(ofDay day: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = Int(dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100))
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    // From day 306 of a year begun in March it is January.
    return (
      Int(era * 400 + yearOfEra) + (dayOfYear >= 306 ? 1 : 0),
      monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9,
      dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }
}
