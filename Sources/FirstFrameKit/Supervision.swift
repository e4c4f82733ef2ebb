import ArgumentParser
import ForeignPolicies
import Foundation
import Reports
import Scenario
import SimulationKernel
import Studies

/// Runs the study of one scenario under signals and a progress meter, and writes its run folder.
struct Supervision {
  let scenario: StudyScenario
  let study: StudyOptions
  /// The folder that gets the run folder.
  let output: String
  let progress: ProgressStyle
  let limits: LimitOptions

  /// - Parameters:
  ///   - body: the study; it is stopped by the request and reports to the closure.
  ///   - replications: how many of them the study ran.
  ///   - write: writes the run folder and returns its path.
  /// - Returns: what the study found and the path of the run folder.
  /// - Throws: an `ExitCode` after a signal with nothing to show, when the time was over before
  ///   anything was complete and an earlier result lies in the folder, and when the memory would
  ///   not do; what `body` and `write` throw.
  func run<Found: Sendable>(
    _ body: (StopRequest, @escaping @Sendable (StudyProgress) -> Void) async throws -> Found,
    replications: (Found) -> Int,
    write: (Found, Provenance) throws(RunFolder.WriteError) -> String
  ) async throws -> (found: Found, folder: String) {
    let start = Date().timeIntervalSince1970
    let identity = RunIdentity(scenario, options: study)
    try RunFolder.check(identity, parent: output)
    try limits.check(
      scenario, replications: study.fixedReplications ?? scenario.replications,
      threads: study.threads)
    let signals = SignalWatch()
    let meter = ProgressMeter(
      progress, identity: identity, threads: study.threads, budgets: scenario.budgets)
    signals.start {
      meter.say("stopping after the replications under way; once more stops at once")
    }
    meter.start()
    let deadline = limits.deadline(signals.stop)
    let outcome: Result<Found, any Error>
    do {
      outcome = .success(try await body(signals.stop) { meter.update($0) })
    } catch {
      outcome = .failure(error)
    }
    deadline?.cancel()
    meter.finish()
    let found = try outcome.get()
    if let failure = ForeignFailure.first, replications(found) == 0 {
      Console.error(failure)
      throw ExitCode(ExitStatus.badData)
    }
    let isEmpty = signals.stop.isAbandoned && replications(found) == 0
    if isEmpty, signals.received == nil {
      Console.error(
        "--time-limit: no replication was complete; \(meter.shareDone) of the work to the first "
          + "look was done")
      if let earlier = RunFolder.earlier(identity, parent: output) {
        Console.error(
          "\(earlier) keeps what an earlier run has left; to run it whole: "
            + ShellText.command(CommandLine.arguments))
        throw ExitCode(ExitStatus.partial)
      }
    }
    if let signal = signals.received, replications(found) == 0 {
      throw ExitCode(ExitStatus.signal + signal)
    }
    let provenance = Provenance(
      toolchain: Toolchain.version, build: Toolchain.build,
      commit: Toolchain.commit(ofFolderOf: scenario.file.path), arguments: CommandLine.arguments,
      threads: study.threads, processors: ProcessInfo.processInfo.activeProcessorCount,
      start: start, end: Date().timeIntervalSince1970,
      givenUp: isEmpty ? meter.latest : nil)
    let folder = try signals.withoutInterruption { () throws(RunFolder.WriteError) in
      try write(found, provenance)
    }
    if let failure = ForeignFailure.first {
      Console.error(failure)
      Console.error("\(folder) keeps the \(replications(found)) finished replications")
      throw ExitCode(ExitStatus.badData)
    }
    return (found, folder)
  }
}
