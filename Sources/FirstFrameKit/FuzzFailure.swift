import ArgumentParser
import Foundation
import Scenario
import Studies

/// Reads a kept failure and runs it.
enum KeptFailure {
  /// - Throws: an `ExitCode` 65 or 66, once the reason is told.
  static func replay(_ file: String, shrinks: Bool) throws -> FuzzReplay.Answer {
    let text = try Fuzz.read(file)
    do {
      let scenario = try FuzzFile.scenario(in: text, file: file)
      let replay = FuzzReplay(
        text: text, shrinks: shrinks, commit: Fuzz.commit,
        scenario: scenario.map { FuzzOrigin($0) })
      if let answer = try FuzzCatalogue.visit(failure: text, file: file, replay) {
        try Fuzz.checkMachines()
        return answer
      }
    } catch let fault as FuzzFile.Fault {
      Console.error("\(file):\(fault.line): \(fault.message)")
      throw ExitCode(ExitStatus.badData)
    } catch let rejected as ScenarioRejected {
      Console.note(rejected.description)
      throw ExitCode(rejected.status)
    }
    Console.error("\(file): expected a failure of a protocol that firstframe fuzz list prints")
    throw ExitCode(ExitStatus.badData)
  }
}

/// `firstframe replay failure`, and `firstframe replay` of a file that holds one.
struct ReplayFailure: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "failure", abstract: "Run a failure that fuzz kept again, and draw it.",
    discussion: """
      Example: firstframe replay results/fuzz/messaging-literal-no-false-view.txt --svg race.svg

      Prints a Mermaid sequence diagram. Exit codes: 0 the schedule does not break the property any \
      more, 10 it does, 65 no such file of a failure, 66 no such file, 73 cannot write.
      """)

  @Argument(help: "The file of the failure.")
  var file: String

  @Option(help: ArgumentHelp("Write a drawing.", valueName: "file.svg"))
  var svg: String?

  func run() throws {
    let answer = try KeptFailure.replay(file, shrinks: false)
    if let svg { try Fuzz.write(answer.svg, to: svg) }
    try emit(answer.mermaid)
    guard let at = answer.brokenAt else {
      Console.note("held: the schedule does not break the property any more")
      return
    }
    Console.note("broken at \(at)")
    throw ExitCode(ExitStatus.failed)
  }

  /// The program's arguments, with the verb that a file of a failure stands for put in.
  static func dispatched(_ arguments: [String]) -> [String] {
    guard arguments.count > 1, arguments[0] == "replay",
      let handle = FileHandle(forReadingAtPath: arguments[1]),
      let head = try? handle.read(upToCount: FuzzFile.header.utf8.count),
      String(decoding: head, as: UTF8.self) == FuzzFile.header
    else { return arguments }
    return ["replay", "failure"] + arguments.dropFirst()
  }
}

/// `firstframe shrink`
struct Shrink: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a failure that fuzz kept smaller: steps, clients, time, what steps do.",
    discussion: """
      Example: firstframe shrink results/fuzz/messaging-literal-no-false-view.txt --output small.txt

      Delta debugging: whatever can be left out while the same property breaks is left out. Without \
      --output the file itself is replaced. Exit codes: 0 it is as small as it gets, 11 it does not \
      fail any more, 65 no file of a failure, 66 no such file, 73 cannot write.
      """)

  @Argument(help: "The file of the failure.")
  var file: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write the smaller failure here.", valueName: "file"))
  var output: String?

  func run() throws {
    let answer = try KeptFailure.replay(file, shrinks: true)
    guard let at = answer.brokenAt else {
      Console.error("\(file): expected a schedule that breaks its property, got one that holds")
      throw ExitCode(ExitStatus.regression)
    }
    let place = output ?? file
    try Fuzz.write(answer.text, to: place)
    try emit("\(place): \(answer.steps) steps, broken at \(at)\n")
  }
}
