import Scenario
import Statistics
import Studies

/// A grid of two keys as lines: a metric over the key with numbers, a line for each value of the
/// other.
public enum InteractionChart {
  /// The picture of a metric.
  ///
  /// - Returns: nil unless the sweep is a grid of two keys, one of which has at least two numbers
  ///   above zero, and the metric has data at every point.
  public static func chart(_ sweep: SweepResult, metric: Int) -> LineChart? {
    guard case .levels(let levels) = sweep.design.places, sweep.plan.design == .grid,
      sweep.design.factors.count == 2
    else { return nil }
    let factors = sweep.design.factors
    let numbers = factors.map { $0.magnitudes }
    // The key with more values goes along the axis.
    let candidates = [0, 1].filter { (numbers[$0]?.count ?? 0) >= 2 }
    guard
      let axis = candidates.max(by: {
        (numbers[$0]?.count ?? 0, $1) < (numbers[$1]?.count ?? 0, $0)
      }), let places = numbers[axis], places.allSatisfy({ $0 > 0 })
    else { return nil }
    let other = 1 - axis
    let reference = sweep.metrics[metric]
    var series: [LineChart.Series] = []
    for (level, name) in factors[other].values.enumerated() {
      var points: [LineChart.Point] = []
      for (index, row) in levels.enumerated() where row[other] == level {
        let found = sweep.points[index][metric]
        guard let value = found.value else { return nil }
        points.append(
          LineChart.Point(
            places[row[axis]], value, lower: found.interval?.lower,
            upper: found.interval?.upper))
      }
      points.sort { $0.x < $1.x }
      let label = name.replacing("\"", with: "")
      series.append(LineChart.Series("\(lastStep(factors[other].key)) \(label)", points: points))
    }
    let isRatio = reference.unit == .ratio
    let least = places.min() ?? 1
    let most = places.max() ?? 1
    return LineChart(
      ChartHeading(
        "\(reference.shortName) by \(lastStep(factors[axis].key))",
        summary: "A line for each value of \(factors[other].key); bands are 95 % intervals over "
          + "\(sweep.replications) replications."),
      x: ChartAxis(
        factors[axis].key, format: .number(unit: factors[axis].unit),
        scale: most / least >= 8 ? .logarithmic : .linear, extent: least...most),
      y: ChartAxis(
        reference.shortName, format: ChartFormat(reference.unit),
        extent: isRatio && !reference.isUnbounded ? 0...1 : nil),
      series: series)
  }

  /// The pictures of all metrics that have one, by file name.
  public static func files(_ sweep: SweepResult) -> [(name: String, text: String)] {
    sweep.metrics.indices.compactMap { index in
      chart(sweep, metric: index).map {
        ("lines-\(index + 1).svg", $0.file(width: 760))
      }
    }
  }

  private static func lastStep(_ key: String) -> String {
    key.split(separator: ".").suffix(2).joined(separator: ".")
  }
}
