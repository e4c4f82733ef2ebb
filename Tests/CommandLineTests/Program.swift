import Foundation
import Testing

/// The built `firstframe`, run as a process of its own in a folder of its own.
struct Program {
  /// Which of the programs beside the tests it is.
  let name: String

  struct Outcome {
    var status: Int32
    var output: String
    var error: String
  }

  let folder: String

  init(folder: String, name: String = "firstframe") {
    self.folder = folder
    self.name = name
  }

  /// Runs `body` in a fresh folder that is removed afterwards.
  static func inFolder(_ body: (Program) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(Program(folder: folder))
  }

  /// The executable beside the test bundle.
  static func executable(_ name: String = "firstframe") throws -> URL {
    var places = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
    // Under Swift Testing the main bundle may be the toolchain's helper; the test bundle is named
    // on the command line.
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      places.append(URL(fileURLWithPath: argument).deletingLastPathComponent())
    }
    let found = places.compactMap { $0?.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    return try #require(found, "no \(name) beside \(places)")
  }

  /// This process's environment with some variables set. Pilots that others have left, or may find,
  /// are no affair of tests.
  static func environment(_ set: [String: String] = [:]) -> [String: String] {
    ProcessInfo.processInfo.environment
      .merging(["TERM": "dumb", "FIRSTFRAME_PILOTS": "off"]) { $1 }.merging(set) { $1 }
  }

  func callAsFunction(_ arguments: String...) throws -> Outcome { try run(arguments) }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    let process = Process()
    process.executableURL = try Program.executable(name)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = Program.environment(environment)
    // Files, not pipes: a full pipe would stop the process.
    let (output, error) = (folder + "/.output", folder + "/.error")
    for path in [output, error] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: error))
    try process.run()
    process.waitUntilExit()
    defer {
      try? FileManager.default.removeItem(atPath: output)
      try? FileManager.default.removeItem(atPath: error)
    }
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self),
      error: String(decoding: try Data(contentsOf: URL(fileURLWithPath: error)), as: UTF8.self))
  }

  /// Starts the program and goes on: with its process and what it says on standard error.
  ///
  /// - Parameter hearsInterrupts: as a program in the foreground does. What a test beside this one
  ///   has ignored, or a shell for what it runs in the background, a child would ignore as well.
  func start(
    _ arguments: [String], hearsInterrupts: Bool = false
  ) throws -> (process: Process, error: FileHandle) {
    let process = Process()
    let executable = try Program.executable(name)
    process.executableURL = hearsInterrupts ? URL(fileURLWithPath: "/usr/bin/env") : executable
    process.arguments =
      (hearsInterrupts ? ["--default-signal=INT", executable.path] : []) + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = Program.environment()
    let error = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = error
    try process.run()
    return (process, error.fileHandleForReading)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

  func write(_ name: String, _ data: Data) throws {
    try data.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  func read(_ name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
  }

  /// What stands in the folder, sorted.
  func names(_ below: String = ".") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(below)")
      .filter { $0 != ".output" && $0 != ".error" }.sorted()
  }

  /// Processes that have the folder as theirs, with their command lines.
  func processes() -> [(process: pid_t, command: String)] {
    let place = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { name in
      guard let process = pid_t(name),
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"),
        own == place, let words = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
      else { return nil }
      return (process, String(decoding: words, as: UTF8.self))
    }
  }

  /// The kept replications of a folder of results, sorted, as paths from there.
  func shards(_ output: String) -> [String] {
    let all = try? FileManager.default.subpathsOfDirectory(atPath: "\(folder)/\(output)/shards")
    return (all ?? []).filter { $0.hasSuffix(".shard") }.map { "shards/\($0)" }.sorted()
  }

  /// Short enough for a debug build.
  static let tiny = """
    version: 1
    name: tiny
    audience: {viewsPerDayPerEdge: 3000000, sessionLength: 10 s}
    catalogue: {titles: 200}
    short: {window: 20 s, replications: 2}
    budgets:
      - {metric: ttff_ms.p75, limit: "< 20 s", minimumSamples: 5}

    """

  /// Some hundred views a replication, whose sessions end before the run does.
  static let field = """
    version: 1
    name: field
    audience: {viewsPerDayPerEdge: 8000000, window: 20 s, sessionLength: 10 s}
    catalogue: {titles: 200}
    network: {access: [{kind: lte}]}
    devices: [{kind: mid}]

    """

  /// The columns of a table of views; others may follow.
  static let columns = """
    version: 1
    timeZone: UTC
    columns:
      session: sid
      time: {column: at, unit: iso8601}
      ttff: {column: ttff_ms, unit: ms}

    """

  /// Such a table: sessions of five views, of which the first waits for about `cold` milliseconds
  /// and the others hardly.
  static func views(cold: Int) -> String {
    var text = "sid,at,ttff_ms\n"
    for session in 0..<200 {
      for view in 0..<5 {
        let wait = view == 0 ? cold + (session * 37) % cold : 40 + (session * 7 + view) % 30
        text += "s\(session),2026-11-01T10:\(10 + session % 50):0\(view)Z,\(wait)\n"
      }
    }
    return text
  }
}
