/// The looks of every chart: one style sheet of literal colours, so that viewers without CSS
/// variables draw them too. Colours differ in lightness as well as in hue, lines in their dashes.
public enum ChartStyle {
  /// How many series are told apart; further ones begin again.
  public static let seriesCount = 8

  private static let light = [
    "#0060a8", "#c2570c", "#0f7b5f", "#8e3b9e", "#b3261e", "#0e7490", "#7a5c1e", "#5f6b7a",
  ]
  private static let dark = [
    "#6cb6ff", "#ffab5e", "#5fd3a8", "#d79be8", "#ff8a80", "#5ccbe0", "#d9b871", "#aab4c0",
  ]
  private static let dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4", "6 2 1 2"]
  /// From little to much, for heat tables; the second member is the colour of text on it.
  private static let heat = [
    ("#eef4fa", "#16202b"), ("#cfe1f2", "#16202b"), ("#a6c8e4", "#16202b"),
    ("#75a9d3", "#0b1219"), ("#3876aa", "#ffffff"), ("#1f5c93", "#ffffff"),
    ("#0b3a66", "#ffffff"),
  ]
  static var heatSteps: Int { heat.count }

  /// The rules of the classes that charts use; for the head of a page with inline charts.
  public static let css: String = {
    var css = """
      .ff-chart{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,\
      sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
      .ff-chart .title{font-size:15px;font-weight:600}
      .ff-chart .bold{font-weight:600}
      .ff-chart .axis{stroke-width:1;fill:none}
      .ff-chart .grid{stroke-width:1;fill:none}
      .ff-chart .line{fill:none;stroke-width:2;stroke-linejoin:round}
      .ff-chart .whisker{fill:none;stroke-width:2}
      .ff-chart .limit{fill:none;stroke-width:1.5;stroke-dasharray:5 3}
      .ff-chart .l1{stroke-dasharray:2 2}.ff-chart .l2{stroke-dasharray:8 2 2 2}
      .ff-chart .thin{fill:none;stroke-width:1}
      .ff-chart .band{stroke:none;fill-opacity:.18}
      .ff-chart .edge{stroke-width:1}
      .ff-chart .name{stroke-width:3px;stroke-linejoin:round;paint-order:stroke}

      """
    for (index, dash) in dashes.enumerated() where !dash.isEmpty {
      css += ".ff-chart .line.s\(index){stroke-dasharray:\(dash)}\n"
    }
    for (index, step) in heat.enumerated() {
      css += ".ff-chart .h\(index){fill:\(step.0)}.ff-chart .t\(index){fill:\(step.1)}\n"
    }
    let day = theme(
      light, ink: "#16202b", faint: "#4a5866", grid: "#dde3ea", axis: "#7b8794", limit: "#b3261e",
      paper: "#ffffff", allowed: "#dcefe6")
    let night = theme(
      dark, ink: "#e8edf2", faint: "#b4bfca", grid: "#33404d", axis: "#8896a5", limit: "#ff8a80",
      paper: "#141a21", allowed: "#1d3b30")
    return css + day + "@media screen and (prefers-color-scheme:dark){\n\(night)}\n"
  }()

  private static func theme(
    _ colors: [String], ink: String, faint: String, grid: String, axis: String, limit: String,
    paper: String, allowed: String
  ) -> String {
    var css = ""
    for (index, color) in colors.enumerated() {
      css += ".ff-chart .s\(index){stroke:\(color)}.ff-chart .f\(index){fill:\(color)}\n"
    }
    return css + """
      .ff-chart text{fill:\(ink)}.ff-chart .faint{fill:\(faint)}
      .ff-chart .grid{stroke:\(grid)}.ff-chart .axis{stroke:\(axis)}
      .ff-chart .limit{stroke:\(limit)}.ff-chart .paper{fill:\(paper)}
      .ff-chart .edge{stroke:\(paper)}.ff-chart .allowed{fill:\(allowed)}
      .ff-chart .name{stroke:\(paper)}

      """
  }

  /// The style of a limit's line, by its number.
  static func limit(_ index: Int) -> String { index % 3 == 0 ? "limit" : "limit l\(index % 3)" }

  /// The number of the colour of a series.
  static func index(_ series: Int) -> Int { series % seriesCount }
}
