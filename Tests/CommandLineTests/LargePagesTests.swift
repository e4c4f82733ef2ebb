import Foundation
import Testing

/// Whether the kernel has large pages to give.
private let hasLargePages: Bool = {
  let path = "/sys/kernel/mm/transparent_hugepage/enabled"
  let setting = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  return setting.contains("[always]") || setting.contains("[madvise]")
}()

@Suite struct LargePagesTests {
  /// Two gigabytes of viewers by the estimate, which are never all there.
  @Test(.enabled(if: hasLargePages))
  func `a large run has room for all of its estimate in large pages`() throws {
    let advised = try advised("--set", "audience.viewsPerDayPerEdge=30000000000") { $0 > 1 << 30 }
    #expect(advised > 1 << 30)
  }

  @Test(.enabled(if: hasLargePages))
  func `a small run asks for no large pages`() throws {
    #expect(try advised("--short") { $0 > 0 } == 0)
  }

  /// The most bytes of large pages that a run has asked for, until it ends or there are enough.
  private func advised(
    _ arguments: String..., until isEnough: (Int64) -> Bool
  ) throws -> Int64 {
    var most: Int64 = 0
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["run", "tiny.yaml", "--quiet", "--replications", "2"] + arguments
      process.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
      process.environment = Program.environment()
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let deadline = Date() + 120
      while process.isRunning && !isEnough(most) && Date() < deadline {
        most = max(most, LargePagesTests.advised(process.processIdentifier))
        usleep(20_000)
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    return most
  }

  /// Bytes of a process that may lie in large pages because it has asked for them.
  private static func advised(_ process: Int32) -> Int64 {
    // Read to its end: the file has no size to go by.
    let file = FileHandle(forReadingAtPath: "/proc/\(process)/smaps")
    let text = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
    var sum: Int64 = 0
    var size: Int64 = 0
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words.first {
      case "Size:": size = (Int64(words[1]) ?? 0) << 10
      case "VmFlags:" where words.contains("hg"): sum += size
      default: break
      }
    }
    return sum
  }
}
