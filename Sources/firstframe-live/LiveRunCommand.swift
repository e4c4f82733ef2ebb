import ArgumentParser
import Foundation
import LoadHarness
import Models
import Reports
import Scenario
import Studies

/// `firstframe-live run`
struct LiveRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a scenario's viewers against real servers, by the clock.",
    discussion: """
      Example: firstframe-live run scenarios/wifi-budget-gate.yaml --views 2000 --edge nginx

      The viewers, devices and policies are the simulator's own; their requests go to real servers \
      over real connections. Without --target a stand-in origin with the scenario's catalogue is \
      started, and --edge in front of it, and both are stopped at the end. With --target nothing is \
      started, and nothing but that server (and --api) is talked to. Arrivals follow the scenario \
      whether the target keeps up or not; latency is told from the moment at which requests were \
      due. A run stops by itself after --warm-up and --window.

      An unhealthy generator makes the result invalid. A missed hard budget is measured a second \
      time before it counts, unless --no-confirm is given.

      Exit codes: 0 pass, 10 a hard budget failed, 12 inconclusive, 13 invalid, 14 stopped early, \
      64 usage, 65 bad data, 66 no such file, 69 the target or a program cannot be had, 73 the \
      results cannot be written.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @Option(
    help: ArgumentHelp("The edge or origin to load: http://host[:port].", valueName: "url"))
  var target: String?

  @Option(
    help: ArgumentHelp(
      "Where /v1/feed and /v1/events are; the target unless given.", valueName: "url"))
  var api: String?

  @OptionGroup var options: LiveOptionsGroup

  @OptionGroup var disturbances: LiveDisturbances

  @Flag(inversion: .prefixedNo, help: "Measure again before a missed budget counts.")
  var confirm = true

  func validate() throws {
    if api != nil && target == nil {
      throw ValidationError("--api: expected --target with it, got none")
    }
    if target != nil && options.link == .namespaces {
      throw ValidationError(
        "--link namespaces: expected the servers that this program starts, got --target")
    }
    try disturbances.check(hasTarget: target != nil, edge: options.edge)
  }

  func run() async throws {
    try await LiveExit.reported { try await measure() }
  }

  private func measure() async throws {
    let session = try LiveSession(file, options)
    let stop = StopRequest()
    let signals = StopSignals()
    let watcher = signals.watch(stop)
    defer {
      watcher.cancel()
      signals.close()
    }
    let start = Date().timeIntervalSince1970
    var result = try await once(session, stop)
    if confirm && result.verdict == .fail && !stop.isRequested {
      LiveConsole.note("firstframe-live: a hard budget was missed; measuring again")
      result.confirm(with: try await once(session, stop))
    }
    let folder: String
    do {
      folder = try RunFolder.write(
        result,
        provenance: Provenance(
          toolchain: Toolchain.version, build: Toolchain.build,
          commit: Toolchain.commit(ofFolderOf: session.scenario.file.path),
          arguments: CommandLine.arguments,
          threads: options.loops, processors: ProcessInfo.processInfo.activeProcessorCount,
          start: start, end: Date().timeIntervalSince1970), parent: options.output)
    } catch {
      LiveConsole.error("\(error)")
      throw ExitCode(LiveExit.cannotWrite)
    }
    LiveConsole.output(
      options.json
        ? ResultDocument.text(result)
        : TerminalReport.text(result, width: 100, color: false) + "results in \(folder)")
    if let signal = signals.received, result.isPartial, result.measures.sessions == 0 {
      throw ExitCode(128 + signal)
    }
    if result.exitCode != 0 { throw ExitCode(result.exitCode) }
  }

  private func once(_ session: LiveSession, _ stop: StopRequest) async throws -> StudyResult {
    if let target {
      let edge = try LiveTarget(url: target)
      let service = try api.map { try LiveTarget(url: $0) }
      let outcome = try await session.run(edge: edge, service: service, stage: nil, stop: stop)
      return try session.result(outcome, target: target, edge: "a server that was there")
    }
    let stage = try session.stage(faults: disturbances.faults)
    let pauses = disturbances.begin(stage)
    defer {
      pauses.cancel()
      stage.stop()
    }
    let outcome = try await session.run(
      edge: try LiveTarget(url: stage.edgeURL), service: try LiveTarget(url: stage.serviceURL),
      stage: stage, stop: stop)
    return try session.result(
      outcome, target: "the stand-in origin" + disturbances.originWords,
      edge: session.edgeWords + disturbances.edgeWords)
  }
}

extension LiveSession {
  /// What stands in front of the origin, in words.
  var edgeWords: String {
    switch options.edge {
    case .nginx: "nginx in front"
    case .varnish: "Varnish in front"
    case .firstframe: "firstframe-live edge in front"
    case .none: "no edge in front"
    }
  }

  /// The result under the names of a simulated one.
  func result(_ outcome: LiveOutcome, target: String, edge: String) throws -> StudyResult {
    if outcome.counts.answered == 0 && outcome.counts.requests > 0 {
      throw HarnessFailure(
        .unreachable,
        "\(target): expected answers, got none for \(outcome.counts.requests) requests ("
          + outcome.counts.failures.map { "\($0.count) \($0.name)" }.joined(separator: ", ") + ")")
    }
    var result = try Study.judge(
      scenario, parts: outcome.parts, seed: seed, isPartial: outcome.isPartial)
    result.live = outcome.facts(target: target, edge: edge, link: options.link.words)
    return result
  }
}
