import Foundation
import TidyKit

// `tidy [FOLDER]`: checks the repository at or above FOLDER, by default the current folder.
// `tidy requirements [--area A] [--missing] [--csv]`: which rows have tests, scenarios, answers.
// `tidy mutants [LIST…]`: tries the seeded faults of Tests/Mutants, by default of all lists there.
// Exit codes: 0 clean, 1 findings, 64 usage, 66 no repository or an unreadable file.

func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("tidy: \(message)\n".utf8))
  exit(code)
}

func read(above start: String) -> (root: String, sources: [SourceText]) {
  guard let root = Repository.root(above: start) else {
    fail(
      "expected a folder with Package.swift and Sources at or above \(start), got none", code: 66)
  }
  do {
    return (root, try Repository.files(at: root))
  } catch {
    fail("expected readable files, got \(error.localizedDescription)", code: 66)
  }
}

func tidy(_ arguments: [String]) -> Int32 {
  if arguments.count > 1 || arguments.first?.hasPrefix("-") == true {
    fail("expected at most one folder, got \(arguments.joined(separator: " "))", code: 64)
  }
  let sources = read(above: arguments.first ?? FileManager.default.currentDirectoryPath).sources
  let report = Tidy().check(sources)
  for allowance in report.allowances { print(allowance) }
  for finding in report.findings { print(finding) }
  print(
    "tidy: \(report.filesRead) files, \(report.findings.count) findings, "
      + "\(report.allowances.count) allowed")
  return report.findings.isEmpty ? 0 : 1
}

func requirements(_ arguments: [String]) -> Int32 {
  do {
    let report = try RequirementReport(arguments: arguments)
    let sources = read(above: FileManager.default.currentDirectoryPath).sources
    guard let coverage = RequirementCoverage(sources) else {
      fail("expected \(RequirementTable.path), got none", code: 66)
    }
    print(try report.text(of: coverage), terminator: "")
    for finding in coverage.findings { print(finding) }
    return coverage.findings.isEmpty ? 0 : 1
  } catch {
    fail(error.message, code: 64)
  }
}

func mutants(_ names: [String]) -> Int32 {
  let (root, sources) = read(above: FileManager.default.currentDirectoryPath)
  let paths = Set(sources.map(\.path))
  if let absent = names.first(where: { !paths.contains($0) }) {
    fail("expected a list such as \(MutantList.folder)feed-policy.txt, got \(absent)", code: 64)
  }
  let lists = MutantList.all(in: sources.filter { names.isEmpty || names.contains($0.path) })
  let findings = lists.flatMap(\.findings)
  for finding in findings { print(finding) }
  let all = lists.flatMap(\.mutants)
  let present = all.filter { paths.contains($0.file) }
  for file in Set(all.map(\.file)).subtracting(paths).sorted() {
    print("mutants: skipped \(all.count { $0.file == file }), \(file) is not there")
  }
  var runner = MutantRunner(root: root, mutants: present)
  do {
    // Unbuffered: the table grows over minutes.
    let isClean = try runner.run { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) }
    return isClean && findings.isEmpty ? 0 : 1
  } catch {
    fail("expected files to copy, got \(error.localizedDescription)", code: 66)
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "requirements": exit(requirements(Array(arguments.dropFirst())))
case "mutants": exit(mutants(Array(arguments.dropFirst())))
default: exit(tidy(arguments))
}
