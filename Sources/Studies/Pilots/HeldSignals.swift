import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP wait while something is written under a name of its own and put in
/// its place: a program that does not catch them ends after that, and leaves nothing unfinished.
///
/// What is caught already, or ignored, as by nohup, stays as it is.
public enum HeldSignals {
  private static let came = Atomic<Int32>(0)
  private static let state = Mutex(State())

  private struct State {
    /// How many writers there are.
    var writers = 0
    /// What is held, and ended the program before.
    var held: [Int32] = []
  }

  /// Runs `body`; a signal that comes in between ends the program when the last body is over.
  public static func during<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    hold()
    defer { release() }
    return try body()
  }

  private static func hold() {
    // Made before a handler could ask for it.
    _ = came.load(ordering: .relaxed)
    state.withLock { state in
      state.writers += 1
      if state.writers > 1 { return }
      for number in [SIGINT, SIGTERM, SIGHUP] {
        let before = signal(number) { HeldSignals.came.store($0, ordering: .relaxed) }
        if isDefault(before) { state.held.append(number) } else { signal(number, before) }
      }
    }
  }

  private static func release() {
    state.withLock { state in
      state.writers -= 1
      if state.writers > 0 { return }
      for number in state.held { signal(number, SIG_DFL) }
      state.held = []
    }
    let number = came.exchange(0, ordering: .relaxed)
    if number != 0 { kill(getpid(), number) }
  }

  /// The one that ends the program is no address.
  private static func isDefault(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    handler == nil
  }
}
