import ArgumentParser
import Foundation
import LoadHarness
import MediaUnits
import Reports
import Scenario

/// `firstframe-live messages`
struct Messages: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the message protocol over real HTTP: a stand-in service and real clients.",
    discussion: """
      Example: firstframe-live messages scenarios/tbm-push-poll.yaml --pairs 50 --for 30s \
      --push-loss 1 --set messages.protocol.trackedInterval=2s

      The service, its object store and its push service are one program on this machine; each \
      client has connections and timers of its own, and runs the machines that ship, with the \
      protocol of the scenario. Prints how late recipients and senders are.

      The run is over as soon as everything that is owed has come: a video that a later one of its \
      pair replaced is not. Whoever still waits at the end of the drain opens the app again, as a \
      user does: after a lost push with nothing in transit, the protocol itself would wait for its \
      idle poll. How many did so is printed; their times are left out.

      Exit codes: 0 everything arrived and every view was shown, 10 a screen said what was not \
      true, or something did not come or was late although no push had been lost, 64 usage, 65 bad data, 66 no such file.
      """)

  @Argument(help: "A scenario of the world messages.")
  var file: String

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Option(
    help: ArgumentHelp("Pairs of clients, 1...500; the first of each sends.", valueName: "n"),
    transform: { try Messages.number($0, in: 1...500) })
  var pairs = 20

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long videos are sent, up to 10 min.", valueName: "time"),
    transform: { try Messages.time($0) })
  var duration = TimeSpan.seconds(20)

  @Option(
    help: ArgumentHelp("Between two videos of a pair.", valueName: "time"),
    transform: { try Messages.time($0) })
  var every = TimeSpan.seconds(4)

  @Option(
    help: ArgumentHelp(
      "How long news may take after the last video; default: one longest wait for a poll with "
        + "something in transit, and 5 s.", valueName: "time"),
    transform: { try Messages.time($0) })
  var drain: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Pushes that are dropped; default: as the scenario says.", valueName: "ratio"),
    transform: { text in
      guard let ratio = Double(text), (0...1).contains(ratio) else {
        throw ValidationError("expected a ratio from 0 to 1, got \(text)")
      }
      return ratio
    })
  var pushLoss: Double?

  @Flag(help: "Print JSON instead of the table.")
  var json = false

  func run() async throws {
    try await LiveExit.reported { try await exchange() }
  }

  private func exchange() async throws {
    let scenario = try StudyScenario.load(file, overrides: assignments.map { Override(set: $0) })
    guard case .messages(let plan) = scenario.plan else {
      throw LiveRefusal("\(file): world: expected messages, got another world or the feed")
    }
    // What is late is told by the shipped machine's timers.
    if plan.configuration.polls != nil {
      throw LiveRefusal(
        "messages.protocol.polls: expected the machine of FirstFrame's own in a live run, which "
          + "holds messages against its timers, got one of \(ProgramName.own)")
    }
    var options = LiveMessageOptions()
    options.pairs = pairs
    options.duration = duration
    options.sendEvery = every
    options.drain = drain
    options.pushLoss = pushLoss ?? plan.configuration.pushLoss
    options.seed = scenario.seed
    let watch = LiveEnding.watch()
    watch.expectEnd(in: LiveMessages.longest(plan.configuration, options))
    let outcome = try await LiveMessages.run(plan.configuration, options)
    watch.close()
    LiveConsole.output(try json ? outcome.json() : outcome.table())
    if !outcome.isSound { throw ExitCode(10) }
  }

  private static func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw ValidationError(
        "expected a whole number in \(range.lowerBound)...\(range.upperBound), got \(text)")
    }
    return number
  }

  private static func time(_ text: String) throws -> TimeSpan {
    let range = 1_000_000...600_000_000_000 as ClosedRange<Int64>
    guard let time = try? Quantity.time.value(of: text), range.contains(time) else {
      throw ValidationError("expected a time from 1 ms to 10 min such as 20s, got \(text)")
    }
    return TimeSpan(nanoseconds: time)
  }
}
