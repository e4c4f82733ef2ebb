import ArgumentParser
import Glibc
import LoadHarness
import MediaUnits
import Reports
import Studies

/// How a verb ends that was asked to, or that does not end by itself.
enum LiveEnding {
  /// Does something while the first signal asks for a stop, and a second one ends the process,
  /// after what it has started; so does ``RunGuard`` when nothing else does.
  ///
  /// - Parameter kept: the folder with which the same command goes on; nil: there is none.
  static func stoppable<Outcome>(
    kept: String? = nil,
    _ body: (StopRequest, StopSignals, RunGuard) async throws -> Outcome
  ) async throws -> Outcome {
    let stop = StopRequest()
    let signals = StopSignals { number in ForcedEnd.leave(code(of: number, kept)) }
    let watch = watch(signals, kept) { stop.stop() }
    defer {
      watch.close()
      signals.close()
    }
    return try await body(stop, signals, watch)
  }

  /// Waits for a signal, after which the process has ``RunGuard/grace`` to end.
  ///
  /// - Parameters:
  ///   - line: is written when a signal can come: who reads it may send one at once.
  ///   - isOfRun: whether the process that has started this one is a run, and its end, by which
  ///     another becomes the parent, is a signal, too.
  static func wait(saying line: String, isOfRun: Bool = false) async {
    let signals = StopSignals { number in ForcedEnd.leave(code(of: number, nil)) }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let parent = getppid()
    _ = RunGuard(
      received: { signals.received ?? (isOfRun && getppid() != parent ? SIGHUP : nil) },
      ask: { continuation.yield() }
    ) { end($0, nil) }
    LiveConsole.output(line)
    for await _ in stream { break }
  }

  /// Ends the process when a verb without signals of its own takes longer than it can.
  static func watch() -> RunGuard { RunGuard { end($0, nil) } }

  /// Ends the process some time after the first signal, if nothing else does.
  static func watch(
    _ signals: StopSignals, _ kept: String?, ask: @escaping @Sendable () -> Void
  ) -> RunGuard {
    RunGuard(received: { signals.received }, ask: ask) { end($0, kept) }
  }

  private static func code(of signal: Int32, _ kept: String?) -> Int32 {
    kept == nil ? 128 + signal : LiveExit.partial
  }

  private static func end(_ reason: RunGuard.Reason, _ kept: String?) {
    let rest =
      kept.map { "\($0) has the sessions that ended; the same command goes on" }
      ?? "what was measured is not told: nobody knows whether it is whole"
    switch reason {
    case .overdue(let span):
      LiveConsole.error(
        "expected the run to be over, got none of its end \(Int(span.seconds)) s after its time; "
          + rest)
      ForcedEnd.leave(kept == nil ? LiveExit.invalid : LiveExit.partial)
    case .unheard(let signal, let span):
      LiveConsole.error(
        "expected the run to stop, got none of its end \(Int(span.seconds)) s after signal "
          + "\(signal); " + rest)
      ForcedEnd.leave(code(of: signal, kept))
    }
  }
}
