import Foundation
import Glibc
import MediaUnits
import Synchronization

/// Ends a run that does not end by itself.
///
/// A thread of its own looks at the clock: no event loop, no task and no queue of the run can keep
/// it waiting, whatever players, links or servers do. It passes a signal on as a wish to stop, and
/// ends the process when the run is not over some time after that, or some time after it was to be.
public final class RunGuard: Sendable {
  /// Why the process ends.
  public enum Reason: Sendable, Equatable {
    /// The run was still going on so long after its time.
    case overdue(by: TimeSpan)
    /// It was still going on so long after the signal of this number.
    case unheard(signal: Int32, for: TimeSpan)
  }

  /// Between the time at which a run was to be over, or was asked to stop, and the end of the
  /// process: what a run needs to hear the last answers and to close what is open takes less than
  /// a second (assumed).
  public static let grace = TimeSpan.seconds(10)

  private struct State {
    /// When the run is to be over at the latest; nil: it has no end of its own.
    var limit: Instant?
    var askedAt: Instant?
    var isOver = false
  }

  private let clock = LiveClock()
  private let state = Mutex(State())
  private let grace: TimeSpan

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - received: the signal that asks for a stop, once there is one.
  ///   - ask: asks the run to stop; called once.
  ///   - end: ends the process, or what stands for it in a test; called once, on the guard's
  ///     thread.
  public init(
    grace: TimeSpan = RunGuard.grace, received: @escaping @Sendable () -> Int32? = { nil },
    ask: @escaping @Sendable () -> Void = {}, end: @escaping @Sendable (Reason) -> Void
  ) {
    self.grace = grace
    let thread = Thread { self.watch(received, ask, end) }
    thread.name = "run-guard"
    thread.start()
  }

  /// The run is to be over after this time from now on; nil: nobody knows when.
  public func expectEnd(in span: TimeSpan?) {
    let limit = span.map { clock.now.advanced(saturatingBy: $0) }
    state.withLock { $0.limit = limit }
  }

  /// The run is over.
  public func close() { state.withLock { $0.isOver = true } }

  private func watch(
    _ received: () -> Int32?, _ ask: () -> Void, _ end: (Reason) -> Void
  ) {
    while true {
      let now = clock.now
      let signal = received()
      let (state, isNew) = state.withLock { state in
        let isNew = signal != nil && state.askedAt == nil
        if isNew { state.askedAt = now }
        return (state, isNew)
      }
      if state.isOver { return }
      if isNew { ask() }
      if let signal, let askedAt = state.askedAt, now - askedAt >= grace {
        return end(.unheard(signal: signal, for: grace))
      }
      if let limit = state.limit, now >= limit.advanced(saturatingBy: grace) {
        return end(.overdue(by: grace))
      }
      usleep(20_000)
    }
  }
}

/// The end of a process that has things to take away.
public enum ForcedEnd {
  /// Seconds that taking away may need (assumed; a child that does not hear SIGTERM has three).
  private static let patience = 10.0

  /// Takes away what the process has started, on a thread of its own, and ends the process; also
  /// when that takes too long, after which the sweeper has the rest.
  public static func leave(_ code: Int32) -> Never {
    let done = DispatchSemaphore(value: 0)
    Thread {
      Teardown.ofProcess.run()
      done.signal()
    }.start()
    _ = done.wait(timeout: .now() + patience)
    _exit(code)
  }
}
