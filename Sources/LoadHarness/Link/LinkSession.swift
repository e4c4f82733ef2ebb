import Foundation
import Glibc

/// Runs shell commands at the two ends of a link until the client's ends, or a signal does.
public struct LinkSession: Sendable {
  private let pair: NamespacePair
  private let environment: [String: String]
  private let watch: StopSignals

  /// - Parameters:
  ///   - environment: added to the present one.
  ///   - watch: hears what ends both commands.
  public init(pair: NamespacePair, environment: [String: String], watch: StopSignals) {
    self.pair = pair
    self.watch = watch
    self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  }

  /// Runs the commands with `sh -c`.
  ///
  /// A signal ends both, and is answered with 128 and its number.
  ///
  /// - Returns: the client's exit code.
  public func run(client: String, edge: String?) throws(HarnessFailure) -> Int32 {
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
