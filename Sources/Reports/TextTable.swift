/// How a piece of text looks on a terminal that has colours.
enum TextStyle: String, Sendable {
  case plain = ""
  case bold = "1"
  case faint = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case magenta = "35"

  /// The text in this style; unchanged without colours.
  func applied(to text: String, color: Bool) -> String {
    if !color || self == .plain || text.isEmpty { return text }
    return "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
  }
}

/// A cell of a table.
struct TextCell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  var text: String
  var style: TextStyle

  init(_ text: String, _ style: TextStyle = .plain) {
    self.text = text
    self.style = style
  }

  init(stringLiteral value: String) { self.init(value) }
}

/// Columns that line up; two blanks between them, two in front.
struct TextTable {
  enum Alignment { case left, right }

  private let alignments: [Alignment]
  private var rows: [[TextCell]] = []

  init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// A row of headings; faint.
  mutating func heading(_ texts: [String]) { add(texts.map { TextCell($0, .faint) }) }

  mutating func add(_ cells: [TextCell]) {
    precondition(
      cells.count == alignments.count, "\(cells.count) cells in \(alignments.count) columns")
    rows.append(cells)
  }

  /// The lines, without blanks at their ends.
  func lines(color: Bool) -> [String] {
    let widths = alignments.indices.map { column in
      rows.map { $0[column].text.count }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      var pending = 0
      for (column, cell) in row.enumerated() {
        let blanks = widths[column] - cell.text.count
        let isRight = alignments[column] == .right
        pending += 2 + (isRight ? blanks : 0)
        if !cell.text.isEmpty {
          line += String(repeating: " ", count: pending)
          line += cell.style.applied(to: cell.text, color: color)
          pending = 0
        }
        pending += isRight ? 0 : blanks
      }
      return line
    }
  }
}
