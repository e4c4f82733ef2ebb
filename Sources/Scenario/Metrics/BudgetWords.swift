import Metering

// The words of limits and verdicts. They stand beside the types and not in them: to tell texts
// apart needs tables that a page has not.

extension BudgetLimit.Comparison: RawRepresentable {
  /// As a budget writes it.
  public var rawValue: String {
    switch self {
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }
}

extension Verdict: RawRepresentable {
  /// As results have it.
  public var rawValue: String {
    switch self {
    case .pass: "pass"
    case .fail: "fail"
    case .inconclusive: "inconclusive"
    case .invalid: "invalid"
    case .notRun: "not-run"
    }
  }

  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }
}
