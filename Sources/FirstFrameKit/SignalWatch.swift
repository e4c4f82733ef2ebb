import Dispatch
import Foundation
import Studies
import Synchronization

/// SIGINT, SIGTERM and SIGHUP: the first asks the study to stop, the second ends the program at
/// once. A SIGHUP that was ignored when the program began, as by nohup, stays so.
final class SignalWatch: Sendable {
  /// Handed to the study.
  let stop = StopRequest()
  private let first = Mutex<Int32?>(nil)
  /// Held while the result folder is written: the program does not end in the middle of that.
  private let writing = Mutex<Bool>(false)
  // Dispatch sources may be used from any thread; their module does not say so.
  // On a queue of its own: the study keeps every thread of the cooperative pool busy.
  nonisolated(unsafe) private let sources: [(number: Int32, source: any DispatchSourceSignal)]

  /// What asks a program to end.
  static let numbers = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])

  init() {
    let queue = DispatchQueue(label: "signals")
    sources = SignalWatch.numbers.map {
      (number: $0, source: DispatchSource.makeSignalSource(signal: $0, queue: queue))
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    signal(number, before)
    return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The signal that asked to stop.
  var received: Int32? { first.withLock { $0 } }

  /// Listens from now on.
  func start(_ announce: @escaping @Sendable () -> Void) {
    for (number, source) in sources {
      signal(number, SIG_IGN)
      source.setEventHandler { self.receive(number, announce) }
      source.resume()
    }
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
