import ArgumentParser
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
    try emit(json ? answer.json().text() : PeerOutput.text(answer))
  }

  /// Prints the problems and says with which code to end: 64 when only options are wrong.
  static func refusal(_ error: ScenarioRejected) -> ExitCode {
    Console.note(error.description)
    let isUsage = error.problems.allSatisfy {
      if case .commandLine = $0.origin { true } else { false }
    }
    return ExitCode(isUsage ? ExitStatus.usage : error.status)
  }

  /// Rows under their headings and the means, six decimals.
  private static func text(_ table: PeerTable) -> String {
    var rows = [table.identity + table.columns]
    for row in table.rows { rows.append(row.names + row.values.map { cell($0) }) }
    let means = table.mean
    let mean = table.columns.map { column in
      means.first { $0.column == column }.map { AlignedText.fixed($0.value, decimals: 6) } ?? ""
    }
    rows.append(table.identity.indices.map { $0 == 0 ? "mean" : "" } + mean)
    let lines = AlignedText.lines(rows, left: table.identity.count)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ value: PeerValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let count): count.description
    case .number(let number): AlignedText.fixed(number, decimals: 6)
    }
  }
}
