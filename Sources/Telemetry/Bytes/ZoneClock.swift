import Foundation

/// Turns times of day of a place into UTC.
///
/// Where clocks are set back an hour comes twice: the first of the two is taken. Rules of places
/// are the machine's (IANA time zone data).
struct ZoneClock: Sendable {
  /// What messages call it.
  let name: String
  private let rule: Rule
  /// The quarter of an hour that the offset was looked up for last: rules change at quarters only.
  private var quarter = Int64.min
  private var offset: Int64 = 0

  private enum Rule: Sendable {
    case fixed(Int64)
    case place(TimeZone)
  }

  static let utc = ZoneClock(name: "UTC", rule: .fixed(0))

  private init(name: String, rule: Rule) {
    self.name = name
    self.rule = rule
  }

  /// `UTC`, an offset such as `+02:00`, or a place such as `Europe/Berlin`; nil for anything else.
  init?(_ text: String) {
    if text == "UTC" || text == "Z" || text == "GMT" {
      self = .utc
      return
    }
    let bytes = Array(text.utf8)
    let found = bytes.withUnsafeBufferPointer { buffer -> Int64? in
      guard let base = buffer.baseAddress else { return nil }
      return TextTime.offset(TextSpan(base, buffer.count))
    }
    if let found {
      self.init(name: text, rule: .fixed(found))
    } else if text.contains("/"), let zone = TimeZone(identifier: text) {
      self.init(name: text, rule: .place(zone))
    } else {
      return nil
    }
  }

  /// Seconds of UTC for seconds that a clock of the place shows.
  mutating func toUTC(_ local: Int64) -> Int64 {
    switch rule {
    case .fixed(let offset): return local - offset
    case .place(let zone):
      let wanted = local.dividingFloor(by: 900)
      if wanted != quarter {
        quarter = wanted
        let first = Int64(zone.secondsFromGMT(for: ZoneClock.date(local)))
        let before = Int64(zone.secondsFromGMT(for: ZoneClock.date(local - first - 3_600)))
        let there = Int64(zone.secondsFromGMT(for: ZoneClock.date(local - first)))
        // The offset from before the clocks were set is right as long as it leads back to itself.
        let holds = Int64(zone.secondsFromGMT(for: ZoneClock.date(local - before))) == before
        offset = holds ? before : there
      }
      return local - offset
    }
  }

  private static func date(_ second: Int64) -> Date {
    Date(timeIntervalSince1970: Double(second))
  }
}

extension Int64 {
  /// The quotient rounded down.
  func dividingFloor(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
