import ArgumentParser
import Foundation
import Reports
import Synchronization

/// `firstframe live`: finds `firstframe-live` and becomes it, but in a program that has the verbs
/// itself (``FirstFrameTool``).
///
/// The live harness is a program of its own, so that building `firstframe` compiles no sockets.
struct Live: AsyncParsableCommand {
  /// The verbs, where this program has them itself.
  private static let own = Mutex<LiveVerbs?>(nil)

  /// Gives the program verbs of its own, before anybody asks.
  static func have(_ verbs: LiveVerbs?) { own.withLock { $0 = verbs } }

  static let configuration = CommandConfiguration(
    abstract: "Run a scenario's viewers against real servers.",
    discussion: """
      Examples:
        firstframe live run scenarios/wifi-budget-gate.yaml --views 2000 --edge nginx
        firstframe live validate scenarios/wifi-budget-gate.yaml --edge varnish --views 2000
        firstframe live standin scenarios/wifi-budget-gate.yaml --port 8080
        firstframe live edge --origin http://127.0.0.1:8080
        firstframe live messages scenarios/tbm-push-poll.yaml --for 20s
        firstframe live calls scenarios/call-presence-contention.yaml --callers 300

      Everything after `live` goes to firstframe-live, which stands beside this program or on PATH: \
      swift build -c release --product firstframe-live. `firstframe live run --help` tells its \
      options. Exit code 69: it is not there.
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: "run, validate, standin, edge, link, messages, calls or media, and more.")
  var arguments: [String] = []

  func run() async throws {
    if let verbs = Live.own.withLock({ $0 }) { return await verbs(arguments) }
    if ProgramName.own != "firstframe" {
      // Another program's policies are not in firstframe-live.
      Console.error(
        "live: expected a program with live runs, got \(ProgramName.own) without: add "
          + "FirstFrameLiveKit to its package, and live: .verbs to FirstFrameTool")
      throw ExitCode(ExitStatus.unavailable)
    }
    if ["--help", "-h"].contains(arguments.first ?? "--help") && arguments.count <= 1 {
      throw CleanExit.helpRequest(Live.self)
    }
    for path in Live.candidates where access(path, X_OK) == 0 {
      var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
      execv(path, &words)
    }
    Console.error(
      "live: expected the program firstframe-live beside this one or on PATH, got none; build it: "
        + "swift build -c release --product firstframe-live")
    throw ExitCode(ExitStatus.unavailable)
  }

  /// Beside this program first, then the folders of PATH.
  private static var candidates: [String] {
    let name = "firstframe-live"
    var folders: [String] = []
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      let slash = own.lastIndex(of: "/")
    {
      folders.append(String(own[..<slash]))
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    folders += path.split(separator: ":").map(String.init)
    return folders.map { "\($0)/\(name)" }
  }
}
