/// Curves over a common axis, with bands and limits: survival curves, miss-ratio curves.
public struct LineChart: Chart {
  /// How points are joined.
  public enum Join: Sendable { case linear, step }

  /// One point of a curve.
  public struct Point: Sendable, Equatable {
    public var x: Double
    public var y: Double
    /// The ends of the interval; both or neither.
    public var lower: Double?
    public var upper: Double?
    /// Something happened here that the curve does not show, such as a censored view; a small
    /// upright stroke.
    public var isMarked: Bool

    public init(
      _ x: Double, _ y: Double, lower: Double? = nil, upper: Double? = nil, isMarked: Bool = false
    ) {
      self.x = x
      self.y = y
      self.lower = lower
      self.upper = upper
      self.isMarked = isMarked
    }
  }

  /// A named curve.
  public struct Series: Sendable, Equatable {
    public var name: String
    /// In ascending order of x.
    public var points: [Point]

    public init(_ name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// A value with an interval along the horizontal axis, such as a percentile on a survival curve.
  public struct Mark: Sendable, Equatable {
    public var x: Double
    public var y: Double
    public var lower: Double
    public var upper: Double
    public var name: String

    public init(_ name: String, x: Double, y: Double, lower: Double, upper: Double) {
      self.name = name
      self.x = x
      self.y = y
      self.lower = lower
      self.upper = upper
    }
  }

  public var heading: ChartHeading
  public var x: ChartAxis
  public var y: ChartAxis
  public var series: [Series]
  public var join: Join
  /// Horizontal lines.
  public var limits: [ChartLimit]
  /// Vertical lines.
  public var bounds: [ChartLimit]
  public var marks: [Mark]
  /// Shaded stretches of the horizontal axis.
  public var spans: [ChartSpan] = []
  /// Whether the horizontal axis ends at the data instead of at round numbers.
  public var endsAtData = false

  public init(
    _ heading: ChartHeading, x: ChartAxis, y: ChartAxis, series: [Series], join: Join = .linear,
    limits: [ChartLimit] = [], bounds: [ChartLimit] = [], marks: [Mark] = []
  ) {
    self.heading = heading
    self.x = x
    self.y = y
    self.series = series
    self.join = join
    self.limits = limits
    self.bounds = bounds
    self.marks = marks
  }

  /// A drawing wider than this is higher, too.
  private static let wide = 800.0

  public func draw(on canvas: inout ChartCanvas) {
    let points = series.flatMap(\.points)
    let plan = PlotArea.Plan(
      x: x, y: y, xValues: points.map(\.x) + marks.flatMap { [$0.lower, $0.upper] },
      yValues: points.flatMap { [$0.y, $0.lower, $0.upper].compactMap { $0 } }
        + limits.map(\.value), isTight: x.scale == .logarithmic || endsAtData,
      height: canvas.width > LineChart.wide ? 260 : 210, spans: spans)
    let plot = PlotArea(plan, on: &canvas)
    for (index, curve) in series.enumerated() {
      drawBand(curve, index, plot, on: &canvas)
    }
    for (index, limit) in limits.enumerated() {
      let place = plot.y(limit.value)
      canvas.path([(plot.left, place), (plot.right, place)], style: ChartStyle.limit(index))
    }
    let shown = plot.inside(bounds)
    plot.draw(shown, after: limits.count, on: &canvas)
    for (index, curve) in series.enumerated() {
      let corners = corners(curve.points, plot)
      canvas.path(corners, style: "line s\(ChartStyle.index(index))")
      // Strokes that would touch say no more than one.
      var free = -1e9
      for point in curve.points where point.isMarked && plot.x(point.x) >= free {
        let (x, y) = (plot.x(point.x), plot.y(point.y))
        canvas.path([(x, y - 4), (x, y + 4)], style: "thin s\(ChartStyle.index(index))")
        free = x + 3
      }
    }
    for mark in marks {
      let y = plot.y(mark.y)
      canvas.path([(plot.x(mark.lower), y), (plot.x(mark.upper), y)], style: "whisker axis")
      canvas.disc(x: plot.x(mark.x), y: y, radius: 3.5, style: "f0", hint: mark.name)
    }
    let lines = limits + shown
    if series.count + lines.count > 1 {
      canvas.legend(
        series.enumerated().map {
          .init(name: $1.name, sample: .line("line s\(ChartStyle.index($0))"))
        } + ChartLimit.legend(lines))
    }
  }

  private func drawBand(
    _ curve: Series, _ index: Int, _ plot: PlotArea, on canvas: inout ChartCanvas
  ) {
    let known = curve.points.filter { $0.lower != nil && $0.upper != nil }
    if known.count < 2 { return }
    let upper = corners(known.map { Point($0.x, $0.upper ?? $0.y) }, plot)
    let lower = corners(known.map { Point($0.x, $0.lower ?? $0.y) }, plot)
    canvas.path(
      upper + lower.reversed(), style: "band f\(ChartStyle.index(index))", isClosed: true)
  }

  /// The corners of a curve; with steps each value holds until the next point.
  private func corners(_ points: [Point], _ plot: PlotArea) -> [(x: Double, y: Double)] {
    var corners: [(x: Double, y: Double)] = []
    for point in points {
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      if join == .step, let last = corners.last { corners.append((x, last.y)) }
      corners.append((x, y))
    }
    return corners
  }
}
