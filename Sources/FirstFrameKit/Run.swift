import ArgumentParser
import Foundation
import MediaUnits
import Models
import Reports
import Scenario
import SimulationKernel
import Studies

/// `firstframe run`
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Simulate a scenario and judge its budgets.",
    discussion: """
      Example: firstframe run scenarios/wifi-budget-gate.yaml --set policy.prefetch.headLength="0 s"
               firstframe run scenarios/million-viewers.yaml --memory-limit 12GiB --time-limit 1h

      The report in brief goes to standard output, with --full all sections after it; progress \
      goes to standard error. The result folder \
      <output>/<scenario>-<digest>/ holds result.json, report.html, hist/, scenario.resolved.yaml, \
      provenance.json, notes.json and, of a feed, the timelines of views that the report names; a \
      run with the same digest replaces it, and report shows it \
      again. Same scenario and seed, same result.json, whatever the number of threads. NO_COLOR \
      turns colours off.

      \(PilotOptions.help)

      \(ExitStatus.help)
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Run exactly this many replications, 1...64, and judge once at the end.",
      discussion: "Without it the run stops as soon as every hard budget is decided.",
      valueName: "n"),
    transform: { try Bounds.whole($0, in: 1...64) })
  var replications: Int64?

  @OptionGroup var flags: StudyFlags

  @OptionGroup var limits: LimitOptions

  @OptionGroup var options: ScenarioOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder that gets the result folder.", valueName: "dir"))
  var output = "results"

  @Option(
    help: ArgumentHelp(
      "Also write what the clients of replication 0 would have posted as events, for calibrate.",
      valueName: "file.jsonl"))
  var events: String?

  @Option(
    help: ArgumentHelp(
      "Also write what the viewers of replication 0 asked their edges, for replay cache.",
      valueName: "file.csv"))
  var requests: String?

  @OptionGroup var tabled: TableOptions

  @Flag(help: "Print result.json instead of the report.")
  var json = false

  @Flag(help: "Print all sections after the report in brief.")
  var full = false

  @OptionGroup var names: NameOptions

  @OptionGroup var credit: TrustOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Permute simultaneous events of different sources with this seed, to test that nothing "
        + "depends on their order.", valueName: "seed"),
    transform: { try Bounds.whole($0, in: 0...Int64.max) })
  var shuffleTies: Int64?

  @Option(help: "How to show progress: auto, plain, json or none.")
  var progress = ProgressStyle.auto

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
    try flags.check(progress)
    if json && names.metricNames != nil {
      throw ValidationError("--metric-names belongs to the report, and --json prints result.json")
    }
  }

  func run() async throws {
    try await Failures.reported { try await simulate() }
  }

  private func simulate() async throws {
    let overrides =
      options.overrides + flags.overrides(replications: replications, short: options.short)
    let scenario = try StudyScenario.load(file, overrides: overrides, short: options.short)
    let feed = scenario.fullScreenFeed
    if events != nil && feed == nil {
      throw ValidationError("--events: expected a scenario of the feed, got another world")
    }
    if requests != nil && feed == nil {
      throw ValidationError("--requests: expected a scenario of the feed, got another world")
    }
    try tabled.check()
    let known = try credit.credit(of: scenario, output: output)
    let study = StudyOptions(
      threads: flags.threads.count, fixedReplications: replications.map { Int($0) },
      shuffleTies: shuffleTies.map { UInt64($0) }, pilots: flags.kept.pilots,
      shards: PlannedStudy.store)
    let supervision = Supervision(
      scenario: scenario, study: study, output: output, progress: flags.quiet ? .none : progress,
      limits: limits)
    let ((result, _), folder) = try await supervision.run(
      { stop, progress in
        let result = try await Study.run(
          scenario, options: study, stop: stop, progress: progress)
        return (
          result, result.isPartial ? nil : try Timelines.of(result, pilots: study.pilots)
        )
      }, replications: { $0.0.replications },
      write: { made, provenance throws(RunFolder.WriteError) in
        try RunFolder.write(
          made.0, provenance: provenance, parent: output, timelines: made.1)
      })
    if let events, let feed {
      let lines = try SimulatedEvents.lines(feed, pilots: study.pilots)
      try RunFolder.writeFile(lines.map { $0 + "\n" }.joined(), to: events)
    }
    if let requests, let feed {
      let lines = try SimulatedRequests.lines(feed, pilots: study.pilots)
      try RunFolder.writeFile(lines.map { $0 + "\n" }.joined(), to: requests)
    }
    try tabled.write([result], pilots: study.pilots)
    try show(result, known, folder: folder)
    if result.exitCode != 0 { throw ExitCode(result.exitCode) }
  }

  private func show(_ result: StudyResult, _ known: Credit?, folder: String) throws {
    if json {
      try emit(ResultDocument.text(result))
      if !flags.quiet { Console.note("results in \(folder)") }
    } else {
      try emitReport(
        full: full, folder: folder,
        brief: {
          try BriefReport.text(
            result, folder: folder, trust: known.lines($0, $1), width: $0, color: $1)
        },
        sections: { TerminalReport.text(result, width: $0, color: $1) })
      if let metricNames = names.metricNames {
        let color = Console.hasColor(STDOUT_FILENO)
        try emit("\n" + IndustryReport.text(result, names: metricNames, color: color))
      }
    }
    if result.isPartial {
      Console.note("to run it whole: \(ShellText.command(CommandLine.arguments))")
    }
  }
}

/// Whole numbers on the command line.
enum Bounds {
  /// The number that `text` is.
  /// - Throws: a `ValidationError` naming the range.
  static func whole(_ text: String, in range: ClosedRange<Int64>) throws -> Int64 {
    guard let number = Int64(text), range.contains(number) else {
      throw ValidationError(
        "expected a whole number in \(range.lowerBound)...\(range.upperBound), got \(text)")
    }
    return number
  }
}

extension Bounds {
  /// The ratio that `text` is: `0.02` or `2 %`.
  /// - Throws: a `ValidationError`.
  static func ratio(_ text: String) throws -> Double {
    do {
      return try PlainNumber.ratio(of: text)
    } catch {
      throw ValidationError("expected \(error.expected), got \(text)")
    }
  }
}
