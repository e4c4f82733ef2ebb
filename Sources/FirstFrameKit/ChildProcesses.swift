import CProcess
import Foundation

/// What a worker and its children tell the program that has begun them, a line each on standard
/// output. A line is shorter than what a pipe keeps in one piece.
enum PrefixMessage: Equatable {
  /// The record of a replication of a variant is in the store.
  case kept(variant: Int, replication: Int)
  /// Something went wrong; what it would have left is run by itself.
  case lost(String)

  private static let longest = 400

  var line: String {
    switch self {
    case .kept(let variant, let replication): "kept \(variant) \(replication)\n"
    case .lost(let text):
      "lost " + text.prefix(PrefixMessage.longest).replacing("\n", with: " ") + "\n"
    }
  }

  /// Reads a line without its end; nil for none of these.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "kept":
      let numbers = words[1].split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { return nil }
      self = .kept(variant: numbers[0], replication: numbers[1])
    case "lost": self = .lost(String(words[1]))
    default: return nil
    }
  }

  /// Tells it. Where nobody listens any more this process is about to be killed.
  func send() { _ = Console.document(line) }
}

/// The children of a process that has one thread. They end with it, however it ends.
struct ChildProcesses {
  private var running = 0
  /// Whether every child that has ended did what it should.
  private(set) var isWhole = true

  /// The status of a child that has told what went wrong.
  static let told: Int32 = 1

  /// Whether this process can become two: with one thread, no other one can hold what the child
  /// would wait for.
  static var isAlone: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) == 1
  }

  /// Whether there are such processes on this system.
  static var isPossible: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Makes this process two.
  ///
  /// - Returns: whether it is the new one, which has no children.
  mutating func begin() -> Bool {
    let parent = getpid()
    let child = process_fork()
    if child == 0 {
      self = ChildProcesses()
      if process_ends_with_parent() == 0 || getppid() != parent { _exit(ChildProcesses.told) }
      return true
    }
    if child > 0 {
      running += 1
    } else {
      lose("expected one more process, got \(Console.errorText())")
    }
    return false
  }

  /// Waits until at most so many still run.
  mutating func wait(untilAtMost most: Int) {
    while running > most {
      var word: Int32 = 0
      if waitpid(-1, &word, 0) < 0 {
        if errno == EINTR { continue }
        lose("expected a process to wait for, got \(Console.errorText())")
        running = 0
        return
      }
      running -= 1
      if let text = ChildProcesses.failure(word) { lose(text) }
      isWhole = isWhole && word == 0
    }
  }

  private mutating func lose(_ text: String) {
    PrefixMessage.lost(text).send()
    isWhole = false
  }

  /// What a process's status says that it has not told itself; nil: nothing.
  static func failure(_ word: Int32) -> String? {
    let signal = word & 0x7F
    if signal != 0 { return "a process was ended by signal \(signal)" }
    let status = word >> 8 & 0xFF
    return status == 0 || status == told ? nil : "a process ended with status \(status)"
  }

  /// Waits for all of them and ends this process.
  mutating func end() -> Never {
    wait(untilAtMost: 0)
    _exit(isWhole ? ExitStatus.success : ChildProcesses.told)
  }
}
