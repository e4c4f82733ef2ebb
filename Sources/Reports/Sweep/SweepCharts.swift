import Scenario
import Statistics
import Studies

/// The pictures of a sweep: its front, and what each key does.
public enum SweepCharts {
  /// The pictures that a sweep has, by file name.
  public static func files(_ sweep: SweepResult) -> [(name: String, text: String)] {
    let front = front(sweep).map { ("front.svg", $0.file(width: 760)) }
    let effects = effects(sweep).map { ("effects.svg", $0.file(width: 760)) }
    return [front, effects].compactMap { $0 } + InteractionChart.files(sweep)
  }

  /// The first metric of the front over the second, with intervals: of every point of a small
  /// sweep, of the front's of a large one.
  ///
  /// - Returns: nil for a sweep without a front, or without data of both metrics anywhere.
  /// - Parameter isNumbered: points are named by their numbers, as in the table of a page, and not
  ///   by their values.
  public static func front(_ sweep: SweepResult, isNumbered: Bool = false) -> ScatterChart? {
    let places = sweep.front.prefix(2).compactMap { sweep.metrics.firstIndex(of: $0) }
    guard places.count == 2 else { return nil }
    let (y, x) = (places[0], places[1])
    // Intervals and names of many points cover each other: then only the front has them.
    let isCrowded = sweep.points.count > most
    let points = sweep.points.indices.compactMap { index -> ScatterChart.Point? in
      let (up, right) = (sweep.points[index][y], sweep.points[index][x])
      guard let height = up.value, let width = right.value else { return nil }
      let hasIntervals = !isCrowded || sweep.frontPoints.contains(index)
      return ScatterChart.Point(
        isNumbered ? SweepPage.name(index) : name(sweep, index), x: width, y: height,
        xInterval: hasIntervals ? range(right) : nil,
        yInterval: hasIntervals ? range(up) : nil)
    }
    if points.isEmpty { return nil }
    let names = sweep.front.prefix(2).map(\.shortName)
    let keys = sweep.design.factors.map { lastStep($0.key) }.joined(separator: " · ")
    var chart = ScatterChart(
      ChartHeading(
        "\(sweep.scenario.name): \(names[0]) against \(names[1]) (\(keys))",
        summary: summary(sweep, names)),
      x: axis(sweep.metrics[x], points.flatMap { ends($0.x, $0.xInterval) }),
      y: axis(sweep.metrics[y], points.flatMap { ends($0.y, $0.yInterval) }), points: points,
      isLowerBetter: (sweep.metrics[x].isWorseWhenHigher, sweep.metrics[y].isWorseWhenHigher))
    chart.namesOthers = !isCrowded || isNumbered && sweep.points.count <= mostNumbered
    return chart
  }

  /// What each key does to the metrics of the front, or to the first two metrics without one.
  ///
  /// - Returns: nil where no effect can be told, as with one key at a time.
  public static func effects(_ sweep: SweepResult) -> ChartColumn? {
    let shown = sweep.front.isEmpty ? Array(sweep.metrics.prefix(2)) : sweep.front
    let charts = shown.compactMap { metric -> PointChart? in
      guard let place = sweep.metrics.firstIndex(of: metric) else { return nil }
      return chart(metric, sweep.effects[place], sweep)
    }
    if charts.isEmpty { return nil }
    return ChartColumn(
      ChartHeading(
        "\(sweep.scenario.name): what each key does",
        summary: charts.map(\.heading.summary).joined(separator: " ")), charts: charts)
  }

  /// Most points of a chart in which every point has its intervals.
  private static let most = 12
  /// Most points of a chart in which every point has its number.
  private static let mostNumbered = 60

  // MARK: Parts of the front

  private static func summary(_ sweep: SweepResult, _ names: [String]) -> String {
    let best = sweep.frontPoints.map { SweepReport.label(sweep, $0) }
    let count = "\(sweep.design.count) points, \(sweep.replications) replications each, "
    return count + "95 % intervals. No other point is better in both "
      + names.joined(separator: " and ") + " than: " + best.joined(separator: "; ") + "."
  }

  /// The values of a point in the order of the keys.
  private static func name(_ sweep: SweepResult, _ point: Int) -> String {
    let set = zip(sweep.design.factors, sweep.design.names(point)).filter { !$1.isEmpty }
    if set.isEmpty { return "as it is" }
    // With some keys as they are, values alone would not say whose they are.
    return set.count == sweep.design.factors.count
      ? set.map { plain($1) }.joined(separator: " · ")
      : set.map { "\(lastStep($0.key)) \(plain($1))" }.joined(separator: " · ")
  }

  /// A value as a label: without the marks of YAML, a list by its ends.
  static func plain(_ value: String) -> String {
    let text = value.replacing("\"", with: "")
    if text.hasPrefix("{") && text.hasSuffix("}") {
      let inside = text.dropFirst().dropLast()
      return String(inside.hasPrefix("kind: ") ? inside.dropFirst(6) : inside)
    }
    if text.hasPrefix("["), text.hasSuffix("]") {
      let parts = text.dropFirst().dropLast().split(separator: ", ")
      guard parts.count > 2, let first = parts.first, let last = parts.last else {
        return parts.joined(separator: ", ")
      }
      return "\(first) … \(last)"
    }
    return text
  }

  private static func range(_ metric: MetricResult) -> ClosedRange<Double>? {
    guard let interval = metric.interval, interval.lower <= interval.upper else { return nil }
    let isRatio = metric.reference.unit == .ratio
    // Student's interval does not know that a ratio ends at 0 and 1, or a time at 0.
    let lower = max(0, interval.lower)
    let isShare = isRatio && !metric.reference.isUnbounded
    return lower...max(lower, isShare ? min(1, interval.upper) : interval.upper)
  }

  private static func ends(_ value: Double, _ range: ClosedRange<Double>?) -> [Double] {
    [value] + (range.map { [$0.lowerBound, $0.upperBound] } ?? [])
  }

  private static func axis(_ metric: MetricReference, _ values: [Double]) -> ChartAxis {
    var axis = ChartAxis(metric.shortName, format: format(metric))
    if let least = values.min(), let most = values.max() { axis.extent = least...most }
    return axis
  }

  private static func format(_ metric: MetricReference) -> ChartFormat {
    ChartFormat(metric.unit)
  }

  private static func lastStep(_ key: String) -> String {
    String(key.split(separator: ".").last ?? "")
  }

  // MARK: Parts of the effects

  private static func chart(
    _ metric: MetricReference, _ effects: FactorEffects, _ sweep: SweepResult
  ) -> PointChart? {
    let factors = sweep.design.factors
    var rows: [PointChart.Row] = []
    var title = metric.shortName
    var format = format(metric)
    func add(_ name: String, _ estimate: Estimate) {
      rows.append(
        PointChart.Row(
          name, value: estimate.value, lower: estimate.interval.lower,
          upper: estimate.interval.upper))
    }
    switch effects {
    case .levels(let levels, _):
      title += " at a value, minus its mean over the grid"
      for (factor, estimates) in zip(factors, levels) where estimates.count > 1 {
        for (value, estimate) in zip(factor.values.map { factor.name(of: $0) }, estimates) {
          add("\(lastStep(factor.key)) \(plain(value))", estimate)
        }
      }
    case .slopes(let slopes, _):
      title += " over a key's range"
      for (factor, estimate) in zip(factors, slopes) { add(lastStep(factor.key), estimate) }
    case .screening(let sizes, _):
      title += ", mean size of elementary effects"
      for (factor, estimate) in zip(factors, sizes) { add(lastStep(factor.key), estimate) }
    case .indices(_, let total):
      title += ", total Sobol index"
      format = .number(unit: "")
      for (factor, estimate) in zip(factors, total) { add(lastStep(factor.key), estimate) }
    case .none: return nil
    }
    return PointChart(
      ChartHeading(
        title, summary: "\(title): \(rows.count) effects with 95 % intervals."),
      axis: ChartAxis(title, format: format), rows: rows)
  }
}
