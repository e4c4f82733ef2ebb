import ArgumentParser
import MediaUnits
import Reports
import Scenario

/// `firstframe validate`
struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check scenario files and name every problem.",
    discussion: """
      Example: firstframe validate scenarios/*.yaml
      Each problem is one line on standard error: file:line:column: key: expected …, got …
      Exit codes: 0 all are fine, 65 bad data, 66 a file is missing.
      """)

  @Argument(help: "The scenario files.")
  var files: [String]

  @OptionGroup var options: ScenarioOptions

  func run() throws {
    var status: Int32 = 0
    for file in files {
      do {
        _ = try StudyScenario.load(file, overrides: options.overrides, short: options.short)
        try emit("\(file): ok\n")
      } catch let error as ScenarioRejected {
        Console.note(error.description)
        status = max(status, error.status)
      }
    }
    if status != 0 { throw ExitCode(status) }
  }
}

/// `firstframe explain`
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print every value of a scenario and where it came from.",
    discussion: """
      Example: firstframe explain scenarios/wifi-budget-gate.yaml --set seed=7
      Columns: key, value, origin (file and line, --set, or the source of the default).
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var options: ScenarioOptions

  func run() throws {
    do {
      let scenario = try StudyScenario.load(
        file, overrides: options.overrides, short: options.short)
      try emit(scenario.file.explanation + "\n" + Explain.summary(scenario))
    } catch let error as ScenarioRejected {
      Console.note(error.description)
      throw ExitCode(error.status)
    }
  }

  /// What follows from the values.
  static func summary(_ scenario: StudyScenario) -> String {
    let form = scenario.isShort ? "short form: " : ""
    return "\(form)up to \(scenario.replications) replications of "
      + "\(scenario.plan.replicationText)\n"
  }
}

/// `firstframe schema`
struct PrintSchema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of scenario files, for editors.",
    discussion: """
      Example: firstframe schema > scenario.schema.json
               firstframe schema --world messages > messages.schema.json
      Each world has a schema of its own. firstframe init writes the feed's where an editor finds it.
      With --result: the schema of result.json. With --transfer-cases and --transfer-results: \
      those of firstframe model transfer. With --policy-log: the form of the logs that \
      firstframe replay policy reads and apps write.
      """)

  @Option(
    help: ArgumentHelp(
      "Print the schema of scenarios of another world than the feed: "
        + WorldKeys.names.joined(separator: ", ") + ".", valueName: "name"),
    transform: { try WorldName.checked($0) })
  var world: String?

  @Flag(help: "Print the schema of result.json instead.")
  var result = false

  @Flag(help: "Print the schema of the cases of model transfer instead.")
  var transferCases = false

  @Flag(help: "Print the schema of the results of model transfer instead.")
  var transferResults = false

  @Flag(help: "Print the form of logs of policies instead.")
  var policyLog = false

  func validate() throws {
    let asked = [result, transferCases, transferResults, policyLog, world != nil]
    if asked.count(where: { $0 }) > 1 {
      throw ValidationError(
        "expected one of --world, --result, --transfer-cases, --transfer-results, --policy-log, "
          + "got several")
    }
  }

  func run() throws {
    if result {
      try emit(ResultDocument.jsonSchema())
    } else if transferCases {
      try emit(TransferSchemas.cases())
    } else if transferResults {
      try emit(TransferSchemas.results())
    } else if policyLog {
      try emit(PolicyLogListing.json().text())
    } else {
      try emit(SchemaFile.text(world: world ?? WorldKeys.feed))
    }
  }
}

/// Writes to standard output, or ends with exit code 73.
///
/// - Parameter isDocument: another program reads it, so that it stays as it is.
func emit(_ text: String, isDocument: Bool = false) throws {
  if let reason = isDocument ? Console.document(text) : Console.output(text) {
    Console.error("standard output: expected room for the text, got \(reason)")
    throw ExitCode(ExitStatus.cannotWrite)
  }
}
