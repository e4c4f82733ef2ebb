import ArgumentParser
import Foundation
import Reports
import Scenario

/// `firstframe fmt`
struct Fmt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt", abstract: "Write scenario files in their one form.",
    discussion: """
      Example: firstframe fmt scenarios/*.yaml
               firstframe fmt --check scenarios/*.yaml

      Two blanks a level, one behind each colon, dash and comma, none inside brackets, at most one empty \
      line in a row. Remarks, order, quotes and line ends between values stay, and so does the \
      meaning: a file that would read otherwise afterwards is left alone and named. With - the text \
      comes from standard input and goes to standard output, for editors.
      Exit codes: 0 all files have the form; 10 with --check, one has not; 65 a file that is no YAML, or \
      has what cannot be kept; 66 a file is missing; 73 a file cannot be written.
      """)

  @Argument(help: "The scenario files; - for standard input.")
  var files: [String]

  @Flag(help: "Write nothing; name the files that have another form, and end with 10.")
  var check = false

  func run() throws {
    var status: Int32 = 0
    for file in files {
      do {
        status = max(status, try format(file))
      } catch let error as ScenarioRejected {
        Console.note(error.description)
        status = max(status, error.status)
      } catch let error as RunFolder.WriteError {
        Console.error(error.description)
        status = max(status, ExitStatus.cannotWrite)
      }
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Formats one file, or says that it has another form.
  ///
  /// - Returns: the exit code that it asks for.
  private func format(_ file: String) throws -> Int32 {
    let isStream = file == "-"
    let name = isStream ? "standard input" : file
    let bytes: [UInt8]
    do throws(InputFile.Failure) {
      bytes = try InputFile.bytes(
        at: isStream ? "/dev/stdin" : file, limit: YAMLReader.Limits.bytes)
    } catch {
      Console.note("\(name):1:1: (file): expected \(error.expected), got \(error.got)")
      return error.code == .missingFile ? ExitStatus.missingFile : ExitStatus.badData
    }
    let text = try ScenarioFormat.text(bytes, file: name)
    let isAsItShouldBe = Array(text.utf8) == bytes
    if check {
      if isAsItShouldBe { return ExitStatus.success }
      let line = Fmt.firstDifference(bytes, Array(text.utf8))
      Console.note("\(name):\(line):1: (file): expected the form of firstframe fmt, got another")
      return ExitStatus.failed
    }
    if isStream {
      try emit(text, isDocument: !Console.isTerminal(STDOUT_FILENO))
    } else if !isAsItShouldBe {
      try replace(file, with: text)
      try emit("\(file): formatted\n")
    }
    return ExitStatus.success
  }

  /// Writes the file in one step: what links to it still does, and its rights stay.
  private func replace(_ file: String, with text: String) throws(RunFolder.WriteError) {
    let target = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    var status = stat()
    let isKnown = stat(target, &status) == 0
    try RunFolder.writeFile(text, to: target)
    if isKnown { chmod(target, status.st_mode & 0o7777) }
  }

  /// The number of the first line that differs, from 1.
  private static func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var line = 1
    for (a, b) in zip(one, other) {
      if a != b { return line }
      if a == 0x0A { line += 1 }
    }
    return line
  }
}
