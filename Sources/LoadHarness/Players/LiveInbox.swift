import Dispatch
import Synchronization

/// What event loops have heard, for the one thread that drives the world.
final class LiveInbox: Sendable {
  private let events = Mutex<[LiveEvent]>([])
  private let signal = DispatchSemaphore(value: 0)

  /// Called on any event loop.
  func post(_ event: LiveEvent) {
    let wakes = events.withLock { events in
      events.append(event)
      return events.count == 1
    }
    if wakes { signal.signal() }
  }

  /// Everything since the last call, in order of arrival.
  func take() -> [LiveEvent] {
    events.withLock { events in
      let taken = events
      events.removeAll(keepingCapacity: true)
      return taken
    }
  }

  /// Waits until something was posted, at most for `nanoseconds`.
  func wait(_ nanoseconds: Int64) {
    if nanoseconds <= 0 { return }
    _ = signal.wait(timeout: .now() + .nanoseconds(Int(min(nanoseconds, 1_000_000_000))))
  }

  /// Ends a wait.
  func wake() { signal.signal() }
}
