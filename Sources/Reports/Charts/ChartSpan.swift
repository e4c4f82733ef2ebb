/// A stretch of the horizontal axis in which something went on, such as an outage; one without a
/// length is an instant.
public struct ChartSpan: Sendable, Equatable {
  public var from: Double
  public var to: Double
  public var name: String

  /// - Precondition: it does not end before it begins.
  public init(_ from: Double, _ to: Double, name: String) {
    precondition(to >= from, "\(name) ends before it begins")
    self.from = from
    self.to = to
    self.name = name
  }
}

/// A span in its place on a drawing, with its name above it.
struct SpanRow {
  private let left: Double
  private let right: Double
  private let isInstant: Bool
  private let name: String
  private let nameLeft: Double

  /// The spans that the axis shows, in so many rows that no name covers another.
  ///
  /// - Parameters:
  ///   - left, right: the ends of the axis.
  ///   - edge: that of the drawing.
  static func rows(
    _ spans: [ChartSpan], _ axis: FittedAxis, left: Double, right: Double, edge: Double
  ) -> [[SpanRow]] {
    var rows: [[SpanRow]] = []
    var free: [Double] = []
    for span in spans where span.from <= axis.upper && span.to >= axis.lower {
      let ends = [span.from, span.to].map { left + axis.share($0) * (right - left) }
      let name = ChartText.cut(span.name, width: edge - left)
      let width = ChartText.width(name)
      let begin = max(0, min(ends[0], edge - width))
      let row = free.firstIndex { $0 <= begin } ?? free.count
      if row == free.count {
        free.append(0)
        rows.append([])
      }
      free[row] = begin + width + 12
      rows[row].append(
        SpanRow(
          left: ends[0], right: ends[1], isInstant: span.from == span.to, name: name,
          nameLeft: begin))
    }
    return rows
  }

  func draw(at line: Double, to bottom: Double, on canvas: inout ChartCanvas) {
    if isInstant {
      canvas.path([(left, line + 3), (left, bottom)], style: "limit l1")
    } else {
      canvas.box(
        x: left, y: line + 3, width: max(2, right - left), height: bottom - line - 3,
        style: "span")
    }
    canvas.text(name, x: nameLeft, y: line, style: "faint")
  }
}
