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

  /// What stands in the `result.json` of a run folder.
  ///
  /// - Throws: ``ReadError`` when there is none or it is not of this version.
  static func record(folder read: (String) -> String?) throws(ReadError) -> RunRecord {
    try readRecord(try resultDocument(folder: read))
  }

  static func resultDocument(
    folder read: (String) -> String?
  ) throws(ReadError) -> String {
    if let result = read("result.json") { return result }
    throw ReadError(subject: "result.json", expected: "the result of a run", got: "no file")
  }

  static func readRecord(_ resultDocument: String) throws(ReadError) -> RunRecord {
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
    do throws(JSONReader.Fault) {
      return try JSONReader.decode(Document.self, from: Data(text.utf8), within: .told)
    } catch {
      throw ReadError(
        subject: "\(file):\(error.place)", expected: error.expected, got: error.got)
    }
  }
}

/// Writes the page, section after section.
struct HTMLPage {
  let record: RunRecord
  let toolchain: String?
  let commit: String?
  let baseline: ReportBaseline?
  let history: ReportHistory?
  let timelines: TimelineRecord?

  init(
    _ record: RunRecord, toolchain: String?, commit: String?, baseline: ReportBaseline?,
    history: ReportHistory? = nil, timelines: TimelineRecord? = nil
  ) {
    self.timelines = timelines
    self.record = record
    self.toolchain = toolchain
    self.commit = commit
    self.baseline = baseline
    self.history = history
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
  func figure(
    _ chart: some Chart, id: String, remark: String? = nil,
    extent: ChartFigure.Extent = .half, to body: inout Markup
  ) {
    ChartFigure(id: id, remark: remark, extent: extent).write(chart, to: &body)
  }

  static func count(_ value: Int64) -> String { Figures.count(value) }
}
