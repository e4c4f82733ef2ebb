import Scenario
import Statistics
import Studies

/// What each key does, on the page of a sweep: the estimates that the terminal shows.
extension SweepPage {
  static func effects(_ sweep: SweepResult, to body: inout Markup) {
    var table = HTMLTable(
      "Main effects with half of their 95 % interval",
      [
        .text("Metric"), .text("Key"), .text("What"), .number("Effect"), .text("Told from zero"),
      ])
    var remarks: [String] = []
    for (metric, effects) in zip(sweep.metrics, sweep.effects) {
      for row in rows(metric, effects, sweep.design.factors) { table.add(row) }
      if let remark = remark(metric, effects) { remarks.append(remark) }
    }
    if !table.isEmpty { table.write(to: &body) }
    PlainPage.list(remarks, to: &body)
    let interactions = sweep.metrics.indices.compactMap { index in
      InteractionChart.chart(sweep, metric: index).map { (index, $0) }
    }
    let column = SweepCharts.effects(sweep)
    if column == nil && interactions.isEmpty { return }
    body.element("div", ["class": "charts"]) { body in
      if let column { PlainPage.write(column, id: "effects-chart", to: &body) }
      for (index, chart) in interactions {
        PlainPage.write(chart, id: "lines-\(index + 1)", to: &body)
      }
    }
  }

  private static func rows(
    _ metric: MetricReference, _ effects: FactorEffects, _ factors: [SweepFactor]
  ) -> [[HTMLTable.Cell]] {
    func row(
      _ factor: SweepFactor, _ what: String, _ estimate: Estimate, isShare: Bool = false
    ) -> [HTMLTable.Cell] {
      let half = estimate.interval.halfWidth
      let isTold = !estimate.interval.contains(0)
      return [
        .text(metric.shortName), .text(factor.key), .text(what),
        .text(
          isShare
            ? Figures.signed(estimate.value, half: half)
            : Figures.difference(estimate.value, half: half, unit: metric.unit)),
        PlainPage.mark(isTold ? .good : .open, isTold ? "told" : "not told"),
      ]
    }
    switch effects {
    case .levels(let levels, _):
      return zip(factors, levels).flatMap { factor, estimates in
        estimates.count < 2
          ? []
          : zip(factor.values, estimates).map { row(factor, "at \(factor.name(of: $0))", $1) }
      }
    case .slopes(let slopes, _):
      return zip(factors, slopes).map { row($0, "over its range", $1) }
    case .screening(let sizes, let deviation):
      return factors.indices.map { index in
        let spread = SweepReport.spread(deviation[index], metric)
        return row(factors[index], "mean size (mu*); sigma \(spread)", sizes[index])
      }
    case .indices(let first, let total):
      return factors.indices.flatMap { index in
        [
          row(factors[index], "first-order index", first[index], isShare: true),
          row(factors[index], "total index", total[index], isShare: true),
        ]
      }
    case .none: return []
    }
  }

  private static func remark(_ metric: MetricReference, _ effects: FactorEffects) -> String? {
    switch effects {
    case .levels(_, let explained):
      "\(metric.shortName): single keys explain \(Figures.percent(explained)) of the variance; "
        + "an effect is the difference to the mean over the grid."
    case .slopes(_, let explained):
      "\(metric.shortName): straight lines explain \(Figures.percent(explained)) of the variance."
    case .screening, .indices: nil
    case .none(let reason): "\(metric.shortName): \(reason)."
    }
  }
}
