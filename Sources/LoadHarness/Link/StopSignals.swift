import Dispatch
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as a value instead of the process's end. A SIGHUP that was ignored
/// when the process began, as by nohup, stays so.
///
/// Unchecked: dispatch sources may be used from any thread.
public final class StopSignals: @unchecked Sendable {
  private let sources: [any DispatchSourceSignal]
  private let numbers: [Int32]
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
    let queue = DispatchQueue(label: "signals")
    numbers = [SIGINT, SIGTERM] + (StopSignals.isIgnored(SIGHUP) ? [] : [SIGHUP])
    sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let isFirst = box.value.compareExchange(
          expected: 0, desired: number, ordering: .relaxed
        ).exchanged
        if !isFirst { second?(number) }
      }
      source.resume()
      return source
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The first one that came.
  public var received: Int32? {
    let value = first.value.load(ordering: .relaxed)
    return value == 0 ? nil : value
  }

  /// Lets them end the process again.
  public func close() {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }
}
