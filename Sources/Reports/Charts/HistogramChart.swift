/// Upright bars over ranges of a number.
public struct HistogramChart: Chart {
  /// A range and how much lies in it.
  public struct Bin: Sendable, Equatable {
    public var lower: Double
    public var upper: Double
    /// One value for each of the chart's series, stacked.
    public var values: [Double]

    public init(_ lower: Double, _ upper: Double, values: [Double]) {
      self.lower = lower
      self.upper = upper
      self.values = values
    }
  }

  public var heading: ChartHeading
  public var x: ChartAxis
  public var y: ChartAxis
  public var series: [String]
  public var bins: [Bin]
  /// Vertical lines.
  public var bounds: [ChartLimit]

  public init(
    _ heading: ChartHeading, x: ChartAxis, y: ChartAxis, series: [String], bins: [Bin],
    bounds: [ChartLimit] = []
  ) {
    self.heading = heading
    self.x = x
    self.y = y
    self.series = series
    self.bins = bins
    self.bounds = bounds
  }

  public func draw(on canvas: inout ChartCanvas) {
    let plan = PlotArea.Plan(
      x: x, y: y, xValues: bins.flatMap { [$0.lower, $0.upper] },
      yValues: bins.map { $0.values.reduce(0, +) }, isTight: true, height: 180)
    let plot = PlotArea(plan, on: &canvas)
    for bin in bins {
      let (left, right) = (plot.x(bin.lower), plot.x(bin.upper))
      var sum = 0.0
      for (index, value) in bin.values.enumerated() where value > 0 {
        let bottom = plot.y(sum)
        sum += value
        let height = max(1, bottom - plot.y(sum))
        let range = "\(x.format.text(bin.lower)) to \(x.format.text(bin.upper))"
        canvas.box(
          x: left, y: bottom - height, width: max(1, right - left), height: height,
          style: "f\(ChartStyle.index(index)) edge",
          hint: "\(range), \(series[index]): \(y.format.text(value))")
      }
    }
    let shown = plot.inside(bounds)
    plot.draw(shown, on: &canvas)
    if series.count + shown.count > 1 {
      canvas.legend(
        series.enumerated().map {
          .init(name: $1, sample: .box("f\(ChartStyle.index($0)) edge"))
        } + ChartLimit.legend(shown))
    }
  }
}
