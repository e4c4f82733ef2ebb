import ArgumentParser
import Foundation
import Reports

/// `firstframe why`
struct Why: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say where startup and stall time goes, by part and cohort.",
    discussion: """
      Example: firstframe why results/wifi-budget-gate-06e01184
               firstframe why results/now --against results/before

      Reads the run folders only; nothing is simulated. A run of another world than the feed has \
      no startups: its metrics are listed with their meaning, or what moved between two runs.
      """)

  @Argument(help: "A run folder, or its result.json.")
  var result: String

  @Option(help: ArgumentHelp("A run to compare with.", valueName: "result"))
  var against: String?

  func run() throws {
    do {
      let now = try ReadResult.load(result)
      let before = try against.map { try ReadResult.load($0) }
      if let against, let before { try now.requireComparable(with: before, at: against) }
      try emit(WhyReport.text(now, against: before, color: Console.hasColor(STDOUT_FILENO)))
    } catch let error as ReadResult.Rejected {
      Console.error(error.description)
      throw ExitCode(error.isMissing ? ExitStatus.missingFile : ExitStatus.badData)
    }
  }
}
