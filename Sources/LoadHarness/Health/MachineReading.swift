import Foundation
import Glibc

/// What Linux says about this process and its machine at one time.
struct MachineReading: Sendable, Hashable {
  /// Processor time of the process, nanoseconds.
  var processTime: Int64 = 0
  /// Ticks of all cores since boot (proc(5), `/proc/stat`).
  var ticks: Int64 = 0
  var idleTicks: Int64 = 0
  var stealTicks: Int64 = 0
  var descriptors = 0
  /// Bytes.
  var resident = 0

  static func now() -> MachineReading {
    var reading = MachineReading()
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    reading.processTime =
      (Int64(usage.ru_utime.tv_sec) + Int64(usage.ru_stime.tv_sec)) * 1_000_000_000
      + (Int64(usage.ru_utime.tv_usec) + Int64(usage.ru_stime.tv_usec)) * 1_000
    reading.takeTicks(line(of: "/proc/stat"))
    reading.descriptors = descriptorCount()
    let pages = numbers(line(of: "/proc/self/statm"))
    if pages.count > 1 { reading.resident = Int(pages[1]) * Int(sysconf(Int32(_SC_PAGESIZE))) }
    return reading
  }

  /// `cpu user nice system idle iowait irq softirq steal …`; guest time is in user's already.
  mutating func takeTicks(_ line: String) {
    let ticks = MachineReading.numbers(line)
    if ticks.count < 8 { return }
    self.ticks = ticks.prefix(8).reduce(0, +)
    idleTicks = ticks[3] + ticks[4]
    stealTicks = ticks[7]
  }

  private static func numbers(_ line: String) -> [Int64] {
    line.split(separator: " ").compactMap { Int64($0) }
  }

  /// The first line of a file; empty when there is none.
  private static func line(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 512)
    guard fgets(&buffer, CInt(buffer.count), file) != nil else { return "" }
    return String(
      decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self)
  }

  /// Open descriptors. Linux 6.2 and later give the number as the size of a folder; earlier ones
  /// have to be counted.
  private static func descriptorCount() -> Int {
    var status = stat()
    if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return names?.count ?? 0
  }

  /// Bytes of the machine's memory.
  static func memory() -> Int {
    Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  static func coreCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// How many files and sockets this process may open.
public struct DescriptorLimit: Sendable, Hashable {
  public let soft: Int
  public let hard: Int

  /// The limits as they are.
  public static func current() -> DescriptorLimit {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return DescriptorLimit(
      soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
  }

  /// Raises the soft limit to the hard one, which needs no rights.
  @discardableResult
  public static func raise() -> DescriptorLimit {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    if getrlimit(resource, &limit) == 0 && limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      setrlimit(resource, &limit)
    }
    return current()
  }
}
