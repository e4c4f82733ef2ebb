/// How a word of a page is meant: it has a sign and a colour beside it, and says the same without
/// either.
enum PageTone: Sendable, Equatable {
  case good, bad, open, invalid, plain

  var sign: String {
    switch self {
    case .good: "✓"
    case .bad: "✗"
    case .open: "?"
    case .invalid: "!"
    case .plain: "–"
    }
  }

  /// The class of the style sheet.
  var style: String {
    switch self {
    case .good: "pass"
    case .bad: "fail"
    case .open: "inconclusive"
    case .invalid: "invalid"
    case .plain: "not-run"
    }
  }
}
