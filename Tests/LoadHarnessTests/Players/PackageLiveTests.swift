import Foundation
import Testing

/// Live runs of a program with a policy of its own (Tests/sample).
@Suite struct PackageLiveTests {
  /// Runs a program in a folder to its end.
  private static func run(
    _ name: String, _ words: [String], in folder: URL
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = try LiveProgram.executable(name)
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment
      .merging(["FIRSTFRAME_PILOTS": "off", "TERM": "dumb"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  /// Against the stand-in by the clock; the logs of its viewers are those of the package's policy,
  /// and play to the same commands.
  @Test func `a package's policy runs live, and its logs play again`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("package-live-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let scenario =
      LiveFixture.text + """

        policy:
          prefetch: {kind: sample, headLength: 4 s}

        """
    try scenario.write(
      to: folder.appendingPathComponent("own.yaml"), atomically: true, encoding: .utf8)
    let live = try Self.run(
      "sample",
      [
        "live", "run", "own.yaml", "--views", "80", "--window", "6s", "--warm-up", "1s",
        "--record", "logs", "--quiet", "--no-confirm", "--output", "live",
      ], in: folder)
    // So few views may end with any verdict.
    #expect([0, 10, 12, 13].contains(live.status), "\(live.output)")
    #expect(live.output.contains("sample 1.0"), "\(live.output)")
    let played = try Self.run("sample", ["replay", "policy", "logs"], in: folder)
    #expect(played.status == 0, "\(played.output)")

    let files = try FileManager.default.subpathsOfDirectory(
      atPath: folder.appendingPathComponent("logs").path)
    #expect(!files.contains { $0.hasSuffix("prefetch-policy.log") })
    let logs = try files.filter { $0.hasSuffix("/sample.log") }.sorted().map { path in
      try String(contentsOf: folder.appendingPathComponent("logs/\(path)"), encoding: .utf8)
        .split(separator: "\n")
    }
    var lines = try #require(logs.first { $0.contains { $0.hasPrefix("command start ") } })
    #expect(lines[1] == "machine sample")
    // A command that the policy did not give.
    let place = try #require(lines.firstIndex { $0.hasPrefix("command start ") })
    lines[place] = "command start 77 1 0"
    try (lines.joined(separator: "\n") + "\n").write(
      to: folder.appendingPathComponent("changed.log"), atomically: true, encoding: .utf8)
    let other = try Self.run(
      "sample", ["replay", "policy", "changed.log", "--explain"], in: folder)
    #expect(other.status == 11)
    #expect(other.output.contains("changed.log:\(place + 1):1: expected the command start 77"))
    #expect(other.output.contains("headLength 4 s"), "\(other.output)")
    let unknown = try Self.run("firstframe", ["replay", "policy", "changed.log"], in: folder)
    #expect(unknown.status == 65)
    #expect(unknown.output.contains("changed.log:2:1: expected machine"), "\(unknown.output)")
    for (words, said) in [
      (
        ["--client", "browser", "--link", "none"],
        "expected policies of FirstFrame's own, which its page has"
      ),
      (
        ["--set", "policy.prefetch={kind: external, command: [./mine]}"],
        "policy.prefetch: expected a policy of the program in a live run, got a process"
      ),
    ] {
      let refused = try Self.run("sample", ["live", "run", "own.yaml"] + words, in: folder)
      #expect(refused.status == 65 && refused.output.contains(said), "\(refused.output)")
    }
  }
}
