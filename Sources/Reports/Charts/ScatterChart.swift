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
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      let style = "thin s\(best.contains(index) ? 1 : 0)"
      if let range = point.xInterval {
        canvas.path([(plot.x(range.lowerBound), y), (plot.x(range.upperBound), y)], style: style)
      }
      if let range = point.yInterval {
        canvas.path([(x, plot.y(range.lowerBound)), (x, plot.y(range.upperBound))], style: style)
      }
    }
    for index in order.reversed() {
      let point = points[index]
      let isBest = best.contains(index)
      let values = "\(self.x.format.text(point.x)), \(self.y.format.text(point.y))"
      canvas.disc(
        x: plot.x(point.x), y: plot.y(point.y), radius: isBest ? 5 : 4,
        style: isBest ? "f1" : "f0", hint: "\(point.name): \(values)")
    }
    let numbered = placeNames(namesOthers ? order : best, plot, around: corners, on: &canvas)
    canvas.legend([
      .init(name: "no other variant is better in both", sample: .box("f1 edge")),
      .init(name: "others", sample: .box("f0 edge")),
    ])
    for (number, name) in numbered {
      let y = canvas.height + 17
      canvas.text(number, x: 22, y: y, anchor: .end, style: "name")
      canvas.text(ChartText.cut(name, width: canvas.width - 34), x: 28, y: y)
      canvas.height = y + 5
    }
  }

  private func ends(_ range: ClosedRange<Double>?) -> [Double] {
    range.map { [$0.lowerBound, $0.upperBound] } ?? []
  }

  /// A part of the drawing that a name may not cover.
  private struct Box {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    func overlaps(_ other: Box) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
  }

  /// Points, their intervals, and the line along the front.
  private func drawn(_ plot: PlotArea, around line: [(x: Double, y: Double)]) -> [Box] {
    var boxes: [Box] = []
    for point in points {
      let (x, y) = (plot.x(point.x), plot.y(point.y))
      boxes.append(Box(left: x - 5, top: y - 5, right: x + 5, bottom: y + 5))
      if let range = point.xInterval {
        let (left, right) = (plot.x(range.lowerBound), plot.x(range.upperBound))
        boxes.append(Box(left: left, top: y - 1, right: right, bottom: y + 1))
      }
      if let range = point.yInterval {
        let (top, bottom) = (plot.y(range.upperBound), plot.y(range.lowerBound))
        boxes.append(Box(left: x - 1, top: top, right: x + 1, bottom: bottom))
      }
    }
    for (from, to) in zip(line, line.dropFirst()) {
      boxes.append(
        Box(
          left: min(from.x, to.x) - 1, top: min(from.y, to.y) - 1, right: max(from.x, to.x) + 1,
          bottom: max(from.y, to.y) + 1))
    }
    return boxes
  }

  /// Writes names where they cover nothing, the front's first. A point whose name has no room gets
  /// a number; where even that has none, the name is left to the pointer.
  ///
  /// - Returns: the numbers with the names that they stand for.
  private func placeNames(
    _ order: [Int], _ plot: PlotArea, around line: [(x: Double, y: Double)],
    on canvas: inout ChartCanvas
  ) -> [(number: String, name: String)] {
    var taken = drawn(plot, around: line)
    func place(_ text: String, at index: Int, steps: [Double]) -> Bool {
      let (x, y) = (plot.x(points[index].x), plot.y(points[index].y))
      let width = ChartText.width(text)
      for step in steps {
        let places = [
          (step, -step), (step, step + 8), (-step - width, -step), (-step - width, step + 8),
          (step, 4), (-step - width, 4),
        ]
        for (dx, dy) in places {
          let box = Box(
            left: x + dx, top: y + dy - 11, right: x + dx + width, bottom: y + dy + 3)
          let isInside =
            box.left >= plot.left && box.right <= canvas.width && box.top >= plot.top - 6
            && box.bottom <= plot.bottom
          if isInside && !taken.contains(where: { $0.overlaps(box) }) {
            canvas.text(text, x: x + dx, y: y + dy, style: "name")
            taken.append(box)
            return true
          }
        }
      }
      return false
    }
    var left: [Int] = []
    for index in order where !place(points[index].name, at: index, steps: [8]) {
      left.append(index)
    }
    var numbered: [(number: String, name: String)] = []
    for index in left {
      let number = "(\(numbered.count + 1))"
      if place(number, at: index, steps: [8, 14, 20]) {
        numbered.append((number, points[index].name))
      }
    }
    return numbered
  }
}
