import Foundation
import Scenario

/// A notebook that shows what the files of a run folder or of a sweep folder hold, by the Python
/// package and matplotlib. It simulates nothing, and its text is a pure function of the folder's
/// files and of the arguments.
public enum NotebookReport {
  /// The file of a folder that holds it when no other is named.
  public static let fileName = "notebook.ipynb"

  /// A sentence on the packages of Python.
  static let needs = "It needs Python 3.11 with the packages firstframe and matplotlib."

  /// What a notebook of a run is about.
  public enum Topic: String, CaseIterable, Sendable {
    /// All that the result holds.
    case all
    /// Startup: budgets, times to first frame, their parts, late starts, cohorts.
    case ttff
    /// Caches: budgets, hit ratios, outcomes by tier and class.
    case caches
  }

  /// What the files say about the folder.
  private struct Subject {
    var kind: String
    var scenario: String
    var digest: String
    var seed: Int64
    var title: String
    /// A sentence on the size of the study.
    var extent: String
    var sections: [Notebook.Section]
  }

  /// Whether the folder's files are those of a sweep.
  ///
  /// - Parameter read: the text of a file of the folder; nil when there is none.
  public static func isSweep(folder read: (String) -> String?) -> Bool {
    read("result.json") == nil && read("sweep.json") != nil
  }

  /// The text of the `.ipynb` file.
  ///
  /// - Parameters:
  ///   - read: the text of a file of the folder; nil when there is none.
  ///   - runDirectory: the folder as the notebook finds it, from the notebook's own folder.
  ///   - topic: what it is about; a sweep has one notebook only.
  /// - Throws: ``HTMLReport/ReadError`` naming the file when it is no result of this version.
  public static func text(
    folder read: (String) -> String?, runDirectory: String, topic: Topic = .all
  ) throws(HTMLReport.ReadError) -> String {
    let subject = isSweep(folder: read) ? try sweep(read) : try run(read, topic)
    let opening = """
      # \(Notebook.escaped(subject.scenario)): \(subject.title)

      Digest `\(subject.digest)`, seed \(subject.seed); \(subject.extent). The notebook shows what \
      the files of one folder hold and simulates nothing. \(needs) For another folder of the same \
      kind change `run_dir`, or pass it with papermill.
      """
    return Notebook(
      about: [
        .init("digest", .string(subject.digest)), .init("kind", .string(subject.kind)),
        .init("scenario", .string(subject.scenario)), .init("seed", .integer(subject.seed)),
      ], opening: opening, folder: runDirectory, topic: topic, sections: subject.sections
    ).text()
  }

  private static func run(
    _ read: (String) -> String?, _ topic: Topic
  ) throws(HTMLReport.ReadError) -> Subject {
    let record = try HTMLReport.record(folder: read)
    let titles: [Topic: String] = [
      .all: "what the run says", .ttff: "time to first frame", .caches: "caches",
    ]
    return Subject(
      kind: "run", scenario: record.scenario.name, digest: record.scenario.digest,
      seed: Int64(clamping: record.seed), title: titles[topic] ?? "",
      extent: "\(record.replications.run) replications, "
        + "\(Figures.count(record.views)) views" + (record.scenario.short ? ", short form" : ""),
      sections: runSections.filter { topic == .all || $0.topics.contains(topic) })
  }

  /// What this file reads of a `sweep.json`; the rest is the notebook's.
  private struct SweepRecord: Decodable {
    struct Metric: Decodable {
      var metric: String
    }
    struct Point: Decodable {
      var values: [String?]
      var metrics: [Metric]
    }
    struct Effects: Decodable {
      var metric: String
    }
    var schema: Int
    var kind: String
    var scenario: String
    var seed: Int64
    var replications: Int
    var factors: [String]
    var points: [Point]
    var effects: [Effects]
    var front: [String]
    var frontPoints: [Int]
  }

  private static func sweep(
    _ read: (String) -> String?
  ) throws(HTMLReport.ReadError) -> Subject {
    let text = read("sweep.json") ?? ""
    let record: SweepRecord = try HTMLReport.decode(text, file: "sweep.json")
    if record.kind != "sweep" || record.schema != 1 {
      throw HTMLReport.ReadError(
        subject: "sweep.json: schema", expected: "sweep 1",
        got: "\(record.kind) \(record.schema)")
    }
    guard let scenario = read("scenario.resolved.yaml") else {
      throw HTMLReport.ReadError(
        subject: "scenario.resolved.yaml", expected: "the scenario of the sweep", got: "no file")
    }
    return Subject(
      kind: "sweep", scenario: record.scenario,
      digest: SweepReport.digest(scenario: scenario, document: text), seed: record.seed,
      title: "what the sweep says",
      extent: "\(record.points.count) points with \(record.replications) replications each",
      sections: sweepSections)
  }
}

extension RunFolder {
  /// Writes the notebook of a run folder or a sweep folder.
  ///
  /// - Parameters:
  ///   - target: the path of the `.ipynb` file.
  ///   - topic: what the notebook of a run is about.
  /// - Throws: ``HTMLReport/ReadError`` when the folder's files make no notebook, ``WriteError``
  ///   when it cannot be written; then an earlier file is as it was.
  public static func writeNotebook(
    of folder: String, to target: String, topic: NotebookReport.Topic
  ) throws {
    let text = try NotebookReport.text(
      folder: { InputFile.text(at: path(of: $0, in: folder)) },
      runDirectory: path(
        to: folder, from: URL(fileURLWithPath: target).deletingLastPathComponent()),
      topic: topic)
    try writeFile(text, to: target)
  }

  /// The path of a folder as seen from the folder of a file.
  public static func relative(_ folder: String, beside file: String) -> String {
    path(to: folder, from: URL(fileURLWithPath: file).deletingLastPathComponent())
  }

  /// The path of a folder as seen from another one.
  static func path(to folder: String, from other: URL) -> String {
    let parts = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
    let base = other.standardizedFileURL.pathComponents
    var same = 0
    while same < min(parts.count, base.count) && parts[same] == base[same] { same += 1 }
    let steps = base[same...].map { _ in ".." } + parts[same...]
    return steps.isEmpty ? "." : steps.joined(separator: "/")
  }
}
