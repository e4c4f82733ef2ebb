/// The looks of every chart, once as attributes of the drawing and once as a style sheet: literal
/// colours, so that viewers without CSS variables draw them too. Colours differ in lightness as
/// well as in hue, lines in their dashes.
///
/// The attributes are those of the day and draw a chart right where no style sheet is read, as
/// under a content security policy that forbids inline ones. A style sheet goes before them
/// (SVG 1.1, section 6.4), so it has the classes say the same again, and what differs at night.
public enum ChartStyle {
  /// How many series are told apart; further ones begin again.
  public static let seriesCount = 8

  /// The colours of a time of the day.
  private struct Theme {
    var series: [String]
    var ink, faint, grid, axis, limit, paper, allowed, span: String

    /// Classes that have a colour, each with the property that has it.
    var colors: [(name: String, property: String, color: String)] {
      series.enumerated().flatMap { [("s\($0)", "stroke", $1), ("f\($0)", "fill", $1)] } + [
        ("faint", "fill", faint), ("grid", "stroke", grid), ("axis", "stroke", axis),
        ("limit", "stroke", limit), ("paper", "fill", paper), ("edge", "stroke", paper),
        ("allowed", "fill", allowed), ("name", "stroke", paper), ("span", "fill", span),
      ]
    }

    var css: String {
      colors.reduce(".ff-chart{fill:\(ink)}\n") {
        $0 + ".ff-chart .\($1.name){\($1.property):\($1.color)}\n"
      }
    }
  }

  private static let day = Theme(
    series: [
      "#0060a8", "#c2570c", "#0f7b5f", "#8e3b9e", "#b3261e", "#0e7490", "#7a5c1e", "#5f6b7a",
    ], ink: "#16202b", faint: "#4a5866", grid: "#dde3ea", axis: "#7b8794", limit: "#b3261e",
    paper: "#ffffff", allowed: "#dcefe6", span: "#f6ead2")
  private static let night = Theme(
    series: [
      "#6cb6ff", "#ffab5e", "#5fd3a8", "#d79be8", "#ff8a80", "#5ccbe0", "#d9b871", "#aab4c0",
    ], ink: "#e8edf2", faint: "#b4bfca", grid: "#33404d", axis: "#8896a5", limit: "#ff8a80",
    paper: "#141a21", allowed: "#1d3b30", span: "#3a3120")

  /// What a class has besides its colour.
  private static let shapes: [(name: String, properties: KeyValuePairs<String, String>)] = [
    ("title", ["font-size": "15px", "font-weight": "600"]), ("bold", ["font-weight": "600"]),
    ("axis", ["fill": "none"]), ("grid", ["fill": "none"]),
    ("line", ["fill": "none", "stroke-width": "2", "stroke-linejoin": "round"]),
    ("whisker", ["fill": "none", "stroke-width": "2"]), ("thin", ["fill": "none"]),
    ("limit", ["fill": "none", "stroke-width": "1.5", "stroke-dasharray": "5 3"]),
    ("l1", ["stroke-dasharray": "2 2"]), ("l2", ["stroke-dasharray": "8 2 2 2"]),
    ("band", ["fill-opacity": ".18"]),
    ("name", ["stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke"]),
  ]
  private static let dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4", "6 2 1 2"]
  /// From little to much, for heat tables; the second member is the colour of text on it.
  private static let heat = [
    ("#eef4fa", "#16202b"), ("#cfe1f2", "#16202b"), ("#a6c8e4", "#16202b"),
    ("#75a9d3", "#0b1219"), ("#3876aa", "#ffffff"), ("#1f5c93", "#ffffff"),
    ("#0b3a66", "#ffffff"),
  ]
  static var heatSteps: Int { heat.count }

  /// The font, the colour of text and that of the ground where no style sheet is read.
  static let font = "system-ui,sans-serif"
  static let ink = day.ink
  static let paper = day.paper

  /// Classes and what each sets, in the order in which the later one holds.
  private static let properties: [(name: String, value: [(String, String)])] =
    day.colors.map { ($0.name, [($0.property, $0.color)]) }
    + heat.enumerated().flatMap { [("h\($0)", [("fill", $1.0)]), ("t\($0)", [("fill", $1.1)])] }
    + shapes.map { ($0.name, $0.properties.map { ($0.key, $0.value) }) }

  /// A style as attributes of an element: its classes, and what they look like by day.
  static func attributes(_ style: String) -> String {
    let names = style.split(separator: " ").map(String.init)
    var found: [(name: String, value: String)] = []
    func set(_ name: String, _ value: String) {
      if let place = found.firstIndex(where: { $0.name == name }) {
        found[place].value = value
      } else {
        found.append((name, value))
      }
    }
    for row in properties where names.contains(row.name) {
      for (name, value) in row.value { set(name, value) }
    }
    if names.contains("line"), let dash = dashes.indices.first(where: { names.contains("s\($0)") }),
      !dashes[dash].isEmpty
    {
      set("stroke-dasharray", dashes[dash])
    }
    return found.reduce(Markup.attribute("class", style)) {
      $0 + Markup.attribute($1.name, $1.value)
    }
  }

  /// The rules of the classes that charts use; for the head of a page with inline charts.
  public static let css: String = {
    var css = """
      .ff-chart{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,\
      sans-serif;font-size:12px;font-variant-numeric:tabular-nums}

      """
    for shape in shapes {
      let rules = shape.properties.map { "\($0.key):\($0.value)" }.joined(separator: ";")
      css += ".ff-chart .\(shape.name){\(rules)}\n"
    }
    for (index, dash) in dashes.enumerated() where !dash.isEmpty {
      css += ".ff-chart .line.s\(index){stroke-dasharray:\(dash)}\n"
    }
    for (index, step) in heat.enumerated() {
      css += ".ff-chart .h\(index){fill:\(step.0)}.ff-chart .t\(index){fill:\(step.1)}\n"
    }
    return css + day.css + "@media screen and (prefers-color-scheme:dark){\n\(night.css)}\n"
  }()

  /// The style of a limit's line, by its number.
  static func limit(_ index: Int) -> String { index % 3 == 0 ? "limit" : "limit l\(index % 3)" }

  /// The number of the colour of a series.
  static func index(_ series: Int) -> Int { series % seriesCount }
}
