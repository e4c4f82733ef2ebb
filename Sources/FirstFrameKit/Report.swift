import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

extension NotebookReport.Topic: ExpressibleByArgument {}

/// `firstframe report`
struct Report: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: """
      Show a run folder's report in brief and write report.html again, a notebook or a page to ask \
      what if.
      """,
    discussion: """
      Example: firstframe report results/wifi-budget-gate-06e01184
               firstframe report results/wifi-budget-gate-06e01184 --full
               firstframe report results/wifi-budget-gate-06e01184 --notebook
               firstframe report results/wifi-budget-gate-06e01184 --what-if
      The report in brief goes to standard output, with --full all sections after it, and the path \
      of the page below. All are a pure function of the folder's result.json, notes.json, \
      provenance.json and, where they are there, timelines.json, baseline.json and history.json; \
      the sections are those that the run itself prints with --full. The page needs no network, no \
      script and no style sheet.
      A notebook (nbformat 4.5, lines of the Python package firstframe, with matplotlib) is of a \
      run folder or of a sweep folder; it reads the folder's own files, found from the notebook's \
      place.
      A what-if page is \(WhatIfPage.fileName) in the folder: one file of a few megabytes that runs \
      the simulation again in a browser, with other values of keys, and shows the budgets and the \
      differences. It needs no network either. The run is made again for it, which takes as long \
      as the run; only runs of a full-screen feed by this version of the program can be.
      Exit codes: 0 written, 65 bad data, or a run or a key that a page cannot have, 66 no such \
      folder there, 69 the page's parts are missing, 73 cannot write.
      """)

  @Argument(
    help: ArgumentHelp(
      "The run folder; with --notebook also a sweep folder.", valueName: "run-folder"))
  var folder: String

  @Flag(help: "Print all sections after the report in brief.")
  var full = false

  @OptionGroup var names: NameOptions

  @Flag(help: "Write a Jupyter notebook instead.")
  var notebook = false

  @Option(
    help: ArgumentHelp(
      "What the notebook of a run is about: all, ttff or caches. Default: all.",
      valueName: "topic"))
  var about: NotebookReport.Topic?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the notebook goes. Default: \(NotebookReport.fileName) in the folder.",
      valueName: "file.ipynb"))
  var output: String?

  @Flag(help: "Write a page to turn keys on and simulate again in the browser.")
  var whatIf = false

  @Option(
    name: .customLong("control"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A further key that the what-if page can turn, such as policy.abr.fraction; repeatable.",
      valueName: "key"))
  var controls: [String] = []

  func validate() throws {
    if whatIf && (notebook || full || names.metricNames != nil) {
      throw ValidationError(
        "--what-if: expected none of --notebook, --full and --metric-names beside it, got one")
    }
    if !whatIf && !controls.isEmpty {
      throw ValidationError("--control belongs to --what-if, which is not given")
    }
    if !notebook && (about != nil || output != nil) {
      throw ValidationError("--about and --output belong to --notebook, which is not given")
    }
    if notebook && (full || names.metricNames != nil) {
      throw ValidationError(
        "--full and --metric-names belong to the report, and --notebook writes another one")
    }
    if let output, !output.hasSuffix(".ipynb") {
      throw ValidationError("--output: expected a name that ends in .ipynb, got \(output)")
    }
  }

  func run() async throws {
    if whatIf {
      try await Failures.reported { try await emit(writeWhatIf()) }
      return
    }
    do {
      try emit(notebook ? writeNotebook() : writePage())
    } catch let error as HTMLReport.ReadError {
      Console.error("\(folder)/\(error.description)")
      throw ExitCode(ExitStatus.badData)
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }

  private func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(name)")
  }

  private func writePage() throws -> String {
    do throws(DocumentRejected) {
      _ = try DocumentRejected.bytes(
        of: "\(folder)/result.json", expected: "the result.json of a run")
    } catch {
      Console.error(
        error.isMissing
          ? "\(folder): expected a run folder with result.json, got none" : error.description)
      throw ExitCode(error.isMissing ? ExitStatus.missingFile : ExitStatus.badData)
    }
    let page = try RunFolder.rewriteReport(folder)
    let color = Console.hasColor(STDOUT_FILENO)
    var text = try BriefReport.text(
      folder: folder, width: Console.reportWidth(otherwise: BriefReport.mostColumns),
      color: color, read: read)
    if full {
      text +=
        "\n"
        + (try TerminalReport.text(
          folder: folder, width: Console.reportWidth(otherwise: 100), color: color, read: read))
    }
    if let metricNames = names.metricNames {
      text += "\n" + (try IndustryReport.text(names: metricNames, color: color, read: read))
    }
    return text + "page in \(page)\n"
  }

  /// The text of a file of the folder; nil when there is none.
  private func read(_ name: String) -> String? {
    InputFile.text(at: "\(folder)/\(name)")
  }

  private func writeNotebook() throws -> String {
    let isRun = has("result.json")
    guard isRun || has("sweep.json") else {
      Console.error(
        "\(folder): expected a run folder with result.json or a sweep folder with sweep.json, "
          + "got none")
      throw ExitCode(ExitStatus.missingFile)
    }
    if !isRun, let about {
      Console.error("--about: expected a run folder, got \(about.rawValue) of a sweep folder")
      throw ExitCode(ExitStatus.usage)
    }
    let target = output ?? RunFolder.path(of: NotebookReport.fileName, in: folder)
    try RunFolder.writeNotebook(of: folder, to: target, topic: about ?? .all)
    return target + "\n"
  }
}
