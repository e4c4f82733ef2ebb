import ArgumentParser
import Reports
import Scenario

/// `firstframe peer mm22`
struct PeerMM22: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mm22",
    abstract: "The simulator of ACM Multimedia 2022's grand challenge on short video.",
    discussion: """
      Example: firstframe peer mm22 --data data --watch watch.json --policy next_one --class high \
      --json

      With --replay instead of --policy and --class it takes the decisions of a step list and \
      counts the rows that come out otherwise.
      Exit codes: 0 done, 64 usage, 65 bad data, 66 a file is missing, 73 cannot write.
      """)

  @Option(
    help: ArgumentHelp(
      "network_traces/<class>/<i>, short_video_size/<video>/video_size_<level>, "
        + "user_ret/<video>.", valueName: "dir"))
  var data: String

  @Option(
    help: ArgumentHelp(
      "The watch times of the seven videos in ms, by sample.", valueName: "file.json"))
  var watch: String

  @Option(
    help: ArgumentHelp(
      "\(MM22Request.policyNames.joined(separator: ", ")).", valueName: "name"))
  var policy: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("The folder of traces: high, medium, low, mixed.", valueName: "name"))
  var networkClass: String?

  @Option(help: ArgumentHelp("A step list to compare with.", valueName: "steps.csv"))
  var replay: String?

  @Option(help: ArgumentHelp("Whose watch times a step list was made with.", valueName: "name"))
  var sample: String?

  @OptionGroup var output: PeerOutput

  func validate() throws {
    if replay != nil {
      if policy != nil || networkClass != nil {
        throw ValidationError("expected --replay or --policy with --class, got both")
      }
      return
    }
    if sample != nil { throw ValidationError("--sample: expected it with --replay, got it alone") }
    guard let policy, networkClass != nil else {
      throw ValidationError("expected --policy and --class, or --replay; got one or none")
    }
    if !MM22Request.policyNames.contains(policy) {
      let names = MM22Request.policyNames.joined(separator: ", ")
      throw ValidationError("--policy: expected one of \(names), got \(policy)")
    }
  }

  func run() throws {
    let request = MM22Request(data: data, watch: watch)
    if let policy, let networkClass {
      try output.show { () throws(ScenarioRejected) in
        try request.table(policy: policy, networkClass: networkClass)
      }
      return
    }
    do {
      let answer = try request.replay(steps: replay ?? "", sample: sample)
      try emit(output.json ? answer.json().text() : PeerReport.text(answer))
    } catch let error as ScenarioRejected {
      throw PeerOutput.refusal(error)
    }
  }
}
