import ArgumentParser
import Foundation
import Reports
import Scenario

/// `firstframe reference`
struct ReferenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract: "Print or write the reference that the program gives of itself.",
    discussion: """
      Example: firstframe reference commands
               firstframe reference --docs docs

      With --docs every page is written to <docs>/reference/generated, the JSON Schema of every world \
      beside them, and the list of all documents to <docs>/llms.txt.
      """)

  /// A page.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case keys, commands, metrics
    case exitCodes = "exit-codes"
    case policyLogs = "policy-logs"

    var text: String {
      switch self {
      case .keys: KeyListing.markdown(WorldKeys.distinct)
      case .commands: CommandPage.markdown(CommandTable.of(FirstFrame.self))
      case .metrics: MetricListing.markdown()
      case .exitCodes: ExitStatus.page
      case .policyLogs: PolicyLogListing.markdown()
      }
    }
  }

  @Argument(help: "The page to print: keys, commands, metrics, exit-codes or policy-logs.")
  var part: Part?

  @Option(help: ArgumentHelp("The folder of the documents, to write all.", valueName: "dir"))
  var docs: String?

  func validate() throws {
    if (part == nil) == (docs == nil) {
      throw ValidationError("expected a page to print, or --docs to write all")
    }
  }

  func run() throws {
    if let part { return try emit(part.text) }
    guard let docs else { return }
    do {
      let folder = "\(docs)/reference/generated"
      for part in Part.allCases {
        try RunFolder.writeFile(part.text, to: "\(folder)/\(part.rawValue).md")
      }
      for world in WorldKeys.names {
        try RunFolder.writeFile(
          SchemaFile.text(world: world), to: "\(folder)/\(SchemaFile.name(world: world))")
      }
      // Last: it lists what was written.
      try RunFolder.writeFile(DocumentList.text(docs: docs), to: "\(docs)/llms.txt")
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    } catch let error as CocoaError {
      Console.error(
        "\(docs): expected documents that can be read, got \(error.localizedDescription)")
      throw ExitCode(ExitStatus.missingFile)
    }
  }
}
