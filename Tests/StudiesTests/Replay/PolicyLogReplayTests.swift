import Foundation
import Testing

@testable import Studies

@Suite struct PolicyLogReplayTests {
  private static let logs = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("PolicyLogs").path

  @Test func `every log of the folder and below is found, and gives the same commands`() {
    let paths = PolicyLogReplay.logs(in: Self.logs)
    #expect(paths.count > PolicyLogReplay.machines.count && paths == paths.sorted())
    #expect(paths.contains { $0.contains("/live/") })
    var played = 0
    for path in paths {
      guard case .equal(let events, _) = PolicyLogReplay.outcome(ofLog: path) else {
        Issue.record("\(path)")
        continue
      }
      played += events
    }
    #expect(played > 1_000)
  }

  @Test func `what is wrong with a log is told with its line`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let part = folder.appendingPathComponent("7.part")
    try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try String(contentsOfFile: Self.logs + "/player-pool.log", encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func outcome(_ name: String) throws -> PolicyLogReplay.Outcome {
      let path = folder.appendingPathComponent(name).path
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      return PolicyLogReplay.outcome(ofLog: path)
    }
    let place = try #require(lines.firstIndex { $0.hasPrefix("command prepare") })
    lines[place] += "7"
    #expect(try outcome("altered.log") == .differs(line: place + 1))
    let event = try #require(lines.firstIndex { $0.hasPrefix("event ") })
    lines[event] = "event soon"
    #expect(try outcome("torn.log") == .malformed(line: event + 1))
    lines[1] = "machine none"
    #expect(try outcome("other.log") == .unknownMachine)
    let absent = PolicyLogReplay.outcome(ofLog: folder.path + "/absent.log")
    guard case .unreadable(let reason) = absent else {
      Issue.record("expected no log, got \(absent)")
      return
    }
    #expect(reason.isMissing && reason.got == "no such file")
    // What is not whole is passed over.
    _ = try outcome("7.part/whole.log")
    let names = PolicyLogReplay.logs(in: folder.path).map { ($0 as NSString).lastPathComponent }
    #expect(names == ["altered.log", "other.log", "torn.log"])
  }
}
