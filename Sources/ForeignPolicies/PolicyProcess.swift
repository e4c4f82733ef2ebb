import CProcess
import Foundation
import Synchronization

/// A process that decides, and the two ends of the way to it. One question at a time; whoever asks
/// meanwhile waits.
///
/// It has a group of its own, so that what it starts ends with it, and Ctrl-C at the terminal
/// reaches the program alone. When the program is killed its standard input ends.
final class PolicyProcess: Sendable {
  /// Bytes of an answer at most.
  static let mostBytes = 1 << 20

  private struct Channel {
    var pending: [UInt8] = []
    var nextViewer: Int64 = 0
    var isOver = false
  }

  private let pid: pid_t
  private let socket: Int32
  private let timeout: Duration
  private let channel = Mutex(Channel())
  private let errors: StandardErrorTail
  /// What it says of itself.
  let identity: PolicyIdentity

  /// Starts it and greets it.
  ///
  /// - Throws: ``PolicyNonsense`` when it does not start or does not answer as a policy.
  init(_ command: ExternalPolicy.Command) throws(PolicyNonsense) {
    let errors = StandardErrorTail()
    let (pid, socket) = try PolicyProcess.spawn(command, errors)
    let timeout = Duration.nanoseconds(command.timeout.nanoseconds)
    (self.pid, self.socket, self.timeout, self.errors) = (pid, socket, timeout, errors)
    PolicyProcess.living.withLock { _ = $0.insert(pid) }
    // A runtime takes longer to come up than to answer.
    let first = max(timeout, .seconds(10))
    PolicyProcess.limit(socket, first)
    do throws(PolicyNonsense) {
      var channel = Channel()
      let body = try PolicyProcess.ask(
        PolicyText.hello(command.task), socket, pid, first, errors,
        what: "the greeting", &channel)
      guard let answer = PolicyJSON(body) else {
        throw PolicyNonsense(
          expected: "a JSON object as the answer to the greeting", got: PolicyProcess.excerpt(body))
      }
      identity = try PolicyIdentity(answer, decides: command.task)
      if !channel.pending.isEmpty {
        throw PolicyNonsense(
          expected: "one answer to the greeting",
          got: "more: " + PolicyProcess.excerpt(channel.pending[...]))
      }
    } catch {
      PolicyProcess.end(pid, socket)
      throw error
    }
    PolicyProcess.limit(socket, timeout)
  }

  deinit {
    if channel.withLock({ !$0.isOver }) { PolicyProcess.end(pid, socket) }
  }

  /// A number for a viewer that no other of this process has or had.
  func newViewer() -> Int64 {
    channel.withLock { channel in
      defer { channel.nextViewer += 1 }
      return channel.nextViewer
    }
  }

  /// Sends a message and reads the answer.
  ///
  /// - Throws: ``PolicyNonsense`` when there is none, or none that can be read.
  func ask(_ message: [UInt8]) throws(PolicyNonsense) -> PolicyJSON {
    try channel.withLock { channel throws(PolicyNonsense) in
      let body = try PolicyProcess.ask(
        message, socket, pid, timeout, errors, what: "it", &channel)
      guard let answer = PolicyJSON(body) else {
        throw PolicyNonsense(expected: "JSON as the answer", got: PolicyProcess.excerpt(body))
      }
      if !channel.pending.isEmpty {
        throw PolicyNonsense(
          expected: "one answer", got: "more: " + PolicyProcess.excerpt(channel.pending[...]))
      }
      return answer
    }
  }

  /// Sends a message that has no answer.
  func tell(_ message: [UInt8]) throws(PolicyNonsense) {
    try channel.withLock { _ throws(PolicyNonsense) in
      if try PolicyProcess.send(message, socket, pid, timeout, errors, what: "it") { return }
      throw PolicyNonsense(
        expected: "somebody who reads it", got: PolicyProcess.fate(pid, errors, isEnd: true))
    }
  }

  /// Ends it and what it has started.
  func end() {
    let isFirst = channel.withLock { channel in
      defer { channel.isOver = true }
      return !channel.isOver
    }
    if isFirst { PolicyProcess.end(pid, socket) }
  }

  // MARK: The way there and back

  /// - Returns: whether all of it was taken; false where nobody reads any more.
  private static func send(
    _ message: [UInt8], _ socket: Int32, _ pid: pid_t, _ timeout: Duration,
    _ errors: StandardErrorTail, what: String
  ) throws(PolicyNonsense) -> Bool {
    var place = 0
    while place < message.count {
      let count = message.withUnsafeBytes { bytes in
        Foundation.send(
          socket, bytes.baseAddress! + place, bytes.count - place, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        place += count
      } else if errno != EINTR {
        if errno == EAGAIN || errno == EWOULDBLOCK {
          throw PolicyNonsense(
            expected: "\(what) to be read within \(text(timeout))",
            got: "nobody who reads" + fate(pid, errors, isEnd: false))
        }
        return false
      }
    }
    return true
  }

  private static func ask(
    _ message: [UInt8], _ socket: Int32, _ pid: pid_t, _ timeout: Duration,
    _ errors: StandardErrorTail, what: String, _ channel: inout Channel
  ) throws(PolicyNonsense) -> ArraySlice<UInt8> {
    // Who has ended may have said something before, which is told as what came of the question.
    _ = try send(message, socket, pid, timeout, errors, what: what)
    let begin = ContinuousClock.now
    var bytes: [UInt8] = channel.pending
    channel.pending = []
    var wanted: (length: Int, from: Int)?
    while true {
      if wanted == nil { wanted = try header(bytes) }
      if let (length, from) = wanted, bytes.count > from + length {
        if bytes[from + length] != UInt8(ascii: "\n") {
          throw PolicyNonsense(
            expected: "a line feed behind \(length) bytes of the answer",
            got: excerpt(bytes[(from + length)...]))
        }
        channel.pending = Array(bytes[(from + length + 1)...])
        return bytes[from..<from + length]
      }
      if !bytes.isEmpty && ContinuousClock.now - begin > timeout {
        throw PolicyNonsense(
          expected: "an answer within \(text(timeout))",
          got: "a part of one: \(excerpt(bytes[...]))"
        )
      }
      let before = bytes.count
      let room = wanted.map { max(4096, $0.length + $0.from + 1 - before) } ?? 4096
      var code: Int32 = 0
      let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
        let count = recv(socket, buffer.baseAddress, room, 0)
        if count > 0 {
          bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count < 0 {
          code = errno
        }
        return count
      }
      if count > 0 || code == EINTR { continue }
      if count < 0 && (code == EAGAIN || code == EWOULDBLOCK) {
        throw PolicyNonsense(
          expected: "an answer within \(text(timeout))",
          got: "none" + fate(pid, errors, isEnd: false))
      }
      throw PolicyNonsense(
        expected: "an answer to \(what)", got: fate(pid, errors, isEnd: true))
    }
  }

  /// How long the answer says that it is, and where it begins; nil before that is there.
  private static func header(
    _ bytes: [UInt8]
  ) throws(PolicyNonsense) -> (length: Int, from: Int)? {
    var length = 0
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: " ") && place > 0 {
        if length > mostBytes {
          throw PolicyNonsense(
            expected: "an answer of at most \(mostBytes) bytes", got: "one of \(length)")
        }
        return (length, place + 1)
      }
      guard (0x30...0x39).contains(byte), place < 18 else {
        throw PolicyNonsense(
          expected: "an answer that begins with its length in bytes and a blank",
          got: excerpt(bytes[...]))
      }
      length = length * 10 + Int(byte - 0x30)
    }
    return nil
  }

  /// The beginning of what cannot be used.
  static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes.prefix(60), as: UTF8.self).unicodeScalars {
      text += scalar.value < 0x20 || scalar.value == 0x7F ? " " : String(scalar)
    }
    return "\"\(text)\(bytes.count > 60 ? "…" : "")\""
  }

  private static func text(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    let milliseconds = seconds * 1000 + rest / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }

  /// What has become of it, and what it last said on standard error.
  private static func fate(_ pid: pid_t, _ errors: StandardErrorTail, isEnd: Bool) -> String {
    var status: Int32 = 0
    var answer: pid_t = 0
    // Who closes the way is about to end.
    for _ in 0..<(isEnd ? 100 : 1) {
      answer = waitpid(pid, &status, WNOHANG)
      if answer != 0 { break }
      usleep(2000)
    }
    var text = ""
    if answer == pid {
      let signal = status & 0x7F
      let code = status >> 8 & 0xFF
      text = "its end (\(signal == 0 ? "exit code \(code)" : "signal \(signal)"))"
      ended.withLock { _ = $0.insert(pid) }
      if !isEnd { text = ": " + text + ", and something that it has started goes on" }
    } else if isEnd {
      text = "a closed output"
    }
    if answer == pid { errors.awaitEnd() }
    let said = errors.lastLine
    return said.isEmpty ? text : text + "; it last said " + said
  }

  // MARK: Beginning and end

  /// Those whose end was waited for.
  private static let ended = Mutex<Set<pid_t>>([])
  /// Those that have begun and not been ended.
  private static let living = Mutex<Set<pid_t>>([])

  /// Ends all that are left, at the end of the program.
  static func endAll() {
    for pid in living.withLock({ $0.sorted() }) { kill(-pid, SIGKILL) }
  }

  private static func end(_ pid: pid_t, _ socket: Int32) {
    close(socket)
    living.withLock { _ = $0.remove(pid) }
    // A moment to go by itself, as the protocol says.
    var status: Int32 = 0
    var isOver = ended.withLock { $0.remove(pid) != nil }
    for _ in 0..<50 where !isOver {
      isOver = waitpid(pid, &status, WNOHANG) != 0
      if !isOver { usleep(2000) }
    }
    // And what it has started.
    kill(-pid, SIGKILL)
    if !isOver { waitpid(pid, &status, 0) }
  }

  /// How long one call waits.
  private static func limit(_ socket: Int32, _ timeout: Duration) {
    let (seconds, rest) = timeout.components
    var value = timeval()
    value.tv_sec = Int(seconds)
    value.tv_usec = Int(max(rest / 1_000_000_000_000, seconds == 0 ? 1000 : 0))
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private static func spawn(
    _ command: ExternalPolicy.Command, _ errors: StandardErrorTail
  ) throws(PolicyNonsense) -> (pid_t, Int32) {
    #if os(Linux)
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw failure("a pair of sockets") }
      defer { close(ends[1]) }
      guard let said = errors.begin() else {
        close(ends[0])
        throw failure("a pipe")
      }
      defer { close(said) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO)
      if !command.folder.isEmpty {
        let code = process_begins_in(&actions, command.folder)
        if code != 0 {
          close(ends[0])
          throw failure("a folder to begin in", code)
        }
      }
      let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }.sorted()
      var pid: pid_t = 0
      let code = process_start(
        &pid, &actions, 1, texts(command.words), command.words.count, texts(variables),
        variables.count)
      if code != 0 {
        close(ends[0])
        throw failure(startExpected, code)
      }
      return (pid, ends[0])
    #else
      throw PolicyNonsense(expected: "a policy of the program on this system", got: "a process")
    #endif
  }

  /// What is said of a command that does not start, and of one that is not there.
  static let startExpected = "a program that starts"
  static let noSuchFile = String(cString: strerror(ENOENT)).lowercased()

  private static func failure(_ expected: String, _ code: Int32 = errno) -> PolicyNonsense {
    PolicyNonsense(expected: expected, got: String(cString: strerror(code)).lowercased())
  }

  /// One behind the other, each with its zero.
  private static func texts(_ texts: [String]) -> String { texts.map { $0 + "\0" }.joined() }
}

/// The end of what a process says on standard error, read by a thread of its own, so that nobody
/// who says much has to wait.
final class StandardErrorTail: Sendable {
  private static let most = 4096
  private let tail = Mutex<[UInt8]>([])
  private let isOver = Atomic<Bool>(false)

  /// - Returns: the end to write to; nil when there is none to be had.
  func begin() -> Int32? {
    #if os(Linux)
      var ends: [Int32] = [-1, -1]
      guard process_pipe(&ends) == 0 else { return nil }
      let reader = ends[0]
      let thread = Thread { [weak self] in
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = read(reader, &buffer, buffer.count)
          if count < 0 && errno == EINTR { continue }
          if count <= 0 { break }
          self?.add(buffer[..<count])
        }
        close(reader)
        self?.noteEnd()
      }
      thread.stackSize = 256 << 10
      thread.start()
      return ends[1]
    #else
      return nil
    #endif
  }

  private func add(_ bytes: ArraySlice<UInt8>) {
    tail.withLock { tail in
      tail += bytes
      if tail.count > StandardErrorTail.most {
        tail.removeFirst(tail.count - StandardErrorTail.most)
      }
    }
  }

  private func noteEnd() { isOver.store(true, ordering: .releasing) }

  /// Waits a moment for what was said last; what somebody else keeps open has no end.
  func awaitEnd() {
    for _ in 0..<50 where !isOver.load(ordering: .acquiring) { usleep(2000) }
  }

  /// The last line with anything in it, in quotes; empty without one.
  var lastLine: String {
    let bytes = tail.withLock { $0 }
    guard
      let line = bytes.split(separator: UInt8(ascii: "\n")).last(where: {
        $0.contains { $0 > 0x20 }
      })
    else { return "" }
    return PolicyProcess.excerpt(line.prefix(200))
  }
}
