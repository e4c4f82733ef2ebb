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
    process.executableURL = try LiveProgram.executable()
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

  /// Numbers and command lines of processes that belong to the edge of a run: they name its folder
  /// or have a file of it open.
  private static func ofEdge(_ run: pid_t) -> [(pid: pid_t, line: String)] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.compactMap { pid in
      if ProcessTable.state(of: pid) == nil { return nil }
      let word = "firstframe-edge-\(run)-"
      let line = String(
        decoding: files.contents(atPath: "/proc/\(pid)/cmdline") ?? Data(), as: UTF8.self)
      let open = (try? files.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
      let isOurs =
        line.contains(word)
        || open.contains {
          let target = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
          return target?.contains(word) == true
        }
      return isOurs ? (pid, line.replacing("\0", with: " ")) : nil
    }
  }

  /// Who is killed: the run; its edge's first process before it, whose workers outlive that; or the
  /// sweeper before it.
  enum Killed: CaseIterable { case run, edgeFirst, sweeperFirst }

  @Test(arguments: ["nginx", "varnish", "firstframe"], Killed.allCases)
  func `a killed run leaves no edge behind, whoever was killed before`(
    _ edge: String, _ killed: Killed
  ) throws {
    let kind = try #require(EdgeServerKind(rawValue: edge))
    // Without the sweeper only our own servers see that the run is gone; others' wait for the next.
    if kind.path == nil || killed == .sweeperFirst && kind != .firstframe { return }
    let running = try start(Self.run + ["--edge", edge])
    defer { try? FileManager.default.removeItem(atPath: running.folder) }
    let run = running.process.processIdentifier
    let least = kind == .firstframe ? 1 : 2
    for _ in 0..<1_000 where Self.ofEdge(run).count < least { usleep(10_000) }
    let before = Self.ofEdge(run)
    // Who is killed is one of these; number 0 would be this process and its whole group.
    try #require(before.count >= least, "\(before)")
    switch killed {
    case .run: break
    case .edgeFirst:
      kill(try #require(before.map(\.pid).min()), SIGKILL)
    case .sweeperFirst:
      for line in Self.processes(of: running.folder) where line.contains(" sweep --of") {
        kill(try #require(line.split(separator: " ").first.flatMap { pid_t($0) }), SIGKILL)
      }
    }
    kill(run, SIGKILL)
    for _ in 0..<400 where !Self.ofEdge(run).isEmpty { usleep(10_000) }
    #expect(Self.ofEdge(run).isEmpty, "\(Self.ofEdge(run))")
    #expect(Self.left(of: running.folder).isEmpty)
  }
}
