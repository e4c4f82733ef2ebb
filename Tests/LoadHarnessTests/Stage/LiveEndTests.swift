import Foundation
import Glibc
import Testing

@testable import LoadHarness

/// The built `firstframe-live` as a process of its own, which has to end when it is told to.
@Suite(.serialized) struct `A live verb ends` {
  /// A process that was started, and the folder that it stands in.
  private struct Running {
    let process: Process
    let folder: String

    var error: String {
      (try? String(contentsOfFile: folder + "/error.txt", encoding: .utf8)) ?? ""
    }
    var output: String {
      (try? String(contentsOfFile: folder + "/output.txt", encoding: .utf8)) ?? ""
    }

    /// How it ended, 128 + the number for a signal; nil: not within the time.
    func end(within seconds: Double) -> Int32? {
      let limit = Date().addingTimeInterval(seconds)
      while process.isRunning {
        if Date() > limit {
          kill(process.processIdentifier, SIGKILL)
          return nil
        }
        usleep(20_000)
      }
      let status = process.terminationStatus
      return process.terminationReason == .uncaughtSignal ? 128 + status : status
    }

    /// Waits until the output has a line that begins so.
    func hears(_ line: String) -> Bool {
      for _ in 0..<1_000 {
        if output.contains(line) { return true }
        usleep(20_000)
      }
      return false
    }
  }

  private func start(_ arguments: [String]) throws -> Running {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("live-end-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try LiveFixture.text.write(
      toFile: folder + "/live.yaml", atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment
      .merging(["FF_END": folder]) { $1 }
    for name in ["output", "error"] {
      try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name).txt"))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(
      forWritingTo: URL(fileURLWithPath: folder + "/output.txt"))
    process.standardError = try FileHandle(
      forWritingTo: URL(fileURLWithPath: folder + "/error.txt"))
    try process.run()
    return Running(process: process, folder: folder)
  }

  /// The program beside the test bundle.
  private static func executable() throws -> URL {
    var places = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      places.append(URL(fileURLWithPath: argument).deletingLastPathComponent())
    }
    let found = places.compactMap { $0?.appendingPathComponent("firstframe-live") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    return try #require(found, "no firstframe-live beside \(places)")
  }

  /// Processes that were started with a folder in their environment, by it or for it.
  private static func processes(of folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { $0.allSatisfy(\.isNumber) }.compactMap { number in
      guard let variables = FileManager.default.contents(atPath: "/proc/\(number)/environ"),
        String(decoding: variables, as: UTF8.self).contains("FF_END=\(folder)"),
        let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
      else { return nil }
      return "\(number) " + String(decoding: line, as: UTF8.self).replacing("\0", with: " ")
    }
  }

  /// Who is still there some seconds later; it takes a tenth of one where nothing else runs.
  private static func left(of folder: String) -> [String] {
    for _ in 0..<200 where !processes(of: folder).isEmpty { usleep(25_000) }
    return processes(of: folder)
  }

  private static let run = [
    "run", "live.yaml", "--window", "60s", "--warm-up", "1s", "--views", "60",
  ]

  @Test(arguments: [SIGTERM, SIGHUP], [500, 4_000])
  func `a run at one signal, with what it has or with nothing`(
    _ signal: Int32, _ milliseconds: Int
  ) throws {
    let running = try start(Self.run)
    defer { try? FileManager.default.removeItem(atPath: running.folder) }
    usleep(UInt32(milliseconds) * 1_000)
    kill(running.process.processIdentifier, signal)
    let code = running.end(within: 15)
    #expect(code == 14 || code == 128 + signal, "\(code ?? -1): \(running.error)")
    #expect(Self.left(of: running.folder).isEmpty)
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `servers at one signal, with a summary`(_ signal: Int32) throws {
    for (arguments, line) in [
      (["standin", "live.yaml", "--port", "0"], "standin listening"),
      (["edge", "--origin", "http://127.0.0.1:9", "--port", "0"], "edge listening"),
    ] {
      let running = try start(arguments)
      defer { try? FileManager.default.removeItem(atPath: running.folder) }
      #expect(running.hears(line))
      kill(running.process.processIdentifier, signal)
      #expect(running.end(within: 5) == 0, "\(arguments): \(running.error)")
      #expect(running.output.split(separator: "\n").count > 1, "a summary")
    }
  }

  @Test func `a killed run leaves nobody behind`() throws {
    let running = try start(Self.run)
    defer { try? FileManager.default.removeItem(atPath: running.folder) }
    for _ in 0..<500 where Self.processes(of: running.folder).count < 4 { usleep(20_000) }
    #expect(Self.processes(of: running.folder).count >= 4, "itself, stand-in, edge, sweeper")
    kill(running.process.processIdentifier, SIGKILL)
    #expect(Self.left(of: running.folder).isEmpty)
  }
}
