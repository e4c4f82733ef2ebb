/// What a chart is drawn on: y grows downwards, and everything below ``height`` is still free.
///
/// A style is one or more classes of ``ChartStyle``. Neighbours of one style share its attributes.
public struct ChartCanvas: Sendable {
  /// Where a text is tied to its place.
  enum Anchor: String { case start, middle, end }

  /// An element, without the attributes of its style.
  private struct Piece: Sendable {
    var name: String
    var style: String?
    var attributes: String
    /// Of a path alone: where it goes.
    var path = ""
    /// Markup inside of the element.
    var inner = ""
  }

  /// Units of the drawing.
  public let width: Double
  /// The lowest place in use.
  public internal(set) var height = 0.0
  private var pieces: [Piece] = []

  init(width: Double) { self.width = width }

  /// What was drawn, as elements of an SVG picture.
  var markup: Markup {
    var markup = Markup()
    var rest = pieces[...]
    while let first = rest.first {
      let run = rest.prefix { $0.style == first.style }
      rest = rest.dropFirst(run.count)
      let look = first.style.map { ChartStyle.attributes($0) } ?? ""
      let isGroup = run.count > 1 && !look.isEmpty
      if isGroup { markup.raw("<g\(look)>") }
      for piece in run { markup.raw(ChartCanvas.element(piece, isGroup ? "" : look)) }
      if isGroup { markup.raw("</g>") }
    }
    return markup
  }

  private static func element(_ piece: Piece, _ look: String) -> String {
    let path = piece.path.isEmpty ? "" : Markup.attribute("d", piece.path)
    let begin = "<\(piece.name)\(path)\(piece.attributes)\(look)"
    return piece.inner.isEmpty ? begin + "/>" : "\(begin)>\(piece.inner)</\(piece.name)>"
  }

  private static func attributes(_ values: KeyValuePairs<String, Double>) -> String {
    values.map { Markup.attribute($0.key, ChartText.coordinate($0.value)) }.joined()
  }

  /// What is shown under the pointer.
  private static func hint(_ text: String?) -> String {
    text.map { "<title>\(Markup.escaped($0))</title>" } ?? ""
  }

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
    let tie = anchor == .start ? "" : Markup.attribute("text-anchor", anchor.rawValue)
    pieces.append(
      Piece(
        name: "text", style: style, attributes: ChartCanvas.attributes(["x": x, "y": y]) + tie,
        inner: Markup.escaped(text)))
  }

  /// Straight pieces from point to point. Lines of one style that follow each other are one path.
  mutating func path(_ points: [(x: Double, y: Double)], style: String, isClosed: Bool = false) {
    guard let first = points.first else { return }
    var (x, y) = (ChartText.coordinate(first.x), ChartText.coordinate(first.y))
    var path = "M\(x) \(y)"
    for point in points.dropFirst() {
      let (nextX, nextY) = (ChartText.coordinate(point.x), ChartText.coordinate(point.y))
      if nextX == x && nextY == y { continue }
      path += nextY == y ? "H\(nextX)" : nextX == x ? "V\(nextY)" : "L\(nextX) \(nextY)"
      (x, y) = (nextX, nextY)
    }
    if !isClosed, let last = pieces.indices.last, pieces[last].style == style,
      !pieces[last].path.isEmpty, !pieces[last].path.hasSuffix("Z")
    {
      pieces[last].path += path
    } else {
      pieces.append(
        Piece(name: "path", style: style, attributes: "", path: path + (isClosed ? "Z" : "")))
    }
  }

  /// A rectangle; `hint` is shown under the pointer.
  mutating func box(
    x: Double, y: Double, width: Double, height: Double, style: String, hint: String? = nil
  ) {
    pieces.append(
      Piece(
        name: "rect", style: style,
        attributes: ChartCanvas.attributes([
          "x": x, "y": y, "width": max(0, width), "height": height,
        ]), inner: ChartCanvas.hint(hint)))
  }

  /// A disc; `hint` is shown under the pointer.
  mutating func disc(x: Double, y: Double, radius: Double, style: String, hint: String? = nil) {
    pieces.append(
      Piece(
        name: "circle", style: style,
        attributes: ChartCanvas.attributes(["cx": x, "cy": y, "r": radius]),
        inner: ChartCanvas.hint(hint)))
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
