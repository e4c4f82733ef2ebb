import Dispatch
import Glibc

/// Signals as calls, instead of what they else do to the process.
///
/// Unchecked: dispatch sources may be used from any thread.
public final class HeardSignals: @unchecked Sendable {
  /// What asks a program to end: SIGINT, SIGTERM and SIGHUP. A SIGHUP that was ignored when the
  /// program began, as by nohup, stays so.
  public static let ending = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])

  private let sources: [any DispatchSourceSignal]

  /// Hears them from its return on; one that comes before does what it did until now.
  ///
  /// - Parameter hear: is called for each that comes, by number, on a queue of its own: a study
  ///   keeps every thread of the cooperative pool busy.
  public init(_ numbers: [Int32], _ hear: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "signals")
    // Another thread makes the process hear them, on a busy machine long after `resume`. Who takes
    // no notice until then loses those that come between, for ever.
    let listening = DispatchGroup()
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { hear(number) }
      listening.enter()
      source.setRegistrationHandler { listening.leave() }
      source.resume()
      return source
    }
    listening.wait()
  }

  /// Whether the process takes no notice of a signal.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Hears no more of them.
  public func close() {
    for source in sources { source.cancel() }
  }
}
