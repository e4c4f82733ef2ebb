import CProcess
import Foundation
import Scenario
import Studies

/// Begins the worker of a sweep (``PrefixWorker``) and listens to it.
struct PrefixLauncher: PrefixWorkers {
  let scenario: StudyScenario
  let points: Int
  let threads: Int
  let memoryLimit: Int64?
  let isQuiet: Bool

  func begin(_ plan: PrefixPlan) -> Bool {
    if let policy = scenario.policies.first {
      note("no prefix is shared: \(policy.text) decides, whose state the program does not know")
      return false
    }
    if plan.units.isEmpty {
      note(
        "no prefix is shared: no two points differ in cdn.origin.outages and cdn.purges alone, and "
          + "late enough")
      return false
    }
    guard ChildProcesses.isPossible, CommandLine.arguments.dropFirst().first == "sweep" else {
      note("no prefix is shared: this system has no way to do that")
      return false
    }
    // The worlds from which branches come stay in memory while these run.
    let most = MemoryEstimate(
      scenario, replications: threads * plan.worlds, threads: threads * plan.worlds
    ).total
    if let memoryLimit, most > memoryLimit {
      note("no prefix is shared: that could take more than --memory-limit")
      return false
    }
    let hundredths = Int((plan.share * 100).rounded())
    note(
      "\(plan.variants) of \(points) points share prefixes: about \(hundredths) % of the work is "
        + "left")
    return true
  }

  private func note(_ text: String) {
    if !isQuiet { Console.note(text) }
  }

  func run(stop: StopRequest, finished: (_ variant: Int, _ replication: Int) -> Void) {
    #if os(Linux)
      do throws(LaunchFailure) {
        let worker = try WorkerProcess(Array(CommandLine.arguments.dropFirst()))
        worker.listen(stop: stop) { message in
          switch message {
          case .kept(let variant, let replication): finished(variant, replication)
          case .lost(let text): tell(text)
          }
        }
        if let text = ChildProcesses.failure(worker.wait()), !stop.isAbandoned { tell(text) }
      } catch {
        tell(error.text)
      }
    #endif
  }

  private func tell(_ text: String) {
    Console.error("shared prefix: \(text); what it leaves is run from its beginning")
  }
}

#if os(Linux)
  private struct LaunchFailure: Error {
    var text: String

    /// What the system says.
    init(_ expected: String, _ code: Int32) {
      text = "expected \(expected), got \(Console.errorText(code))"
    }
  }

  /// A worker under way. It ends with the thread that has begun it.
  private struct WorkerProcess {
    private let process: pid_t
    /// Its standard input, whose end says that nothing more is to be begun.
    private let input: Int32
    /// What it and its children tell; it ends when the last of them is gone.
    private let output: Int32

    init(_ arguments: [String]) throws(LaunchFailure) {
      var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
      if process_pipe(&down) != 0 { throw LaunchFailure("a pipe", errno) }
      defer { close(down[0]) }
      if process_pipe(&up) != 0 {
        let code = errno
        close(down[1])
        throw LaunchFailure("a pipe", code)
      }
      defer { close(up[1]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO)
      let all = ["firstframe", PrefixWorker.argument, "\(getpid())"] + arguments
      let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
      var started: pid_t = 0
      let code = WorkerProcess.withTexts(all) { argv in
        WorkerProcess.withTexts(variables) { environment in
          posix_spawn(&started, "/proc/self/exe", &actions, nil, argv, environment)
        }
      }
      if code != 0 {
        close(down[1])
        close(up[0])
        throw LaunchFailure("a process of this program", code)
      }
      process = started
      input = down[1]
      output = up[0]
    }

    /// Calls `body` with an array of C texts that ends with nil.
    private static func withTexts<Value>(
      _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
      var pointers = texts.map { strdup($0) } + [nil]
      defer { for pointer in pointers { free(pointer) } }
      return pointers.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("it has its nil") }
        return body(base)
      }
    }

    /// How often it looks whether to stop, milliseconds.
    private static let patience: Int32 = 50

    /// Passes on what is told until nobody is left who could tell anything.
    func listen(stop: StopRequest, _ heard: (PrefixMessage) -> Void) {
      var isOpen = true
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        if stop.isAbandoned { kill(process, SIGKILL) }
        if stop.isRequested && isOpen {
          close(input)
          isOpen = false
        }
        var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        if poll(&waited, 1, WorkerProcess.patience) <= 0 { continue }
        let count = read(output, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeFirst(end + 1)
          if let message = PrefixMessage(line) { heard(message) }
        }
      }
      if isOpen { close(input) }
      close(output)
    }

    /// Waits for its end, once.
    func wait() -> Int32 {
      var word: Int32 = 0
      while waitpid(process, &word, 0) < 0 && errno == EINTR {}
      return word
    }
  }
#endif
