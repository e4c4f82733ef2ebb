import Foundation
import Glibc
import Synchronization

/// What can be read of a machine.
enum MachineProbe {
  static func text(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A kernel setting that is a whole number.
  static func setting(_ name: String) -> Int? { text("/proc/sys/\(name)").flatMap { Int($0) } }

  /// A value of /proc/meminfo, bytes.
  static func memory(_ name: String) -> Int64? {
    for line in (text("/proc/meminfo") ?? "").split(separator: "\n")
    where line.hasPrefix("\(name):") {
      return line.split(separator: " ").compactMap { Int64($0) }.first.map { $0 * 1024 }
    }
    return nil
  }

  /// The first executable of a name on PATH or in the folders of system programs.
  static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The first line that a program says, output or error; nil when it cannot be run.
  static func answer(of program: String, _ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
  }

  /// Whether this process has a capability (linux/capability.h numbers them).
  static func hasCapability(_ number: Int) -> Bool {
    for line in (text("/proc/self/status") ?? "").split(separator: "\n")
    where line.hasPrefix("CapEff:") {
      let word = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).last ?? ""
      return (UInt64(word, radix: 16) ?? 0) >> UInt64(number) & 1 == 1
    }
    return false
  }

  /// Why a thread may not have a network namespace of its own; nil when it may. Tried on a thread
  /// that ends at once, and the namespace with it.
  static func namespaceTrouble() -> String? {
    // Swift's module of the C library leaves unshare(2) out; CLONE_NEWNET of linux/sched.h.
    guard let symbol = dlsym(nil, "unshare") else { return "the C library has no unshare" }
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
    let code = Mutex<Int32>(0)
    let done = DispatchSemaphore(value: 0)
    Thread {
      if unshare(0x4000_0000) != 0 { code.withLock { $0 = errno } }
      done.signal()
    }.start()
    done.wait()
    let number = code.withLock { $0 }
    return number == 0 ? nil : String(cString: strerror(number)).lowercased()
  }

  /// Bytes that an ordinary process may still write to a folder's file system.
  static func freeSpace(_ folder: String) -> Int64? {
    var space = statvfs()
    guard statvfs(folder, &space) == 0 else { return nil }
    return Int64(clamping: UInt64(space.f_bavail)) * Int64(clamping: UInt64(space.f_frsize))
  }

  /// Bytes as a number with a unit.
  static func bytes(_ count: Int64) -> String {
    count >= 1_000_000_000
      ? "\(tenth(Double(count) / 1e9)) GB" : "\(tenth(Double(count) / 1e6)) MB"
  }

  /// One decimal.
  static func tenth(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  /// Gbit/s that one thread sends to another over the loopback address for so many seconds.
  static func loopbackThroughput(seconds: Double) -> Double? {
    guard let (sender, receiver) = pair() else { return nil }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(
      receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let thread = Thread {
      let block = [UInt8](repeating: 0, count: 65_536)
      let end = monotonic() + Int64(seconds * 1e9)
      while monotonic() < end {
        if send(sender, block, block.count, Int32(MSG_NOSIGNAL)) <= 0 { break }
      }
      close(sender)
    }
    thread.start()
    var buffer = [UInt8](repeating: 0, count: 262_144)
    var total = 0
    let begin = monotonic()
    while true {
      let count = recv(receiver, &buffer, buffer.count, 0)
      if count <= 0 { break }
      total += count
    }
    let span = monotonic() - begin
    close(receiver)
    return span > 0 ? Double(total) * 8 / Double(span) : nil
  }

  /// Two ends of a TCP connection over the loopback address.
  private static func pair() -> (Int32, Int32)? {
    let kind = Int32(SOCK_STREAM.rawValue)
    let listener = socket(AF_INET, kind, 0)
    if listener < 0 { return nil }
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutableBytes(of: &address) { bytes -> Int32? in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      guard bind(listener, pointer, size) == 0, listen(listener, 1) == 0,
        getsockname(listener, pointer, &size) == 0
      else { return nil }
      let sender = socket(AF_INET, kind, 0)
      if sender < 0 { return nil }
      if connect(sender, pointer, size) != 0 {
        close(sender)
        return nil
      }
      return sender
    }
    guard let sender = isConnected else { return nil }
    let receiver = accept(listener, nil, nil)
    if receiver < 0 {
      close(sender)
      return nil
    }
    return (sender, receiver)
  }

  /// Nanoseconds of CLOCK_MONOTONIC.
  static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The least step by which the clock moves, and what a call costs, nanoseconds.
  static func clockSteps() -> (least: Int64, call: Double) {
    var least = Int64.max
    let calls = 20_000
    let begin = monotonic()
    var last = begin
    for _ in 0..<calls {
      let now = monotonic()
      if now > last { least = min(least, now - last) }
      last = now
    }
    return (least, Double(last - begin) / Double(calls))
  }

  /// By how much a sleep of a millisecond is late, nanoseconds: the median and the worst of 50.
  static func sleepLateness() -> (median: Int64, worst: Int64) {
    var late: [Int64] = []
    for _ in 0..<50 {
      let begin = monotonic()
      usleep(1_000)
      late.append(monotonic() - begin - 1_000_000)
    }
    late.sort()
    return (late[25], late[49])
  }
}
