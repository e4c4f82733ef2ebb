import ArgumentParser
import Foundation
import LoadHarness
import Models
import Reports
import Scenario
import SimulationKernel
import Studies

/// `firstframe-live validate`
struct Validate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a scenario simulated and live and compare the two.",
    discussion: """
      Example: firstframe-live validate scenarios/wifi-budget-gate.yaml --edge nginx --views 2000

      Both runs have the same catalogue, sessions, titles, devices, links and dwell times, and both \
      edges are cold when they begin. Written to <output>/<scenario>-<digest>-validation/: \
      validation.json, validation.html with both curves on one plot, pairs.csv with every view \
      on both sides, and players.jsonl where the players were a browser's. --played holds a model \
      that has changed since to what a browser has played before.

      Exit codes: 0 every metric agrees within its tolerance, 10 one differs, 12 the intervals \
      leave one undecided, 13 the generator was not healthy, 14 stopped early with sessions that \
      `--keep` has, and those of `run`.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var options: LiveOptionsGroup

  @Option(
    help: ArgumentHelp("Parts of the window that differences are paired by.", valueName: "n"))
  var parts = 8

  @Option(
    help: ArgumentHelp(
      "Play nothing: take the sessions that an earlier run of a browser has kept in this folder "
        + "(`--keep`), and simulate them anew.", valueName: "dir"))
  var played: String?

  func validate() throws {
    if played != nil && (options.client != .browser || options.keep != nil) {
      throw ValidationError("--played: expected --client browser and no --keep with it")
    }
    if !(2...64).contains(parts) {
      throw ValidationError("--parts: expected 2...64, got \(parts)")
    }
  }

  func run() async throws {
    try await LiveExit.reported { try await compare() }
  }

  private func compare() async throws {
    let session = try await LiveSession(file, options)
    let simulated = try FeedRun.parts(
      session.scenario.configuration, plan: session.plan, seed: session.seed, count: parts)
    let outcome: LiveOutcome
    let facts: LiveFacts
    if let played {
      (outcome, facts) = try session.readBack(played, parts: parts)
    } else {
      let kept = options.keep
      (outcome, facts) = try await LiveEnding.stoppable(kept: kept) { stop, signals, watch in
        var watched = session
        watched.watch = watch
        let played = try await watched.runStaged(parts: parts, stop: stop)
        if played.0.isPartial, kept == nil, let signal = signals.received {
          // Half a comparison is none: nothing is written.
          throw ExitCode(128 + signal)
        }
        return played
      }
    }
    if outcome.isPartial { throw ExitCode(LiveExit.partial) }
    let result = try session.result(outcome, facts)
    let report = ValidationReport(
      try Validation(
        simulated: simulated.map(\.measures), live: outcome.parts.map(\.measures)),
      scenario: session.scenario.name, digest: RunIdentity(result).digest, live: facts,
      notes: notes(outcome) + facts.notes)
    try write(report, outcome.players)
    LiveConsole.output(options.json ? report.json() : report.text(color: false))
    if report.exitCode != 0 { throw ExitCode(report.exitCode) }
  }

  private func notes(_ outcome: LiveOutcome) -> [String] {
    var notes = [
      "Hits are requests that the edge answered without a fetch of its own for them: real caches "
        + "tell a request that waited for another's fetch as a hit."
    ]
    if outcome.counts.silent > 0 {
      notes.append("\(outcome.counts.silent) answers said nothing of a cache and count as misses.")
    }
    notes += outcome.counts.examples.map { "Malformed: \($0)" }
    return notes
  }

  private func write(_ report: ValidationReport, _ players: PlayerLog?) throws {
    let folder = "\(options.output)/\(report.scenario)-\(report.digest)-validation"
    do {
      try RunFolder.writeFile(report.json(), to: "\(folder)/validation.json")
      try RunFolder.writeFile(report.html(), to: "\(folder)/validation.html")
      try RunFolder.writeFile(report.validation.pairsText, to: "\(folder)/pairs.csv")
      if let players {
        try RunFolder.writeFile(players.text(), to: "\(folder)/\(PlayerLog.fileName)")
      }
    } catch {
      LiveConsole.error("\(error)")
      throw ExitCode(LiveExit.cannotWrite)
    }
    if !options.quiet { LiveConsole.note("results in \(folder)") }
  }
}
