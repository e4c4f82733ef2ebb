/// Who was busy with what, and when: a row each, with pieces of several kinds.
public struct GanttChart: Chart {
  /// A stretch of a row.
  public struct Piece: Sendable, Equatable {
    public var name: String
    /// Its place in the chart's kinds.
    public var kind: Int
    public var from: Double
    public var to: Double

    public init(_ name: String, kind: Int, from: Double, to: Double) {
      self.name = name
      self.kind = kind
      self.from = from
      self.to = to
    }
  }

  /// A row; of pieces that lie over each other the last one is seen.
  public struct Row: Sendable, Equatable {
    public var name: String
    public var pieces: [Piece]

    public init(_ name: String, pieces: [Piece]) {
      self.name = name
      self.pieces = pieces
    }
  }

  public var heading: ChartHeading
  /// Its extent is what is shown; pieces are cut to it.
  public var axis: ChartAxis
  /// Names of the kinds of pieces; the legend has those that occur.
  public var kinds: [String]
  public var rows: [Row]
  /// Upright lines.
  public var bounds: [ChartLimit]

  public init(
    _ heading: ChartHeading, axis: ChartAxis, kinds: [String], rows: [Row], bounds: [ChartLimit]
  ) {
    self.heading = heading
    self.axis = axis
    self.kinds = kinds
    self.rows = rows
    self.bounds = bounds
  }

  public func draw(on canvas: inout ChartCanvas) {
    let rowHeight = 20.0
    let names = rows.map { ChartText.cut($0.name, width: canvas.width * 0.36) }
    let left = (names.map { ChartText.width($0) }.max() ?? 0) + 12
    let right = canvas.width - 22
    let fitted = FittedAxis(axis, values: [], marks: Int((right - left) / 75), isTight: true)
    func x(_ value: Double) -> Double { left + fitted.share(value) * (right - left) }
    let top = canvas.height + 4
    let bottom = top + rowHeight * Double(rows.count)
    for tick in fitted.ticks {
      canvas.path([(x(tick.value), top), (x(tick.value), bottom)], style: "grid")
    }
    for (index, name) in names.enumerated() {
      canvas.text(name, x: left - 8, y: top + rowHeight * Double(index) + 14, anchor: .end)
    }
    var used: [Int] = []
    for (index, row) in rows.enumerated() {
      for piece in row.pieces where piece.to >= fitted.lower && piece.from <= fitted.upper {
        let (from, to) = (x(piece.from), x(piece.to))
        let length = axis.format.text(piece.to - piece.from)
        // What is there shows, however short it is.
        canvas.box(
          x: from, y: top + rowHeight * Double(index) + 3, width: max(1, to - from),
          height: rowHeight - 6, style: "f\(ChartStyle.index(piece.kind))",
          hint: "\(row.name): \(piece.name), \(length)")
        if !used.contains(piece.kind) { used.append(piece.kind) }
      }
    }
    canvas.path([(left, top), (left, bottom), (right, bottom)], style: "axis")
    for (index, bound) in bounds.enumerated()
    where bound.value >= fitted.lower && bound.value <= fitted.upper {
      let place = x(bound.value)
      canvas.path([(place, top), (place, bottom)], style: ChartStyle.limit(index))
    }
    var free = -1e9
    for tick in fitted.ticks {
      let half = ChartText.width(tick.label) / 2
      let middle = min(x(tick.value), canvas.width - half)
      if middle - half < free { continue }
      canvas.text(tick.label, x: middle, y: bottom + 15, anchor: .middle, style: "faint")
      free = middle + half + 6
    }
    canvas.height = bottom + 20
    for line in ChartText.lines(axis.fullTitle, width: right - left) {
      canvas.height += 15
      canvas.text(
        line, x: (left + right) / 2, y: canvas.height - 3, anchor: .middle, style: "faint")
    }
    canvas.height += 3
    canvas.legend(
      used.sorted().map { .init(name: kinds[$0], sample: .box("f\(ChartStyle.index($0))")) }
        + ChartLimit.legend(bounds))
  }
}
