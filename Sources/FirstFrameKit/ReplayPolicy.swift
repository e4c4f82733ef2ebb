import ArgumentParser
import Foundation
import Reports
import Studies

/// `firstframe replay policy`
struct ReplayPolicy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Play recorded events through the policies and compare their commands.",
    discussion: """
      Examples:
        firstframe replay policy player-pool.log
        firstframe replay policy player-pool.log --explain
        firstframe replay policy logs/

      A log holds one machine's configuration, its events with their times, and the commands \
      that it gave: lines of words and whole numbers, written by an app or by \
      `firstframe live run --record`; `firstframe reference policy-logs` has their form. The \
      machine of this program must give the same commands. Each line that differs is one message; \
      the events of the log are played to the end whatever differs. A folder stands for every .log \
      in it and below; what stands in a folder <session>.part is not whole and is passed over.

      With --explain each event that differs is told in words: what happened, the commands of \
      both, and the snapshot, which is all that the machine held before the event. With --line an \
      event is told whether or not it differs.

      Exit codes: 0 the same commands, 11 other commands, 65 no such log, 66 no such file.
      """)

  @Argument(help: "Logs, and folders of logs.")
  var logs: [String]

  @Flag(help: "Say in words what each event that differs met: the snapshot of the machine.")
  var explain = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "With --explain: tell the event of this line of the log, too; repeatable.",
      valueName: "number"))
  var line: [Int] = []

  /// Events that differ of which a log is told; all are counted.
  private static let most = 20

  func validate() throws {
    if logs.isEmpty { throw ValidationError("expected a log, got none") }
    if !line.isEmpty && !explain { throw ValidationError("--line: expected --explain beside it") }
    if let wrong = line.first(where: { $0 < 1 }) {
      throw ValidationError("--line: expected a number from 1 on, got \(wrong)")
    }
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
        if !line.isEmpty { status = max(status, try compare(path)) }
        try emit("\(path): the same \(commands) commands to \(events) events\n")
      case let outcome:
        status = max(status, try tell(outcome, path))
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
        status = max(status, try tell(outcome, path))
      }
    }
    try emit(
      "\(folder): \(total.logs) of \(paths.count) logs with the same commands, "
        + "\(total.commands) to \(total.events) events\n")
    return status
  }

  /// Says what is wrong with a log.
  /// - Returns: the exit code for it.
  private func tell(_ outcome: PolicyLogReplay.Outcome, _ path: String) throws -> Int32 {
    switch outcome {
    case .equal: return ExitStatus.success
    case .unreadable(let reason):
      Console.error(reason.description)
      return reason.isMissing ? ExitStatus.missingFile : ExitStatus.badData
    case .differs: return try compare(path)
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

  /// Tells the lines that differ, and with --explain their events.
  private func compare(_ path: String) throws -> Int32 {
    let bytes: [UInt8]
    do throws(DocumentRejected) {
      bytes = try PolicyLogReplay.bytes(ofLog: path)
    } catch {
      Console.error(error.description)
      return error.isMissing ? ExitStatus.missingFile : ExitStatus.badData
    }
    guard
      let comparison = PolicyLogComparison.of(bytes, lines: Set(line), limit: ReplayPolicy.most)
    else {
      Console.error("\(path):1:1: expected a log, got something else")
      return ExitStatus.badData
    }
    for message in PolicyLogReport.differences(comparison, path: path) { Console.error(message) }
    if explain { try emit(PolicyLogReport.explanation(comparison, path: path) + "\n") }
    if let last = line.max(), last > bytes.count(where: { $0 == 0x0A }) {
      Console.error("--line: expected a line of \(path), got \(last)")
      return ExitStatus.usage
    }
    if let malformed = comparison.malformed {
      Console.error("\(path):\(malformed):1: expected a line of a log, got something else")
      return ExitStatus.badData
    }
    if comparison.differing == 0 { return ExitStatus.success }
    try emit(
      "\(path): other commands to \(comparison.differing) of \(comparison.events) events, "
        + "\(comparison.differences) in all\n")
    return ExitStatus.regression
  }
}
