import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// `firstframe audit`
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "See which mistakes a scenario's budgets would notice.",
    discussion: """
      Example: firstframe audit scenarios/wifi-budget-gate.yaml --min-score 60 --junit audit.xml

      Spoils the scenario in one way at a time (no prefetch, one player, slower links, a query in the \
      cache key, ...), runs each with the same random numbers as the scenario itself, and says \
      which budgets notice, what moved although none does, and which budgets notice nothing. The \
      score is the share of the mutants that move a headline metric which a hard budget notices. \
      --list shows the mutants and runs nothing. Without --replications there are 8 of each, fewer \
      when the scenario has fewer, and as many as it takes to judge the scenario itself.

      Exit codes: 0 audited; 10 the scenario itself fails a hard budget, or the score is below \
      --min-score; 12 it is inconclusive; 13 it has too little data, or no mutant is relevant \
      although --min-score asks for a score; 64 usage, an unknown mutant; 65 a scenario without a hard \
      budget, or one that cannot be used; 66 a missing file; 73 the output cannot be written.
      """)

  @Argument(help: "Scenario files.")
  var files: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Try this mutant only; repeatable.", valueName: "name"))
  var mutant: [String] = []

  @Flag(help: "Print the mutants, with files those of the files and what they set, and end.")
  var list = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End with 10 when the score is below this, 0...100 per cent.", valueName: "percent"),
    transform: { try Bounds.whole($0, in: 0...100) })
  var minScore: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Replications of the scenario and of each mutant, 2...64.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 2...64) })
  var replications: Int64?

  @Flag(help: "Print JSON instead of the reports.")
  var json = false

  @Option(help: ArgumentHelp("Write JUnit XML.", valueName: "file"))
  var junit: String?

  @OptionGroup var flags: StudyFlags

  @OptionGroup var options: ScenarioOptions

  func validate() throws {
    if files.isEmpty && !list { throw ValidationError("expected a scenario file, got none") }
    let unknown = mutant.filter { !AuditWorld.names.contains($0) }
    if unknown.isEmpty { return }
    throw ValidationError(
      unknown.map { name in
        let near = Entry.nearest(to: name, in: AuditWorld.names)
        return "--mutant: expected a name of firstframe audit --list, got \(name)"
          + (near.map { " (did you mean \($0)?)" } ?? "")
      }.joined(separator: "\n"))
  }

  func run() async throws {
    try await Failures.reported {
      if list {
        try emit(files.isEmpty ? AuditList.text() : AuditList.text(try load().map { audit($0) }))
      } else {
        try await audit()
      }
    }
  }

  private var minimum: Double? { minScore.map { Double($0) / 100 } }

  private func audit() async throws {
    let scenarios = try load()
    try check(scenarios)
    var results: [AuditResult] = []
    for scenario in scenarios {
      let audit = audit(scenario)
      do {
        let result = try await Watched.run(quiet: flags.quiet, isKept: false) { stop, progress in
          try await audit.run(stop: stop, progress: progress)
        }
        results.append(result)
        if PlannedStudy.store == nil {
          try show(result, isLast: results.count == scenarios.count)
        }
      } catch is ReplicationsMissing {
        // The others ask, too, so that all can be done side by side.
      }
    }
    if let store = PlannedStudy.store {
      try store.checkNothingIsMissing()
      for (place, result) in results.enumerated() {
        try show(result, isLast: place == results.count - 1)
      }
    }
    if let junit {
      try RunFolder.writeFile(AuditJUnit.text(results, minimum: minimum), to: junit)
    }
    if json { try emit(AuditDocument.json(results, minimum: minimum).text()) }
    let status = GateCommand.status(results.map { $0.exitCode(minimum: minimum) })
    if status != 0 { throw ExitCode(status) }
  }

  private func audit(_ scenario: StudyScenario) -> Audit {
    Audit(
      scenario, mutants: mutant, replications: replications.map { Int($0) },
      threads: flags.threads.count, pilots: flags.kept.pilots, shards: PlannedStudy.store)
  }

  private func show(_ result: AuditResult, isLast: Bool) throws {
    if json { return }
    let isTerminal = Console.isTerminal(STDOUT_FILENO)
    let text = AuditReport.text(
      result, minimum: minimum,
      width: isTerminal ? min(100, Console.width(STDOUT_FILENO)) : 80,
      color: Console.hasColor(STDOUT_FILENO))
    try emit(text + (isLast ? "" : "\n"))
  }

  /// The scenarios.
  ///
  /// - Throws: an `ExitCode` after the problems of all files, 66 when the first of them is missing
  ///   and 65 otherwise.
  private func load() throws -> [StudyScenario] {
    var scenarios: [StudyScenario] = []
    var rejected: [ScenarioRejected] = []
    for file in files {
      do throws(ScenarioRejected) {
        let scenario = try StudyScenario.load(
          file, overrides: options.overrides + flags.seed.overrides, short: options.short)
        if !list { try AuditCommand.checkBudgets(scenario) }
        scenarios.append(scenario)
      } catch {
        rejected.append(error)
      }
    }
    guard let first = rejected.first else { return scenarios }
    for error in rejected { Console.note(error.description) }
    throw ExitCode(first.status)
  }

  /// - Throws: ``ScenarioRejected`` for a scenario that has nothing to audit.
  private static func checkBudgets(_ scenario: StudyScenario) throws(ScenarioRejected) {
    if scenario.budgets.contains(where: { $0.level == .hard }) { return }
    var problems = Problems()
    problems.add(
      scenario.file.tree.problem(
        at: "budgets", expected: "at least one hard budget to audit",
        got: scenario.budgets.isEmpty ? "none" : "soft ones only"))
    throw ScenarioRejected(problems)
  }

  /// Refuses scenarios of one name, and mutants that belong to other worlds than a file's.
  private func check(_ scenarios: [StudyScenario]) throws {
    var names: Set<String> = []
    for scenario in scenarios where !names.insert(scenario.name).inserted {
      throw ValidationError(
        "expected scenarios of different names, got \(scenario.name) twice")
    }
    for scenario in scenarios where audit(scenario).plans.isEmpty {
      throw ValidationError(
        "--mutant: expected a mutant of the world \(AuditWorld(scenario).rawValue) for "
          + "\(scenario.name), got \(mutant.joined(separator: ", "))")
    }
  }
}
