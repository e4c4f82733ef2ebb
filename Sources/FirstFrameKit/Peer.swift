import ArgumentParser
import Reports
import Scenario

/// `firstframe peer`
struct Peer: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run another program's model, reproduced exactly, beside ours.",
    discussion: """
      Example: firstframe peer sabre --movie movie.json --network network.json \
      --algorithm bola --json
      """,
    subcommands: [PeerPensieve.self, PeerSabre.self, PeerMM22.self])
}

/// The form of the answer, for every peer.
struct PeerOutput: ParsableArguments {
  @Flag(help: "Print the rows and their means as JSON.")
  var json = false

  /// Prints what a peer says, or its problems and their exit code.
  func show(_ table: () throws(ScenarioRejected) -> PeerTable) throws {
    let answer: PeerTable
    do {
      answer = try table()
    } catch {
      throw PeerOutput.refusal(error)
    }
    try emit(json ? answer.json().text() : PeerReport.text(answer))
  }

  /// Prints the problems and says with which code to end: 64 when only options are wrong.
  static func refusal(_ error: ScenarioRejected) -> ExitCode {
    Console.note(error.description)
    let isUsage = error.problems.allSatisfy {
      if case .commandLine = $0.origin { true } else { false }
    }
    return ExitCode(isUsage ? ExitStatus.usage : error.status)
  }
}
