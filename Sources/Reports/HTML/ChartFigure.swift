/// A chart on a page: its title, a remark, and the picture in a region of its own, which scrolls
/// where it is wider than the screen and can be reached by keyboard.
///
/// Labels keep at least 10 CSS pixels: a half drawing fits a phone, and of one that is as wide as
/// the page there are two, of which the style sheet shows the one that fits. Without a style sheet
/// the wide one is there alone.
struct ChartFigure {
  /// How much of the page it takes on a desktop.
  enum Extent { case half, whole }

  /// Units of a drawing.
  private static let half = 420.0
  private static let whole = 1120.0

  /// Unique on the page; letters, digits and hyphens.
  let id: String
  var remark: String?
  var extent = Extent.half

  func write(_ chart: some Chart, to page: inout Markup) {
    page.element("figure", ["class": extent == .whole ? "wide" : nil]) { page in
      page.element("figcaption") { caption in
        caption.write(chart.heading.title)
        if let remark { caption.small(remark) }
      }
      switch extent {
      case .half: write(chart, id, ChartFigure.half, to: &page)
      case .whole:
        write(chart, id, ChartFigure.whole, to: &page)
        write(chart, "\(id)-narrow", ChartFigure.half, isHidden: true, to: &page)
      }
    }
    page.line()
  }

  private func write(
    _ chart: some Chart, _ id: String, _ width: Double, isHidden: Bool = false,
    to page: inout Markup
  ) {
    page.element(
      "div",
      [
        "class": "scroll", "role": "region", "aria-label": chart.heading.title, "tabindex": "0",
        "hidden": isHidden ? "hidden" : nil,
      ]
    ) { $0.raw(chart.inline(id: id, width: width)) }
  }
}

extension Markup {
  /// A remark under what stands before it.
  mutating func small(_ text: String) {
    empty("br")
    element("small", text: text)
  }
}
