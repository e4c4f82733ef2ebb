import CProcess
import Dispatch
import Foundation
import Synchronization

/// The program once more, for one call: what goes wrong in it ends the call and not the server.
final class AgentProcess: Sendable {
  /// How a call ended.
  struct Outcome {
    var status: Int32
    var output: String
    var error: String
    /// Bytes of the output beyond ``longest``, which are not in it.
    var omitted: Int
    /// Whether it was ended for the time that it took.
    var isLate: Bool
  }

  /// Most bytes that are kept of what a call prints.
  static let longest = 256 << 10
  /// How long a call may take that was asked to stop, in seconds.
  static let grace = 5.0

  /// The variable that tells a call which process has begun it.
  private static let server = "FIRSTFRAME_MCP_SERVER"

  /// Where this process is a call, lets it end with the server, however that ends. The server's
  /// thread that begins a call waits for it.
  static func endWithServer() {
    #if os(Linux)
      guard let text = Console.environment(server), let parent = pid_t(text) else { return }
      unsetenv(server)
      if process_ends_with_parent() == 0 || getppid() != parent { _exit(ExitStatus.internalError) }
    #endif
  }

  private struct State {
    var pid: pid_t?
    var isEnded = false
    var isLate = false
  }

  private let state = Mutex(State())

  /// Runs the command and waits for its end.
  ///
  /// - Parameter limit: seconds after which it is asked to stop.
  /// - Throws: an error of the system when it cannot begin.
  func run(_ words: [String], limit: Double) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("firstframe-mcp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: a full pipe would stop the process.
    let (output, error) = (folder.appending(path: "output"), folder.appending(path: "error"))
    for file in [output, error] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = try AgentProcess.program()
    process.arguments = words
    // Pilots would be kept in a folder of the user's: calls write to results alone.
    process.environment = ProcessInfo.processInfo.environment
      .merging([
        "NO_COLOR": "1", "FIRSTFRAME_PILOTS": "off", AgentProcess.server: "\(getpid())",
      ]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    let isWanted = try state.withLock { state in
      if state.isEnded { return false }
      try process.run()
      state.pid = process.processIdentifier
      return true
    }
    if !isWanted { throw CancellationError() }
    let deadline = DispatchWorkItem { [self] in
      state.withLock { $0.isLate = true }
      end()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: deadline)
    process.waitUntilExit()
    deadline.cancel()
    let isLate = state.withLock { state in
      state.pid = nil
      return state.isLate
    }
    let (text, omitted) = AgentProcess.head(of: output)
    return Outcome(
      status: process.terminationReason == .exit
        ? process.terminationStatus : ExitStatus.signal + process.terminationStatus,
      output: text, error: AgentProcess.head(of: error).text, omitted: omitted, isLate: isLate)
  }

  /// Asks the call to stop, and ends it when it does not.
  func end() {
    state.withLock { state in
      state.isEnded = true
      if let pid = state.pid { kill(pid, SIGTERM) }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + AgentProcess.grace) { [self] in
      endNow()
    }
  }

  /// Ends the call.
  func endNow() {
    state.withLock { state in
      state.isEnded = true
      if let pid = state.pid { kill(pid, SIGKILL) }
    }
  }

  /// This program's file, also where it was replaced since it began.
  private static func program() throws -> URL {
    #if os(Linux)
      URL(fileURLWithPath: "/proc/self/exe")
    #else
      try Bundle.main.executableURL ?? { throw CocoaError(.fileNoSuchFile) }()
    #endif
  }

  private static func head(of file: URL) -> (text: String, omitted: Int) {
    guard let data = try? Data(contentsOf: file, options: .alwaysMapped) else { return ("", 0) }
    let kept = data.prefix(longest)
    return (String(decoding: kept, as: UTF8.self), data.count - kept.count)
  }
}
