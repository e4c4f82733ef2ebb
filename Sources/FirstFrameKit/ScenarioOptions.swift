import ArgumentParser
import Scenario

/// Options of every verb that reads a scenario.
struct ScenarioOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set one key, after the file; repeatable.",
      discussion: "For example --set policy.prefetch.headLength=\"0 s\" or budgets[0].level=soft.",
      valueName: "key.path=value"))
  var assignments: [String] = []

  @Flag(name: .long, help: "Make the cut of audience and replications that the scenario states.")
  var short = false

  var overrides: [Override] { assignments.map { Override(set: $0) } }

  /// The words that run a scenario file with these options and a seed.
  func run(_ file: String, seed: SeedOption) -> [String] {
    [Program.name, "run", file] + assignments.flatMap { ["--set", $0] }
      + (short ? ["--short"] : []) + (seed.seed.map { ["--seed", "\($0)"] } ?? [])
  }
}

extension ScenarioRejected {
  var status: Int32 { kind == .missingFile ? ExitStatus.missingFile : ExitStatus.badData }
}
