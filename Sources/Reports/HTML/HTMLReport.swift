import Foundation
import Scenario
import Studies

/// `report.html`: one file that needs nothing else, neither a network nor scripts, and that says
/// the same on a screen, a phone, on paper and to a screen reader. It is a pure function of what
/// stands in the run folder, so it can be made again from there; wall-clock time is not in it.
public enum HTMLReport {
  /// The file of a run folder that holds it.
  public static let fileName = "report.html"

  /// The documents of a folder do not make a report; a caller ends with exit code 65.
  public struct ReadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stable name of this error.
    public static let code = "report.bad-data"
    /// The file and the key.
    public let subject: String
    public let expected: String
    public let got: String

    public var description: String { "\(subject): expected \(expected), got \(got)" }
  }

  /// The sections in their order: fragment identifiers and titles. Those without contents say so.
  static let sections: [(id: String, title: String)] = [
    ("budgets", "Budgets"), ("why", "Why"), ("startup", "Startup"),
    ("ttff", "Time to first frame"), ("playback", "Playback"), ("caches", "Caches"),
    ("links", "Links"), ("bytes", "Media bytes"), ("players", "Players and prefetch"),
    ("cohorts", "Cohorts"), ("comparisons", "Other simulators"), ("changes", "Against a baseline"),
    ("metrics", "All metrics"), ("provenance", "Provenance"),
  ]
  /// Those of a world other than the feed.
  static let worldSections: [(id: String, title: String)] = [
    ("budgets", "Budgets"), ("why", "Why"), ("times", "Times"), ("numbers", "Truth and cost"),
    ("changes", "Against a baseline"), ("provenance", "Provenance"),
  ]
  /// The section of a live run, after the budgets; a simulated run has none.
  static let liveSection = (id: "live", title: "Live")

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
    let record = try readRecord(resultDocument)
    return HTMLPage(record, toolchain: toolchain, commit: commit, baseline: baseline).text()
  }

  /// The report of a run folder, from its `result.json`, and from `provenance.json` and
  /// `baseline.json` when they are there.
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
    return try text(
      resultDocument: result, toolchain: origin.toolchain, commit: origin.commit,
      baseline: baseline)
  }

  /// What stands in the `result.json` of a run folder.
  ///
  /// - Throws: ``ReadError`` when there is none or it is not of this version.
  static func record(folder read: (String) -> String?) throws(ReadError) -> RunRecord {
    try readRecord(try resultDocument(folder: read))
  }

  private static func resultDocument(
    folder read: (String) -> String?
  ) throws(ReadError) -> String {
    if let result = read("result.json") { return result }
    throw ReadError(subject: "result.json", expected: "the result of a run", got: "no file")
  }

  private static func readRecord(_ resultDocument: String) throws(ReadError) -> RunRecord {
    let record: RunRecord = try decode(resultDocument, file: "result.json")
    if record.schema != Int(ResultDocument.version) {
      throw ReadError(
        subject: "result.json: schema", expected: "\(ResultDocument.version)",
        got: "\(record.schema)")
    }
    return record
  }

  static func decode<Document: Decodable>(
    _ text: String, file: String
  ) throws(ReadError) -> Document {
    func failure(_ context: DecodingError.Context, _ what: String) -> ReadError {
      var path = ""
      for key in context.codingPath {
        path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
      }
      return ReadError(
        subject: path.isEmpty ? file : "\(file): \(path)", expected: what, got: "something else")
    }
    do {
      return try JSONDecoder().decode(Document.self, from: Data(text.utf8))
    } catch DecodingError.keyNotFound(let key, let context) {
      throw failure(context, "a member \(key.stringValue)")
    } catch DecodingError.typeMismatch(let type, let context) {
      throw failure(context, "a value of type \(type)")
    } catch DecodingError.valueNotFound(let type, let context) {
      throw failure(context, "a value of type \(type)")
    } catch DecodingError.dataCorrupted(let context) {
      throw failure(context, context.codingPath.isEmpty ? "JSON" : "a value in range")
    } catch {
      throw ReadError(subject: file, expected: "JSON", got: "something else")
    }
  }
}

/// Writes the page, section after section.
struct HTMLPage {
  let record: RunRecord
  let toolchain: String?
  let commit: String?
  let baseline: ReportBaseline?

  init(_ record: RunRecord, toolchain: String?, commit: String?, baseline: ReportBaseline?) {
    self.record = record
    self.toolchain = toolchain
    self.commit = commit
    self.baseline = baseline
  }

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

  private var sections: [(id: String, title: String)] {
    var sections = record.hasMetricsOnly ? HTMLReport.worldSections : HTMLReport.sections
    if record.live != nil { sections.insert(HTMLReport.liveSection, at: 1) }
    return sections
  }

  private func body() -> Markup {
    var body = Markup()
    body.element("a", ["class": "skip", "href": "#main"], text: "Skip to the results")
    body.line()
    body.element("header") { writeHeader(to: &$0) }
    body.line()
    body.element("nav", ["aria-label": "Sections"]) { body in
      body.element("ul") { body in
        for section in sections {
          body.element("li") {
            $0.element("a", ["href": "#\(section.id)"], text: section.title)
          }
        }
      }
    }
    body.line()
    body.element("main", ["id": "main"]) { body in
      for section in sections {
        body.element("section", ["id": section.id, "aria-labelledby": "\(section.id)-title"]) {
          body in
          body.element("h2", ["id": "\(section.id)-title"], text: section.title)
          body.line()
          writeSection(section.id, to: &body)
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

  private func writeSection(_ id: String, to body: inout Markup) {
    switch id {
    case "budgets": writeBudgets(to: &body)
    case "live": writeLive(to: &body)
    case "why": writeWhy(to: &body)
    case "times": writeWorldTimes(to: &body)
    case "numbers": writeWorldNumbers(to: &body)
    case "startup": writeStartup(to: &body)
    case "ttff": writeTimes(to: &body)
    case "playback": writePlayback(to: &body)
    case "caches": writeCaches(to: &body)
    case "links": writeLinks(to: &body)
    case "bytes": writeBytes(to: &body)
    case "players": writePlayers(to: &body)
    case "cohorts": writeCohorts(to: &body)
    case "comparisons": writeComparisons(to: &body)
    case "changes": writeChanges(to: &body)
    case "metrics": writeMetrics(to: &body)
    case "provenance": writeProvenance(to: &body)
    default: preconditionFailure("\(id) is no section")
    }
  }

  /// The run in one line.
  var identity: String {
    let runs = record.replications
    let parts =
      [record.scenario.name, "digest \(record.scenario.digest)", "seed \(record.seed)"]
      + (record.scenario.short ? ["short form"] : [])
      + ["\(runs.run) of at most \(runs.cap) replications", "fingerprint \(record.fingerprint)"]
    return parts.joined(separator: " · ")
  }

  // MARK: Pieces

  func paragraph(_ text: String, faint: Bool = false, to body: inout Markup) {
    body.element("p", ["class": faint ? "faint" : nil], text: text)
    body.line()
  }

  /// Says that a section or a part of it is empty, and why.
  func noData(_ reason: String, to body: inout Markup) {
    paragraph("No data: \(reason).", faint: true, to: &body)
  }

  /// A chart with its title and a remark.
  func figure(_ chart: some Chart, id: String, remark: String? = nil, to body: inout Markup) {
    body.element("figure") { body in
      body.element("figcaption") { body in
        body.write(chart.heading.title)
        if let remark { body.element("small", text: remark) }
      }
      body.element(
        "div",
        [
          "class": "scroll", "role": "region", "aria-label": chart.heading.title,
          "tabindex": "0",
        ]
      ) { $0.raw(chart.inline(id: id)) }
    }
    body.line()
  }

  static func count(_ value: Int64) -> String { Figures.count(value) }
}
