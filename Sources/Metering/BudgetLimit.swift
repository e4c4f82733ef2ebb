/// A budget's limit: a comparison and a value.
public struct BudgetLimit: Hashable, Sendable {
  public enum Comparison: Hashable, Sendable, CaseIterable {
    case less, lessOrEqual, greater, greaterOrEqual
  }

  public var comparison: Comparison
  /// Milliseconds, a ratio or a number, by the metric's unit.
  public var value: Double

  public init(comparison: Comparison, value: Double) {
    self.comparison = comparison
    self.value = value
  }

  /// Whether smaller values are better.
  public var isUpper: Bool {
    switch comparison {
    case .less, .lessOrEqual: true
    case .greater, .greaterOrEqual: false
    }
  }

  /// Whether a value keeps to the limit.
  public func holds(_ number: Double) -> Bool {
    switch comparison {
    case .less: number < value
    case .lessOrEqual: number <= value
    case .greater: number > value
    case .greaterOrEqual: number >= value
    }
  }
}

/// What can be said of a budget (contract.md section 2).
public enum Verdict: Sendable, Equatable, CaseIterable {
  case pass, fail, inconclusive, invalid, notRun
}
