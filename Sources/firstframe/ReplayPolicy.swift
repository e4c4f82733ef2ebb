import ArgumentParser
import Foundation
import Studies

/// `firstframe replay policy`
struct ReplayPolicy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Play recorded events through the policies and compare their commands.",
    discussion: """
      Examples:
        firstframe replay policy player-pool.log
        firstframe replay policy logs/

      A log holds one machine's configuration, its events with their times, and the commands \
      that it gave: lines of words and whole numbers. The machine of this program must give the \
      same commands. A folder stands for every .log in it and below, such as one that \
      `firstframe live run --record` has made; what stands in a folder <session>.part is not whole \
      and is passed over.

      Exit codes: 0 the same commands, 11 other commands, 65 no such log, 66 no such file.
      """)

  @Argument(help: "Logs, and folders of logs.")
  var logs: [String]

  func validate() throws {
    if logs.isEmpty { throw ValidationError("expected a log, got none") }
  }

  func run() throws {
    var status: Int32 = 0
    for path in logs {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        status = max(status, try replayFolder(path))
        continue
      }
      switch PolicyLogReplay.outcome(ofLog: path) {
      case .equal(let events, let commands):
        try emit("\(path): the same \(commands) commands to \(events) events\n")
      case let outcome:
        status = max(status, Self.tell(outcome, path))
      }
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Plays every log of a folder; what differs is told by itself, the rest in one line.
  private func replayFolder(_ folder: String) throws -> Int32 {
    var status: Int32 = 0
    var total = (logs: 0, events: 0, commands: 0)
    let paths = PolicyLogReplay.logs(in: folder)
    if paths.isEmpty {
      Console.error("\(folder): expected logs in the folder, got none")
      return ExitStatus.missingFile
    }
    for path in paths {
      switch PolicyLogReplay.outcome(ofLog: path) {
      case .equal(let events, let commands):
        total = (total.logs + 1, total.events + events, total.commands + commands)
      case let outcome:
        status = max(status, Self.tell(outcome, path))
      }
    }
    try emit(
      "\(folder): \(total.logs) of \(paths.count) logs with the same commands, "
        + "\(total.commands) to \(total.events) events\n")
    return status
  }

  /// Says what is wrong with a log.
  /// - Returns: the exit code for it.
  private static func tell(_ outcome: PolicyLogReplay.Outcome, _ path: String) -> Int32 {
    switch outcome {
    case .equal: return ExitStatus.success
    case .unreadable(let reason):
      Console.error(reason.description)
      return reason.isMissing ? ExitStatus.missingFile : ExitStatus.badData
    case .differs(let line):
      Console.error("\(path):\(line):1: expected the command that the log has, got another")
      return ExitStatus.regression
    case .malformed(let line):
      Console.error("\(path):\(line):1: expected a line of a log, got something else")
      return ExitStatus.badData
    case .unknownMachine:
      let names = PolicyLogReplay.machines
      Console.error(
        "\(path):2:1: expected machine \(names.dropLast().joined(separator: ", ")) or "
          + "\(names[names.count - 1]), got something else")
      return ExitStatus.badData
    }
  }
}
