/// Several charts below each other in one picture, each under its own title.
public struct ChartColumn: Chart {
  public var heading: ChartHeading
  public var charts: [any Chart]

  public init(_ heading: ChartHeading, charts: [any Chart]) {
    self.heading = heading
    self.charts = charts
  }

  public func draw(on canvas: inout ChartCanvas) {
    for (index, chart) in charts.enumerated() {
      if index > 0 { canvas.height += 14 }
      for line in ChartText.lines(chart.heading.title, width: canvas.width) {
        canvas.height += 16
        canvas.text(line, x: 0, y: canvas.height - 4, style: "bold")
      }
      canvas.height += 4
      chart.draw(on: &canvas)
    }
  }
}
