import Foundation
import Testing

/// `firstframe replay policy`: logs of decisions, one by one and by the folder.
@Suite struct ReplayPolicyCommandTests {
  private static let logs = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("PolicyLogs")
    .path

  @Test func `the checked-in logs, those of a live run too, give the same commands`() throws {
    try Program.inFolder { firstframe in
      let all = try firstframe("replay", "policy", Self.logs)
      #expect(all.status == 0, "\(all.error)")
      #expect(all.output.contains("logs with the same commands"))
      let live = try firstframe("replay", Self.logs + "/live")
      #expect(live.status == 0, "\(live.error)")
      let one = try firstframe("replay", Self.logs + "/player-pool.log")
      #expect(one.status == 0 && one.output.contains("commands to 300 events"))
    }
  }

  @Test func `an altered line is named, with the exit code of what is wrong`() throws {
    try Program.inFolder { firstframe in
      let text = try String(contentsOfFile: Self.logs + "/player-pool.log", encoding: .utf8)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let place = try #require(lines.firstIndex { $0.hasPrefix("command prepare") })
      func write(_ name: String) throws {
        try lines.joined(separator: "\n").write(
          toFile: "\(firstframe.folder)/\(name)", atomically: true, encoding: .utf8)
      }
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/a/1024", withIntermediateDirectories: true)
      try write("a/1024/good.log")
      lines[place] += "7"
      try write("a/1024/player-pool.log")
      let folder = try firstframe("replay", "policy", "a")
      #expect(folder.status == 11)
      #expect(folder.output.contains("1 of 2 logs"))
      #expect(folder.error.contains("player-pool.log:\(place + 1):1: expected the command"))
      let event = try #require(lines.firstIndex { $0.hasPrefix("event ") })
      lines[event] = "event soon"
      try write("torn.log")
      #expect(try firstframe("replay", "policy", "torn.log").status == 65)
      #expect(try firstframe("replay", "policy", "absent.log").status == 66)
      // What is not whole is passed over; a folder without a log is no success.
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/b/1025.part", withIntermediateDirectories: true)
      try write("b/1025.part/player-pool.log")
      let empty = try firstframe("replay", "policy", "b")
      #expect(empty.status == 66 && empty.error.contains("expected logs"))
    }
  }
}
