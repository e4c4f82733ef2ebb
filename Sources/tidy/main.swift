import Foundation
import TidyKit

// `tidy [FOLDER]`: checks the repository at or above FOLDER, by default the current folder.
// Exit codes: 0 clean, 1 findings, 64 usage, 66 no repository or an unreadable file.

func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("tidy: \(message)\n".utf8))
  exit(code)
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.count > 1 || arguments.first?.hasPrefix("-") == true {
  fail("expected at most one folder, got \(arguments.joined(separator: " "))", code: 64)
}
let start = arguments.first ?? FileManager.default.currentDirectoryPath
guard let root = Repository.root(above: start) else {
  fail("expected a folder with Package.swift and Sources at or above \(start), got none", code: 66)
}
let sources: [SourceText]
do {
  sources = try Repository.files(at: root)
} catch {
  fail("expected readable files, got \(error.localizedDescription)", code: 66)
}
let report = Tidy().check(sources)
for allowance in report.allowances { print(allowance) }
for finding in report.findings { print(finding) }
print(
  "tidy: \(report.filesRead) files, \(report.findings.count) findings, "
    + "\(report.allowances.count) allowed")
exit(report.findings.isEmpty ? 0 : 1)
