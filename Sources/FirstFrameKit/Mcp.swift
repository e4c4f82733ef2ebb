import ArgumentParser
import Foundation
import Studies

/// `firstframe mcp`
struct Mcp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the Model Context Protocol on standard input and output, for agents.",
    discussion: """
      Example: firstframe mcp, as the command of a client's configuration; see docs/how-to/agents.md

      Tools: validate, explain, run, compare, why, audit, with the options of the verbs. Each call is a \
      process of its own; paths start from the folder that the server was started in, and only its \
      folder results is written to. Messages are JSON-RPC 2.0, one a line of at most 1 MiB, in the \
      revision 2026-07-28 or one that opens with initialize (2025-11-25 and before). Ends with its \
      input.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Seconds after which a call is stopped, 1...86400; what was complete is answered.",
      valueName: "seconds"), transform: { try Bounds.whole($0, in: 1...86_400) })
  var callLimit: Int64 = 600

  func run() throws {
    // Who stops reading must not end the server in the middle of a call.
    signal(SIGPIPE, SIG_IGN)
    let server = AgentServer(
      AgentTool.all(of: CommandTable.of(FirstFrame.self)), limit: Double(callLimit))
    let signals = HeardSignals(HeardSignals.ending) { number in
      server.end()
      Console.exit(ExitStatus.signal + number)
    }
    server.serve()
    signals.close()
  }
}
