import ArgumentParser
import Foundation
import MachineDoctor

/// `firstframe doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Say what this machine can do for live and for large runs.",
    discussion: """
      Example: firstframe doctor --require nginx,tun,namespaces
      Each line is a name, ok, warn or missing, and what was seen; below it what to do.
      Exit codes: 0 live runs are possible, 69 something that --require names is missing.
      """)

  @Flag(help: "Print JSON (schema 1) instead of a table.")
  var json = false

  @Option(help: ArgumentHelp("What must not be missing, separated by commas.", valueName: "names"))
  var require: String?

  @Option(help: "Folder that runs are written to.")
  var results = "."

  func run() throws {
    let examination = Doctor.examine(results: results)
    let names = (require ?? "").split(separator: ",").map(String.init)
    let known = examination.findings.map(\.name)
    for name in names where !known.contains(name) {
      Console.error("--require: expected one of \(known.joined(separator: ", ")), got \(name)")
      throw ExitCode(ExitStatus.usage)
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try emit(String(decoding: try encoder.encode(examination), as: UTF8.self) + "\n")
    } else {
      try emit(examination.text)
    }
    let lacking = examination.lacking(names)
    if !lacking.isEmpty {
      Console.error("expected \(lacking.joined(separator: ", ")), got a machine without")
      throw ExitCode(ExitStatus.unavailable)
    }
  }
}
