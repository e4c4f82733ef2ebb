import Foundation
import Glibc
import Synchronization

/// Runs shell commands at the two ends of a link until the client's ends, or a signal does.
public struct LinkSession: Sendable {
  private let pair: NamespacePair
  private let environment: [String: String]

  /// - Parameter environment: added to the present one.
  public init(pair: NamespacePair, environment: [String: String]) {
    self.pair = pair
    self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  }

  /// Runs the commands with `sh -c`.
  ///
  /// SIGINT and SIGTERM end both, and are answered with 130 and 143.
  ///
  /// - Returns: the client's exit code.
  public func run(client: String, edge: String?) throws(HarnessFailure) -> Int32 {
    let watch = StopSignals()
    defer { watch.close() }
    let server: Subprocess?
    if let edge {
      server = try Subprocess.start(
        pair.command(["sh", "-c", edge], in: .edge), environment: environment)
    } else {
      server = nil
    }
    defer { server?.stop() }
    // In the terminal's own group, or a shell could not read from it.
    let command = try Subprocess.start(
      pair.command(["sh", "-c", client], in: .client), environment: environment,
      inOwnGroup: isatty(STDIN_FILENO) == 0)
    while true {
      if let code = command.poll() { return code }
      if let signal = watch.received {
        command.stop()
        return 128 + signal
      }
      usleep(5_000)
    }
  }
}

/// SIGINT and SIGTERM as a value instead of the process's end.
///
/// Unchecked: dispatch sources may be used from any thread.
public final class StopSignals: @unchecked Sendable {
  private let sources: [any DispatchSourceSignal]
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
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
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

  /// The first one that came.
  public var received: Int32? {
    let value = first.value.load(ordering: .relaxed)
    return value == 0 ? nil : value
  }

  /// Lets them end the process again.
  public func close() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
