import Studies

extension HTMLReport {
  /// The report of a run that was just made.
  public static func text(
    _ result: StudyResult, toolchain: String? = nil, commit: String? = nil,
    baseline: ReportBaseline? = nil
  ) throws(ReadError) -> String {
    try text(
      resultDocument: ResultDocument.text(result), toolchain: toolchain, commit: commit,
      baseline: baseline)
  }

  /// The report of a run folder's documents.
  ///
  /// - Parameters:
  ///   - resultDocument: the text of `result.json`.
  ///   - toolchain: the compiler's version, from `provenance.json`.
  ///   - commit: of the repository that the scenario lies in, from `provenance.json`.
  /// - Throws: ``ReadError`` when the document is not a result of this version.
  public static func text(
    resultDocument: String, toolchain: String? = nil, commit: String? = nil,
    baseline: ReportBaseline? = nil
  ) throws(ReadError) -> String {
    try page(
      resultDocument, toolchain: toolchain, commit: commit, baseline: baseline, history: nil,
      timelines: nil)
  }

  private static func page(
    _ resultDocument: String, toolchain: String?, commit: String?, baseline: ReportBaseline?,
    history: ReportHistory?, timelines: TimelineRecord?
  ) throws(ReadError) -> String {
    HTMLPage(
      try readRecord(resultDocument), toolchain: toolchain, commit: commit, baseline: baseline,
      history: history, timelines: timelines
    ).text()
  }

  /// The report of a run folder, from its `result.json`, and from `provenance.json`,
  /// `baseline.json`, `history.json` and `timelines.json` when they are there.
  ///
  /// - Parameter read: the text of a file of the folder; nil when there is none.
  /// - Throws: ``ReadError`` naming the file.
  public static func text(folder read: (String) -> String?) throws(ReadError) -> String {
    struct Origin: Decodable {
      var toolchain: String?
      var commit: String?
    }
    let result = try resultDocument(folder: read)
    var origin = Origin()
    if let text = read("provenance.json") { origin = try decode(text, file: "provenance.json") }
    var baseline: ReportBaseline?
    if let text = read(ReportBaseline.fileName) {
      baseline = try decode(text, file: ReportBaseline.fileName)
    }
    var history: ReportHistory?
    if let text = read(ReportHistory.fileName) {
      history = try decode(text, file: ReportHistory.fileName)
    }
    return try page(
      result, toolchain: origin.toolchain, commit: origin.commit, baseline: baseline,
      history: history, timelines: try timelines(folder: read))
  }

  /// What stands in the `timelines.json` of a run folder; nil when there is none.
  private static func timelines(
    folder read: (String) -> String?
  ) throws(ReadError) -> TimelineRecord? {
    guard let text = read(TimelineRecord.fileName) else { return nil }
    let record: TimelineRecord = try decode(text, file: TimelineRecord.fileName)
    return record
  }

  /// The page of timelines of a run folder, which the report links to; nil when it has none.
  ///
  /// - Throws: ``ReadError`` naming the file.
  static func timelinePage(folder read: (String) -> String?) throws(ReadError) -> String? {
    guard let timelines = try timelines(folder: read), !timelines.views.isEmpty else { return nil }
    return TimelinePage.text(timelines, scenario: try record(folder: read).scenario.name)
  }
}

/// The page, heading after heading.
extension HTMLPage {
  func text() -> String {
    let title = "\(record.scenario.name): \(record.verdict)"
    var head = Markup()
    head.empty("meta", ["charset": "utf-8"])
    head.empty(
      "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    head.element("title", text: "\(title) · FirstFrame")
    head.line()
    head.element("style") { $0.raw("\n" + PageStyle.css + ChartStyle.css) }
    let body = body()
    var page = Markup()
    page.element("html", ["lang": "en"]) { page in
      page.element("head") { $0.raw(head.text) }
      page.line()
      page.element("body") { $0.raw(body.text) }
    }
    return "<!DOCTYPE html>\n" + page.text + "\n"
  }

  private func body() -> Markup {
    // A run that is not gated over commits has nothing to say of them.
    let headings = PageHeading.allCases.filter {
      $0.isOn(record) && ($0 != .history || history != nil)
    }
    var body = Markup()
    body.element("a", ["class": "skip", "href": "#main"], text: "Skip to the results")
    body.line()
    body.element("header") { writeHeader(to: &$0) }
    body.line()
    body.element("nav", ["aria-label": "Sections"]) { body in
      body.element("ul") { body in
        for heading in headings {
          body.element("li") {
            $0.element("a", ["href": "#\(heading.rawValue)"], text: heading.title)
          }
        }
      }
    }
    body.line()
    body.element("main", ["id": "main"]) { body in
      for heading in headings {
        let id = heading.rawValue
        body.element("section", ["id": id, "aria-labelledby": "\(id)-title"]) { body in
          body.element("h2", ["id": "\(id)-title"], text: heading.title)
          body.line()
          for section in ReportSection.all where section.heading == heading {
            section.page(self, &body)
          }
        }
        body.line()
      }
    }
    body.line()
    body.element("footer") { body in
      body.element("p", ["class": "faint"], text: identity)
    }
    return body
  }
}
