/// A picture of numbers: draws itself as SVG 1.1, with the same bytes on every run and machine.
///
/// A reader who cannot see it hears ``ChartHeading/title`` and ``ChartHeading/summary``
/// (WAI-ARIA 1.2 role `img`).
public protocol Chart: Sendable {
  /// What the chart says about itself.
  var heading: ChartHeading { get }
  /// Draws onto a canvas of fixed width; the drawing decides its height.
  func draw(on canvas: inout ChartCanvas)
}

/// Title and description of a chart.
public struct ChartHeading: Sendable, Equatable {
  /// What is shown, in a few words.
  public var title: String
  /// What the picture says, in one or two sentences, for those who do not see it.
  public var summary: String

  public init(_ title: String, summary: String) {
    self.title = title
    self.summary = summary
  }
}

extension Chart {
  /// The chart as an element of a page that carries ``ChartStyle/css``; the page shows the title.
  ///
  /// - Parameters:
  ///   - id: unique on the page; letters, digits and hyphens.
  ///   - width: units of the drawing, which are CSS pixels at its natural size.
  public func inline(id: String, width: Double = 420) -> String {
    svg(id: id, width: width, isFile: false)
  }

  /// The chart as a file of its own with title and style sheet.
  public func file(width: Double = 640) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + svg(id: "chart", width: width, isFile: true) + "\n"
  }

  private func svg(id: String, width: Double, isFile: Bool) -> String {
    var canvas = ChartCanvas(width: width)
    if isFile { canvas.writeTitle(heading.title) }
    draw(on: &canvas)
    let inset = isFile ? 16.0 : 0
    let (right, bottom) = (width + 2 * inset, canvas.height + 2 * inset)
    func text(_ value: Double) -> String { ChartText.coordinate(value) }
    var markup = Markup()
    markup.element(
      "svg",
      [
        "xmlns": isFile ? "http://www.w3.org/2000/svg" : nil,
        "viewBox": "\(text(-inset)) \(text(-inset)) \(text(right)) \(text(bottom))",
        "width": text(right), "height": text(bottom), "class": "ff-chart", "role": "img",
        "aria-labelledby": "\(id)-title \(id)-desc",
      ]
    ) { markup in
      markup.element("title", ["id": "\(id)-title"], text: heading.title)
      markup.element("desc", ["id": "\(id)-desc"], text: heading.summary)
      if isFile {
        markup.element("style") { $0.raw("\n" + ChartStyle.css) }
        markup.empty(
          "rect",
          [
            "class": "paper", "x": text(-inset), "y": text(-inset), "width": text(right),
            "height": text(bottom),
          ])
      }
      markup.raw(canvas.markup.text)
    }
    return markup.text
  }
}

/// What a chart is drawn on: y grows downwards, and everything below ``height`` is still free.
public struct ChartCanvas: Sendable {
  /// Where a text is tied to its place.
  enum Anchor: String { case start, middle, end }

  /// Units of the drawing.
  public let width: Double
  /// The lowest place in use.
  public internal(set) var height = 0.0
  private(set) var markup = Markup()

  init(width: Double) { self.width = width }

  private static func number(_ value: Double) -> String { ChartText.coordinate(value) }

  /// The title of a file, in as many lines as it needs.
  mutating func writeTitle(_ title: String) {
    // Letters of 15 units, and bold ones are wider.
    for line in ChartText.lines(title, width: width, size: 17) {
      height += 19
      text(line, x: 0, y: height - 5, style: "title")
    }
    height += 5
  }

  mutating func text(
    _ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String? = nil
  ) {
    markup.element(
      "text",
      [
        "x": ChartCanvas.number(x), "y": ChartCanvas.number(y),
        "text-anchor": anchor == .start ? nil : anchor.rawValue, "class": style,
      ], text: text)
  }

  /// Straight pieces from point to point.
  mutating func path(_ points: [(x: Double, y: Double)], style: String, isClosed: Bool = false) {
    guard let first = points.first else { return }
    var (x, y) = (ChartCanvas.number(first.x), ChartCanvas.number(first.y))
    var path = "M\(x) \(y)"
    for point in points.dropFirst() {
      let (nextX, nextY) = (ChartCanvas.number(point.x), ChartCanvas.number(point.y))
      if nextX == x && nextY == y { continue }
      path += nextY == y ? "H\(nextX)" : nextX == x ? "V\(nextY)" : "L\(nextX) \(nextY)"
      (x, y) = (nextX, nextY)
    }
    markup.empty("path", ["d": path + (isClosed ? "Z" : ""), "class": style])
  }

  /// A rectangle; `hint` is shown under the pointer.
  mutating func box(
    x: Double, y: Double, width: Double, height: Double, style: String, hint: String? = nil
  ) {
    let attributes: Markup.Attributes = [
      "x": ChartCanvas.number(x), "y": ChartCanvas.number(y),
      "width": ChartCanvas.number(max(0, width)), "height": ChartCanvas.number(height),
      "class": style,
    ]
    guard let hint else { return markup.empty("rect", attributes) }
    markup.element("rect", attributes) { $0.element("title", text: hint) }
  }

  /// A disc; `hint` is shown under the pointer.
  mutating func disc(x: Double, y: Double, radius: Double, style: String, hint: String? = nil) {
    let attributes: Markup.Attributes = [
      "cx": ChartCanvas.number(x), "cy": ChartCanvas.number(y),
      "r": ChartCanvas.number(radius), "class": style,
    ]
    guard let hint else { return markup.empty("circle", attributes) }
    markup.element("circle", attributes) { $0.element("title", text: hint) }
  }

  /// An entry of a legend: a name, and what it stands for.
  struct LegendEntry {
    enum Sample { case line(String), box(String) }
    var name: String
    var sample: Sample
  }

  /// A legend below what has been drawn, in as many lines as it needs.
  mutating func legend(_ entries: [LegendEntry]) {
    if entries.isEmpty { return }
    var (x, y) = (0.0, height + 17)
    for entry in entries {
      let name = ChartText.cut(entry.name, width: width - 34)
      let length = 28 + ChartText.width(name)
      if x > 0 && x + length > width {
        x = 0
        y += 18
      }
      switch entry.sample {
      case .line(let style): path([(x, y - 4), (x + 22, y - 4)], style: style)
      case .box(let style): box(x: x + 8, y: y - 10, width: 13, height: 11, style: style)
      }
      text(name, x: x + 28, y: y)
      x += length + 16
    }
    height = y + 5
  }
}
