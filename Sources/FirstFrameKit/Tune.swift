import ArgumentParser
import Foundation
import Reports
import Scenario
import Statistics
import Studies

/// `firstframe tune`
struct Tune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Search the best value of a metric under limits, or the value of a key for a target.",
    discussion: """
      Example: firstframe tune scenarios/wifi-budget-gate.yaml --short \\
                 --vary 'policy.pool.size=[1, 2, 3]' --minimise ttff_ms.mean \\
                 --subject-to "wasted_ratio < 60 %"
               firstframe tune my-feed.yaml --target 'hit_ratio{tier=edge,by=requests} = 45 %' \\
                 --vary 'audience.viewsPerDayPerEdge=[10000, 2000000]'

      A race with common random numbers: what is surely worse than the best, or surely breaks a \
      limit, is run no further. Prints the recommended configuration as a difference to today's, the \
      predicted gain with its interval, and the runner-up. Exit code 10 when there is nothing to \
      recommend, because no candidate keeps the limits: then it says which comes nearest, by how \
      much it misses, and which key would have to move where that is known.

      With --target: searches between the least and the greatest value of the one key that is varied \
      where the metric has the target, and prints the value with the 95 % interval in which the \
      replications leave it. Exit code 10 when no value between the bounds has it; 12 when the metric \
      rises and falls in between, or the replications cannot tell.

      <output>/<scenario>-tune-<digest>/ gets tune.json, the resolved scenario and tune.html, a page \
      with the candidates, the rounds of the race, or each step of a search for a target.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @Option(help: ArgumentHelp("The metric to make small.", valueName: "metric"))
  var minimise: String?

  @Option(help: ArgumentHelp("The metric to make large.", valueName: "metric"))
  var maximise: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A limit to keep, such as \"wasted_ratio < 60 %\"; repeatable.", valueName: "limit"))
  var subjectTo: [String] = []

  @Option(
    help: ArgumentHelp(
      "A value that the metric shall have, such as 'hit_ratio = 45 %', by one key of --vary.",
      valueName: "metric = value"))
  var target: String?

  @Flag(help: "Keep only the better half at each rung (successive halving): faster, less sure.")
  var halving = false

  @Flag(help: "Print JSON instead of the report.")
  var json = false

  @OptionGroup var options: ScenarioOptions
  @OptionGroup var sweep: SweepOptions

  func validate() throws {
    let goals = [minimise, maximise, target].compactMap(\.self)
    if goals.count != 1 {
      throw ValidationError("expected one of --minimise, --maximise and --target")
    }
    if target != nil && (halving || !subjectTo.isEmpty) {
      throw ValidationError("--target: expected no --subject-to and no --halving beside it")
    }
  }

  func run() async throws {
    try await Failures.reported {
      if let target { try await seek(target) } else { try await search() }
    }
  }

  /// Searches the value of a key at which a metric has the target.
  private func seek(_ text: String) async throws {
    let goal: TuningTarget
    switch TuningTarget.parse(text) {
    case .success(let target): goal = target
    case .failure(let fault):
      throw ValidationError("--target: expected \(fault.expected), got \(text)")
    }
    let overrides = try options.overrides + sweep.overrides()
    let scenario = try StudyScenario.load(file, overrides: overrides, short: options.short)
    let seek = try GoalSeek(
      scenario, plan: scenario.sweep, target: goal, threads: sweep.flags.threads.count,
      store: sweep.store, pilots: sweep.flags.kept.pilots)
    let result = try await sweep.watched(scenario) { stop, progress in
      try await seek.run(stop: stop, progress: progress)
    }
    let command = options.run(file, seed: sweep.flags.seed)
    try write(
      GoalReport.json(result).text(), GoalPage.text(result, command: MadeBy.words, run: command),
      scenario
    ) { GoalReport.text(result, command: command, color: $0) }
    switch result.outcome {
    case .reached: break
    case .outOfReach: throw ExitCode(ExitStatus.failed)
    case .notMonotone, .tooNoisy: throw ExitCode(ExitStatus.inconclusive)
    }
  }

  private func search() async throws {
    let text = minimise ?? maximise ?? ""
    guard let objective = try MetricArguments.read([text], else: []).first else { return }
    if objective.isWorseWhenHigher != (minimise != nil) {
      throw ValidationError(
        "\(minimise != nil ? "--minimise" : "--maximise"): expected a metric that is better when "
          + "\(minimise != nil ? "small" : "large"), got \(text)")
    }
    let constraints = try subjectTo.map { text -> TuningConstraint in
      switch TuningConstraint.parse(text) {
      case .success(let constraint): return constraint
      case .failure(let fault):
        throw ValidationError("--subject-to: expected \(fault.expected), got \(text)")
      }
    }
    let overrides = try options.overrides + sweep.overrides()
    let scenario = try StudyScenario.load(file, overrides: overrides, short: options.short)
    let most = scenario.sweep.replications
    let rungs = [4, 8, 16, 32, 64].filter { $0 < most } + [most]
    let tuning = try Tuning(
      scenario, plan: scenario.sweep, objective: objective, constraints: constraints,
      rungs: rungs, rule: halving ? .halving(keep: 0.5) : .racing,
      threads: sweep.flags.threads.count,
      store: sweep.store, pilots: sweep.flags.kept.pilots)
    let result = try await sweep.watched(scenario) { stop, progress in
      try await tuning.run(stop: stop, progress: progress)
    }
    let command = options.run(file, seed: sweep.flags.seed)
    try write(
      TuningReport.json(result).text(),
      TuningPage.text(result, command: MadeBy.words, run: command), scenario
    ) { TuningReport.text(result, color: $0) }
    // Nothing that keeps the limits is no recommendation, and no success.
    if result.race.winner == nil { throw ExitCode(ExitStatus.failed) }
  }

  /// Writes the folder of the search, and shows what was found.
  private func write(
    _ document: String, _ page: String, _ scenario: StudyScenario,
    report: (_ color: Bool) -> String
  ) throws {
    let digest = SweepReport.digest(scenario: scenario.resolvedText, document: document)
    let mark = "tune.json"
    let folder = try RunFolder.writeFolder(
      [
        (name: mark, text: document), (name: TuningPage.fileName, text: page),
        (name: "scenario.resolved.yaml", text: scenario.writtenText),
      ], name: "\(scenario.name)-tune-\(digest)", mark: mark, parent: sweep.output)
    try emit(
      json ? document : report(Console.hasColor(STDOUT_FILENO)) + "results in \(folder)\n")
  }
}
