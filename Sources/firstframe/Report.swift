import ArgumentParser
import Foundation
import Reports

/// `firstframe report`
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write report.html of a run folder again.",
    discussion: """
      Example: firstframe report results/wifi-budget-gate-06e01184
      The report is a pure function of the folder's result.json, provenance.json and, after a \
      comparison, baseline.json. It is one file that needs no network.
      Exit codes: 0 written, 65 bad data, 66 no run folder there, 73 cannot write.
      """)

  @Argument(help: ArgumentHelp("The run folder.", valueName: "run-folder"))
  var folder: String

  func run() throws {
    guard FileManager.default.fileExists(atPath: folder + "/result.json") else {
      Console.error("\(folder): expected a run folder with result.json, got none")
      throw ExitCode(ExitStatus.missingFile)
    }
    do {
      try emit(try RunFolder.rewriteReport(folder) + "\n")
    } catch let error as HTMLReport.ReadError {
      Console.error("\(folder)/\(error.description)")
      throw ExitCode(ExitStatus.badData)
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }
}
