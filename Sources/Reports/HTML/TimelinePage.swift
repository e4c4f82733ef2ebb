/// `timelines.html`: the views that a run's report names, each as a picture and as a list.
enum TimelinePage {
  /// The file of a run folder that holds it.
  static let fileName = "timelines.html"

  static func text(_ record: TimelineRecord, scenario: String) -> String {
    var page = PlainPage(
      "Timelines of \(scenario)",
      lead: "Views that the run's report names, each simulated again and written down step by "
        + "step. Times are seconds since the view's clock started.")
    for view in record.views {
      page.add(view.anchor, view.title) { write(view, to: &$0) }
    }
    page.add("back", "The run's report") { body in
      body.element("p") {
        $0.element("a", ["href": "report.html#why"], text: "Back to the report of the run")
      }
      if record.omittedViews > 0 {
        body.element("p", text: omission(record.omittedViews))
      }
    }
    return page.text()
  }

  /// Why some views have none.
  static func omission(_ count: Int) -> String {
    "\(count) of the report's views \(count == 1 ? "has" : "have") no timeline: at most an eighth "
      + "of the run's events, or two million, are simulated again for them."
  }

  private static func write(_ view: TimelineRecord.View, to body: inout Markup) {
    body.element("p", text: view.about)
    for line in view.start { body.element("p", text: line) }
    body.line()
    ChartFigure(
      id: "\(view.anchor)-chart",
      remark: view.omittedRequests > 0
        ? "\(view.omittedRequests) more requests for other items are not drawn" : nil,
      extent: .whole
    ).write(chart(view), to: &body)
    var table = HTMLTable(
      "What happened: \(view.title.prefix(1).lowercased() + view.title.dropFirst())",
      [.number("Seconds"), .text("Who"), .text("What")])
    for event in view.events {
      table.add([
        .text(Figures.decimal(event.at, 3)), .text(event.source), .text(event.text),
      ])
    }
    if view.omittedEvents > 0 {
      body.element(
        "p", text: "\(view.omittedEvents) more are not listed; firstframe trace prints all.")
    }
    body.element("details", ["open": "open"]) { body in
      body.element("summary", text: "What happened, one by one")
      table.write(to: &body)
    }
    body.line()
  }

  private static func chart(_ view: TimelineRecord.View) -> GanttChart {
    let kinds = TimelineKind.allCases.map(\.rawValue)
    let rows = view.rows.map { row in
      GanttChart.Row(
        row.name,
        pieces: row.pieces.compactMap { piece in
          kinds.firstIndex(of: piece.kind).map {
            GanttChart.Piece(piece.name, kind: $0, from: piece.from, to: piece.to)
          }
        })
    }
    var bounds = [ChartLimit(0, name: "the clock starts")]
    if let frame = view.firstFrame { bounds.append(ChartLimit(frame, name: "first frame")) }
    let requests = rows.count { !$0.name.hasPrefix("player ") } - 1
    let end =
      view.firstFrame.map { "First frame after \(Figures.decimal($0, 3)) s" }
      ?? "Left after \(Figures.decimal(view.to, 3)) s without a frame"
    return GanttChart(
      ChartHeading(
        "Screen, players and requests: session \(view.session), item \(view.item)",
        summary: "\(end); \(requests) requests. The list below has what is drawn."),
      axis: ChartAxis(
        "since the clock started", format: .number(unit: "s"),
        extent: view.from...max(view.to, view.from + 0.001)),
      kinds: kinds, rows: rows, bounds: bounds)
  }
}
