import Scenario

/// Both sides.
struct BacktestSides {
  let predicted, observed: BacktestSide

  init(_ predicted: ObservedViews, _ observed: ObservedViews) {
    self.predicted = BacktestSide(predicted, isPredicted: true)
    self.observed = BacktestSide(observed, isPredicted: false)
  }
}

/// Cohorts that rows are made for: all of them, or those with one value of a key.
struct BacktestGroup {
  /// `device=mid`; empty: all.
  let name: String
  /// By cohort of a side, whether it belongs.
  let predicted, observed: [Bool]

  /// All cohorts, then for each key the values that both sides have, in the order of their names.
  static func all(
    _ predicted: ObservedViews, _ observed: ObservedViews, by keys: [ObservedViews.CohortKey]
  ) -> [BacktestGroup] {
    var groups = [
      BacktestGroup(
        name: "", predicted: predicted.cohorts.map { _ in true },
        observed: observed.cohorts.map { _ in true })
    ]
    for key in keys {
      let ours = Set(predicted.cohorts.map(key.value))
      let shared = ours.intersection(observed.cohorts.map(key.value)).filter { !$0.isEmpty }
      for value in shared.sorted() {
        groups.append(
          BacktestGroup(
            name: "\(key.rawValue)=\(value)",
            predicted: predicted.cohorts.map { key.value($0) == value },
            observed: observed.cohorts.map { key.value($0) == value }))
      }
    }
    return groups
  }
}
