import ArgumentParser
import Foundation
import Scenario

/// `firstframe model`
struct Model: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask one of the models without a scenario.",
    discussion: """
      Example: firstframe model transfer --cases cases.json
      """,
    subcommands: [ModelTransfer.self])
}

/// `firstframe model transfer`
struct ModelTransfer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Say when transfers over a shared bottleneck start and end.",
    discussion: """
      Example: firstframe model transfer --cases cases.json --explain

      The file is a list of cases: a link, a transport, flows. firstframe schema \
      --transfer-cases prints its schema, with every key and default; --transfer-results that \
      of the results. Same file, same bytes, whatever the number of threads.
      Exit codes: 0 done, 64 usage, 65 bad data, 66 the file is missing, 73 cannot write.
      """)

  @Option(help: ArgumentHelp("The cases, JSON.", valueName: "file.json"))
  var cases: String

  @Flag(help: "Print the results as JSON, in milliseconds.")
  var json = false

  @Flag(help: "Print what each part of a flow costs, and the sender's rounds.")
  var explain = false

  @OptionGroup var threads: ThreadOption

  func validate() throws {
    if json && explain {
      throw ValidationError("--explain: expected it without --json, got both")
    }
  }

  func run() async throws {
    let file: TransferCaseFile
    do {
      file = try TransferCaseFile.load(cases)
    } catch {
      Console.note(error.description)
      throw ExitCode(error.status)
    }
    let results = await TransferCaseResult.run(
      file.cases, threads: threads.count,
      recordsRounds: explain)
    if json {
      try emit(TransferCaseResult.text(results))
    } else if explain {
      try emit(TransferExplanation.text(file.cases, results))
    } else {
      try emit(TransferTable.text(results))
    }
  }
}
