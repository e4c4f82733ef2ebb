import CProcess
import Foundation
import Glibc
import Synchronization

/// A child process in a process group of its own, so that a Ctrl-C at the terminal reaches only the
/// parent, and so that stopping it stops what it started.
final class Subprocess: Sendable {
  let pid: pid_t
  private let status = Mutex<Int32?>(nil)

  private init(pid: pid_t) { self.pid = pid }

  /// Starts a program that is looked for on PATH.
  ///
  /// - Parameters:
  ///   - input: descriptor of its standard input; nil: nothing to read where `output` is given,
  ///     else that of this process.
  ///   - output: file for its standard output and standard error; nil: those of this process.
  ///   - environment: replaces the present one when given.
  static func start(
    _ arguments: [String], input: Int32? = nil, output: String? = nil,
    environment: [String: String]? = nil, inOwnGroup: Bool = true
  ) throws(HarnessFailure) -> Subprocess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    let variables = (environment ?? ProcessInfo.processInfo.environment)
      .map { "\($0)=\($1)" }.sorted()
    var pid: pid_t = 0
    let code = process_start(
      &pid, &actions, inOwnGroup ? 1 : 0, texts(arguments), arguments.count, texts(variables),
      variables.count)
    if code != 0 {
      throw HarnessFailure(
        code == ENOENT ? .missing : .system,
        "\(arguments[0]): expected to start, got \(errorText(code))")
    }
    return Subprocess(pid: pid)
  }

  /// Starts a program and waits for it.
  ///
  /// - Returns: its output and error text.
  /// - Throws: when it cannot start or its exit code is not 0.
  @discardableResult
  static func run(_ arguments: [String]) throws(HarnessFailure) -> String {
    let file = temporaryFile()
    defer { unlink(file) }
    let child = try start(arguments, output: file)
    let code = child.wait()
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    if code != 0 {
      throw HarnessFailure(
        .system,
        "\(arguments.joined(separator: " ")): expected exit code 0, got \(code)"
          + (text.isEmpty ? "" : "\n" + text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
    return text
  }

  /// A file name that no other process has.
  static func temporaryFile() -> String {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    return "\(temporaryFolder)/firstframe-\(getpid())-\(number).txt"
  }

  static let temporaryFolder = "/tmp"

  private static let serial = Atomic<Int>(0)

  /// The exit code, 128 + signal for a child that was killed; nil while it runs.
  func poll() -> Int32? { reap(WNOHANG) }

  /// Waits for the end.
  @discardableResult
  func wait() -> Int32 {
    while true {
      if let code = reap(WNOHANG) { return code }
      usleep(2_000)
    }
  }

  /// Asks it, and what it started, to end; after `grace` seconds it is killed.
  func stop(grace: Double = 3) {
    if poll() != nil {
      // What it may have left behind in its group.
      kill(-pid, SIGKILL)
      return
    }
    signal(SIGTERM)
    // One that was paused hears it only when it runs.
    signal(SIGCONT)
    let limit = Date().addingTimeInterval(grace)
    while poll() == nil {
      if Date() > limit { signal(SIGKILL) }
      usleep(5_000)
    }
    kill(-pid, SIGKILL)
  }

  /// To the group, or to the process alone when it has none of its own.
  private func signal(_ number: Int32) {
    if kill(-pid, number) != 0 { kill(pid, number) }
  }

  private func reap(_ options: Int32) -> Int32? {
    status.withLock { status in
      if let status { return status }
      var word: Int32 = 0
      let answer = waitpid(pid, &word, options)
      if answer == 0 || (answer < 0 && errno == EINTR) { return nil }
      let signal = word & 0x7F
      status = answer < 0 ? 127 : signal == 0 ? word >> 8 & 0xFF : 128 + signal
      return status
    }
  }
}

/// The text of an error number in lower case.
func errorText(_ code: Int32 = errno) -> String { String(cString: strerror(code)).lowercased() }

/// One behind the other, each with its zero.
private func texts(_ texts: [String]) -> String { texts.map { $0 + "\0" }.joined() }

/// What must be undone before the process ends, whichever way it ends.
///
/// Namespaces and servers add themselves; a program that catches signals calls ``run()`` before it
/// ends. What a killed process leaves is removed at the next start (``NamespacePair``,
/// ``EdgeProcess``).
public final class Teardown: Sendable {
  private let actions = Mutex<[(id: Int, run: @Sendable () -> Void)]>([])
  private let last = Atomic<Int>(0)

  public init() {}

  /// The one of this process.
  public static let ofProcess = Teardown()

  @discardableResult
  public func add(_ action: @escaping @Sendable () -> Void) -> Int {
    let id = last.wrappingAdd(1, ordering: .relaxed).newValue
    actions.withLock { $0.append((id, action)) }
    return id
  }

  public func remove(_ id: Int) { actions.withLock { $0.removeAll { $0.id == id } } }

  /// Runs what is left, the latest first, each once.
  public func run() {
    while let action = actions.withLock({ $0.popLast() }) { action.run() }
  }
}
