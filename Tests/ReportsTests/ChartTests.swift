import Testing

@testable import Reports

@Suite struct ChartTests {
  static let lines = LineChart(
    ChartHeading("Miss ratio <of> an \"LRU\" & others", summary: "It falls."),
    x: ChartAxis("capacity", format: .bytes, scale: .logarithmic),
    y: ChartAxis("requests that miss", format: .percent),
    series: [
      LineChart.Series(
        "LRU",
        points: [
          .init(1e6, 0.9, lower: 0.85, upper: 0.95), .init(3e7, 0.5, lower: 0.4, upper: 0.6),
          .init(2e9, 0.2, isMarked: true),
        ]),
      LineChart.Series("SIEVE", points: [.init(1e6, 0.8), .init(2e9, 0.19)]),
    ], join: .step, limits: [ChartLimit(0.15, name: "compulsory misses")],
    bounds: [ChartLimit(1e8, name: "what we have")],
    marks: [.init("today", x: 3e7, y: 0.5, lower: 2e7, upper: 5e7)])
  static let bars = BarChart(
    ChartHeading("Startup", summary: "Mostly the transfer."),
    axis: ChartAxis("time", format: .number(unit: "ms")), series: ["time"],
    rows: BarChart.waterfall(
      [("connect", 30, "30 ms"), ("nothing", 0, "0"), ("transfer", 112.5, "113 ms")],
      total: "first frame", totalLabel: "143 ms"))
  static let histogram = HistogramChart(
    ChartHeading("Waits", summary: "Two humps."),
    x: ChartAxis("wait", format: .number(unit: "ms"), scale: .logarithmic),
    y: ChartAxis("views", format: .number(unit: "")), series: ["started", "left"],
    bins: [
      .init(10, 20, values: [1, 0]), .init(20, 40, values: [7, 2]), .init(40, 80, values: [0, 0]),
      .init(80, 160, values: [5, 1]),
    ], bounds: [ChartLimit(100, name: "late"), ChartLimit(1e6, name: "never")])
  static let points = PointChart(
    ChartHeading("Variants", summary: "B is better."),
    axis: ChartAxis("TTFF P95", format: .number(unit: "ms")),
    rows: [
      .init("today", value: 1200, lower: 1100, upper: 1300), .init("no data here", value: nil),
      .init("a variant with quite a long name of its own", value: 900, lower: 880, upper: 920),
    ], limits: [ChartLimit(1000, name: "budget")])
  static let scatter = ScatterChart(
    ChartHeading("Front", summary: "Three of five."),
    x: ChartAxis("wasted bytes", format: .percent),
    y: ChartAxis("TTFF P95", format: .number(unit: "ms")),
    points: [
      .init("0 s", x: 0.1, y: 900), .init("2 s", x: 0.2, y: 500, xInterval: 0.18...0.22),
      .init("4 s", x: 0.3, y: 520), .init("6 s", x: 0.4, y: 300, yInterval: 280...320),
      .init("8 s", x: 0.4, y: 310),
    ])
  static let heat = HeatChart(
    ChartHeading("Hits", summary: "More is more."), rowTitle: "edge", rows: ["1 TB", "4 TB"],
    columnTitle: "shield", columns: ["4 TB", "40 TB", "none"],
    values: [[0.8, 0.9, nil], [0.93, 0.97, 0.91]], format: .percent)

  /// Every kind, as a file and as a part of a page.
  private static var drawings: [(inline: String, file: String)] {
    func both(_ chart: some Chart) -> (String, String) { (chart.inline(id: "c1"), chart.file()) }
    return [
      both(lines), both(bars), both(histogram), both(points), both(scatter), both(heat),
    ]
  }

  /// A rectangle of a drawing.
  private struct Box {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    func overlaps(_ other: Box) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
  }

  @Test func `names of a front cover no point, no interval and no other name, and all are told`()
    throws
  {
    // Close to each other, with long names and wide intervals, as players of a pool are.
    var chart = ScatterChart(
      ChartHeading("Front", summary: "Crowded."),
      x: ChartAxis("created", format: .percent), y: ChartAxis("P99", format: .number(unit: "ms")),
      points: (0..<9).map { index in
        let (x, y) = (0.02 + 0.03 * Double(index), 700.0 - 20 * Double(index))
        return ScatterChart.Point(
          "size: \(index + 1), ahead: \(index), behind: 0", x: x, y: y,
          xInterval: (x - 0.02)...(x + 0.02), yInterval: (y - 60)...(y + 60))
      })
    chart.points.append(ScatterChart.Point("far away", x: 1.1, y: 90))
    let drawing = chart.inline(id: "c", width: 728)
    func numbers(_ text: Substring) -> [Double] {
      text.matches(of: /-?[0-9.]+/).compactMap { Double($0.output) }
    }
    var taken: [Box] = []
    for match in drawing.matches(of: /<circle cx="([0-9.]+)" cy="([0-9.]+)"/) {
      let (x, y) = (Double(match.1) ?? 0, Double(match.2) ?? 0)
      taken.append(Box(left: x - 4, top: y - 4, right: x + 4, bottom: y + 4))
    }
    #expect(taken.count == 10)
    // Intervals that follow each other are one path.
    for path in drawing.matches(of: /<path d="([^"]+)" class="thin/) {
      for match in path.1.matches(of: /M([0-9. ]+)([HV])([0-9.]+)/) {
        let start = numbers(match.1)
        let end = Double(match.3) ?? 0
        let (x, y) = match.2 == "H" ? (end, start[1]) : (start[0], end)
        taken.append(
          Box(
            left: min(x, start[0]), top: min(y, start[1]), right: max(x, start[0]),
            bottom: max(y, start[1])))
      }
    }
    #expect(taken.count == 10 + 18)
    var told: Set<String> = []
    let names = try #require(drawing.firstMatch(of: /<g class="name".*?<\/g>/)).output
    for match in names.matches(of: /<text x="([0-9.]+)" y="([0-9.]+)">([^<]*)<\/text>/) {
      let (x, y) = (Double(match.1) ?? 0, Double(match.2) ?? 0)
      let box = Box(
        left: x, top: y - 9, right: x + ChartText.width(String(match.3)) - 1, bottom: y + 1)
      #expect(!taken.contains { $0.overlaps(box) }, "\(match.3)")
      taken.append(box)
      told.insert(String(match.3))
    }
    for point in chart.points {
      #expect(drawing.contains(">\(point.name)</text>"), "\(point.name) is nowhere")
    }
    // Some had no room, and have numbers that stand for them below.
    #expect(told.contains("(1)") && told.contains("far away"), "\(told)")
  }

  @Test func `every kind of chart is well-formed, named and described, and the same twice`() throws
  {
    for (first, second) in zip(ChartTests.drawings, ChartTests.drawings) {
      #expect(first == second)
      for drawing in [first.inline, first.file] {
        let check = try MarkupCheck(drawing)
        #expect(check.elements["desc"] == 1)
        #expect(check.ids.count == 2)
        #expect(drawing.contains("role=\"img\""))
        #expect(!drawing.contains("nan"))
        #expect(!drawing.contains("inf"))
      }
      #expect(first.file.contains("<style>"))
      #expect(first.file.contains("prefers-color-scheme:dark"))
      #expect(!first.inline.contains("http"))
    }
  }

  /// Properties that a drawing has as attributes, by element with a class: of the group around it,
  /// too.
  @Test func `a chart is drawn right without its style sheet`() throws {
    for (drawing, _) in ChartTests.drawings {
      // Text alone may have no class: it has the picture's font and colour.
      #expect(drawing.contains("font-size=\"12\" fill=\"#16202b\""))
      var isInGroup = false
      for match in drawing.matches(of: /<(\/?)(g|path|rect|circle|text)([^>]*)>/) {
        if match.2 == "g" { isInGroup = match.1.isEmpty }
        let attributes = String(match.3)
        if !match.1.isEmpty || isInGroup && match.2 != "g" { continue }
        if match.2 != "text" { #expect(attributes.contains("class="), "\(match.0)") }
        // A path without a fill of its own would be a black shape.
        if match.2 == "path" {
          #expect(
            attributes.contains("fill=\"none\" ") || attributes.contains("fill=\"none\"/")
              || attributes.contains("fill-opacity") || attributes.hasSuffix("fill=\"none\""),
            "\(match.0)")
        }
        if match.2 == "rect" || match.2 == "circle" {
          #expect(attributes.contains("fill=\"#"), "\(match.0)")
        }
      }
      #expect(!drawing.contains("style="))
    }
    #expect(ChartStyle.attributes("limit l1").contains("stroke-dasharray=\"2 2\""))
    #expect(ChartStyle.attributes("line s1").contains("stroke=\"#c2570c\""))
    #expect(ChartStyle.attributes("line s1").contains("stroke-dasharray=\"7 3\""))
  }

  @Test func `names of spans stand above the plot and cover neither each other nor the curves`() {
    var chart = ChartTests.lines
    chart.x = ChartAxis("time", format: .number(unit: "min"))
    chart.y = ChartAxis("hits", format: .percent)
    chart.series = [LineChart.Series("hits", points: [.init(0, 1), .init(10, 0.5)])]
    (chart.limits, chart.bounds, chart.marks) = ([], [], [])
    chart.endsAtData = true
    let plain = chart.inline(id: "c")
    chart.spans = [
      ChartSpan(2, 5, name: "crowd with a long name"), ChartSpan(3, 4, name: "origin outage"),
      ChartSpan(6, 6, name: "purge"), ChartSpan(11, 12, name: "beyond"),
    ]
    let drawing = chart.inline(id: "c")
    #expect(!drawing.contains("beyond"))
    #expect(drawing.components(separatedBy: "class=\"span\"").count == 3)
    func place(_ name: String) throws -> (x: Double, y: Double) {
      let pattern = try Regex("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*>\(name)</text>")
      let match = try #require(try pattern.firstMatch(in: drawing))
      return (
        Double(match.output[1].substring ?? "") ?? 0, Double(match.output[2].substring ?? "") ?? 0
      )
    }
    do {
      let (crowd, outage, purge) = try (
        place("crowd with a long name"), place("origin outage"), place("purge")
      )
      #expect(crowd.y < outage.y, "two rows")
      #expect(purge.x > outage.x)
    } catch {
      Issue.record(error)
    }
    #expect(drawing.utf8.count > plain.utf8.count)
  }

  @Test func `no coordinate has more than two decimals`() throws {
    for (drawing, _) in ChartTests.drawings {
      for piece in drawing.split(whereSeparator: { !"0123456789.".contains($0) }) {
        let decimals = piece.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        #expect(!piece.contains(".") || decimals.count <= 2, "\(piece)")
      }
    }
    #expect(ChartText.coordinate(0.1 + 0.2) == "0.3")
    #expect(ChartText.coordinate(-0.001) == "0")
    #expect(ChartText.coordinate(-12.345) == "-12.35")
    #expect(ChartText.coordinate(7.05) == "7.05")
    #expect(ChartText.coordinate(.nan) == "0")
  }

  @Test(arguments: [
    (0.0, 1043.0, ["0", "200", "400", "600", "800", "1,000", "1,200"]),
    (0, 0.31, ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]),
    (0, 0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    (-3, 4, ["-4", "-2", "0", "2", "4"]),
  ])
  func `linear marks stand at round numbers that hold the data`(
    _ least: Double, _ most: Double, _ labels: [String]
  ) {
    let axis = FittedAxis(
      ChartAxis("x", format: .number(unit: "")), values: [least, most], marks: 5)
    #expect(axis.ticks.map(\.label) == labels)
    #expect(axis.lower <= least && axis.upper >= most)
    #expect(axis.share(axis.lower) == 0)
    #expect(axis.share(axis.upper) == 1)
  }

  @Test
  func `marks of a logarithmic axis are equal factors apart and values below it are at its end`() {
    let axis = FittedAxis(
      ChartAxis("x", format: .number(unit: ""), scale: .logarithmic),
      values: [0, -4, .nan, 3, 40_000], marks: 5)
    #expect(axis.ticks.map(\.label) == ["1", "10", "100", "1,000", "10,000", "100,000"])
    #expect(axis.share(0) == 0)
    #expect(abs(axis.share(100) - 0.4) < 1e-12)
  }

  @Test func `the front holds what no other point beats, for either direction`() {
    #expect(ChartTests.scatter.front == [0, 1, 3])
    var chart = ChartTests.scatter
    chart.isLowerBetter = (false, false)
    #expect(chart.front == [0, 2, 4])
    // Equal points do not beat each other.
    chart.points = [.init("a", x: 1, y: 1), .init("b", x: 1, y: 1)]
    #expect(chart.front == [0, 1])
  }

  @Test func `a waterfall's parts follow each other up to the sum`() {
    let rows = ChartTests.bars.rows
    #expect(rows.map(\.name) == ["connect", "transfer", "first frame"])
    #expect(rows.map(\.start) == [0, 30, 0])
    #expect(rows[2].parts == [142.5])
    #expect(rows[2].isTotal)
  }

  @Test func `texts that are too wide are cut or broken, never written over the edge`() {
    let text = "quite a long text that does not fit"
    for line in ChartText.lines(text, width: 80) { #expect(ChartText.width(line) <= 80) }
    #expect(ChartText.lines(text, width: 80).joined(separator: " ") == text)
    #expect(ChartText.width(ChartText.cut(text, width: 60)) <= 60)
    #expect(ChartText.cut("fits", width: 60) == "fits")
  }

  @Test func `a total's label has room for bold letters`() {
    // Advance widths of DejaVu Sans Bold at 12: the widest font that a reader is likely to have.
    let measured = (4 * 0.696 + 0.380 + 0.348 + 1.042 + 0.595) * 12
    #expect(ChartText.width("2,976 ms", isBold: true) >= measured)
    #expect(ChartText.width("2,976 ms") < measured)
  }

  @Test func `charts without data draw their axes`() throws {
    let axis = ChartAxis("x", format: .number(unit: "ms"))
    let heading = ChartHeading("Nothing", summary: "No data.")
    _ = try MarkupCheck(LineChart(heading, x: axis, y: axis, series: []).file())
    _ = try MarkupCheck(BarChart(heading, axis: axis, series: ["a"], rows: []).file())
    _ = try MarkupCheck(PointChart(heading, axis: axis, rows: []).file())
    _ = try MarkupCheck(ScatterChart(heading, x: axis, y: axis, points: []).file())
    _ = try MarkupCheck(
      HistogramChart(heading, x: axis, y: axis, series: ["a"], bins: []).file())
    _ = try MarkupCheck(
      HeatChart(
        heading, rowTitle: "r", rows: [], columnTitle: "c", columns: [], values: [],
        format: .percent
      ).file())
  }
}
