import ArgumentParser
import Dispatch
import MediaUnits
import Scenario
import Studies

/// `--memory-limit` and `--time-limit`.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Refuse to start (exit code 70) when the estimate of the memory is larger, such as 12GiB.",
      valueName: "size"),
    transform: { try LimitOptions.value(.bytes, $0) })
  var memoryLimit: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Stop after this time, such as 60s, with what is complete (exit code 14).",
      valueName: "time"),
    transform: { try LimitOptions.value(.time, $0) })
  var timeLimit: Int64?

  private static func value(_ quantity: Quantity, _ text: String) throws -> Int64 {
    do {
      let value = try quantity.value(of: text)
      if value > 0 { return value }
    } catch {
      throw ValidationError("expected \(error.expected), got \(text)")
    }
    throw ValidationError("expected more than zero, got \(text)")
  }

  /// Refuses what would need more memory than it may have, and makes the heap ready for the rest.
  ///
  /// - Parameter replications: that run at the same time at most.
  /// - Throws: an `ExitCode`, with the estimate and its terms on standard error.
  func check(_ scenario: StudyScenario, replications: Int, threads: Int) throws {
    let estimate = MemoryEstimate(scenario, replications: replications, threads: threads)
    guard let memoryLimit, estimate.total > memoryLimit else {
      LargePages.reserve(estimate.total)
      return
    }
    Console.error(
      "--memory-limit: expected at most \(Quantity.bytes.text(memoryLimit)), got an estimate of "
        + "\(LimitOptions.text(estimate.total)) for \(scenario.name)")
    for term in estimate.terms {
      Console.note("  \(LimitOptions.text(term.bytes)): \(term.meaning)")
    }
    throw ExitCode(ExitStatus.refused)
  }

  private static func text(_ bytes: Int64) -> String {
    let tenths = (bytes + 52_428) / 104_858
    return "\(tenths / 10).\(tenths % 10) MiB"
  }

  /// Makes `stop` give up what is under way when the time is over; keep what it returns until then.
  func deadline(_ stop: StopRequest) -> Deadline? { timeLimit.map { Deadline($0, stop) } }

  /// A time at which a study is stopped, unless it is cancelled before.
  final class Deadline: Sendable {
    // Dispatch sources may be used from any thread; their module does not say so.
    nonisolated(unsafe) private let timer = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "time limit"))

    init(_ nanoseconds: Int64, _ stop: StopRequest) {
      timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
      timer.setEventHandler { stop.abandon() }
      timer.resume()
    }

    func cancel() { timer.cancel() }
  }
}
