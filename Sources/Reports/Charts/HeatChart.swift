/// A table of numbers whose cells are shaded by their size.
public struct HeatChart: Chart {
  public var heading: ChartHeading
  /// What the rows and the columns are.
  public var rowTitle: String
  public var columnTitle: String
  public var rows: [String]
  public var columns: [String]
  /// By row and column; nil: no data.
  public var values: [[Double?]]
  public var format: ChartFormat

  /// - Precondition: as many values as rows and columns say.
  public init(
    _ heading: ChartHeading, rowTitle: String, rows: [String], columnTitle: String,
    columns: [String], values: [[Double?]], format: ChartFormat
  ) {
    precondition(values.count == rows.count, "\(values.count) rows of values, \(rows.count) names")
    precondition(
      values.allSatisfy { $0.count == columns.count }, "a row is not as long as its names")
    self.heading = heading
    self.rowTitle = rowTitle
    self.columnTitle = columnTitle
    self.rows = rows
    self.columns = columns
    self.values = values
    self.format = format
  }

  public func draw(on canvas: inout ChartCanvas) {
    let names = rows.map { ChartText.cut($0, width: canvas.width * 0.35) }
    let left =
      max(ChartText.width(rowTitle), names.map { ChartText.width($0) }.max() ?? 0) + 10
    let cell = (width: (canvas.width - left) / Double(max(1, columns.count)), height: 26.0)
    let known = values.joined().compactMap { $0 }.filter(\.isFinite)
    let (least, most) = (known.min() ?? 0, known.max() ?? 0)
    canvas.height += 15
    canvas.text(columnTitle, x: left, y: canvas.height - 3, style: "faint")
    canvas.height += 18
    canvas.text(rowTitle, x: left - 8, y: canvas.height - 5, anchor: .end, style: "faint")
    for (index, name) in columns.enumerated() {
      canvas.text(
        ChartText.cut(name, width: cell.width - 4), x: left + cell.width * (Double(index) + 0.5),
        y: canvas.height - 5, anchor: .middle)
    }
    for (row, name) in names.enumerated() {
      let y = canvas.height
      canvas.text(name, x: left - 8, y: y + 17, anchor: .end)
      for column in columns.indices {
        let x = left + cell.width * Double(column)
        let middle = x + cell.width / 2
        guard let value = values[row][column], value.isFinite else {
          canvas.text("no data", x: middle, y: y + 17, anchor: .middle, style: "faint")
          continue
        }
        let step = HeatChart.step(value, least, most)
        let text = format.text(value)
        canvas.box(
          x: x, y: y, width: cell.width, height: cell.height, style: "h\(step) edge",
          hint: "\(rows[row]), \(columns[column]): \(text)")
        canvas.text(
          ChartText.cut(text, width: cell.width - 2), x: middle, y: y + 17, anchor: .middle,
          style: "t\(step)")
      }
      canvas.height += cell.height
    }
    canvas.height += 4
    if most > least {
      canvas.legend([
        .init(name: "least: \(format.text(least))", sample: .box("h0 edge")),
        .init(
          name: "most: \(format.text(most))", sample: .box("h\(ChartStyle.heatSteps - 1) edge")),
      ])
    }
  }

  private static func step(_ value: Double, _ least: Double, _ most: Double) -> Int {
    guard most > least else { return 0 }
    let share = (value - least) / (most - least)
    return max(0, min(ChartStyle.heatSteps - 1, Int(share * Double(ChartStyle.heatSteps))))
  }
}
