import Scenario

/// A budget's margin with the margins at the ends of its 95 % interval: distances to the limit as
/// shares of it, positive on the good side.
struct BudgetMargin: Equatable {
  let value: Double
  let interval: ClosedRange<Double>?

  /// Whether a margin is 100 % in all of the interval: the value is zero in every replication.
  static func isUntouched(
    _ margin: Double?, value: Double?, interval: ClosedRange<Double>?
  ) -> Bool {
    guard let interval else { return false }
    return margin == 1 && value == 0 && interval.lowerBound == 0 && interval.upperBound == 0
  }

  /// nil without a value, with a limit of zero, or with one that is not understood.
  init?(_ budget: RunRecord.Budget) {
    guard let margin = budget.margin,
      case .success(let limit) = BudgetLimit.parse(budget.limit, unit: budget.estimate.text.unit),
      limit.value != 0
    else { return nil }
    value = margin
    let sign = limit.isUpper ? -1.0 : 1.0
    interval = budget.estimate.text.interval.map { ends in
      let margins = [ends.lowerBound, ends.upperBound].map { sign * ($0 / limit.value - 1) }
      return min(margins[0], margins[1])...max(margins[0], margins[1])
    }
  }
}
