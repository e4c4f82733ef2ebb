/// Candidates of a search: what is wanted over what is limited, by what became of each. A cross is
/// what misses a limit, a disc what keeps it, a ringed disc the winner.
public struct CandidateChart: Chart {
  /// What became of a candidate.
  public enum Fate: Sendable, Equatable { case winner, kept, missed }

  /// A candidate.
  public struct Point: Sendable, Equatable {
    public var name: String
    public var x: Double
    public var y: Double
    /// The ends of the intervals.
    public var xInterval: ClosedRange<Double>?
    public var yInterval: ClosedRange<Double>?
    public var fate: Fate

    public init(
      _ name: String, x: Double, y: Double, xInterval: ClosedRange<Double>? = nil,
      yInterval: ClosedRange<Double>? = nil, fate: Fate
    ) {
      self.name = name
      self.x = x
      self.y = y
      self.xInterval = xInterval
      self.yInterval = yInterval
      self.fate = fate
    }
  }

  public var heading: ChartHeading
  public var x: ChartAxis
  public var y: ChartAxis
  public var points: [Point]
  /// Of the horizontal axis.
  public var limit: ChartLimit

  public init(
    _ heading: ChartHeading, x: ChartAxis, y: ChartAxis, points: [Point], limit: ChartLimit
  ) {
    self.heading = heading
    self.x = x
    self.y = y
    self.points = points
    self.limit = limit
  }

  public func draw(on canvas: inout ChartCanvas) {
    func ends(_ range: ClosedRange<Double>?) -> [Double] {
      range.map { [$0.lowerBound, $0.upperBound] } ?? []
    }
    let plan = PlotArea.Plan(
      x: x, y: y, xValues: points.flatMap { [$0.x] + ends($0.xInterval) } + [limit.value],
      yValues: points.flatMap { [$0.y] + ends($0.yInterval) }, height: 250)
    let plot = PlotArea(plan, on: &canvas)
    plot.draw([limit], after: 0, on: &canvas)
    // The winner is drawn last, over the others.
    let order = points.indices.sorted { a, b in
      (points[a].fate == .winner ? 1 : 0, a) < (points[b].fate == .winner ? 1 : 0, b)
    }
    for index in order { draw(points[index], plot, on: &canvas) }
    placeNames(order.reversed(), plot, on: &canvas)
    canvas.legend([
      .init(name: "wins", sample: .box("f1 edge")),
      .init(name: "keeps the limits", sample: .box("f0 edge")),
      .init(name: "misses a limit (cross)", sample: .line("whisker s4")),
      .init(name: limit.name, sample: .line(ChartStyle.limit(0))),
    ])
  }

  private func draw(_ point: Point, _ plot: PlotArea, on canvas: inout ChartCanvas) {
    let (x, y) = (plot.x(point.x), plot.y(point.y))
    let color =
      switch point.fate {
      case .winner: 1
      case .kept: 0
      case .missed: 4
      }
    if let range = point.xInterval {
      canvas.path(
        [(plot.x(range.lowerBound), y), (plot.x(range.upperBound), y)], style: "thin s\(color)")
    }
    if let range = point.yInterval {
      canvas.path(
        [(x, plot.y(range.lowerBound)), (x, plot.y(range.upperBound))], style: "thin s\(color)")
    }
    if point.fate == .missed {
      canvas.path([(x - 4, y - 4), (x + 4, y + 4)], style: "whisker s4")
      canvas.path([(x - 4, y + 4), (x + 4, y - 4)], style: "whisker s4")
      return
    }
    let values = "\(self.x.format.text(point.x)), \(self.y.format.text(point.y))"
    if point.fate == .winner { canvas.disc(x: x, y: y, radius: 8, style: "f1") }
    if point.fate == .winner { canvas.disc(x: x, y: y, radius: 6, style: "paper") }
    canvas.disc(x: x, y: y, radius: 4, style: "f\(color)", hint: "\(point.name): \(values)")
  }

  /// Writes a name beside each point where there is room for it, in the order given; the table has
  /// all.
  private func placeNames(
    _ order: [Int], _ plot: PlotArea, on canvas: inout ChartCanvas
  ) {
    var taken = points.map { point -> (left: Double, top: Double, right: Double, bottom: Double) in
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      return (x - 6, y - 6, x + 6, y + 6)
    }
    for index in order {
      let (x, y) = (plot.x(points[index].x), plot.y(points[index].y))
      let width = ChartText.width(points[index].name)
      for (dx, dy) in [(9.0, -6.0), (9, 14), (-9 - width, -6), (-9 - width, 14), (-width / 2, -11)]
      {
        let box = (left: x + dx, top: y + dy - 11, right: x + dx + width, bottom: y + dy + 3)
        let isFree = !taken.contains {
          $0.left < box.right && box.left < $0.right && $0.top < box.bottom && box.top < $0.bottom
        }
        let isInside =
          box.left >= plot.left && box.right <= canvas.width && box.top >= plot.top - 6
          && box.bottom <= plot.bottom
        if isFree && isInside {
          canvas.text(points[index].name, x: x + dx, y: y + dy, style: "name")
          taken.append(box)
          break
        }
      }
    }
  }
}
