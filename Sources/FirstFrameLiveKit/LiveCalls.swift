import ArgumentParser
import Foundation
import LoadHarness
import MediaUnits
import Reports
import Scenario

/// `firstframe-live calls`
struct LiveCalls: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls",
    abstract: "Run a signalling server and real clients: ring races, heartbeats, presence.",
    discussion: """
      Example: firstframe-live calls scenarios/call-presence-contention.yaml --callers 300 --idle 2000

      The machines of server and clients are those that the simulator runs, over WebSockets on this \
      machine; the scenario gives their settings. Everybody registers; then all callers call at \
      once, round after round, and one of them must win each interpreter; then interpreters go \
      offline and online, and every caller must hear of it. Heartbeats go on all the time. Nothing \
      is written but sums and quantiles.

      Exit codes: 0 all held, 10 something did not, 13 this program was too slow for its times to \
      be true, 64 usage, 65 and 66 a bad or missing scenario, 73 cannot write.
      """)

  @Argument(help: "A scenario file of the world calls.")
  var file: String

  @Option(help: "Clients that call, all at once.")
  var callers = 200

  @Option(help: "Clients that are called.")
  var interpreters = 20

  @Option(help: "Further callers that are registered and call nobody.")
  var idle = 0

  @Option(help: "Times that all call at once.")
  var rounds = 10

  @Option(help: "Times that an interpreter goes offline and online again.")
  var changes = 100

  @Option(help: ArgumentHelp("Go on for so long at least.", valueName: "time"))
  var length = "10 s"

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Flag(help: "Print JSON.")
  var json = false

  @Option(name: .shortAndLong, help: ArgumentHelp("Write the JSON there too.", valueName: "file"))
  var output: String?

  func validate() throws {
    let bounds: [(String, Int, ClosedRange<Int>)] = [
      ("--callers", callers, 1...20_000), ("--interpreters", interpreters, 0...20_000),
      ("--idle", idle, 0...20_000), ("--rounds", rounds, 0...10_000),
      ("--changes", changes, 0...100_000),
    ]
    for (name, value, range) in bounds where !range.contains(value) {
      throw ValidationError(
        "\(name): expected \(range.lowerBound)...\(range.upperBound), got \(value)")
    }
    _ = try LiveOptionsGroup.time(length, "--length")
  }

  func run() async throws {
    try await LiveExit.reported { try await drive() }
  }

  private func drive() async throws {
    let scenario = try StudyScenario.load(file, overrides: assignments.map { Override(set: $0) })
    guard case .calls(let plan) = scenario.plan else {
      throw LiveRefusal("\(file): world: expected calls, got another world or the feed")
    }
    var settings = CallsDriveSettings()
    settings.server = plan.configuration.server
    settings.client = plan.configuration.client
    settings.callers = callers
    settings.interpreters = interpreters
    settings.idle = idle
    settings.rounds = rounds
    settings.changes = changes
    settings.length = try LiveOptionsGroup.time(length, "--length")
    let watch = LiveEnding.watch()
    watch.expectEnd(in: settings.longest)
    defer { watch.close() }
    let server = try await CallStandin.start(settings.server)
    var result = try await CallsDrive.run(settings, port: server.port)
    result.server = try await server.counters()
    await server.stop()
    let text = try result.json()
    if let output {
      do throws(RunFolder.WriteError) {
        try RunFolder.writeFile(text + "\n", to: output)
      } catch {
        LiveConsole.error("--output: \(error.description)")
        throw ExitCode(LiveExit.cannotWrite)
      }
    }
    LiveConsole.output(json ? text : result.text)
    if result.exitCode != 0 { throw ExitCode(result.exitCode) }
  }
}
