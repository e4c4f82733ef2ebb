/// Horizontal bars, one row each: plain, stacked, or begun away from zero as in a waterfall.
public struct BarChart: Chart {
  /// One bar.
  public struct Row: Sendable, Equatable {
    public var name: String
    /// Where the bar begins.
    public var start: Double
    /// Lengths of its pieces, one for each of the chart's series.
    public var parts: [Double]
    /// What stands behind the bar.
    public var label: String
    /// Whether this is a total.
    public var isTotal: Bool

    public init(
      _ name: String, start: Double = 0, parts: [Double], label: String, isTotal: Bool = false
    ) {
      self.name = name
      self.start = start
      self.parts = parts
      self.label = label
      self.isTotal = isTotal
    }
  }

  public var heading: ChartHeading
  public var axis: ChartAxis
  /// Names of the pieces; with more than one there is a legend.
  public var series: [String]
  public var rows: [Row]

  public init(_ heading: ChartHeading, axis: ChartAxis, series: [String], rows: [Row]) {
    self.heading = heading
    self.axis = axis
    self.series = series
    self.rows = rows
  }

  /// Rows of a waterfall: each part begins where the one before it ends, and the last row is the
  /// sum.
  ///
  /// - Parameter parts: name, length and label; those without a length are left out.
  public static func waterfall(
    _ parts: [(name: String, value: Double, label: String)], total: String, totalLabel: String
  ) -> [Row] {
    var rows: [Row] = []
    var end = 0.0
    for part in parts where part.value > 0 {
      rows.append(Row(part.name, start: end, parts: [part.value], label: part.label))
      end += part.value
    }
    return rows + [Row(total, parts: [end], label: totalLabel, isTotal: true)]
  }

  public func draw(on canvas: inout ChartCanvas) {
    let rowHeight = 22.0
    let names = rows.map { ChartText.cut($0.name, width: canvas.width * 0.42) }
    func widest(_ texts: [String]) -> Double {
      zip(texts, rows).map { ChartText.width($0, isBold: $1.isTotal) }.max() ?? 0
    }
    let left = widest(names) + 10
    let labelRoom = widest(rows.map(\.label)) + 8
    let right = max(left + 60, canvas.width - labelRoom)
    let ends = rows.map { $0.start + $0.parts.reduce(0, +) }
    let fitted = FittedAxis(axis, values: ends, marks: Int((right - left) / 85))
    func x(_ value: Double) -> Double { left + fitted.share(value) * (right - left) }
    let top = canvas.height + 2
    let bottom = top + rowHeight * Double(rows.count)
    for tick in fitted.ticks {
      canvas.path([(x(tick.value), top), (x(tick.value), bottom)], style: "grid")
    }
    for (index, row) in rows.enumerated() {
      canvas.text(
        names[index], x: left - 8, y: top + rowHeight * Double(index) + 15, anchor: .end,
        style: row.isTotal ? "bold" : nil)
    }
    for part in series.indices {
      for (index, row) in rows.enumerated() where part < row.parts.count && row.parts[part] > 0 {
        let begin = x(row.start + row.parts.prefix(part).reduce(0, +))
        let end = x(row.start + row.parts.prefix(part + 1).reduce(0, +))
        let color = row.isTotal && series.count == 1 ? 7 : ChartStyle.index(part)
        let name = series.count > 1 ? "\(row.name), \(series[part])" : row.name
        // What is there shows, however little it is; an outline would cover it.
        let width = max(1.5, end - begin)
        canvas.box(
          x: begin, y: top + rowHeight * Double(index) + 3, width: width, height: rowHeight - 6,
          style: "f\(color)" + (width > 4 ? " edge" : ""),
          hint: "\(name): \(axis.format.text(row.parts[part]))")
      }
    }
    for (index, row) in rows.enumerated() {
      canvas.text(
        row.label, x: max(x(ends[index]), left + 1) + 6, y: top + rowHeight * Double(index) + 15,
        style: row.isTotal ? "bold" : nil)
    }
    canvas.path([(left, top), (left, bottom)], style: "axis")
    var free = -1e9
    for tick in fitted.ticks {
      let half = ChartText.width(tick.label) / 2
      let middle = min(x(tick.value), canvas.width - half)
      if middle - half < free { continue }
      canvas.text(tick.label, x: middle, y: bottom + 14, anchor: .middle, style: "faint")
      free = middle + half + 6
    }
    canvas.height = bottom + 18
    for line in ChartText.lines(axis.fullTitle, width: canvas.width - 4) {
      canvas.height += 15
      let half = ChartText.width(line) / 2
      let middle = min(max((left + right) / 2, half), canvas.width - half)
      canvas.text(line, x: middle, y: canvas.height - 3, anchor: .middle, style: "faint")
    }
    canvas.height += 3
    if series.count > 1 {
      canvas.legend(
        series.enumerated().map {
          .init(name: $1, sample: .box("f\(ChartStyle.index($0)) edge"))
        })
    }
  }
}
