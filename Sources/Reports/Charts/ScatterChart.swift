/// Two metrics of each variant against each other, with the variants that none beats in both.
public struct ScatterChart: Chart {
  /// A variant.
  public struct Point: Sendable, Equatable {
    public var name: String
    public var x: Double
    public var y: Double
    /// The ends of the intervals; both or neither.
    public var xInterval: ClosedRange<Double>?
    public var yInterval: ClosedRange<Double>?

    public init(
      _ name: String, x: Double, y: Double, xInterval: ClosedRange<Double>? = nil,
      yInterval: ClosedRange<Double>? = nil
    ) {
      self.name = name
      self.x = x
      self.y = y
      self.xInterval = xInterval
      self.yInterval = yInterval
    }
  }

  public var heading: ChartHeading
  public var x: ChartAxis
  public var y: ChartAxis
  public var points: [Point]
  /// Whether smaller values are better, on each axis.
  public var isLowerBetter: (x: Bool, y: Bool)
  /// Whether points off the front are named too, where there is room.
  public var namesOthers = true

  public init(
    _ heading: ChartHeading, x: ChartAxis, y: ChartAxis, points: [Point],
    isLowerBetter: (x: Bool, y: Bool) = (true, true)
  ) {
    self.heading = heading
    self.x = x
    self.y = y
    self.points = points
    self.isLowerBetter = isLowerBetter
  }

  /// The indices of the points on the Pareto front, in ascending order of x: no other point is at
  /// least as good on both axes and better on one.
  public var front: [Int] {
    func gain(_ index: Int) -> (Double, Double) {
      (
        isLowerBetter.x ? points[index].x : -points[index].x,
        isLowerBetter.y ? points[index].y : -points[index].y
      )
    }
    return points.indices.filter { index in
      let own = gain(index)
      return !points.indices.contains { other in
        let rival = gain(other)
        return rival.0 <= own.0 && rival.1 <= own.1 && rival != own
      }
    }.sorted { (points[$0].x, $0) < (points[$1].x, $1) }
  }

  public func draw(on canvas: inout ChartCanvas) {
    let plan = PlotArea.Plan(
      x: x, y: y,
      xValues: points.flatMap { [$0.x] + ends($0.xInterval) },
      yValues: points.flatMap { [$0.y] + ends($0.yInterval) }, height: 270)
    let plot = PlotArea(plan, on: &canvas)
    let best = front
    var corners: [(x: Double, y: Double)] = []
    for index in best {
      let place = (x: plot.x(points[index].x), y: plot.y(points[index].y))
      // What is sure to be reached between two points of the front is the worse of both.
      if let last = corners.last {
        corners.append(isLowerBetter.x ? (place.x, last.y) : (last.x, place.y))
      }
      corners.append(place)
    }
    canvas.path(corners, style: "line s1")
    let order = best + points.indices.filter { !best.contains($0) }
    // The front is drawn last and named first.
    for index in order.reversed() {
      let point = points[index]
      let color = best.contains(index) ? 1 : 0
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      if let range = point.xInterval {
        canvas.path(
          [(plot.x(range.lowerBound), y), (plot.x(range.upperBound), y)], style: "thin s\(color)")
      }
      if let range = point.yInterval {
        canvas.path(
          [(x, plot.y(range.lowerBound)), (x, plot.y(range.upperBound))], style: "thin s\(color)")
      }
      let values = "\(self.x.format.text(point.x)), \(self.y.format.text(point.y))"
      canvas.disc(
        x: x, y: y, radius: best.contains(index) ? 5 : 4, style: "f\(color)",
        hint: "\(point.name): \(values)")
    }
    placeNames(namesOthers ? order : best, plot, around: corners, on: &canvas)
    canvas.legend([
      .init(name: "no other variant is better in both", sample: .box("f1 edge")),
      .init(name: "others", sample: .box("f0 edge")),
    ])
  }

  private func ends(_ range: ClosedRange<Double>?) -> [Double] {
    range.map { [$0.lowerBound, $0.upperBound] } ?? []
  }

  /// Writes names where they cover nothing, the front's first; a name without room is left to the
  /// pointer.
  private func placeNames(
    _ order: [Int], _ plot: PlotArea, around line: [(x: Double, y: Double)],
    on canvas: inout ChartCanvas
  ) {
    typealias Box = (left: Double, top: Double, right: Double, bottom: Double)
    var taken: [Box] = points.map { point in
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      return (x - 5, y - 5, x + 5, y + 5)
    }
    for (from, to) in zip(line, line.dropFirst()) {
      taken.append(
        (min(from.x, to.x) - 1, min(from.y, to.y) - 1, max(from.x, to.x) + 1, max(from.y, to.y) + 1)
      )
    }
    for index in order {
      let (x, y) = (plot.x(points[index].x), plot.y(points[index].y))
      let width = ChartText.width(points[index].name)
      let places = [
        (8.0, -8.0), (8, 16), (-8 - width, -8), (-8 - width, 16), (8, 4), (-8 - width, 4),
      ]
      for (dx, dy) in places {
        let box: Box = (x + dx, y + dy - 11, x + dx + width, y + dy + 3)
        let isInside =
          box.left >= plot.left && box.right <= canvas.width && box.top >= plot.top - 6
          && box.bottom <= plot.bottom
        let isFree = !taken.contains { other in
          box.left < other.right && other.left < box.right && box.top < other.bottom
            && other.top < box.bottom
        }
        if isInside && isFree {
          canvas.text(points[index].name, x: x + dx, y: y + dy, style: "name")
          taken.append(box)
          break
        }
      }
    }
  }
}
