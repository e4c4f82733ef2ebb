import Foundation
import Glibc
import Testing

/// The built `firstframe-live` as a process of its own, or another program beside it.
final class LiveProgram {
  let process = Process()
  private let folder: String

  /// The program beside the test bundle.
  static func executable(_ name: String = "firstframe-live") throws -> URL {
    var places = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      places.append(URL(fileURLWithPath: argument).deletingLastPathComponent())
    }
    let found = places.compactMap { $0?.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    return try #require(found, "no \(name) beside \(places)")
  }

  init(_ arguments: [String]) throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("live-program-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let output = folder + "/output.txt"
    try Data().write(to: URL(fileURLWithPath: output))
    process.executableURL = try LiveProgram.executable()
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = process.standardOutput
    try process.run()
  }

  var output: String {
    (try? String(contentsOfFile: folder + "/output.txt", encoding: .utf8)) ?? ""
  }

  /// The port that a server says it listens on.
  func port() throws -> Int {
    for _ in 0..<500 {
      for line in output.split(separator: "\n") where line.contains("listening on") {
        if let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return port }
      }
      usleep(20_000)
    }
    return try #require(nil as Int?, "no port: \(output)")
  }

  /// Ends it and says what it has said.
  @discardableResult
  func stop() -> String {
    process.terminate()
    process.waitUntilExit()
    let text = output
    try? FileManager.default.removeItem(atPath: folder)
    return text
  }

  /// Bytes of a row of /proc/PID/status, such as VmHWM.
  func memory(_ row: String) -> Int {
    let path = "/proc/\(process.processIdentifier)/status"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(row + ":") }
    return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1_024
  }

  /// Nanoseconds that its threads have run.
  func time() -> Int {
    let tasks = "/proc/\(process.processIdentifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.reduce(0) { sum, thread in
      let text =
        (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)) ?? ""
      return sum + (text.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }

  /// Descriptors that it has open.
  func descriptors() -> Int {
    let path = "/proc/\(process.processIdentifier)/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count
  }
}
