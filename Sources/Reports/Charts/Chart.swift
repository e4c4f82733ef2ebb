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
  /// The chart as an element of a page, which shows the title. It is drawn right without a style
  /// sheet; with ``ChartStyle/css`` it follows the reader's choice of day and night.
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
        "width": text(right), "height": text(bottom), "class": "ff-chart",
        "font-family": ChartStyle.font, "font-size": text(ChartText.size),
        "fill": ChartStyle.ink, "role": "img", "aria-labelledby": "\(id)-title \(id)-desc",
      ]
    ) { markup in
      markup.element("title", ["id": "\(id)-title"], text: heading.title)
      markup.element("desc", ["id": "\(id)-desc"], text: heading.summary)
      if isFile {
        markup.element("style") { $0.raw("\n" + ChartStyle.css) }
        markup.empty(
          "rect",
          [
            "class": "paper", "fill": ChartStyle.paper, "x": text(-inset), "y": text(-inset),
            "width": text(right), "height": text(bottom),
          ])
      }
      markup.raw(canvas.markup.text)
    }
    return markup.text
  }
}
