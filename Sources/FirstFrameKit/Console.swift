import Foundation
import Scenario
import Synchronization

/// Standard output and standard error, unbuffered.
enum Console {
  /// Writes text to standard output: for a person or a log with hidden characters as escapes, and
  /// with nothing that a CI server takes for a command.
  /// - Returns: why it could not be written, or nil.
  static func output(_ text: String) -> String? {
    write(VisibleText.terminal(text, color: hasColor(STDOUT_FILENO)), to: STDOUT_FILENO)
  }

  /// Writes a document that another program reads to standard output as it is.
  /// - Returns: why it could not be written, or nil.
  static func document(_ text: String) -> String? { write(text, to: STDOUT_FILENO) }

  /// Writes one message to standard error; each line of it begins with the program's name.
  static func error(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: true)
    note(lines.map { "\(Program.name): \($0)" }.joined(separator: "\n"))
  }

  /// Writes lines to standard error.
  static func note(_ text: String) {
    let shown = VisibleText.terminal(text, color: hasColor(STDERR_FILENO))
    _ = write(shown + "\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard error as it is.
  static func command(_ line: String) { _ = write(line + "\n", to: STDERR_FILENO) }

  /// Writes to standard error without a line feed, for the redrawn block: movements of the cursor,
  /// and text behind them.
  static func draw(_ movement: String, _ text: String = "") {
    _ = write(
      movement + VisibleText.terminal(text, color: hasColor(STDERR_FILENO)), to: STDERR_FILENO)
  }

  /// What the system says of a code, such as `no such file or directory`.
  static func errorText(_ code: Int32 = errno) -> String {
    String(cString: strerror(code)).lowercased()
  }

  static func exit(_ status: Int32) -> Never { Foundation.exit(status) }

  private static func write(_ text: String, to descriptor: Int32) -> String? {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return Console.errorText() }
      start += count
    }
    return nil
  }

  /// Whether a person reads the stream.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && environment("TERM") != "dumb"
  }

  /// Colours only on a terminal, and not when NO_COLOR (no-color.org) is set to anything.
  static func hasColor(_ descriptor: Int32) -> Bool {
    isTerminal(descriptor) && (environment("NO_COLOR") ?? "").isEmpty
  }

  static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// Columns for a report on standard output: of the terminal that shows it, or `columns`.
  static func reportWidth(otherwise columns: Int) -> Int {
    isTerminal(STDOUT_FILENO) ? width(STDOUT_FILENO) : columns
  }

  /// Columns of the terminal behind a stream; 100 when there is none.
  static func width(_ descriptor: Int32) -> Int {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return 100
  }
}
