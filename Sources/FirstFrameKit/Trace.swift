import ArgumentParser
import Foundation
import Reports
import Scenario
import SimulationKernel
import Studies

/// `firstframe trace`
struct Trace: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show one viewer's session, step by step.",
    discussion: """
      Example: firstframe trace scenarios/wifi-budget-gate.yaml --viewer 1226 --item 0

      Simulates one replication of the run again and writes that session down: what the screen \
      showed and where each startup went, requests, connections, players, prefetch. The timeline \
      goes to standard output; the same as a trace for ui.perfetto.dev or chrome://tracing into a \
      file. Reports and gates name sessions worth a look.
      Exit codes: 0 shown, 1 internal error, 64 usage or no such session, 65 bad data, 66 the \
      scenario is missing, 73 cannot write.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The session's number, as reports have it.", valueName: "session"),
    transform: { try Bounds.whole($0, in: 0...Int64(UInt32.max) - 1) })
  var viewer: Int64

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The replication, 0...63. Default: 0.", valueName: "r"),
    transform: { try Bounds.whole($0, in: 0...63) })
  var replication: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Print only what concerns this item of the session's feed; the file has the whole session.",
      valueName: "i"),
    transform: { try Bounds.whole($0, in: 0...Int64(UInt32.max) - 1) })
  var item: Int64?

  @OptionGroup var seed: SeedOption

  @OptionGroup var kept: PilotOptions

  @OptionGroup var options: ScenarioOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The trace file. Default: results/traces/<scenario>-<replication>-<session>.json.",
      valueName: "file.json"))
  var output: String?

  @Flag(help: "Print the timeline only; write no file.")
  var text = false

  func validate() throws {
    if let output {
      if output.isEmpty { throw ValidationError("--output: expected a file, got nothing") }
      if text { throw ValidationError("expected one of --output and --text, got both") }
    }
  }

  func run() throws {
    do {
      try show()
    } catch let error as ScenarioRejected {
      Console.note(error.description)
      throw ExitCode(error.status)
    } catch let error as WatchedSession.Missing {
      Console.error(error.description)
      throw ExitCode(ExitStatus.usage)
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    } catch let error as SimulationError {
      Console.error(error.message)
      throw ExitCode(ExitStatus.of(error))
    }
  }

  private func show() throws {
    let scenario = try FeedStudy.load(
      file, overrides: options.overrides + seed.overrides, short: options.short)
    let item = item.map { UInt32($0) }
    let session = try WatchedSession.run(
      scenario, session: UInt32(viewer), replication: UInt16(replication ?? 0), item: item,
      pilots: kept.pilots)
    let timeline = TraceTimeline.text(
      session, item: item, color: Console.hasColor(STDOUT_FILENO))
    if !text {
      let path =
        output ?? "results/traces/\(scenario.name)-\(session.replication)-\(viewer).json"
      try RunFolder.writeFile(TraceDocument.text(SessionTrace(session)), to: path)
      try emit(timeline + "\ntrace in \(path): open it in ui.perfetto.dev or chrome://tracing\n")
    } else {
      try emit(timeline)
    }
  }
}
