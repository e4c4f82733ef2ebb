import ArgumentParser
import Scenario

/// `firstframe peer pensieve`
struct PeerPensieve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pensieve",
    abstract: "Pensieve (Mao, Netravali, Alizadeh 2017): one video over traces.",
    discussion: """
      Example: firstframe peer pensieve --traces traces --sizes video_size --policy bb --json
      Exit codes: 0 done, 64 usage, 65 bad data, 66 a file is missing, 73 cannot write.
      """)

  @Option(
    help: ArgumentHelp("The traces: a file of \"seconds Mbit/s\" rows each.", valueName: "dir"))
  var traces: String

  @Option(
    help: ArgumentHelp(
      "The chunk sizes: video_size_0 to video_size_5, bytes.", valueName: "dir"))
  var sizes: String

  @Option(
    help: ArgumentHelp(
      "fixed0 to fixed5, bb (buffer), rb (rate), or levels:FILE.", valueName: "policy"))
  var policy: String

  @OptionGroup var output: PeerOutput

  func run() throws {
    let request = PensieveRequest(traces: traces, sizes: sizes, policy: policy)
    try output.show { () throws(ScenarioRejected) in try request.table() }
  }
}
