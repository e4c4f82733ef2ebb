import ArgumentParser
import FeedPolicy
import Foundation

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
      let replay = Self.replay(path)
      status = max(status, replay.status)
      if replay.status == 0 {
        try emit("\(path): the same \(replay.commands) commands to \(replay.events) events\n")
      }
    }
    if status != 0 { throw ExitCode(status) }
  }

  private struct Replay {
    var status: Int32 = 0
    var events = 0
    var commands = 0
  }

  /// Plays every log of a folder; what differs is told by itself, the rest in one line.
  private func replayFolder(_ folder: String) throws -> Int32 {
    var total = Replay()
    var equal = 0
    let paths = Self.logs(in: folder)
    if paths.isEmpty {
      Console.error("\(folder): expected logs in the folder, got none")
      return ExitStatus.missingFile
    }
    for path in paths {
      let replay = Self.replay(path)
      total.status = max(total.status, replay.status)
      if replay.status != 0 { continue }
      equal += 1
      total.events += replay.events
      total.commands += replay.commands
    }
    try emit(
      "\(folder): \(equal) of \(paths.count) logs with the same commands, \(total.commands) to "
        + "\(total.events) events\n")
    return total.status
  }

  /// The logs in a folder and below, sorted by path.
  private static func logs(in folder: String) -> [String] {
    let root = URL(fileURLWithPath: folder)
    guard let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    else { return [] }
    var paths: [String] = []
    for case let url as URL in found {
      if url.pathExtension == "part" { found.skipDescendants() }
      if url.pathExtension == "log" { paths.append(url.path) }
    }
    return paths.sorted()
  }

  private static func replay(_ path: String) -> Replay {
    guard let data = FileManager.default.contents(atPath: path) else {
      Console.error("\(path): expected a log, got no file that can be read")
      return Replay(status: ExitStatus.missingFile)
    }
    switch PolicyLog.replay([UInt8](data)) {
    case .equal(let events, let commands): return Replay(events: events, commands: commands)
    case .differs(let line):
      Console.error("\(path):\(line):1: expected the command that the log has, got another")
      return Replay(status: ExitStatus.regression)
    case .malformed(let line):
      Console.error("\(path):\(line):1: expected a line of a log, got something else")
      return Replay(status: ExitStatus.badData)
    case nil:
      let names = PolicyLog.machines.map { "\($0)" }
      Console.error(
        "\(path):2:1: expected machine \(names.dropLast().joined(separator: ", ")) or "
          + "\(names[names.count - 1]), got something else")
      return Replay(status: ExitStatus.badData)
    }
  }
}
