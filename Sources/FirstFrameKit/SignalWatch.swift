import Foundation
import Studies
import Synchronization

/// The signals that ask a program to end: the first asks the study to stop, the second ends the
/// program at once.
final class SignalWatch: Sendable {
  /// Handed to the study.
  let stop = StopRequest()
  private let first = Mutex<Int32?>(nil)
  /// Held while the result folder is written: the program does not end in the middle of that.
  private let writing = Mutex<Bool>(false)
  private let heard = Mutex<HeardSignals?>(nil)

  /// The signal that asked to stop.
  var received: Int32? { first.withLock { $0 } }

  /// Listens from now on.
  func start(_ announce: @escaping @Sendable () -> Void) {
    let signals = HeardSignals(HeardSignals.ending) { self.receive($0, announce) }
    heard.withLock { $0 = signals }
  }

  private func receive(_ number: Int32, _ announce: () -> Void) {
    let isFirst = first.withLock { first in
      defer { first = first ?? number }
      return first == nil
    }
    if isFirst {
      stop.stop()
      announce()
    } else {
      writing.withLock { _ in _exit(ExitStatus.signal + number) }
    }
  }

  /// Runs `body` to its end even when a second signal comes.
  func withoutInterruption<Value: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = writing.withLock { _ -> Result<Value, Failure> in
      Result { () throws(Failure) in try body() }
    }
    return try outcome.get()
  }
}
