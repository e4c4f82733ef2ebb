import ArgumentParser
import Foundation
import Reports
import Scenario
import SimulationKernel
import Studies

/// `firstframe gate`
struct GateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Judge scenarios for CI: budgets, and changes against a baseline.",
    discussion: """
      Example: firstframe gate scenarios/wifi-budget-gate.yaml --baseline results/baselines \\
                 --junit junit.xml --github

      --update-baseline runs the scenarios to their last replication and writes \
      <output>/baselines/<scenario>.json, or what --baseline names, to be committed. With --baseline \
      the headline and the budgeted metrics are compared with that run, paired by common random \
      numbers when the seeds are the same. Each is worse, better, equivalent (the interval lies \
      inside what matters in practice) or not sure. One that is not sure after the last look makes \
      the gate inconclusive, unless only a soft budget names it. Every metric that is worse names \
      its causes among the changed keys. Without a hard budget and without a baseline the gate ends \
      with 13: nothing was judged.

      --pr-comment FILE writes Markdown for one comment on a pull request. Its first line is not \
      shown and says changed="false" where there is nothing to tell: the same configuration and \
      metrics as in the baseline, if there is one, and every hard budget holds. --history FILE \
      adds a line of JSON for each scenario; the page then shows each budgeted metric over \
      commits, and where it changed.

      \(ExitStatus.help)
      """)

  @Argument(help: "Scenario files.")
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "A baseline file, or the folder with <scenario>.json in it.", valueName: "path"))
  var baseline: String?

  @Flag(help: "Write the baselines instead of comparing with them.")
  var updateBaseline = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Changes below this share of the baseline do not matter.",
      discussion: ChangeThresholdText.discussion,
      valueName: "ratio"),
    transform: { try Bounds.ratio($0) })
  var threshold: Double?

  @Option(help: ArgumentHelp("Write JUnit XML.", valueName: "file"))
  var junit: String?

  @Flag(help: "Print GitHub annotations, and append to the file that GITHUB_STEP_SUMMARY names.")
  var github = false

  @Flag(help: "Write gitlab-metrics.txt for GitLab's metrics report.")
  var gitlab = false

  @Option(help: ArgumentHelp("Write OpenMetrics text.", valueName: "file"))
  var openmetrics: String?

  @OptionGroup var told: GateOutputs

  @OptionGroup var tabled: TableOptions

  @Flag(help: "Print JSON instead of the reports.")
  var json = false

  @Flag(help: "Print all sections after the report in brief.")
  var full = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder that gets the result folders.", valueName: "dir"))
  var output = "results"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Run exactly this many replications, 2...64, and judge once at the end.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 2...64) })
  var replications: Int64?

  @OptionGroup var flags: StudyFlags

  @OptionGroup var limits: LimitOptions

  @OptionGroup var credit: TrustOptions

  @OptionGroup var options: ScenarioOptions

  @Option(help: "How to show progress: auto, plain, json or none.")
  var progress = ProgressStyle.auto

  func validate() throws {
    if files.isEmpty { throw ValidationError("expected a scenario file, got none") }
    if let replications, updateBaseline, replications < 8 {
      throw ValidationError(
        "--replications: expected at least 8 for a baseline, got \(replications)")
    }
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
    try told.check()
    try flags.check(progress)
    if files.count > 1, let baseline, baseline.hasSuffix(".json") {
      throw ValidationError(
        "--baseline: expected a folder with \(files.count) baselines, got \(baseline)")
    }
  }

  func run() async throws {
    try await Failures.reported { try await judge() }
  }

  private func judge() async throws {
    if updateBaseline && options.short {
      Console.error(
        "--update-baseline: expected a run of the whole scenario, got --short: a short run is no "
          + "baseline; leave --short out")
      throw ExitCode(ExitStatus.invalid)
    }
    let scenarios = try load()
    var names: Set<String> = []
    for scenario in scenarios where !names.insert(scenario.name).inserted {
      throw ValidationError(
        "expected scenarios of different names, got \(scenario.name) twice")
    }
    try tabled.check()
    let baselines = try scenarios.map { try found($0) }
    let past = try told.past()
    for (scenario, known) in zip(scenarios, baselines) {
      if let (file, path) = known { _ = try file.changes(to: scenario, path: path) }
    }
    var gates: [GateResult] = []
    var times: [JUnit.Time] = []
    var missing: [WantedReplication] = []
    for (scenario, known) in zip(scenarios, baselines) {
      let start = Date().timeIntervalSince1970
      do {
        gates.append(try await judge(scenario, against: known, past))
      } catch let error as ReplicationsMissing {
        // What the others want is asked for in one wave.
        missing += error.wanted
        continue
      }
      times.append(
        JUnit.Time(start: start, seconds: Date().timeIntervalSince1970 - start))
      if gates.last?.study.isPartial == true { break }
    }
    if !missing.isEmpty { throw ReplicationsMissing(missing) }
    try write(gates, notRun: Array(scenarios[gates.count...]), times)
    let status = GateCommand.status(
      gates.map { updateBaseline && $0.study.isPartial ? ExitStatus.invalid : $0.exitCode })
    if status != 0 { throw ExitCode(status) }
  }

  private func load() throws -> [StudyScenario] {
    let overrides =
      options.overrides + flags.overrides(replications: replications, short: options.short)
    return try files.map {
      try StudyScenario.load($0, overrides: overrides, short: options.short)
    }
  }

  /// The baseline of a scenario, when one is to be compared with.
  private func found(_ scenario: StudyScenario) throws -> (Baseline, path: String)? {
    if baseline == nil || updateBaseline { return nil }
    let path = baselinePath(scenario.name)
    let baseline = try Baseline.load(
      path, scenario: scenario.file.path, modelVersion: ModelVersion.of(scenario))
    return (baseline, path)
  }

  /// Where a scenario's baseline lies: the file that was named, or its own in the folder.
  private func baselinePath(_ name: String) -> String {
    let place = baseline ?? "\(output)/baselines"
    return place.hasSuffix(".json") ? place : "\(place)/\(name).json"
  }

  private func judge(
    _ scenario: StudyScenario, against known: (Baseline, path: String)?, _ past: GateHistory?
  ) async throws -> GateResult {
    // A baseline has all replications, so that a gate can be compared with it at every look.
    let fixed = replications.map { Int($0) } ?? (updateBaseline ? scenario.replications : nil)
    let study = StudyOptions(
      threads: flags.threads.count, fixedReplications: fixed, pilots: flags.kept.pilots,
      shards: PlannedStudy.store)
    let found = try credit.credit(of: scenario, output: output)
    let supervision = Supervision(
      scenario: scenario, study: study, output: output, progress: flags.quiet ? .none : progress,
      limits: limits)
    let ((gate, _), folder) = try await supervision.run(
      { stop, progress in
        var gate = try await Gate.run(
          scenario, options: study, baseline: known, threshold: threshold, stop: stop,
          progress: progress)
        gate.isUpdate = updateBaseline
        return (
          gate, gate.study.isPartial ? nil : try Timelines.of(gate.study, pilots: study.pilots)
        )
      }, replications: { $0.0.study.replications },
      write: { made, provenance throws(RunFolder.WriteError) in
        try RunFolder.write(
          made.0, provenance: told.naming(provenance), parent: output, history: past,
          timelines: made.1)
      })
    try show(gate, found, folder: folder)
    return gate
  }

  private func show(_ gate: GateResult, _ found: Credit?, folder: String) throws {
    if json { return }
    try emitReport(
      full: full, folder: folder,
      brief: {
        try GateReport.brief(
          gate, folder: folder, trust: found.lines($0, $1), width: $0, color: $1)
      },
      sections: { GateReport.text(gate, width: $0, color: $1) })
    if gate.study.isPartial {
      Console.note("to run it whole: \(ShellText.command(CommandLine.arguments))")
    }
  }

  private func write(
    _ gates: [GateResult], notRun: [StudyScenario], _ times: [JUnit.Time]
  ) throws {
    if updateBaseline {
      for gate in gates { try writeBaseline(gate) }
    }
    if let junit {
      try RunFolder.writeFile(JUnit.text(gates, notRun: notRun, times: times), to: junit)
    }
    try told.write(gates, notRun: notRun)
    try tabled.write(gates.map(\.study), pilots: flags.kept.pilots)
    if let openmetrics { try RunFolder.writeFile(OpenMetrics.text(gates), to: openmetrics) }
    if gitlab { try RunFolder.writeFile(OpenMetrics.text(gates), to: "gitlab-metrics.txt") }
    if github {
      let lines = GitHubReport.annotations(gates)
      // Beside JSON on standard output they would make it unreadable.
      if json {
        for line in lines { Console.command(line) }
      } else if !lines.isEmpty {
        try emit(lines.joined(separator: "\n") + "\n", isDocument: true)
      }
      if let path = Console.environment("GITHUB_STEP_SUMMARY"), !path.isEmpty {
        try RunFolder.appendFile(GitHubReport.summary(gates), to: path)
      }
    }
    if json { try emit(GateReport.json(gates).text()) }
  }

  /// Writes a run as its scenario's baseline, unless it says too little to be one.
  private func writeBaseline(_ gate: GateResult) throws {
    let study = gate.study
    let path = baselinePath(study.scenario.name)
    let reason: String? =
      if study.isPartial {
        "it was stopped after \(study.replications) of \(study.cap) replications; run it whole: "
          + ShellText.command(CommandLine.arguments)
      } else {
        switch study.verdict {
        case .invalid: "its budgets could not be judged"
        case .inconclusive: "its hard budgets are undecided"
        case .pass, .fail, .notRun: nil
        }
      }
    if let reason {
      Console.error("\(path): the baseline stays as it was: \(reason)")
      return
    }
    let baseline = Baseline(study, digest: RunIdentity(study).digest)
    try RunFolder.writeFile(baseline.text(), to: path)
    Console.note(
      "baseline in \(path): \(baseline.records.count) replications of \(baseline.run), model "
        + "version \(baseline.modelVersion)")
  }

  /// The one status of several gates: 1, 13, 10, 11, 14, 12, 0 in that order.
  static func status(_ codes: [Int32]) -> Int32 {
    for code: Int32 in [1, 13, 10, 11, 14, 12] where codes.contains(code) { return code }
    return 0
  }
}
