import ArgumentParser
import Reports

/// `firstframe-live`, which `firstframe live` starts.
@main
struct FirstFrameLive: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstframe-live",
    abstract: "Real servers and real requests for the scenarios of firstframe.",
    discussion: """
      A first try, in two terminals:

        firstframe-live standin scenarios/wifi-budget-gate.yaml --port 8080
        curl -i http://127.0.0.1:8080/vod/t0/media_manifest.json

      \(LiveExit.help)
      """,
    version: ProgramVersion.text(of: "firstframe-live"),
    subcommands: [
      LiveRunCommand.self, Validate.self, Standin.self, Edge.self, Link.self, Messages.self,
      LiveCalls.self, Media.self, Sweep.self,
    ])
}
