/// The rectangle between two axes.
struct PlotArea {
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double
  let xAxis: FittedAxis
  let yAxis: FittedAxis

  /// What a plot shows, before its place is known.
  struct Plan {
    var x: ChartAxis
    var y: ChartAxis
    var xValues: [Double]
    var yValues: [Double]
    /// Whether the horizontal axis ends at the data.
    var isTight = false
    /// The height between the axes.
    var height = 210.0
    /// Stretches of the horizontal axis that are shaded.
    var spans: [ChartSpan] = []
  }

  /// Draws grid, marks and titles onto the canvas.
  init(_ plan: Plan, on canvas: inout ChartCanvas) {
    yAxis = FittedAxis(plan.y, values: plan.yValues, marks: 5)
    let labelWidth = yAxis.ticks.map { ChartText.width($0.label) }.max() ?? 0
    left = labelWidth + 8
    // A mark at the right end needs room for half of its label.
    right = canvas.width - 22
    let marks = Int((right - left) / 75)
    xAxis = FittedAxis(plan.x, values: plan.xValues, marks: marks, isTight: plan.isTight)
    var y = canvas.height
    for line in ChartText.lines(plan.y.fullTitle, width: canvas.width) {
      y += 15
      canvas.text(line, x: 0, y: y - 3, style: "faint")
    }
    let spans = SpanRow.rows(
      plan.spans, xAxis, left: left, right: right, edge: canvas.width)
    y += 15 * Double(spans.count)
    top = y + 8
    bottom = top + plan.height
    for (row, names) in spans.enumerated() {
      let line = top - 8 - 15 * Double(spans.count - 1 - row)
      for name in names { name.draw(at: line, to: bottom, on: &canvas) }
    }
    for tick in yAxis.ticks {
      let place = self.y(tick.value)
      canvas.path([(left, place), (right, place)], style: "grid")
    }
    for tick in yAxis.ticks {
      canvas.text(tick.label, x: left - 6, y: self.y(tick.value) + 4, anchor: .end)
    }
    var free = -1e9
    for tick in xAxis.ticks {
      let half = ChartText.width(tick.label) / 2
      let middle = min(x(tick.value), canvas.width - half)
      if middle - half < free { continue }
      canvas.text(tick.label, x: middle, y: bottom + 17, anchor: .middle)
      free = middle + half + 6
    }
    for tick in xAxis.ticks {
      canvas.path([(x(tick.value), bottom), (x(tick.value), bottom + 4)], style: "axis")
    }
    canvas.path([(left, bottom), (right, bottom)], style: "axis")
    var low = bottom + 20
    for line in ChartText.lines(plan.x.fullTitle, width: right - left) {
      low += 15
      canvas.text(line, x: (left + right) / 2, y: low - 2, anchor: .middle, style: "faint")
    }
    canvas.height = low + 4
  }

  /// The limits that lie on the horizontal axis.
  func inside(_ bounds: [ChartLimit]) -> [ChartLimit] {
    bounds.filter { $0.value >= xAxis.lower && $0.value <= xAxis.upper }
  }

  /// Draws upright lines.
  ///
  /// - Parameter first: how many limits the legend names before these.
  func draw(_ bounds: [ChartLimit], after first: Int = 0, on canvas: inout ChartCanvas) {
    for (index, bound) in bounds.enumerated() {
      let place = x(bound.value)
      canvas.path([(place, top), (place, bottom)], style: ChartStyle.limit(first + index))
    }
  }

  func x(_ value: Double) -> Double { left + xAxis.share(value) * (right - left) }
  func y(_ value: Double) -> Double { bottom - yAxis.share(value) * (bottom - top) }
}

/// A value that the others are judged by, such as a budget or the compulsory misses.
public struct ChartLimit: Sendable, Equatable {
  public var value: Double
  public var name: String

  public init(_ value: Double, name: String) {
    self.value = value
    self.name = name
  }

  /// Entries of a legend, in the order in which the lines are drawn.
  static func legend(_ limits: [ChartLimit]) -> [ChartCanvas.LegendEntry] {
    limits.enumerated().map { .init(name: $1.name, sample: .line(ChartStyle.limit($0))) }
  }
}
