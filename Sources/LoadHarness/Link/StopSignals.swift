import Glibc
import Studies
import Synchronization

/// The signals that ask a program to end, as a value instead of the process's end.
public final class StopSignals: Sendable {
  private let heard: HeardSignals
  private let first: SignalBox

  private final class SignalBox: Sendable {
    let value = Atomic<Int32>(0)
  }

  /// Catches them from now on.
  ///
  /// - Parameter second: called for every one after the first, by number: who asks twice does not
  ///   want to wait.
  public init(second: (@Sendable (Int32) -> Void)? = nil) {
    let box = SignalBox()
    first = box
    heard = HeardSignals(HeardSignals.ending) { number in
      let isFirst = box.value.compareExchange(
        expected: 0, desired: number, ordering: .relaxed
      ).exchanged
      if !isFirst { second?(number) }
    }
  }

  /// The first one that came.
  public var received: Int32? {
    let value = first.value.load(ordering: .relaxed)
    return value == 0 ? nil : value
  }

  /// Lets them end the process again.
  public func close() {
    heard.close()
    for number in HeardSignals.ending { signal(number, SIG_DFL) }
  }
}
