import ArgumentParser
import Foundation
import Reports
import Studies

/// `firstframe report --what-if`
extension Report {
  /// Writes the page into the run folder.
  ///
  /// - Returns: what is printed: where it is, and what it can turn.
  /// - Throws: errors of ``Failures``, and an `ExitCode`.
  func writeWhatIf() async throws -> String {
    let template = try WhatIfTemplate(folder: WhatIfFolder.path())
    let run = try WhatIfRun(folder)
    let page: WhatIfPage
    do {
      let threads = max(ProcessInfo.processInfo.activeProcessorCount, 1)
      let controls = try await WhatIfControls.find(run.study, named: controls, threads: threads)
      let base = try await WhatIfBase.run(run.study, options: run.options(threads: threads))
      try run.check(base.fingerprints)
      page = WhatIfPage(
        run, base: base, controls: controls,
        hasReport: FileManager.default.fileExists(
          atPath: RunFolder.path(of: HTMLReport.fileName, in: folder)))
    } catch let error as WhatIfControls.Rejected {
      Console.error("--control \(error.description)")
      throw ExitCode(ExitStatus.badData)
    } catch let error as WhatIfRefusal {
      Console.error("\(folder): \(error.text)")
      throw ExitCode(ExitStatus.badData)
    }
    let path = RunFolder.path(of: WhatIfPage.fileName, in: folder)
    let text = page.text(template)
    try RunFolder.writeFile(text, to: path)
    let size = Double(text.utf8.count) / 1e6
    return "page in \(path), \(String(format: "%.1f", size)) MB; it turns:\n"
      + page.keys.map { "  \($0)\n" }.joined() + page.leftOut.map { "\($0)\n" }.joined()
  }
}

/// Where the parts of a what-if page are.
enum WhatIfFolder {
  /// The folder beside the program: `share/firstframe/what-if` of a package, or `what-if` in the
  /// folder of builds that `make what-if` fills.
  ///
  /// - Throws: an `ExitCode` 69 where there is none, after a message.
  static func path() throws(ExitCode) -> String {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
    while folder.path != "/" {
      for name in ["what-if", "share/firstframe/what-if"] {
        let found = folder.appendingPathComponent(name).path
        if FileManager.default.fileExists(atPath: "\(found)/\(WhatIfTemplate.mark)") {
          return found
        }
      }
      folder.deleteLastPathComponent()
    }
    Console.error(
      "--what-if: expected the parts of the page in what-if beside the program's builds, or in "
        + "share/firstframe/what-if of a package, got none; make what-if")
    throw ExitCode(ExitStatus.unavailable)
  }
}
