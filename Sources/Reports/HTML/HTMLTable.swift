/// A table of a page: a caption, a row of headings, and a heading at the start of each row. It
/// scrolls inside its own box where the page is narrow.
struct HTMLTable {
  /// A column.
  struct Column {
    var title: String
    /// Numbers stand at the right, under each other.
    var isNumber = true

    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
    static func number(_ title: String) -> Column { Column(title: title) }
  }

  /// A cell.
  enum Cell: ExpressibleByStringInterpolation {
    case text(String)
    /// A picture or a link.
    case markup(String)

    init(stringLiteral value: String) { self = .text(value) }
  }

  let caption: String
  let columns: [Column]
  private var rows: [(cells: [Cell], isTotal: Bool)] = []

  init(_ caption: String, _ columns: [Column]) {
    self.caption = caption
    self.columns = columns
  }

  var isEmpty: Bool { rows.isEmpty }

  /// Adds a row; its first cell is its heading.
  mutating func add(_ cells: [Cell], isTotal: Bool = false) {
    precondition(cells.count == columns.count, "\(cells.count) cells, \(columns.count) columns")
    rows.append((cells, isTotal))
  }

  func write(to page: inout Markup) {
    page.element(
      "div", ["class": "scroll", "role": "region", "aria-label": caption, "tabindex": "0"]
    ) { page in
      // Lines and room between the cells also where no style sheet is read.
      page.element("table", ["border": "1", "cellpadding": "4"]) { page in
        page.element("caption") { $0.element("span", text: caption) }
        page.element("thead") { page in
          page.element("tr") { page in
            for column in columns {
              page.element(
                "th", ["scope": "col", "class": column.isNumber ? "n" : nil], text: column.title)
            }
          }
        }
        page.line()
        page.element("tbody") { page in
          for row in rows { write(row.cells, row.isTotal, to: &page) }
        }
      }
    }
    page.line()
  }

  private func write(_ cells: [Cell], _ isTotal: Bool, to page: inout Markup) {
    page.element("tr", ["class": isTotal ? "total" : nil]) { page in
      for (index, cell) in cells.enumerated() {
        let style = columns[index].isNumber ? "n" : nil
        let name = index == 0 ? "th" : "td"
        page.element(name, ["scope": index == 0 ? "row" : nil, "class": style]) { page in
          switch cell {
          case .text(let text): page.write(text)
          case .markup(let markup): page.raw(markup)
          }
        }
      }
    }
    page.line()
  }
}
