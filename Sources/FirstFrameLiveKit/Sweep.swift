import ArgumentParser
import LoadHarness

/// `firstframe-live sweep`, which a live run starts for the case that it is killed.
struct Sweep: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take away what live runs that were killed have left.",
    discussion: "Waits for the end of its standard input first: firstframe-live sweep </dev/null.",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The process whose end is waited for, too.", valueName: "pid"))
  var of: Int32?

  func run() { Sweeper.sweepAtEnd(of: of) }
}
