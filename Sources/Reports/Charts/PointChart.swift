/// A value and its interval in each row, against common limits: one row for each variant.
public struct PointChart: Chart {
  /// One value.
  public struct Row: Sendable, Equatable {
    public var name: String
    /// nil: no data.
    public var value: Double?
    /// The ends of the interval; both or neither.
    public var lower: Double?
    public var upper: Double?

    public init(_ name: String, value: Double?, lower: Double? = nil, upper: Double? = nil) {
      self.name = name
      self.value = value
      self.lower = lower
      self.upper = upper
    }
  }

  public var heading: ChartHeading
  public var axis: ChartAxis
  public var rows: [Row]
  public var limits: [ChartLimit]

  public init(
    _ heading: ChartHeading, axis: ChartAxis, rows: [Row], limits: [ChartLimit] = []
  ) {
    self.heading = heading
    self.axis = axis
    self.rows = rows
    self.limits = limits
  }

  public func draw(on canvas: inout ChartCanvas) {
    let rowHeight = 26.0
    let names = rows.map { ChartText.cut($0.name, width: canvas.width * 0.45) }
    let labels = rows.map { $0.value.map { axis.format.text($0) } ?? "no data" }
    let left = (names.map { ChartText.width($0) }.max() ?? 0) + 12
    let right = canvas.width - (labels.map { ChartText.width($0) }.max() ?? 0) - 12
    let values = rows.flatMap { [$0.value, $0.lower, $0.upper].compactMap { $0 } }
    let fitted = FittedAxis(
      axis, values: values + limits.map(\.value), marks: Int((right - left) / 85))
    func x(_ value: Double) -> Double { left + fitted.share(value) * (right - left) }
    // Names of limits stand above the rows, each on a line of its own.
    var top = canvas.height + 2
    for limit in limits {
      top += 15
      let half = ChartText.width(limit.name) / 2
      let middle = min(max(x(limit.value), half), canvas.width - half)
      canvas.text(limit.name, x: middle, y: top - 4, anchor: .middle, style: "faint")
    }
    let bottom = top + rowHeight * Double(rows.count)
    for tick in fitted.ticks {
      canvas.path([(x(tick.value), top), (x(tick.value), bottom)], style: "grid")
    }
    for tick in fitted.ticks {
      canvas.text(tick.label, x: x(tick.value), y: bottom + 15, anchor: .middle, style: "faint")
    }
    for limit in limits {
      canvas.path([(x(limit.value), top), (x(limit.value), bottom)], style: "limit")
    }
    func y(_ index: Int) -> Double { top + rowHeight * (Double(index) + 0.5) }
    for index in rows.indices {
      canvas.text(names[index], x: left - 10, y: y(index) + 4, anchor: .end)
      canvas.text(labels[index], x: canvas.width, y: y(index) + 4, anchor: .end)
    }
    for (index, row) in rows.enumerated() where row.value != nil {
      guard let lower = row.lower, let upper = row.upper else { continue }
      let (from, to) = (x(lower), x(upper))
      canvas.path([(from, y(index)), (to, y(index))], style: "whisker s0")
      for end in [from, to] {
        canvas.path([(end, y(index) - 4), (end, y(index) + 4)], style: "whisker s0")
      }
    }
    for (index, row) in rows.enumerated() {
      guard let value = row.value else { continue }
      canvas.disc(
        x: x(value), y: y(index), radius: 4, style: "f0", hint: "\(row.name): \(labels[index])")
    }
    canvas.path([(left, bottom), (right, bottom)], style: "axis")
    canvas.height = bottom + 20
    for line in ChartText.lines(axis.fullTitle, width: canvas.width) {
      canvas.height += 15
      canvas.text(
        line, x: (left + right) / 2, y: canvas.height - 3, anchor: .middle, style: "faint")
    }
    canvas.height += 3
  }
}
