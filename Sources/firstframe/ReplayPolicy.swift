import ArgumentParser
import FeedPolicy
import Foundation

/// `firstframe replay policy`
struct ReplayPolicy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Play recorded events through the policies and compare their commands.",
    discussion: """
      Example: firstframe replay policy player-pool.log

      A log holds one machine's configuration, its events with their times, and the commands that it \
      gave: lines of words and whole numbers. The machine of this program must give the same commands.

      Exit codes: 0 the same commands, 11 other commands, 65 no such log, 66 no such file.
      """)

  @Argument(help: "Logs.")
  var logs: [String]

  func validate() throws {
    if logs.isEmpty { throw ValidationError("expected a log, got none") }
  }

  func run() throws {
    var status: Int32 = 0
    func worsen(_ code: Int32) { status = max(status, code) }
    for path in logs {
      guard let data = FileManager.default.contents(atPath: path) else {
        Console.error("\(path): expected a log, got no file that can be read")
        worsen(ExitStatus.missingFile)
        continue
      }
      switch PolicyLog.replay([UInt8](data)) {
      case .equal(let events, let commands):
        try emit("\(path): the same \(commands) commands to \(events) events\n")
      case .differs(let line):
        Console.error("\(path):\(line):1: expected the command that the log has, got another")
        worsen(ExitStatus.regression)
      case .malformed(let line):
        Console.error("\(path):\(line):1: expected a line of a log, got something else")
        worsen(ExitStatus.badData)
      case nil:
        Console.error(
          "\(path):2:1: expected machine player-pool, prefetch-policy, readiness-gate or "
            + "telemetry-batcher, got something else")
        worsen(ExitStatus.badData)
      }
    }
    if status != 0 { throw ExitCode(status) }
  }
}
