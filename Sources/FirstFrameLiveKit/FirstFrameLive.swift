import ArgumentParser
import LoadHarness
import Reports
import Synchronization

/// Live runs of a program with policies of its own: a program that is linked with this library has
/// the verbs of `firstframe-live` behind its own verb `live`, with its policies
/// (docs/how-to/policy-package.md).
///
/// ```swift
/// FirstFrameTool(name: "demo", prefetch: [prefetch], live: .verbs).main()
/// ```
extension LiveVerbs {
  /// Those of `firstframe-live`.
  public static let verbs = LiveVerbs { arguments in
    LiveProgram.join()
    await FirstFrameLive.main(arguments)
  }
}

/// `firstframe-live` as a program of its own, which `firstframe live` starts.
public enum FirstFrameLiveProgram {
  /// Does what the arguments of the process ask for and ends it.
  public static func main() async { await FirstFrameLive.main() }
}

/// What the program is called.
enum LiveProgram {
  private static let isPart = Mutex(false)

  /// The verbs are some of a program that has others.
  static func join() {
    isPart.withLock { $0 = true }
    OwnProgram.putVerbs(behind: ["live"])
  }

  /// The file that is started.
  static var command: String {
    isPart.withLock { $0 } ? ProgramName.own : "firstframe-live"
  }

  /// What stands in front of a verb.
  static var name: String {
    isPart.withLock { $0 } ? "\(ProgramName.own) live" : "firstframe-live"
  }
}

/// The verbs.
struct FirstFrameLive: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: LiveProgram.name,
      abstract: "Real servers and real requests for the scenarios of firstframe.",
      discussion: """
        A first try, in two terminals:

          \(LiveProgram.name) standin scenarios/wifi-budget-gate.yaml --port 8080
          curl -i http://127.0.0.1:8080/vod/t0/media_manifest.json

        \(LiveExit.help)
        """,
      version: ProgramVersion.text(of: LiveProgram.name),
      subcommands: [
        LiveRunCommand.self, Validate.self, Standin.self, Edge.self, Link.self, Messages.self,
        LiveCalls.self, Media.self, Sweep.self,
      ])
  }
}
