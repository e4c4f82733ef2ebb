/// What is wrong with a field.
enum FieldFault {
  case notNumber
  case negative
  case tooLarge
  case notInstant
  case noOffset
  case notFlag
  case notClock
  case notCache
  case notTiming
  case notRequest
  case noValue

  var expected: String {
    switch self {
    case .notNumber: "a number"
    case .negative: "a number, not negative"
    case .tooLarge: "a number that somebody could have measured"
    case .notInstant: "a date and time of ISO 8601 or a number since 1970"
    case .noOffset: "a time with its offset from UTC, or timeZone in the mapping"
    case .notFlag: "true or false"
    case .notClock: "one of cold, swipe, play"
    case .notCache: "what a cache did: HIT, MISS, Cache-Status, true or false"
    case .notTiming: "members of Server-Timing"
    case .notRequest: "method, target and protocol"
    case .noValue: "a value for this event"
    }
  }

  /// Whether the field may be quoted in a message. In a row that slipped by a column anything may
  /// stand anywhere, so that only what was read as a number is shown.
  var mayQuote: Bool {
    if case .negative = self { return true }
    return false
  }
}
