import CProcess
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Studies

/// A process of this program that runs what variants of a sweep have in common, with one thread,
/// and becomes one for each of them where they part (docs/decisions/0029).
///
/// It is begun by ``PrefixLauncher`` with the arguments of the sweep and finds out by the same code
/// what there is to do. It has a child for every unit under way, and that one a child for every
/// branch of its tree; all of them end with the program.
enum PrefixWorker {
  /// The first argument; the number of the process that begins it and the sweep's arguments follow.
  static let argument = "--prefix-worker"

  /// Does a worker's work and ends, if this process is one; before there is another thread.
  static func runIfAsked() {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, arguments[1] == argument, let parent = pid_t(arguments[2]) else {
      return
    }
    if process_ends_with_parent() == 0 || getppid() != parent { _exit(ChildProcesses.told) }
    // A Ctrl-C is the program's, which closes standard input.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    do {
      guard ChildProcesses.isAlone else { throw WorkerFailure(text: "expected one thread") }
      let sweep = try SweepCommand.parse(Array(arguments.dropFirst(4))).prepared()
      LargePages.reserve(MemoryEstimate(sweep.scenario, replications: 1, threads: 1).total)
      try run(sweep.study, 0..<sweep.replications)
    } catch {
      PrefixMessage.lost(text(error)).send()
      _exit(ChildProcesses.told)
    }
  }

  private struct WorkerFailure: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
  }

  private static func text(_ error: any Error) -> String {
    (error as? SimulationError)?.message ?? "\(error)"
  }

  /// Whether nothing more is to be begun: the program has closed standard input, or is gone.
  static var isStopped: Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, 0) > 0
  }

  /// Runs all units, as many at a time as there are threads.
  private static func run(_ study: VariantStudy, _ range: Range<Int>) throws -> Never {
    let units = study.prefixPlan(range).units
    // With fewer units than threads, branches are run side by side.
    let together = max(1, study.threads / max(1, units.count))
    var children = ChildProcesses()
    var common: (first: Int, runner: PrefixRunner)?
    for unit in units {
      if isStopped { break }
      let first = unit.tree.members[0]
      if common?.first != first { common = (first, try study.prefixRunner(unit.tree)) }
      children.wait(untilAtMost: study.threads - 1)
      if children.begin(), let runner = common?.runner {
        simulate(unit, study, runner, together: together)
      }
    }
    children.end()
  }

  /// Runs one unit in this process and in those that it becomes.
  private static func simulate(
    _ unit: PrefixPlan.Unit, _ study: VariantStudy, _ runner: PrefixRunner, together: Int
  ) -> Never {
    let fork = ProcessFork(unit.tree, together: together) { study.faults($0) }
    do {
      let record = try runner.run(unit.replication, fork: fork)
      // A run that ended before they part is all of theirs.
      for variant in fork.tree.members {
        try runner.keep(record, of: variant)
        PrefixMessage.kept(variant: variant, replication: unit.replication).send()
      }
    } catch {
      PrefixMessage.lost(text(error)).send()
      fork.children.wait(untilAtMost: 0)
      _exit(ChildProcesses.told)
    }
    fork.children.end()
  }
}

/// A run whose process becomes several where its variants part: the last branch goes on in it, each
/// other one in a child.
///
/// Unchecked: its process has one thread.
private final class ProcessFork: RunFork, @unchecked Sendable {
  /// What the run stands for at the moment.
  private(set) var tree: PrefixTree
  var children = ChildProcesses()
  private let faults: (Int) -> CDNFaults
  /// Most branches at a time, this process included.
  private var together: Int

  init(_ tree: PrefixTree, together: Int, faults: @escaping (Int) -> CDNFaults) {
    self.tree = tree
    self.together = together
    self.faults = faults
  }

  var next: Instant? { tree.parting }

  func pass() -> CDNFaults {
    if PrefixWorker.isStopped { children.end() }
    for branch in tree.branches.dropLast() {
      if children.begin() {
        together = 1
        return goOn(branch)
      }
      children.wait(untilAtMost: together - 1)
    }
    guard let last = tree.branches.last else {
      preconditionFailure("a run parts into branches")
    }
    return goOn(last)
  }

  private func goOn(_ branch: PrefixTree) -> CDNFaults {
    tree = branch
    return faults(branch.members[0])
  }
}
