/// The scale that the bars of a table share, so that they compare: from the worst margin to a
/// little more than 100 %.
struct MarginScale {
  /// What is missed by more than its limit is drawn at the left edge.
  private static let least = -1.05
  private static let most = 1.05

  let range: ClosedRange<Double>

  init(_ budgets: [RunRecord.Budget]) {
    let margins = budgets.compactMap { BudgetMargin($0) }
    let lowest = margins.map { min($0.value, $0.interval?.lowerBound ?? $0.value) }.min() ?? 0
    range = max(MarginScale.least, min(-0.05, 1.1 * lowest))...MarginScale.most
  }
}

/// A budget's margin in a row of the table. The row's other cells say the same in numbers.
struct MarginBar {
  private let width = 140.0
  private let margin: BudgetMargin
  private let range: ClosedRange<Double>
  private let isLowerBound: Bool

  /// nil for a budget without a margin.
  init?(_ budget: RunRecord.Budget, _ scale: MarginScale) {
    guard let margin = BudgetMargin(budget) else { return nil }
    self.margin = margin
    range = scale.range
    isLowerBound = budget.estimate.isLowerBound
  }

  /// Where a margin is drawn; what lies outside of the scale is drawn at its end.
  private func x(_ margin: Double) -> Double {
    let inside = max(range.lowerBound, min(range.upperBound, margin))
    return 5 + (inside - range.lowerBound) / (range.upperBound - range.lowerBound) * (width - 10)
  }

  var markup: String {
    var canvas = ChartCanvas(width: width)
    let (edge, place) = (x(0), x(margin.value))
    canvas.box(x: edge, y: 2, width: x(1) - edge, height: 16, style: "allowed")
    canvas.path([(edge, 0), (edge, 20)], style: "whisker s4")
    if let interval = margin.interval {
      let ends = [interval.lowerBound, interval.upperBound]
      canvas.path([(x(ends[0]), 10), (x(ends[1]), 10)], style: "whisker s0")
      for end in ends where range.contains(end) {
        canvas.path([(x(end), 6), (x(end), 14)], style: "whisker s0")
      }
    }
    // The true value of a lower bound is worse, and so is a margin left of the scale.
    if isLowerBound || margin.value < range.lowerBound {
      let tip = max(1, place - 9)
      canvas.path([(tip + 6, 5), (tip, 10), (tip + 6, 15)], style: "whisker s0")
    }
    let isBeyond = margin.value < range.lowerBound
    canvas.disc(x: isBeyond ? place + 5 : place, y: 10, radius: 4, style: "f0")
    var markup = Markup()
    markup.element(
      "svg",
      [
        "viewBox": "0 0 \(ChartText.coordinate(width)) 20", "width": ChartText.coordinate(width),
        "height": "20", "class": "ff-chart", "aria-hidden": "true",
      ]
    ) { $0.raw(canvas.markup.text) }
    return markup.text
  }
}
