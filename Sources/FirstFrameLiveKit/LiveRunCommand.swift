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
      started, and nothing but that server (and --api) is talked to.

      The target has the scenario's catalogue at the stand-in's paths, unless it is any HLS \
      origin: a --target that ends in .m3u8, or --playlists, names master playlists, and \
      --from-feed takes what /v1/feed names. Then they are read before the run; the ladder, \
      lengths and segments are the origin's, and what points at another host is counted and not \
      followed.

      Arrivals follow the scenario whether the target keeps up or not; latency is told from the \
      moment at which requests were due. A run stops by itself after --warm-up and --window.

      An unhealthy generator makes the result invalid. A missed hard budget is measured a second \
      time before it counts, unless --no-confirm is given.

      --client browser plays the sessions in headless Chromium, each in a tab of its own: real \
      players and real media under the same viewer and policies, compiled to WebAssembly.

      --record DIR writes DIR/<session>/<machine>.log for every player; \
      `firstframe replay policy DIR` runs them through the policies and must get the same commands.

      --telemetry DIR writes what an app and its client would have told: DIR/views.csv and \
      DIR/requests.csv, each with the mapping by which `firstframe calibrate` and `firstframe \
      backtest` read it.

      Exit codes: 0 pass, 10 a hard budget failed, 12 inconclusive, 13 invalid, 14 stopped early, \
      64 usage, 65 bad data, 66 no such file, 69 the target or a program cannot be had, 73 the \
      results cannot be written, 128 and a signal's number with nothing to show. A run that is not \
      over 10 s after its time is ended, and invalid.
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

  @Option(
    help: ArgumentHelp(
      "Take the titles from this list of the target's master playlists, one URL or path on a line.",
      valueName: "file"))
  var playlists: String?

  @Flag(help: "Take the titles from the target's /v1/feed, whose pages then decide what is shown.")
  var fromFeed = false

  @OptionGroup var options: LiveOptionsGroup

  @OptionGroup var disturbances: LiveDisturbances

  @Option(
    help: ArgumentHelp(
      "Write what each player's policies were told and answered into this folder; a second "
        + "measurement goes into its own folder, again, in it.", valueName: "dir"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "Write views and requests as tables into this folder; a second measurement goes into its "
        + "own folder, again, in it.", valueName: "dir"))
  var telemetry: String?

  @Flag(help: "Print all sections after the report in brief.")
  var full = false

  @Flag(inversion: .prefixedNo, help: "Measure again before a missed budget counts.")
  var confirm = true

  func validate() throws {
    if api != nil && target == nil {
      throw ValidationError("--api: expected --target with it, got none")
    }
    if (playlists != nil || fromFeed) && target == nil {
      throw ValidationError("--playlists, --from-feed: expected --target with it, got none")
    }
    let sources = [playlists != nil, fromFeed, target.map(LiveTargets.isPlaylist) ?? false]
    if sources.count(where: { $0 }) > 1 {
      throw ValidationError(
        "expected one of --playlists, --from-feed and a --target that ends in .m3u8, got more")
    }
    if target != nil && options.link == .namespaces {
      throw ValidationError(
        "--link namespaces: expected the servers that this program starts, got --target")
    }
    if target != nil && options.client == .browser {
      throw ValidationError(
        "--client browser: expected the servers that this program starts, got --target")
    }
    if options.keep != nil && confirm {
      // A second measurement would find the first one's sessions.
      throw ValidationError("--keep: expected --no-confirm with it, got none")
    }
    if options.keep != nil && record != nil {
      throw ValidationError("--keep: expected no --record with it, got \(record ?? "")")
    }
    try disturbances.check(hasTarget: target != nil, edge: options.edge)
  }

  func run() async throws {
    try await LiveExit.reported { try await measure() }
  }

  private func measure() async throws {
    let servers = try target.map {
      try LiveTargets(target: $0, api: api, playlists: playlists, isFed: fromFeed)
    }
    if let telemetry { try EmptyFolder.make(telemetry) }
    var made = try await LiveSession(file, options, servers: servers)
    made.keepsRequests = telemetry != nil
    let prepared = made
    try await LiveEnding.stoppable(kept: options.keep) { stop, signals, watch in
      var session = prepared
      session.watch = watch
      let start = Date().timeIntervalSince1970
      var (result, outcome) = try await once(session, servers, stop, record)
      var told = [(folder: telemetry, outcome)]
      if confirm && result.verdict == .fail && !stop.isRequested {
        LiveConsole.tell("a hard budget was missed; measuring again")
        let again = record.map { "\($0)/again" }
        let (second, other) = try await once(session, servers, stop, again)
        result.confirm(with: second)
        // The report is about the second measurement too, and so is the file.
        if other.players != nil { outcome = other }
        told.append((telemetry.map { "\($0)/again" }, other))
      }
      // What is measured is whole, and is told however long that takes.
      watch.close()
      try tell(result, session, from: start, players: outcome.players)
      // After the result, which nothing that goes wrong here takes away.
      for (folder, outcome) in told {
        guard let folder else { continue }
        try LiveTelemetry(session.scenario, seed: session.seed, epoch: outcome.epoch).write(
          views: outcome.measures.views, requests: outcome.requests, to: folder)
      }
      if let signal = signals.received, result.isPartial, result.measures.counts.sessions == 0 {
        throw ExitCode(128 + signal)
      }
      if result.exitCode != 0 { throw ExitCode(result.exitCode) }
    }
  }

  /// Writes the result and prints its report.
  private func tell(
    _ result: StudyResult, _ session: LiveSession, from start: Double, players: PlayerLog?
  ) throws {
    let folder: String
    do {
      folder = try RunFolder.write(
        result,
        provenance: Provenance(
          toolchain: Toolchain.version, build: Toolchain.build,
          commit: Toolchain.commit(ofFolderOf: session.scenario.file.path),
          arguments: CommandLine.arguments,
          threads: options.loops, processors: ProcessInfo.processInfo.activeProcessorCount,
          start: start, end: Date().timeIntervalSince1970), parent: options.output,
        players: players)
    } catch {
      LiveConsole.error("\(error)")
      throw ExitCode(LiveExit.cannotWrite)
    }
    if options.json { return LiveConsole.output(ResultDocument.text(result)) }
    let brief = try BriefReport.text(
      result, folder: folder,
      commands: RunCommands(
        run: [LiveProgram.command] + CommandLine.arguments.dropFirst()))
    LiveConsole.output(
      full
        ? brief + "\n" + TerminalReport.text(result, width: 100, color: false)
          + "results in \(folder)" : String(brief.dropLast()))
  }

  /// One measurement, and what it is made of.
  ///
  /// - Parameter record: the folder that takes the decision logs; nil for none.
  private func once(
    _ session: LiveSession, _ servers: LiveTargets?, _ stop: StopRequest, _ record: String?
  ) async throws -> (StudyResult, LiveOutcome) {
    let logs = try record.map { try PolicyLogFolder($0) }
    let (outcome, facts) =
      if let servers, let target {
        try await session.run(against: servers, named: target, logs: logs, stop: stop)
      } else {
        try await session.runStaged(disturbances, logs: logs, stop: stop)
      }
    return (try session.result(outcome, facts), outcome)
  }
}
