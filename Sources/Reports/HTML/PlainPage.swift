/// A page by itself in the style of the run's report: no scripts, nothing from elsewhere.
struct PlainPage {
  var title: String
  /// A sentence under the title.
  var lead: String
  /// Fragment identifiers, titles and contents.
  var sections: [(id: String, title: String, body: Markup)] = []

  init(_ title: String, lead: String) {
    self.title = title
    self.lead = lead
  }

  mutating func add(_ id: String, _ title: String, _ write: (inout Markup) -> Void) {
    var body = Markup()
    write(&body)
    sections.append((id, title, body))
  }

  func text() -> String {
    var page = Markup()
    page.element("html", ["lang": "en"]) { page in
      page.element("head") { head in
        head.empty("meta", ["charset": "utf-8"])
        head.empty(
          "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        head.element("title", text: "\(title) · FirstFrame")
        head.line()
        head.element("style") { $0.raw("\n" + PageStyle.css + ChartStyle.css) }
      }
      page.line()
      page.element("body") { writeBody(to: &$0) }
    }
    return "<!DOCTYPE html>\n" + page.text + "\n"
  }

  private func writeBody(to body: inout Markup) {
    body.element("a", ["class": "skip", "href": "#main"], text: "Skip to the results")
    body.element("header") { header in
      header.element("h1", text: title)
      header.element("p", text: lead)
    }
    body.element("nav", ["aria-label": "Sections"]) { nav in
      nav.element("ul") { list in
        for section in sections {
          list.element("li") {
            $0.element("a", ["href": "#\(section.id)"], text: section.title)
          }
        }
      }
    }
    body.line()
    body.element("main", ["id": "main"]) { main in
      for section in sections {
        main.element("section", ["id": section.id, "aria-labelledby": "\(section.id)-title"]) {
          $0.element("h2", ["id": "\(section.id)-title"], text: section.title)
          $0.raw(section.body.text)
        }
        main.line()
      }
    }
  }

  /// A chart with its heading as a figure.
  static func write(
    _ chart: some Chart, id: String, extent: ChartFigure.Extent = .half, to page: inout Markup
  ) {
    ChartFigure(id: id, remark: chart.heading.summary, extent: extent).write(chart, to: &page)
  }
}
